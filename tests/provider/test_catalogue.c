/* test_catalogue.c - the built-in rows, what a configuration adds to them, and what names mean. */
#include "base/features.h"

#include <stdio.h>

#include "test.h"

#include "provider/catalogue.h"
#include "test_alloc.h"

static enum status open_text(const char *text, const struct alloc *alloc,
                             struct catalogue **out_catalogue, struct error *error)
{
    struct json user = { NULL, NULL };
    struct json_doc *doc = NULL;
    enum status status = STATUS_OK;
    if (text != NULL)
        status = json_parse(str_from(text), NULL, alloc, &doc, error);
    if (status == STATUS_OK) {
        user = doc == NULL ? user : json_doc_root(doc);
        status = catalogue_open(user, alloc, out_catalogue, error);
    }
    json_doc_free(doc);
    return status;
}

static struct catalogue *open_good(const char *text)
{
    struct catalogue *catalogue = NULL;
    struct error error = { 0 };
    if (open_text(text, alloc_default(), &catalogue, &error) != STATUS_OK)
        fail_msg("%s (%s)", error.message, error.pointer);
    return catalogue;
}

static void assert_text(struct str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr == NULL ? "" : text.ptr, expected, text.len);
}

/* ---- the built-in rows ---- */

static void test_every_row_is_usable(void **state)
{
    (void)state;
    struct catalogue *catalogue = open_good(NULL);
    assert_true(catalogue_count(catalogue) >= 19);
    for (uint32_t i = 0; i < catalogue_count(catalogue); i++) {
        const struct provider_row *row = catalogue_at(catalogue, i);
        assert_true(row->title.len > 0 && row->date.len == 10 && row->source.len > 0);
        assert_true(row->key_header.len > 0 && row->base_url_variable.len > 0);
        assert_true(row->key_variable.len > 0 && !row->is_users && row->key_source.len == 0);
        assert_ptr_equal(catalogue_provider(catalogue, row->id), row);
        assert_true(row->model_count > 0);
        assert_text(row->models[row->model_count - 1].pattern, "*");
        for (uint32_t k = 0; k < row->model_count; k++) {
            const struct provider_model *model = &row->models[k];
            assert_true(model->date.len == 10 && model->source.len > 0);
            assert_true(model->output_limit_name.len > 0);
            assert_non_null(model->rules);
            if (model->strictness == PROVIDER_STRICT_YES)
                assert_true(model->rules->is_strict);
            for (uint32_t m = k + 1; m < row->model_count; m++)
                assert_false(str_equal(model->pattern, row->models[m].pattern));
        }
    }
    catalogue_free(catalogue);
}

/* Every row can be reached: no earlier pattern takes its own name. */
static void test_no_row_hides_another(void **state)
{
    (void)state;
    struct catalogue *catalogue = open_good(NULL);
    for (uint32_t i = 0; i < catalogue_count(catalogue); i++) {
        const struct provider_row *row = catalogue_at(catalogue, i);
        for (uint32_t k = 0; k < row->model_count; k++) {
            char name[300];
            size_t len = 0;
            struct str pattern = row->models[k].pattern;
            for (size_t at = 0; at < pattern.len; at++) {
                if (pattern.ptr[at] != '*')
                    name[len++] = pattern.ptr[at];
            }
            const struct provider_model *found = catalogue_model(row, str_of(name, len), NULL);
            if (found != &row->models[k])
                fail_msg("%.*s: %.*s is hidden by %.*s", (int)row->id.len, row->id.ptr,
                         (int)pattern.len, pattern.ptr, (int)found->pattern.len,
                         found->pattern.ptr);
        }
    }
    catalogue_free(catalogue);
}

struct model_case {
    const char *provider, *model;
    const char *pattern, *rules, *limit;
    enum provider_mechanism mechanism;
    enum provider_strictness strictness;
    unsigned taken, refused;
};

static void test_models_are_told_apart(void **state)
{
    (void)state;
    static const struct model_case cases[] = {
        { "anthropic", "claude-opus-5-5-20260922", "claude-opus-5-5*", "anthropic", "max_tokens",
          PROVIDER_BY_SCHEMA, PROVIDER_STRICT_YES, PROVIDER_TAKES_CACHE_MARKS,
          PROVIDER_TAKES_TEMPERATURE },
        { "anthropic", "claude-haiku-4-5", "claude-haiku-4-5*", "anthropic", "max_tokens",
          PROVIDER_BY_SCHEMA, PROVIDER_STRICT_YES,
          PROVIDER_TAKES_TEMPERATURE | PROVIDER_TAKES_STREAM, PROVIDER_TAKES_SEED },
        { "anthropic", "claude-sonnet-4-20250514", "claude-sonnet-4-2*", "anthropic-plain-tool",
          "max_tokens", PROVIDER_BY_TOOL, PROVIDER_STRICT_NO, PROVIDER_TAKES_TEMPERATURE, 0 },
        { "openai", "gpt-5.6-mini", "gpt-5.6*", "openai-strict", "max_output_tokens",
          PROVIDER_BY_SCHEMA, PROVIDER_STRICT_YES, PROVIDER_TAKES_STORE,
          PROVIDER_TAKES_TEMPERATURE },
        { "openai-chat", "gpt-4o-mini", "gpt-4o*", "openai-strict", "max_completion_tokens",
          PROVIDER_BY_SCHEMA, PROVIDER_STRICT_YES,
          PROVIDER_TAKES_TEMPERATURE | PROVIDER_TAKES_SEED | PROVIDER_TAKES_STREAM_USAGE, 0 },
        { "openai-chat", "gpt-4-turbo", "gpt-4-turbo*", "openai-strict", "max_completion_tokens",
          PROVIDER_BY_JSON_OBJECT, PROVIDER_STRICT_NO, PROVIDER_NEEDS_WORD_JSON, 0 },
        { "openai", "ft:gpt-4o:org", "ft:*", "openai-fine-tuned", "max_output_tokens",
          PROVIDER_BY_SCHEMA, PROVIDER_STRICT_YES, 0, 0 },
        { "gemini", "gemini-3.8-flash", "gemini-3*", "gemini-json-schema", "maxOutputTokens",
          PROVIDER_BY_SCHEMA, PROVIDER_STRICT_YES, PROVIDER_TAKES_STREAM,
          PROVIDER_TAKES_TEMPERATURE },
        { "gemini", "gemini-2.0-flash", "gemini-2.0*", "gemini-openapi", "maxOutputTokens",
          PROVIDER_BY_SCHEMA, PROVIDER_STRICT_YES, 0, 0 },
        { "groq", "openai/gpt-oss-20b", "openai/gpt-oss-20b*", "groq-strict",
          "max_completion_tokens", PROVIDER_BY_SCHEMA, PROVIDER_STRICT_YES, 0,
          PROVIDER_TAKES_STREAM },
        { "groq", "llama-3.3-70b", "*", "groq-strict", "max_completion_tokens",
          PROVIDER_BY_JSON_OBJECT, PROVIDER_STRICT_NO, PROVIDER_NEEDS_WORD_JSON,
          PROVIDER_TAKES_STREAM },
        { "deepseek", "deepseek-chat", "*", "common", "max_tokens", PROVIDER_BY_JSON_OBJECT,
          PROVIDER_STRICT_NO, PROVIDER_TAKES_STREAM, PROVIDER_TAKES_SEED },
        { "ollama", "qwen3:0.6b", "*", "llama-cpp", "max_tokens", PROVIDER_BY_SCHEMA,
          PROVIDER_STRICT_YES, PROVIDER_TAKES_SEED, PROVIDER_SHOWS_SCHEMA },
        { "ollama", "gpt-oss:120b-cloud", "*-cloud", "llama-cpp", "max_tokens",
          PROVIDER_BY_JSON_OBJECT, PROVIDER_STRICT_NO, 0, 0 },
        { "compat", "anything", "*", "common", "max_tokens", PROVIDER_BY_SCHEMA,
          PROVIDER_STRICT_UNKNOWN, PROVIDER_TAKES_SYSTEM_ROLE, PROVIDER_TAKES_STORE },
        { "azure", "my-deployment", "*", "azure-strict", "max_completion_tokens",
          PROVIDER_BY_SCHEMA, PROVIDER_STRICT_UNKNOWN, 0,
          PROVIDER_TAKES_STORE | PROVIDER_TAKES_TEMPERATURE },
    };
    struct catalogue *catalogue = open_good(NULL);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct model_case *expected = &cases[i];
        bool is_known;
        const struct provider_row *row =
            catalogue_provider(catalogue, str_from(expected->provider));
        assert_non_null(row);
        const struct provider_model *model =
            catalogue_model(row, str_from(expected->model), &is_known);
        assert_text(model->pattern, expected->pattern);
        assert_int_equal(is_known, strcmp(expected->pattern, "*") != 0);
        assert_text(model->rules->name, expected->rules);
        assert_text(model->output_limit_name, expected->limit);
        assert_int_equal(model->mechanism, expected->mechanism);
        assert_int_equal(model->strictness, expected->strictness);
        assert_int_equal(model->parameters & expected->taken, expected->taken);
        assert_int_equal(model->parameters & expected->refused, 0);
    }
    catalogue_free(catalogue);
}

static void test_what_a_preset_takes_over(void **state)
{
    (void)state;
    struct catalogue *catalogue = open_good(NULL);
    const struct provider_row *azure = catalogue_provider(catalogue, STR("azure"));
    assert_int_equal(azure->protocol, PROVIDER_CHAT);
    assert_text(azure->key_header, "api-key");
    assert_text(azure->base_url, "");
    assert_text(azure->path, "/openai/v1/chat/completions");
    const struct provider_row *anthropic = catalogue_provider(catalogue, STR("anthropic"));
    assert_int_equal(anthropic->protocol, PROVIDER_ANTHROPIC);
    assert_text(json_string(json_get(anthropic->headers, STR("anthropic-version"))), "2023-06-01");
    assert_text(anthropic->base_url, "https://api.anthropic.com");
    const struct provider_row *router = catalogue_provider(catalogue, STR("openrouter"));
    struct json provider = json_get(router->models[0].extra, STR("provider"));
    assert_int_equal(json_type(json_get(provider, STR("require_parameters"))), JSON_TRUE);
    assert_text(catalogue_at(catalogue, 0)->id, "anthropic");
    catalogue_free(catalogue);
}

/* ---- names ---- */

struct name_case {
    const char *name;
    const char *provider; /* NULL: in this process */
    const char *model;    /* NULL: it is refused */
    enum status status;
    const char *told; /* part of message or hint */
};

static void test_names(void **state)
{
    (void)state;
    static const struct name_case cases[] = {
        { "anthropic/claude-haiku-4-5", "anthropic", "claude-haiku-4-5", STATUS_OK, NULL },
        { "anthropic", "anthropic", "claude-haiku-4-5", STATUS_OK, NULL },
        { "openrouter/anthropic/claude-x", "openrouter", "anthropic/claude-x", STATUS_OK, NULL },
        { "default", NULL, "local", STATUS_OK, NULL },
        { "default:fast", NULL, "local", STATUS_OK, NULL },
        { "local", NULL, "local", STATUS_OK, NULL },
        { "llama-server/m.gguf", "llama-server", "m.gguf", STATUS_OK, NULL },
        { "dir/model.gguf", NULL, "dir/model.gguf", STATUS_OK, NULL },
        { "mine", "groq", "openai/gpt-oss-20b", STATUS_OK, NULL },
        { "mine2", "groq", "openai/gpt-oss-20b", STATUS_OK, NULL },
        { "loop", NULL, NULL, STATUS_NOT_CONFIGURED, "no model or provider is called \"loop\"" },
        { "antropic/claude", NULL, NULL, STATUS_NOT_CONFIGURED, "did you mean \"anthropic/...\"?" },
        { "opnai", NULL, NULL, STATUS_NOT_CONFIGURED, "did you mean \"openai\"?" },
        { "default:fsat", NULL, NULL, STATUS_NOT_CONFIGURED, "did you mean \"default:fast\"?" },
        { "zzz/y", NULL, NULL, STATUS_NOT_CONFIGURED, "structure models list" },
        { "compat", NULL, NULL, STATUS_NOT_CONFIGURED, "compat/MODEL" },
        { "openai/", NULL, NULL, STATUS_NOT_CONFIGURED, "openai/MODEL" },
        { "", NULL, NULL, STATUS_NOT_CONFIGURED, "is called \"\"" },
        { "openai/gpt\r\nx-evil: 1", NULL, NULL, STATUS_INVALID_REQUEST, "control character" },
        { "bad\nname/x", NULL, NULL, STATUS_NOT_CONFIGURED, "\"bad?name\"" },
    };
    struct catalogue *catalogue =
        open_good("{\"aliases\":{\"mine\":\"groq\",\"mine2\":\"mine\",\"loop\":\"loop2\","
                  "\"loop2\":\"loop\"}}");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct provider_row *row = NULL;
        struct str model = STR("");
        struct error error = { 0 };
        enum status status =
            catalogue_resolve(catalogue, str_from(cases[i].name), &row, &model, &error);
        assert_int_equal(status, cases[i].status);
        if (status == STATUS_OK) {
            assert_text(model, cases[i].model);
            assert_int_equal(row == NULL, cases[i].provider == NULL);
            if (row != NULL)
                assert_text(row->id, cases[i].provider);
        } else if (strstr(error.message, cases[i].told) == NULL &&
                   strstr(error.hint, cases[i].told) == NULL) {
            fail_msg("%s: %s / %s", cases[i].name, error.message, error.hint);
        }
    }
    catalogue_free(catalogue);
}

static void test_aliases_are_listed_users_first(void **state)
{
    (void)state;
    struct str value;
    struct catalogue *catalogue = open_good("{\"aliases\":{\"default:fast\":\"ollama/qwen3\"}}");
    assert_int_equal(catalogue_alias_count(catalogue), 4);
    assert_text(catalogue_alias_at(catalogue, 0, &value), "default:fast");
    assert_text(value, "ollama/qwen3");
    assert_text(catalogue_alias(catalogue, STR("default")), "ollama/qwen3");
    assert_text(catalogue_alias(catalogue, STR("default:strong")), "local");
    assert_int_equal(catalogue_alias(catalogue, STR("nothing")).len, 0);
    catalogue_free(catalogue);
}

static void test_patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *model;
        bool matches;
    } cases[] = {
        { "a*c", "abc", true },   { "a*c", "ac", true },        { "a*c", "abcd", false },
        { "*b*", "abc", true },   { "*-x-*", "a-x-b", true },   { "*-x-*", "a-y-b", false },
        { "abc", "abc", true },   { "abc", "ab", false },       { "ab", "abc", false },
        { "a**c", "abbc", true }, { "*a*a*a*", "aabaa", true }, { "A*", "abc", false },
        { "?bc", "abc", false },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char text[200];
        bool is_known;
        (void)snprintf(text, sizeof(text),
                       "{\"providers\":{\"p\":{\"baseUrl\":\"http://h/v1\",\"models\":[{"
                       "\"pattern\":\"%s\",\"contextTokens\":7}]}}}",
                       cases[i].pattern);
        struct catalogue *catalogue = open_good(text);
        const struct provider_model *model = catalogue_model(
            catalogue_provider(catalogue, STR("p")), str_from(cases[i].model), &is_known);
        assert_int_equal(is_known, cases[i].matches);
        assert_int_equal(model->context_tokens, cases[i].matches ? 7 : 0);
        catalogue_free(catalogue);
    }
}

/* ---- the user's configuration ---- */

static void test_a_new_provider(void **state)
{
    (void)state;
    struct catalogue *catalogue = open_good(
        "{\"rules\":{\"mine\":{\"date\":\"2026-12-01\",\"source\":\"tried\",\"strict\":true,"
        "\"enforced\":[\"const\"]}},\"providers\":{\"corp\":{\"like\":\"openai-chat\",\"baseUrl\":"
        "\"https://llm.corp.example/v1\",\"key\":\"file:/run/key\",\"caFile\":\"/etc/corp.pem\","
        "\"headers\":{\"x-team\":\"a b\"},\"models\":[{\"pattern\":\"big-*\",\"rules\":\"mine\","
        "\"parameters\":{\"temperature\":true,\"store\":false},\"reasoningTokens\":99}]},"
        "\"plain\":{\"baseUrl\":\"http://localhost:1/v1\"}},\"model\":\"corp/big-1\"}");
    const struct provider_row *corp = catalogue_provider(catalogue, STR("corp"));
    const struct provider_model *model = catalogue_model(corp, STR("big-1"), NULL);
    assert_true(corp->is_users);
    assert_text(corp->title, "corp");
    assert_text(corp->base_url, "https://llm.corp.example/v1");
    assert_text(corp->key_source, "file:/run/key");
    assert_text(corp->ca_file, "/etc/corp.pem");
    /* The key of the other provider's variable is not sent to the new place. */
    assert_text(corp->key_variable, "");
    assert_text(corp->base_url_variable, "");
    assert_true(corp->key_required);
    assert_text(model->rules->name, "mine");
    assert_int_equal(model->rules->support[WIRE_CONST], WIRE_ENFORCED);
    assert_int_equal(model->reasoning_tokens, 99);
    assert_int_equal(model->parameters & PROVIDER_TAKES_TEMPERATURE, PROVIDER_TAKES_TEMPERATURE);
    assert_int_equal(model->parameters & PROVIDER_TAKES_STORE, 0);
    assert_int_equal(model->parameters & PROVIDER_TAKES_STREAM, PROVIDER_TAKES_STREAM);
    assert_int_equal(corp->model_count, 2);
    const struct provider_row *plain = catalogue_provider(catalogue, STR("plain"));
    assert_int_equal(plain->protocol, PROVIDER_CHAT);
    assert_false(plain->key_required);
    assert_int_equal(plain->models[0].strictness, PROVIDER_STRICT_UNKNOWN);
    catalogue_free(catalogue);
}

static void test_a_built_in_provider_is_changed(void **state)
{
    (void)state;
    struct catalogue *catalogue = open_good(
        "{\"rules\":{\"anthropic\":{\"date\":\"2026-12-01\",\"source\":\"tried\",\"enforced\":"
        "[\"const\"]}},\"providers\":{\"anthropic\":{\"proxy\":\"http://proxy:3128\",\"models\":[{"
        "\"pattern\":\"claude-haiku-*\",\"strictness\":\"no\",\"mechanism\":\"prompt\"}]}}}");
    const struct provider_row *row = catalogue_provider(catalogue, STR("anthropic"));
    assert_ptr_equal(row, catalogue_at(catalogue, 0));
    assert_true(row->is_users);
    assert_text(row->proxy, "http://proxy:3128");
    assert_text(row->key_variable, "ANTHROPIC_API_KEY");
    assert_text(row->models[0].pattern, "claude-haiku-*");
    assert_int_equal(catalogue_model(row, STR("claude-haiku-4-5"), NULL)->mechanism,
                     PROVIDER_BY_PROMPT);
    /* The user's rules of a name take the place of the built-in ones, in the built-in rows too. */
    const struct provider_model *other = catalogue_model(row, STR("claude-opus-4-5"), NULL);
    assert_text(other->rules->source, "tried");
    assert_int_equal(other->rules->support[WIRE_ANY_OF], WIRE_REJECTED);
    catalogue_free(catalogue);
}

struct fault_case {
    const char *user, *pointer, *message;
};

static const struct fault_case fault_cases[] = {
    { "[]", "", "must be an object" },
    { "{\"providers\":[]}", "/providers", "must be an object" },
    { "{\"rules\":7}", "/rules", "must be an object" },
    { "{\"aliases\":null}", "/aliases", "must be an object" },
    { "{\"aliases\":{\"a\":1}}", "/aliases/a", "must name a model" },
    { "{\"aliases\":{\"a\":\"\"}}", "/aliases/a", "must name a model" },
    { "{\"aliases\":{\"a\":\"x\\u0000y\"}}", "/aliases/a", "must name a model" },
    { "{\"providers\":{\"a/b\":{}}}", "/providers/a~1b", "not the name of a provider" },
    { "{\"providers\":{\"local\":{}}}", "/providers/local", "not the name of a provider" },
    { "{\"providers\":{\"\":{}}}", "/providers/", "not the name of a provider" },
    { "{\"providers\":{\"p\":3}}", "/providers/p", "must be an object" },
    { "{\"providers\":{\"p\":{\"like\":\"q\"}}}", "/providers/p/like", "names no provider" },
    { "{\"providers\":{\"p\":{\"like\":\"q\"},\"q\":{}}}", "/providers/p/like",
      "names no provider" },
    { "{\"providers\":{\"openai\":{\"like\":\"gemini\"}}}", "/providers/openai/like",
      "not built in" },
    { "{\"providers\":{\"p\":{\"baseURL\":\"\"}}}", "/providers/p/baseURL", "no member" },
    { "{\"providers\":{\"p\":{\"baseUrl\":\"http://h\\r\\nx: y\"}}}", "/providers/p/baseUrl",
      "control character" },
    { "{\"providers\":{\"p\":{\"baseUrl\":1}}}", "/providers/p/baseUrl", "a string" },
    { "{\"providers\":{\"p\":{\"key\":\"sk-SECRET\"}}}", "/providers/p/key", "env:NAME" },
    { "{\"providers\":{\"p\":{\"key\":\"env:\"}}}", "/providers/p/key", "env:NAME" },
    { "{\"providers\":{\"p\":{\"key\":\"env:A=B\"}}}", "/providers/p/key", "env:NAME" },
    { "{\"providers\":{\"p\":{\"keyHeader\":\"a: b\"}}}", "/providers/p/keyHeader",
      "name of a header" },
    { "{\"providers\":{\"p\":{\"keyVariable\":\"A B\"}}}", "/providers/p/keyVariable",
      "environment variable" },
    { "{\"providers\":{\"p\":{\"keyRequired\":\"yes\"}}}", "/providers/p/keyRequired",
      "true or false" },
    { "{\"providers\":{\"p\":{\"protocol\":\"soap\"}}}", "/providers/p/protocol",
      "\"messages\", \"responses\"" },
    { "{\"providers\":{\"p\":{\"headers\":{\"Authorization\":\"Bearer SECRET\"}}}}",
      "/providers/p/headers/Authorization", "a key is named by" },
    { "{\"providers\":{\"p\":{\"headers\":{\"a\":\"b\\nc\"}}}}", "/providers/p/headers/a",
      "control characters" },
    { "{\"providers\":{\"p\":{\"headers\":{\"a b\":\"c\"}}}}", "/providers/p/headers/a b",
      "name of a header" },
    { "{\"providers\":{\"p\":{\"models\":{}}}}", "/providers/p/models", "must be an array" },
    { "{\"providers\":{\"p\":{\"models\":[{}]}}}", "/providers/p/models/0", "a pattern" },
    { "{\"providers\":{\"p\":{\"models\":[1]}}}", "/providers/p/models/0", "must be an object" },
    { "{\"providers\":{\"p\":{\"models\":[{\"pattern\":\"x\",\"rules\":\"none\"}]}}}",
      "/providers/p/models/0/rules", "names no rules" },
    { "{\"providers\":{\"p\":{\"models\":[{\"pattern\":\"x\",\"contextTokens\":-1}]}}}",
      "/providers/p/models/0/contextTokens", "whole number" },
    { "{\"providers\":{\"p\":{\"models\":[{\"pattern\":\"x\",\"contextTokens\":1e3}]}}}",
      "/providers/p/models/0/contextTokens", "whole number" },
    { "{\"providers\":{\"p\":{\"models\":[{\"pattern\":\"x\",\"extra\":[]}]}}}",
      "/providers/p/models/0/extra", "must be an object" },
    { "{\"providers\":{\"p\":{\"models\":[{\"pattern\":\"x\",\"parameters\":{\"top\":true}}]}}"
      "}",
      "/providers/p/models/0/parameters/top", "no parameter" },
    { "{\"providers\":{\"p\":{\"models\":[{\"pattern\":\"x\",\"parameters\":{\"seed\":1}}]}}}",
      "/providers/p/models/0/parameters/seed", "true or false" },
    { "{\"rules\":{\"r\":{\"date\":\"2026-12-01\",\"source\":\"s\",\"enforced\":[\"what\"]}}}",
      NULL, NULL },
};

static void test_faults_of_a_configuration(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(fault_cases) / sizeof(fault_cases[0]); i++) {
        struct catalogue *catalogue = NULL;
        struct error error = { 0 };
        assert_int_equal(open_text(fault_cases[i].user, alloc_default(), &catalogue, &error),
                         STATUS_INVALID_REQUEST);
        assert_null(catalogue);
        assert_true(error.has_pointer);
        assert_null(strstr(error.message, "SECRET"));
        assert_null(strstr(error.hint, "SECRET"));
        if (fault_cases[i].pointer == NULL)
            continue;
        assert_string_equal(error.pointer, fault_cases[i].pointer);
        if (strstr(error.message, fault_cases[i].message) == NULL)
            fail_msg("%s: %s", fault_cases[i].user, error.message);
    }
}

static void test_a_wrong_member_has_a_near_one(void **state)
{
    (void)state;
    struct catalogue *catalogue = NULL;
    struct error error = { 0 };
    (void)open_text("{\"providers\":{\"p\":{\"baseURL\":\"\"}}}", alloc_default(), &catalogue,
                    &error);
    assert_string_equal(error.hint, "did you mean \"baseUrl\"?");
}

static void open_and_resolve(struct test_alloc *test, void *context)
{
    struct catalogue *catalogue = NULL;
    struct error error = { 0 };
    enum status status = open_text(context, &test->alloc, &catalogue, &error);
    if (test->failures == 0)
        assert_int_equal(status, STATUS_OK);
    else
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
    if (status == STATUS_OK) {
        const struct provider_row *row;
        struct str model;
        assert_int_equal(catalogue_resolve(catalogue, STR("a"), &row, &model, &error), STATUS_OK);
        assert_text(model, "m");
    }
    catalogue_free(catalogue);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    char user[] = "{\"rules\":{\"r\":{\"date\":\"2026-12-01\",\"source\":\"s\",\"enforced\":[]}},"
                  "\"providers\":{\"p\":{\"models\":[{\"pattern\":\"m\",\"rules\":\"r\"}]},"
                  "\"gemini\":{\"models\":[]}},\"aliases\":{\"a\":\"p/m\"}}";
    test_alloc_failures(open_and_resolve, user);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_row_is_usable),
        cmocka_unit_test(test_no_row_hides_another),
        cmocka_unit_test(test_models_are_told_apart),
        cmocka_unit_test(test_what_a_preset_takes_over),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_aliases_are_listed_users_first),
        cmocka_unit_test(test_patterns),
        cmocka_unit_test(test_a_new_provider),
        cmocka_unit_test(test_a_built_in_provider_is_changed),
        cmocka_unit_test(test_faults_of_a_configuration),
        cmocka_unit_test(test_a_wrong_member_has_a_near_one),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
