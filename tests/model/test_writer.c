/* test_writer.c - whole replies by a scripted model over a small vocabulary: random scores must
 * give valid values within every budget, and what is shown is whole characters.
 */
#include "base/features.h"

#include "model/writer.h"

#include "base/utf8.h"
#include "schema/compile.h"
#include "schema/validate.h"
#include "test.h"
#include "test_alloc.h"

/* 256 single bytes, then these, then an end token. Some cross the borders of JSON's lexemes. */
static const char *const longer[] = {
    "{\"", "\":", "\":\"", "\",\"", "\"}", "},{", "}]", "[]", "[{", "name", " the", "tru", "e,",
    "12", ".5", "\\\"", "\\u", "\xc3\xa9t\xc3", "\xe4\xb8", "\xb8\xad", "Ann", " Ann", " Lee",
    "Paris", "unt", "il", "\"name\":", "red", "green", "null", "2026", "-05-", "    ",
};
enum { LONGER = sizeof(longer) / sizeof(longer[0]), COUNT = 256 + LONGER + 1, END = COUNT - 1 };

static void vocabulary_build(struct model_vocabulary *vocabulary)
{
    assert_int_equal(model_vocabulary_init(vocabulary, COUNT, alloc_default(), NULL), STATUS_OK);
    for (unsigned byte = 0; byte < 256; byte++) {
        char text = (char)byte;
        model_vocabulary_add(vocabulary, MODEL_TOKEN_TEXT, str_of(&text, 1));
    }
    for (unsigned i = 0; i < LONGER; i++)
        model_vocabulary_add(vocabulary, MODEL_TOKEN_TEXT, str_from(longer[i]));
    model_vocabulary_add(vocabulary, MODEL_TOKEN_END, STR(""));
    assert_int_equal(model_vocabulary_finish(vocabulary, NULL), STATUS_OK);
}

/* Longest match from the left. */
static bool tokenise(void *state, struct str text, struct model_tokens *out)
{
    (void)state;
    while (text.len > 0) {
        int32_t token = (unsigned char)text.ptr[0];
        size_t len = 1;
        for (int32_t i = 0; i < LONGER; i++) {
            struct str piece = str_from(longer[i]);
            if (piece.len > len && str_starts_with(text, piece)) {
                token = 256 + i;
                len = piece.len;
            }
        }
        if (!model_tokens_append(out, token))
            return false;
        text = str_of(text.ptr + len, text.len - len);
    }
    return true;
}

struct scripted {
    float scores[COUNT];
    struct rng_seeded seeded;
    struct rng chance;
    const int32_t *script; /* tokens to prefer one after the other, or NULL: at random */
    size_t script_count;
    size_t at;
    size_t taken;          /* tokens that were handed to evaluate */
    enum status fails;     /* what evaluate answers after fails_after calls */
    size_t fails_after;
    size_t calls;
};

static enum status evaluate(void *state, const int32_t *tokens, size_t count,
                            const float **out_scores, struct error *error)
{
    struct scripted *scripted = state;
    for (size_t i = 0; i < count; i++)
        assert_in_range(tokens[i], 0, COUNT - 1);
    scripted->taken += count;
    if (scripted->fails != STATUS_OK && scripted->calls++ == scripted->fails_after)
        return error_set(error, scripted->fails, "scripted");
    for (unsigned token = 0; token < COUNT; token++)
        scripted->scores[token] =
            (float)(scripted->chance.next(scripted->chance.state) >> 40) / 1e6F;
    if (scripted->at < scripted->script_count)
        scripted->scores[scripted->script[scripted->at++]] = 1e9F;
    *out_scores = scripted->scores;
    return STATUS_OK;
}

struct shown {
    struct buffer text;
    unsigned pieces;
};

static void show(void *state, struct str piece)
{
    struct shown *shown = state;
    assert_true(piece.len > 0);
    assert_int_equal(utf8_check(piece), piece.len);
    buffer_append_str(&shown->text, piece);
    shown->pieces++;
}

struct run {
    const char *schema; /* NULL: free text */
    const char *source; /* NULL: ungrounded */
    const char *need;
    uint32_t tokens_max;
    double temperature;
    uint64_t seed;
    struct scripted *scripted;
    const struct alloc *alloc;
};

static enum status guide_init(const struct run *run, const struct schema_program *program,
                              const struct model_vocabulary *vocabulary, struct model_guide *guide,
                              struct error *error)
{
    struct model_guide_options options = { .program = program,
                                           .need_name = str_from(run->need),
                                           .source_text = str_from(run->source),
                                           .grounded = run->source != NULL,
                                           .tokens_max = run->tokens_max };
    struct model_tokeniser tokeniser = { tokenise, NULL };
    return model_guide_init(guide, &options, vocabulary, tokeniser, run->alloc, error);
}

static enum status write_reply(const struct run *run, const struct schema_program *program,
                               const struct model_vocabulary *vocabulary,
                               const struct model_sink *sink, struct model_reply *reply,
                               struct error *error)
{
    struct model_guide guide;
    struct model_sampler sampler;
    struct model_tokens tokens;
    enum status status = STATUS_OK;
    if (program != NULL)
        status = guide_init(run, program, vocabulary, &guide, error);
    if (status != STATUS_OK)
        return status;
    model_sampler_init(&sampler, vocabulary, run->alloc);
    model_tokens_init(&tokens, run->alloc);
    struct model_writer writer = { .vocabulary = vocabulary,
                                   .sampler = &sampler,
                                   .guide = program == NULL ? NULL : &guide,
                                   .tokens_max = run->tokens_max,
                                   .sink = sink,
                                   .tokens = &tokens,
                                   .evaluate = evaluate,
                                   .state = run->scripted };
    run->scripted->chance = rng_from_seed(&run->scripted->seeded, run->seed);
    if (model_sampler_begin(&sampler, run->temperature, run->seed))
        status = model_writer_run(&writer, reply, error);
    else
        status = STATUS_NO_MEMORY;
    model_sampler_release(&sampler);
    model_tokens_release(&tokens);
    if (program != NULL)
        model_guide_release(&guide);
    return status;
}

static struct schema_program *compile(const char *schema)
{
    struct schema_program *program = NULL;
    struct error error;
    error_clear(&error);
    if (schema_compile_text(str_from(schema), NULL, alloc_default(), &program, &error) != STATUS_OK)
        fail_msg("%s: %s", schema, error.message);
    return program;
}

static void assert_valid(const struct schema_program *program, const char *need, struct str text)
{
    struct json_doc *document = NULL;
    struct error error;
    bool valid = false;
    error_clear(&error);
    if (json_parse(text, NULL, alloc_default(), &document, &error) != STATUS_OK)
        fail_msg("%.*s: %s", (int)text.len, text.ptr, error.message);
    struct json root = json_doc_root(document);
    if (need != NULL && json_type(root) == JSON_OBJECT &&
        json_exists(json_get(root, str_from(need))))
        valid = json_count(root) == 1;
    else
        assert_int_equal(
            schema_is_valid(program, root, 0, alloc_default(), &valid, NULL), STATUS_OK);
    if (!valid)
        fail_msg("not valid: %.*s", (int)text.len, text.ptr);
    json_doc_free(document);
}

/* ---- constrained ----------------------------------------------------------------------------- */

static const char *const schemas[] = {
    "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"age\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":130}},"
    "\"required\":[\"name\",\"age\"],\"additionalProperties\":false}",
    "{\"type\":\"object\",\"properties\":{\"colour\":{\"enum\":[\"red\",\"green\",null,7]},"
    "\"on\":{\"type\":\"boolean\"},\"until\":{\"type\":\"string\",\"format\":\"date\"}},"
    "\"required\":[\"until\"]}",
    "{\"type\":\"object\",\"properties\":{\"people\":{\"type\":\"array\",\"minItems\":1,"
    "\"maxItems\":3,\"items\":{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\","
    "\"maxLength\":5},\"score\":{\"type\":\"number\"}},\"required\":[\"name\"],"
    "\"additionalProperties\":false}}},\"required\":[\"people\"]}",
    "{\"type\":\"object\",\"properties\":{\"a\":{\"anyOf\":[{\"type\":\"string\",\"minLength\":2},"
    "{\"type\":\"null\"}]},\"b\":{\"type\":\"object\",\"properties\":"
    "{\"c\":{\"const\":\"x\\\"y\"}},"
    "\"required\":[\"c\"]}},\"required\":[\"a\",\"b\"]}",
};

static void run_schema(const char *schema, const struct model_vocabulary *vocabulary,
                       const char *source, const char *need, uint64_t seed, double temperature)
{
    static const uint32_t budgets[] = { 40, 60, 100, 400 };
    struct schema_program *program = compile(schema);
    for (size_t i = 0; i < sizeof(budgets) / sizeof(budgets[0]); i++) {
        static struct scripted scripted;
        struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
        struct error error;
        scripted = (struct scripted){ .fails = STATUS_OK };
        struct run run = { schema, source, need, budgets[i], temperature, seed, &scripted,
                           alloc_default() };
        error_clear(&error);
        buffer_init(&reply.text, alloc_default(), 1 << 20);
        enum status status = write_reply(&run, program, vocabulary, NULL, &reply, &error);
        if (status == STATUS_REJECTED) {
            assert_non_null(strstr(error.message, "output tokens"));
        } else {
            assert_int_equal(status, STATUS_OK);
            assert_int_equal(reply.finish, MODEL_FINISH_STOP);
            assert_in_range(reply.usage.output_tokens, 1, budgets[i]);
            assert_valid(program, need, buffer_view(&reply.text));
        }
        buffer_release(&reply.text);
    }
    schema_program_free(program);
}

static void test_random_scores_give_valid_values(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    vocabulary_build(&vocabulary);
    for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            run_schema(schemas[i], &vocabulary, NULL, NULL, seed, 0);
            run_schema(schemas[i], &vocabulary, NULL, "_need", seed, 0.8);
            run_schema(schemas[i], &vocabulary, "Ann Lee, 41, of Paris \"quoted\" scored 12.5.",
                       NULL, seed, 0);
        }
    model_vocabulary_release(&vocabulary);
}

static void test_budget_too_small(void **state)
{
    (void)state;
    static struct scripted scripted;
    struct model_vocabulary vocabulary;
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    struct error error;
    vocabulary_build(&vocabulary);
    struct schema_program *program = compile(schemas[0]);
    struct run run = { schemas[0], NULL, NULL, 3, 0, 1, &scripted, alloc_default() };
    error_clear(&error);
    buffer_init(&reply.text, alloc_default(), 1 << 20);
    assert_int_equal(write_reply(&run, program, &vocabulary, NULL, &reply, &error),
                     STATUS_REJECTED);
    assert_non_null(strstr(error.message, "3 are allowed"));
    assert_non_null(strstr(error.hint, "--max-tokens"));
    assert_int_equal(scripted.taken, 0);
    buffer_release(&reply.text);
    schema_program_free(program);
    model_vocabulary_release(&vocabulary);
}

/* The model would end at once; it may not before the value is whole. */
static void test_end_only_when_whole(void **state)
{
    (void)state;
    static struct scripted scripted;
    static const int32_t ends[] = { END, END, END, END, END, END, END, END, END, END };
    struct model_vocabulary vocabulary;
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    vocabulary_build(&vocabulary);
    struct schema_program *program = compile(schemas[0]);
    scripted = (struct scripted){ .script = ends, .script_count = 10 };
    struct run run = { schemas[0], NULL, NULL, 80, 0, 1, &scripted, alloc_default() };
    buffer_init(&reply.text, alloc_default(), 1 << 20);
    assert_int_equal(write_reply(&run, program, &vocabulary, NULL, &reply, NULL), STATUS_OK);
    assert_valid(program, NULL, buffer_view(&reply.text));
    buffer_release(&reply.text);
    schema_program_free(program);
    model_vocabulary_release(&vocabulary);
}

static void test_errors_of_evaluation_end_the_reply(void **state)
{
    (void)state;
    static struct scripted scripted;
    struct model_vocabulary vocabulary;
    struct error error;
    vocabulary_build(&vocabulary);
    struct schema_program *program = compile(schemas[0]);
    for (size_t after = 0; after < 3; after++) {
        struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
        scripted = (struct scripted){ .fails = STATUS_CANCELLED, .fails_after = after };
        struct run run = { schemas[0], NULL, NULL, 80, 0, 1, &scripted, alloc_default() };
        error_clear(&error);
        buffer_init(&reply.text, alloc_default(), 1 << 20);
        assert_int_equal(write_reply(&run, program, &vocabulary, NULL, &reply, &error),
                         STATUS_CANCELLED);
        buffer_release(&reply.text);
    }
    schema_program_free(program);
    model_vocabulary_release(&vocabulary);
}

struct failing {
    const struct model_vocabulary *vocabulary;
    const struct schema_program *program;
};

static void scenario_write(struct test_alloc *test, void *context)
{
    static struct scripted scripted;
    const struct failing *failing = context;
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    struct error error;
    scripted = (struct scripted){ .fails = STATUS_OK };
    struct run run = { schemas[0], "Ann is 41", "_need", 60, 0.5, 3, &scripted, &test->alloc };
    error_clear(&error);
    buffer_init(&reply.text, &test->alloc, 1 << 20);
    enum status status =
        write_reply(&run, failing->program, failing->vocabulary, NULL, &reply, &error);
    if (test->failures == 0)
        assert_int_equal(status, STATUS_OK);
    if (status == STATUS_OK)
        assert_valid(failing->program, "_need", buffer_view(&reply.text));
    else
        assert_int_equal(status, STATUS_NO_MEMORY);
    buffer_release(&reply.text);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    vocabulary_build(&vocabulary);
    struct schema_program *program = compile(schemas[0]);
    struct failing failing = { &vocabulary, program };
    test_alloc_failures(scenario_write, &failing);
    schema_program_free(program);
    model_vocabulary_release(&vocabulary);
}

/* ---- free text ------------------------------------------------------------------------------- */

static void test_free_text_shows_whole_characters(void **state)
{
    (void)state;
    static struct scripted scripted;
    static const int32_t script[] = { 0xc3, 0xa9, 'a', 0xe4, 0xb8, 0xad, END };
    struct model_vocabulary vocabulary;
    struct shown shown = { .pieces = 0 };
    struct model_sink sink = { .text = show, .state = &shown };
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    vocabulary_build(&vocabulary);
    scripted = (struct scripted){ .script = script, .script_count = 7 };
    struct run run = { NULL, NULL, NULL, 50, 0, 1, &scripted, alloc_default() };
    buffer_init(&reply.text, alloc_default(), 100);
    buffer_init(&shown.text, alloc_default(), 100);
    assert_int_equal(write_reply(&run, NULL, &vocabulary, &sink, &reply, NULL), STATUS_OK);
    assert_string_equal(reply.text.ptr, "\xc3\xa9"
                                        "a\xe4\xb8\xad");
    assert_string_equal(shown.text.ptr, reply.text.ptr);
    assert_int_equal(shown.pieces, 3);
    assert_int_equal(reply.finish, MODEL_FINISH_STOP);
    assert_int_equal(reply.usage.output_tokens, 6);
    assert_int_equal(scripted.taken, 6);
    buffer_release(&reply.text);
    buffer_release(&shown.text);
    model_vocabulary_release(&vocabulary);
}

static void test_free_text_is_cut(void **state)
{
    (void)state;
    static struct scripted scripted;
    static const int32_t script[] = { 'a', 'b', 'c', 'd' };
    struct model_vocabulary vocabulary;
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    vocabulary_build(&vocabulary);
    scripted = (struct scripted){ .script = script, .script_count = 4 };
    struct run run = { NULL, NULL, NULL, 3, 0, 1, &scripted, alloc_default() };
    buffer_init(&reply.text, alloc_default(), 100);
    assert_int_equal(write_reply(&run, NULL, &vocabulary, NULL, &reply, NULL), STATUS_OK);
    assert_string_equal(reply.text.ptr, "abc");
    assert_int_equal(reply.finish, MODEL_FINISH_LENGTH);
    buffer_release(&reply.text);
    scripted = (struct scripted){ .script = script, .script_count = 4 };
    buffer_init(&reply.text, alloc_default(), 2);
    assert_int_equal(write_reply(&run, NULL, &vocabulary, NULL, &reply, NULL), STATUS_REJECTED);
    buffer_release(&reply.text);
    model_vocabulary_release(&vocabulary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_scores_give_valid_values),
        cmocka_unit_test(test_budget_too_small),
        cmocka_unit_test(test_end_only_when_whole),
        cmocka_unit_test(test_errors_of_evaluation_end_the_reply),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_free_text_shows_whole_characters),
        cmocka_unit_test(test_free_text_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
