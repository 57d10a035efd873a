/* test_property.c - laws of decoding over thousands of generated schemas and a random "model".
 *
 * Whatever admissible tokens the model takes, under whatever budget: it never gets stuck, the
 * budget suffices, and the text is valid for the validator unless a gap was listed. The validator
 * shares no code with the decoder.
 */
#include "base/features.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#include "decode/state.h"
#include "generate.h"
#include "schema/compile.h"
#include "schema/validate.h"

enum { SCHEMAS = 3000, WALKS = 3, TRIES = 40 };

struct walk {
    struct rng rng;
    uint64_t seed;
    bool may_not_compile; /* keywords that the compiler may not know yet */
    struct str schema;
    const struct schema_program *program;
    const struct decode_language *language;
    struct decode_state *state, *scratch, *other;
    struct buffer text, closing;
    bool has_gaps, may_need;
};

static void walk_fail(const struct walk *walk, const char *what)
{
    print_error("seed %llu: %s\nschema: %.*s\ntext so far: %.*s\nclosing: %.*s\n",
                (unsigned long long)walk->seed, what, (int)walk->schema.len, walk->schema.ptr,
                (int)walk->text.len, walk->text.ptr, (int)walk->closing.len, walk->closing.ptr);
    fail();
}

static void walk_check_text(struct walk *walk, struct str text)
{
    struct json_doc *doc = NULL;
    struct error error;
    error_clear(&error);
    if (json_parse(text, NULL, alloc_default(), &doc, &error) != STATUS_OK) {
        print_error("not JSON: %s\n%.*s\n", error.message, (int)text.len, text.ptr);
        walk_fail(walk, "not JSON");
    }
    bool valid = false;
    bool is_need = json_type(json_doc_root(doc)) == JSON_OBJECT &&
                   json_exists(json_get(json_doc_root(doc), STR("_need")));
    enum status status =
        schema_is_valid(walk->program, json_doc_root(doc), 0, alloc_default(), &valid, &error);
    json_doc_free(doc);
    if (status != STATUS_OK || (!valid && !walk->has_gaps && !(walk->may_need && is_need))) {
        print_error("invalid: %.*s\n", (int)text.len, text.ptr);
        walk_fail(walk, "not valid");
    }
}

/* The closing text completes, is as long as promised, and each of its bytes keeps the promise. */
static void walk_check_closing(struct walk *walk)
{
    size_t promised = decode_state_closing_bytes(walk->state);
    buffer_clear(&walk->closing);
    decode_state_closing(walk->state, &walk->closing);
    if (walk->closing.len > promised)
        walk_fail(walk, "closing text longer than promised");
    decode_state_copy(walk->scratch, walk->state);
    for (size_t i = 0; i < walk->closing.len; i++) {
        if (!decode_state_feed(walk->scratch, str_of(walk->closing.ptr + i, 1)))
            walk_fail(walk, "closing text refused");
        if (decode_state_closing_bytes(walk->scratch) > promised - i - 1)
            walk_fail(walk, "closing grows on its way");
    }
    if (!decode_state_is_complete(walk->scratch) || decode_state_closing_bytes(walk->scratch) != 0)
        walk_fail(walk, "closing text does not complete");
    size_t len = walk->text.len;
    buffer_append_str(&walk->text, buffer_view(&walk->closing));
    walk_check_text(walk, buffer_view(&walk->text));
    buffer_truncate(&walk->text, len);
}

static void walk_check_forced(struct walk *walk)
{
    buffer_clear(&walk->closing);
    decode_state_forced(walk->state, &walk->closing);
    decode_state_copy(walk->other, walk->state);
    for (size_t i = 0; i < walk->closing.len; i++) {
        for (int byte = 0; byte < 256; byte++) {
            char c = (char)byte;
            bool fits = decode_state_admits(walk->other, str_of(&c, 1), SIZE_MAX, walk->scratch);
            if (fits != (c == walk->closing.ptr[i]))
                walk_fail(walk, "forced byte is not the only one");
        }
        assert_true(decode_state_feed(walk->other, str_of(walk->closing.ptr + i, 1)));
    }
}

/* Takes a random admissible token. False: none of the vocabulary fits. */
static bool walk_take(struct walk *walk, size_t budget)
{
    uint32_t tokens = GENERATE_PIECES + 256, start = draw(&walk->rng, tokens);
    for (uint32_t i = 0; i < TRIES + tokens; i++) {
        char byte;
        uint32_t index = i < TRIES ? draw(&walk->rng, GENERATE_PIECES) : (start + i) % tokens;
        struct str token = generate_token(index, &byte);
        if (!decode_state_admits(walk->state, token, budget, walk->scratch))
            continue;
        struct decode_state *swap = walk->state;
        walk->state = walk->scratch;
        walk->scratch = swap;
        buffer_append_str(&walk->text, token);
        return true;
    }
    return false;
}

static void walk_run(struct walk *walk)
{
    decode_state_reset(walk->state);
    buffer_clear(&walk->text);
    size_t budget = decode_state_closing_bytes(walk->state) + draw(&walk->rng, 120);
    bool eager = chance(&walk->rng, 50);
    while (!decode_state_is_complete(walk->state) || (budget > 0 && chance(&walk->rng, 50))) {
        if (decode_state_closing_bytes(walk->state) > budget)
            walk_fail(walk, "budget does not suffice");
        if (chance(&walk->rng, 10))
            walk_check_closing(walk);
        if (chance(&walk->rng, 5))
            walk_check_forced(walk);
        if (eager && chance(&walk->rng, 50)) {
            buffer_clear(&walk->closing);
            decode_state_closing(walk->state, &walk->closing);
            if (walk->closing.len > 0) {
                assert_true(decode_state_feed(walk->state, str_of(walk->closing.ptr, 1)));
                buffer_append_byte(&walk->text, walk->closing.ptr[0]);
                budget--;
                continue;
            }
        }
        if (budget == 0 || !walk_take(walk, budget - 1)) {
            if (decode_state_is_complete(walk->state))
                break;
            walk_fail(walk, "stuck");
        }
        budget--;
    }
    walk_check_text(walk, buffer_view(&walk->text));
}

/* Runs some walks over one schema; ground may be NULL. Returns false if the schema has no language.
 */
static bool walk_schema(struct walk *walk, const struct ground *ground)
{
    struct schema_program *program = NULL;
    struct decode_language *language = NULL;
    struct error error;
    error_clear(&error);
    if (schema_compile_text(walk->schema, NULL, alloc_default(), &program, &error) != STATUS_OK) {
        if (!walk->may_not_compile)
            walk_fail(walk, error.message);
        return false;
    }
    struct decode_options options = { .ground = ground, .string_max = 12, .items_max = 5 };
    options.need_name = walk->may_need ? STR("_need") : (struct str){ NULL, 0 };
    enum status status = decode_language_new(program, &options, alloc_default(), &language, &error);
    if (status == STATUS_OK) {
        walk->program = program;
        walk->language = language;
        walk->has_gaps = decode_language_gaps(language).len > 0;
        assert_int_equal(decode_state_new(language, alloc_default(), &walk->state), STATUS_OK);
        assert_int_equal(decode_state_new(language, alloc_default(), &walk->scratch), STATUS_OK);
        assert_int_equal(decode_state_new(language, alloc_default(), &walk->other), STATUS_OK);
        for (int i = 0; i < WALKS; i++)
            walk_run(walk);
        decode_state_free(walk->state);
        decode_state_free(walk->scratch);
        decode_state_free(walk->other);
    } else {
        assert_int_equal(status, STATUS_UNSUPPORTED);
        assert_true(error.has_pointer);
    }
    decode_language_free(language);
    schema_program_free(program);
    return status == STATUS_OK;
}

static void run_seeds(uint64_t first, uint64_t count, const struct ground *ground, bool gaps)
{
    unsigned written = 0, with_gaps = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        struct rng_seeded word;
        struct buffer schema;
        buffer_init(&schema, alloc_default(), 1 << 20);
        struct generate generate = { .rng = rng_from_seed(&word, seed),
                                     .out = &schema,
                                     .gaps = gaps };
        generate_document(&generate);
        struct walk walk = { .rng = generate.rng,
                             .seed = seed,
                             .schema = buffer_view(&schema),
                             .may_not_compile = gaps,
                             .may_need = seed % 4 == 0 };
        buffer_init(&walk.text, alloc_default(), 1 << 20);
        buffer_init(&walk.closing, alloc_default(), 1 << 20);
        written += walk_schema(&walk, ground);
        with_gaps += walk.has_gaps;
        buffer_release(&walk.text);
        buffer_release(&walk.closing);
        buffer_release(&schema);
    }
    print_message("%u of %u schemas have a language, %u of them with gaps\n", written,
                  (unsigned)count, with_gaps);
    assert_true(written * 4 > count);
}

static void test_ungrounded(void **state)
{
    (void)state;
    const char *seed = getenv("STRUCTURE_TEST_SEED");
    run_seeds(seed == NULL ? 1 : strtoull(seed, NULL, 10), seed == NULL ? SCHEMAS : 1, NULL, false);
}

static void test_gaps(void **state)
{
    (void)state;
    run_seeds(100000, SCHEMAS / 3, NULL, true);
}

static void test_grounded(void **state)
{
    (void)state;
    struct ground *ground = NULL;
    const char *seed = getenv("STRUCTURE_TEST_SEED");
    struct str prompt =
        STR("The Seaview Hotel in \"Old Town\" offers 3 nights from 14 May 2026 at 1,250.50 EUR. "
            "Call Ms. Jane O'Neil (jane@example.com) or visit https://example.com/a\\b!\n\n"
            "- breakfast, -5 points\n- 12 % discount");
    assert_int_equal(ground_new(prompt, alloc_default(), &ground, NULL), STATUS_OK);
    run_seeds(seed == NULL ? 200000 : strtoull(seed, NULL, 10), seed == NULL ? SCHEMAS / 3 : 1,
              ground, false);
    ground_free(ground);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ungrounded),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_grounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
