/* test_extract.c - extraction leaf by leaf with a scorer of random opinions: over generated schemas
 * and hostile prompts the reply is valid, within its budget, and made of what the prompt says.
 */
#include "base/features.h"

#include "model/extract.h"

#include "evidence/text.h"
#include "schema/compile.h"
#include "schema/validate.h"
#include "test.h"
#include "test_alloc.h"

/* ---- a scorer ------------------------------------------------------------------------------- */

static const char *const longer[] = {
    "{\"", "\":", "\",", "\"}", "\"]", ".\"", " the", "Ann", "12"
};
enum { LONGER = sizeof(longer) / sizeof(longer[0]), COUNT = 256 + LONGER + 1 };

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

struct opinion {
    struct rng_seeded seeded;
    struct rng chance;
    float scores[COUNT];
    const char *script; /* what distribution prefers, byte for byte, or NULL */
    bool flat; /* all is alike */
    uint64_t questions;
    uint64_t fails_at; /* 1-based question that is answered with failure; 0: none */
    enum status failure;
};

static float opinion_next(struct opinion *opinion)
{
    float opined = -(float)(opinion->chance.next(opinion->chance.state) >> 40) / 1e6F;
    return opinion->flat ? 0.0F : opined;
}

static enum status opinion_asked(struct opinion *opinion, struct error *error)
{
    opinion->questions++;
    if (opinion->questions == opinion->fails_at)
        return error_set(error, opinion->failure, "scripted");
    return STATUS_OK;
}

static enum status set(void *state, struct str context, struct error *error)
{
    (void)context;
    return opinion_asked(state, error);
}

static enum status next(void *state, const int32_t *tokens, size_t count, float *out_log_probs,
                        struct error *error)
{
    for (size_t i = 0; i < count; i++) {
        assert_in_range(tokens[i], 0, COUNT - 1);
        out_log_probs[i] = opinion_next(state);
    }
    return opinion_asked(state, error);
}

static enum status score(void *state, const struct str *candidates, size_t count,
                         struct str terminator, float *out_log_probs, struct error *error)
{
    (void)terminator;
    for (size_t i = 0; i < count; i++) {
        assert_non_null(candidates[i].ptr);
        out_log_probs[i] = opinion_next(state);
    }
    return opinion_asked(state, error);
}

/* Points behind every byte, as far as there is room. */
static enum status paths(void *state, const struct str *candidates, size_t count,
                         const int32_t *terminators, size_t terminator_count,
                         struct model_path *out, struct error *error)
{
    (void)terminators;
    (void)terminator_count;
    for (size_t i = 0; i < count; i++) {
        out[i].point_count = 0;
        for (uint32_t at = 0; at <= candidates[i].len && at < out[i].point_max; at++)
            out[i].points[out[i].point_count++] =
                (struct model_path_point){ at, opinion_next(state), opinion_next(state) };
    }
    return opinion_asked(state, error);
}

static enum status distribution(void *state, const float **out_scores, struct error *error)
{
    struct opinion *opinion = state;
    for (unsigned i = 0; i < COUNT; i++)
        opinion->scores[i] = opinion_next(opinion);
    if (opinion->script != NULL && *opinion->script != '\0')
        opinion->scores[(unsigned char)*opinion->script++] = 1.0F;
    *out_scores = opinion->scores;
    return opinion_asked(opinion, error);
}

static const struct model_scorer_ops scorer_ops = {
    tokenise, set, next, score, paths, distribution
};

/* ---- a run ----------------------------------------------------------------------------------- */

struct run {
    struct str schema;
    struct str prompt;
    const char *need; /* NULL: none */
    uint32_t tokens_max;
    struct opinion opinion;
    enum model_extracted extracted;
};

static void opinion_seed(struct run *run, uint64_t seed)
{
    run->opinion = (struct opinion){ .fails_at = 0 };
    run->opinion.seeded.word = seed;
}

static enum status run_guided(struct run *run, const struct schema_program *program,
                              const struct model_vocabulary *vocabulary, const struct alloc *alloc,
                              struct model_reply *reply, struct error *error)
{
    struct model_guide guide;
    struct model_sampler sampler;
    struct model_tokeniser tokeniser = { tokenise, NULL };
    struct model_guide_options options = { .program = program,
                                           .need_name = str_from(run->need),
                                           .source_text = run->prompt,
                                           .tokens_max = run->tokens_max };
    struct model_request request = { .program = program,
                                     .need_name = str_from(run->need),
                                     .source_text = run->prompt,
                                     .tokens_max = run->tokens_max };
    struct model_scorer scorer = { &scorer_ops, &run->opinion, vocabulary };
    run->opinion.chance = rng_from_seed(&run->opinion.seeded, run->opinion.seeded.word);
    enum status status = model_guide_init(&guide, &options, vocabulary, tokeniser, alloc, error);
    if (status != STATUS_OK)
        return status;
    model_sampler_init(&sampler, vocabulary, alloc);
    struct model_extraction extraction = {
        .scorer = &scorer, .guide = &guide, .request = &request, .sampler = &sampler, .alloc = alloc
    };
    status = model_sampler_begin(&sampler, 0, 0)
                 ? model_extract(&extraction, reply, &run->extracted, error)
                 : STATUS_NO_MEMORY;
    if (status == STATUS_OK && run->extracted == MODEL_EXTRACTED_PART) {
        assert_int_equal(reply->text.len, 0);
        assert_int_equal(reply->usage.output_tokens, 0);
        assert_int_equal(guide.tokens_left, run->tokens_max);
    }
    model_sampler_release(&sampler);
    model_guide_release(&guide);
    return status;
}

/* ---- what must hold -------------------------------------------------------------------------- */

/* The prompt with every run of white space as one blank, as strings are written. */
static void plain_append(struct str text, struct buffer *out)
{
    for (size_t i = 0; i < text.len; i++) {
        bool wide = text.ptr[i] == '\xC2' && i + 1 < text.len && text.ptr[i + 1] == '\xA0';
        bool blank = wide || text.ptr[i] == ' ' || (text.ptr[i] >= '\t' && text.ptr[i] <= '\r');
        if (!blank)
            buffer_append_byte(out, text.ptr[i]);
        else if (out->len == 0 || out->ptr[out->len - 1] != ' ')
            buffer_append_byte(out, ' ');
        i += wide;
    }
}

static bool prompt_says(struct str prompt, struct str value)
{
    struct buffer plain;
    bool said = value.len == 0;
    buffer_init(&plain, alloc_default(), SIZE_MAX);
    plain_append(prompt, &plain);
    for (size_t i = 0; !said && i + value.len <= plain.len; i++)
        said = memcmp(plain.ptr + i, value.ptr, value.len) == 0;
    buffer_release(&plain);
    return said;
}

static bool prompt_states(struct str prompt, struct str value, enum evidence_kind kind)
{
    struct evidence_text *text = NULL;
    bool stated = false;
    assert_int_equal(evidence_text_new(prompt, alloc_default(), &text, NULL), STATUS_OK);
    for (uint32_t i = 0; i < text->fact_count; i++)
        stated = stated || (text->facts[i].kind == kind && str_equal(text->facts[i].value, value));
    evidence_text_free(text);
    return stated;
}

/* Members are named by kind: s... a free string, n... a number, d... a date. */
static void assert_said(struct str prompt, struct json value, struct str name)
{
    char kind = name.len > 0 ? name.ptr[0] : '\0';
    if (json_type(value) == JSON_OBJECT || json_type(value) == JSON_ARRAY) {
        for (struct json part = json_first(value); json_exists(part); part = json_next(part, value))
            assert_said(prompt, part,
                        json_type(value) == JSON_OBJECT ? json_member_name(part) : name);
    } else if (json_type(value) == JSON_STRING && kind == 's') {
        if (!prompt_says(prompt, json_string(value)))
            fail_msg("not said: %.*s", (int)json_string(value).len, json_string(value).ptr);
    } else if (json_type(value) == JSON_NUMBER && kind == 'n') {
        assert_true(prompt_states(prompt, json_number_text(value), EVIDENCE_NUMBER));
    } else if (json_type(value) == JSON_STRING && kind == 'd') {
        assert_true(prompt_states(prompt, json_string(value), EVIDENCE_DATE));
    }
}

static void assert_reply(const struct run *run, const struct schema_program *program,
                         struct str text)
{
    struct json_doc *document = NULL;
    struct error error;
    bool valid = false;
    error_clear(&error);
    if (json_parse(text, NULL, alloc_default(), &document, &error) != STATUS_OK)
        fail_msg("%.*s: %s", (int)text.len, text.ptr, error.message);
    struct json root = json_doc_root(document);
    if (run->need != NULL && json_exists(json_get(root, str_from(run->need)))) {
        valid = json_count(root) == 1;
    } else {
        assert_int_equal(schema_is_valid(program, root, 0, alloc_default(), &valid, NULL),
                         STATUS_OK);
        assert_said(run->prompt, root, STR(""));
    }
    if (!valid)
        fail_msg("not valid: %.*s", (int)text.len, text.ptr);
    json_doc_free(document);
}

/* Returns whether the reply is whole. Failures that memory or the script explain are passed over.
 */
static bool run_check(struct run *run, const struct model_vocabulary *vocabulary,
                      const struct alloc *alloc, enum status *out_status)
{
    struct schema_program *program = NULL;
    struct error error;
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    bool whole = false;
    error_clear(&error);
    if (schema_compile_text(run->schema, NULL, alloc_default(), &program, &error) != STATUS_OK)
        fail_msg("%.*s: %s", (int)run->schema.len, run->schema.ptr, error.message);
    buffer_init(&reply.text, alloc, 1 << 22);
    *out_status = run_guided(run, program, vocabulary, alloc, &reply, &error);
    if (*out_status == STATUS_OK && run->extracted == MODEL_EXTRACTED_WHOLE) {
        assert_int_equal(reply.finish, MODEL_FINISH_STOP);
        assert_in_range(reply.usage.output_tokens, 1, run->tokens_max);
        assert_reply(run, program, buffer_view(&reply.text));
        whole = true;
    }
    buffer_release(&reply.text);
    schema_program_free(program);
    return whole;
}

/* ---- generated schemas ----------------------------------------------------------------------- */

static const char *const leaves[] = {
    "\"s%u\":{\"type\":\"string\"}",
    "\"s%u\":{\"type\":\"string\",\"maxLength\":3}",
    "\"s%u\":{\"type\":[\"string\",\"null\"],\"minLength\":2}",
    "\"s%u\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"uniqueItems\":true}",
    "\"s%u\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"minItems\":5}",
    "\"n%u\":{\"type\":\"number\"}",
    "\"n%u\":{\"type\":\"integer\",\"minimum\":0,\"maximum\":100}",
    "\"n%u\":{\"type\":\"array\",\"items\":{\"type\":\"array\",\"items\":{\"type\":\"number\"}}}",
    "\"n%u\":{\"type\":\"array\",\"prefixItems\":[{\"type\":\"number\"},{\"type\":\"integer\"}]}",
    "\"d%u\":{\"type\":\"string\",\"format\":\"date\"}",
    "\"x%u\":{\"type\":\"string\",\"format\":\"date-time\"}",
    "\"x%u\":{\"type\":\"string\",\"format\":\"email\"}",
    "\"x%u\":{\"type\":\"string\",\"format\":\"uuid\"}",
    "\"x%u\":{\"type\":\"boolean\"}",
    "\"x%u\":{\"enum\":[\"red\",\"dark-green\",null,7,[1],{\"a\":2}]}",
    "\"x%u\":{\"const\":\"x\\\"\\n\\u0000\"}",
    "\"x%u\":{\"type\":\"string\",\"x-derived\":true,\"maxLength\":20}",
    "\"x%u\":{\"type\":\"integer\",\"x-derived\":true,\"maximum\":99}",
    "\"x%u\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"string\"}}",
    ("\"x%u\":{\"type\":\"array\",\"items\":{\"enum\":[\"red\",\"blue\",\"green\"]},"
     "\"uniqueItems\":true}"),
    "\"x%u\":{}",
    "\"q\\\"\\n\\u0000%u\":{\"type\":\"integer\"}",
};

struct generator {
    struct buffer text;
    struct rng chance;
    unsigned members; /* numbered through */
};

static unsigned pick(struct generator *generator, unsigned count)
{
    return (unsigned)(generator->chance.next(generator->chance.state) % count);
}

/* Only the shapes; the numbering keeps names apart. */
static void generate_leaf(struct generator *generator)
{
    const char *shape = leaves[pick(generator, sizeof(leaves) / sizeof(leaves[0]))];
    const char *mark = strstr(shape, "%u");
    buffer_append(&generator->text, shape, (size_t)(mark - shape));
    buffer_append_uint(&generator->text, generator->members++);
    buffer_append_str(&generator->text, str_from(mark + 2));
}

static void generate_object(struct generator *generator, unsigned depth);

static void generate_member(struct generator *generator, unsigned depth)
{
    unsigned kind = depth == 0 ? 9 : pick(generator, 10);
    if (kind > 2) {
        generate_leaf(generator);
        return;
    }
    static const char *const opens[] = { "\":", "\":{\"type\":\"array\",\"items\":",
                                         "\":{\"anyOf\":[{\"type\":\"null\"}," };
    static const char *const closes[] = { "", "}", "]}" };
    buffer_append_str(&generator->text, STR("\"o"));
    buffer_append_uint(&generator->text, generator->members++);
    buffer_append_str(&generator->text, str_from(opens[kind]));
    generate_object(generator, depth - 1);
    buffer_append_str(&generator->text, str_from(closes[kind]));
}

static void generate_object(struct generator *generator, unsigned depth)
{
    unsigned count = pick(generator, 5);
    unsigned first = generator->members;
    buffer_append_str(&generator->text, STR("{\"type\":\"object\",\"properties\":{"));
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_byte(&generator->text, ',');
        generate_member(generator, depth);
    }
    buffer_append_str(&generator->text, STR("},\"required\":["));
    for (unsigned i = 0; i < pick(generator, 4); i++) {
        buffer_append_str(&generator->text, i > 0 ? STR(",\"s") : STR("\"s"));
        buffer_append_uint(&generator->text, first + i);
        buffer_append_byte(&generator->text, '"');
    }
    buffer_append_str(&generator->text, STR("]}"));
}

static const char *const pieces[] = {
    "Invoice no. 42: Total due 1.250,50 EUR on 14 May 2026. ",
    "Name: Ann Lee\nAge: 41\n\nName: Bo Cy\nAge: 17\n\n",
    "- tea\n- milk\n- dark green bread, red and blue\r\n",
    "name | price\na | 3.10\nb | 4\n",
    "\xF0\x9F\x98\x80\xF0\x9F\x98\x80 ",
    "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D e\xCC\x81t\xC3\xA9 \xE4\xB8\xAD\xE6\x96\x87 ",
    "x\xC2\xA0y\tz   w ",
    "a.b@c.example, https://d.example/e?f=1). +44 20 7946 0958; 08:30 pm - 2026-05-14T08:26 ",
    "word word word word, word and word or word; ",
    "000000000000000000000000000000000000000000000000000000000000000 1.2.3.4 0 million -0 ",
    "\"q\" {\"s1\": [1]} \\ \\u0041 s1: n2= d3 # ",
    "28 May to 3 June, 5/6/2025 Feb 30 29/02/2023 ",
};
enum { PIECES = sizeof(pieces) / sizeof(pieces[0]) };

static void generate_prompt(struct generator *generator)
{
    for (unsigned i = pick(generator, 12); i > 0; i--) {
        struct str piece = str_from(pieces[pick(generator, PIECES)]);
        buffer_append_str(&generator->text, piece);
        if (pick(generator, 40) == 0)
            buffer_append_byte(&generator->text, '\0');
    }
}

static void generator_init(struct generator *generator, struct rng chance)
{
    *generator = (struct generator){ .chance = chance };
    buffer_init(&generator->text, alloc_default(), SIZE_MAX);
    buffer_reserve(&generator->text, 1);
}

static void test_generated(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    struct rng_seeded seeded;
    struct rng chance = rng_from_seed(&seeded, 7);
    unsigned whole = 0;
    vocabulary_build(&vocabulary);
    for (uint64_t i = 0; i < 400; i++) {
        static const uint32_t budgets[] = { 20, 150, 4000, 4000 };
        static struct run run;
        struct generator schema;
        struct generator prompt;
        enum status status;
        generator_init(&schema, chance);
        generator_init(&prompt, chance);
        generate_object(&schema, 3);
        generate_prompt(&prompt);
        run = (struct run){ .schema = buffer_view(&schema.text),
                            .prompt = buffer_view(&prompt.text),
                            .need = i % 3 == 0 ? "_need" : NULL,
                            .tokens_max = budgets[i % 4] };
        opinion_seed(&run, i);
        whole += run_check(&run, &vocabulary, alloc_default(), &status);
        assert_true(status == STATUS_OK || status == STATUS_REJECTED);
        buffer_release(&schema.text);
        buffer_release(&prompt.text);
    }
    assert_in_range(whole, 100, 400);
    model_vocabulary_release(&vocabulary);
}

/* ---- single cases ---------------------------------------------------------------------------- */

struct single {
    const char *schema;
    const char *prompt;
    const char *reply; /* NULL: left to the writer */
};

static const struct single singles[] = {
    /* members that several parts describe are written once */
    { "{\"properties\":{\"a\":{\"type\":\"integer\"}},\"allOf\":[{\"properties\":{\"a\":"
      "{\"minimum\":1}},\"required\":[\"a\"]}],\"type\":\"object\"}",
      "a: 5", "{\"a\":5}" },
    { "{\"type\":\"object\",\"properties\":{\"x\":{\"type\":\"integer\"}},\"required\":[\"x\"]}",
      "0 million", "{\"x\":0}" },
    /* the same object within itself: what the text says is said once */
    { "{\"type\":\"object\",\"properties\":{\"left\":{\"$ref\":\"#\"},\"name\":{\"type\":"
      "\"string\"},\"right\":{\"$ref\":\"#\"}},\"required\":[\"name\"]}",
      "name: Ann", "{\"name\":\"Ann\"}" },
    { "{\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},\"replies\":{\"type\":"
      "\"array\",\"items\":{\"$ref\":\"#\"}}},\"required\":[\"name\",\"replies\"]}",
      "name: Ann", "{\"name\":\"Ann\",\"replies\":[]}" },
    { "{\"type\":\"object\",\"properties\":{\"a\":{\"$ref\":\"#\"},\"b\":{\"$ref\":\"#\"},"
      "\"n\":{\"type\":\"number\"}},\"required\":[\"n\"]}",
      "none", NULL },
    /* a telephone number at the very beginning */
    { "{\"type\":\"object\",\"properties\":{\"phone\":{\"type\":\"string\"}},"
      "\"required\":[\"phone\"]}",
      "+44 20 7946 0958 is it", "{\"phone\":\"+44 20 7946 0958\"}" },
    /* a derived number ends */
    { "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\",\"x-derived\":true}},"
      "\"required\":[\"n\"],\"additionalProperties\":false}",
      "many", "{\"n\":7}" },
    { "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"}},\"required\":[\"n\"]}",
      "", NULL },
};

static void test_singles(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    vocabulary_build(&vocabulary);
    for (size_t i = 0; i < sizeof(singles) / sizeof(singles[0]); i++) {
        struct schema_program *program = NULL;
        struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
        struct run run = { .schema = str_from(singles[i].schema),
                           .prompt = str_from(singles[i].prompt),
                           .tokens_max = 1000 };
        opinion_seed(&run, 1);
        run.opinion.script = "7}";
        assert_int_equal(schema_compile_text(run.schema, NULL, alloc_default(), &program, NULL),
                         STATUS_OK);
        buffer_init(&reply.text, alloc_default(), 1 << 20);
        assert_int_equal(run_guided(&run, program, &vocabulary, alloc_default(), &reply, NULL),
                         STATUS_OK);
        if (singles[i].reply == NULL)
            assert_int_equal(run.extracted, MODEL_EXTRACTED_PART);
        else if (!str_equal(buffer_view(&reply.text), str_from(singles[i].reply)))
            fail_msg("%zu: %.*s", i, (int)reply.text.len, reply.text.ptr);
        buffer_release(&reply.text);
        schema_program_free(program);
    }
    model_vocabulary_release(&vocabulary);
}

/* The values v0, v1, ... of which the text says one far down. */
static void test_large_enumeration(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    static struct run run;
    struct buffer schema;
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    struct schema_program *program = NULL;
    vocabulary_build(&vocabulary);
    buffer_init(&schema, alloc_default(), SIZE_MAX);
    buffer_append_str(&schema, STR("{\"type\":\"object\",\"required\":[\"x\"],\"properties\":"
                                   "{\"x\":{\"enum\":[\"\xC3\x89t\xC3\xA9\""));
    for (unsigned i = 0; i < 2000; i++)
        buffer_printf(&schema, ",\"v%u\"", i);
    buffer_append_str(&schema, STR("]}}}"));
    static const char *const said[] = { "it is V1234", "it is v1999" };
    for (unsigned i = 0; i < 2; i++) {
        run = (struct run){ .schema = buffer_view(&schema),
                            .prompt = str_from(said[i]),
                            .tokens_max = 1000 };
        opinion_seed(&run, i);
        run.opinion.flat = true;
        assert_int_equal(schema_compile_text(run.schema, NULL, alloc_default(), &program, NULL),
                         STATUS_OK);
        buffer_init(&reply.text, alloc_default(), 1 << 20);
        assert_int_equal(run_guided(&run, program, &vocabulary, alloc_default(), &reply, NULL),
                         STATUS_OK);
        struct str want = i == 0 ? STR("{\"x\":\"v1234\"}") : STR("{\"x\":\"v1999\"}");
        if (!str_equal(buffer_view(&reply.text), want))
            fail_msg("%.*s", (int)reply.text.len, reply.text.ptr);
        buffer_release(&reply.text);
        schema_program_free(program);
    }
    buffer_release(&schema);
    model_vocabulary_release(&vocabulary);
}

/* ---- failure --------------------------------------------------------------------------------- */

static const char failing_schema[] =
    "{\"type\":\"object\",\"properties\":{\"s1\":{\"type\":\"string\"},\"n2\":{\"type\":"
    "\"integer\"},"
    "\"o3\":{\"type\":\"array\",\"items\":{\"type\":\"object\",\"properties\":{\"s4\":{\"type\":"
    "\"string\"},\"n5\":{\"type\":\"number\"}},\"required\":[\"s4\",\"n5\"]}},"
    "\"x6\":{\"type\":\"string\",\"x-derived\":true,\"maxLength\":3},\"x7\":{\"enum\":[\"a\",\"b\"]"
    "}},"
    "\"required\":[\"s1\",\"n2\",\"o3\",\"x6\",\"x7\"]}";
static const char failing_prompt[] = "Ann, 41.\n- tea 3.10\n- milk 2.50\n";

static void scenario_memory(struct test_alloc *test, void *context)
{
    static struct run run;
    enum status status;
    run = (struct run){ .schema = str_from(failing_schema),
                        .prompt = str_from(failing_prompt),
                        .tokens_max = 1000 };
    opinion_seed(&run, 3);
    bool whole = run_check(&run, context, &test->alloc, &status);
    if (test->failures == 0)
        assert_true(whole);
    else
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
}

static void test_memory(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    vocabulary_build(&vocabulary);
    test_alloc_failures(scenario_memory, &vocabulary);
    model_vocabulary_release(&vocabulary);
}

static void test_scorer_fails(void **state)
{
    (void)state;
    static const enum status failures[] = { STATUS_CANCELLED, STATUS_DEADLINE, STATUS_INTERNAL };
    struct model_vocabulary vocabulary;
    vocabulary_build(&vocabulary);
    for (uint64_t at = 1;; at++) {
        static struct run run;
        enum status status;
        run = (struct run){ .schema = str_from(failing_schema),
                            .prompt = str_from(failing_prompt),
                            .tokens_max = 1000 };
        opinion_seed(&run, 3);
        run.opinion.fails_at = at;
        run.opinion.failure = failures[at % 3];
        (void)run_check(&run, &vocabulary, alloc_default(), &status);
        if (run.opinion.questions < at)
            break;
        assert_int_equal(status, failures[at % 3]);
    }
    model_vocabulary_release(&vocabulary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_generated),         cmocka_unit_test(test_singles),
        cmocka_unit_test(test_large_enumeration), cmocka_unit_test(test_memory),
        cmocka_unit_test(test_scorer_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
