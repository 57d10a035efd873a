/* test_property.c - projections of random schemas for every set of rules in data/providers.json.
 *
 * What must hold: the wire schema is a schema; a valid value of the target has a form that conforms
 * to it, that the watch never refuses, and whose inverse is the value again (null and absent are
 * told apart only where the wire can); whatever conforms to the wire schema has an inverse, which
 * is valid when the projection says that it is exact. A failure prints its seed; STRUCTURE_SEEDS
 * sets how many are run.
 */
#include "base/features.h"

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "../decode/generate.h"
#include "projection/projection.h"
#include "schema/compile.h"
#include "schema/push.h"
#include "schema/validate.h"
#include "test_data.h"
#include "values.h"
#include "wire_checker.h"

enum { SEEDS_DEFAULT = 150, VALUES_A_PROJECTION = 6, TEXT_BYTES_MAX = 1 << 22, RULES_MAX = 32 };

struct world {
    struct arena arena;
    struct json_doc *data;
    struct wire_rules rules[RULES_MAX];
    uint32_t rules_count;
};

struct counts {
    uint64_t projections, checked, unsupported, formless, exact, values, replies, valid_replies;
};

/* One schema, one set of rules, one rung. */
struct trial {
    uint64_t seed;
    const struct wire_rules *rules;
    enum projection_rung rung;
    struct schema_program *target, *wire;
    struct projection *projection;
    struct str need_name;
    struct rng rng;
    struct counts *counts;
};

static bool complain(const struct trial *trial, const char *what, struct str text)
{
    print_error("seed %llu, %.*s, %s: %s: %.*s\n", (unsigned long long)trial->seed,
                (int)trial->rules->name.len, trial->rules->name.ptr,
                projection_rung_name(trial->rung), what, (int)text.len, text.ptr);
    return false;
}

static struct json_doc *parse(struct str text)
{
    struct json_doc *doc = NULL;
    assert_int_equal(json_parse(text, NULL, alloc_default(), &doc, NULL), STATUS_OK);
    return doc;
}

static struct schema_program *compile(struct str text)
{
    struct schema_program *program = NULL;
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
                                      .format_asserts = true };
    struct error error = { 0 };
    if (schema_compile_text(text, &options, alloc_default(), &program, &error) == STATUS_OK)
        return program;
    print_error("%s %s\n", error.message, error.pointer);
    return NULL;
}

static bool is_valid(const struct schema_program *program, struct json value)
{
    bool valid = false;
    return schema_is_valid(program, value, 0, alloc_default(), &valid, NULL) == STATUS_OK && valid;
}

/* Without the members that are null. */
static void write_without_nulls(struct json value, struct buffer *out)
{
    bool first = true;
    bool is_object = json_type(value) == JSON_OBJECT;
    if (!is_object && json_type(value) != JSON_ARRAY) {
        json_write(value, 0, out);
        return;
    }
    buffer_append_byte(out, is_object ? '{' : '[');
    for (struct json at = json_first(value); json_exists(at); at = json_next(at, value)) {
        if (is_object && json_type(at) == JSON_NULL)
            continue;
        if (!first)
            buffer_append_byte(out, ',');
        first = false;
        if (is_object) {
            json_write_string(json_member_name(at), out);
            buffer_append_byte(out, ':');
        }
        write_without_nulls(at, out);
    }
    buffer_append_byte(out, is_object ? '}' : ']');
}

static struct json_doc *without_nulls(struct json value)
{
    struct buffer text;
    buffer_init(&text, alloc_default(), TEXT_BYTES_MAX);
    write_without_nulls(value, &text);
    struct json_doc *doc = parse(buffer_view(&text));
    buffer_release(&text);
    return doc;
}

static bool is_same(struct json a, struct json b)
{
    uint64_t budget = 1000000;
    struct json_doc *left = without_nulls(a), *right = without_nulls(b);
    bool same = json_equal(json_doc_root(left), json_doc_root(right), &budget);
    json_doc_free(left);
    json_doc_free(right);
    return same;
}

/* ---- a value of the target ---- */

static bool watch_goes_on(const struct trial *trial, struct str wire)
{
    const struct schema_program *watch = projection_watch(trial->projection);
    struct schema_push *push = NULL;
    bool invalid = false;
    if (watch == NULL)
        return true;
    assert_int_equal(schema_push_new(watch, NULL, 0, alloc_default(), &push), STATUS_OK);
    for (size_t at = 0; at < wire.len && !invalid; at += 7) {
        size_t len = wire.len - at < 7 ? wire.len - at : 7;
        assert_int_equal(schema_push_feed(push, str_of(wire.ptr + at, len), &invalid, NULL),
                         STATUS_OK);
    }
    schema_push_free(push);
    return !invalid;
}

static bool check_form(const struct trial *trial, struct json value, struct str wire)
{
    struct projection_value back = { 0 };
    struct json_doc *doc = parse(wire);
    bool good = true;
    if (trial->wire != NULL && !is_valid(trial->wire, json_doc_root(doc)))
        good = complain(trial, "the form does not conform", wire);
    if (good && !watch_goes_on(trial, wire))
        good = complain(trial, "the watch refuses the form", wire);
    assert_int_equal(
        projection_invert(trial->projection, json_doc_root(doc), alloc_default(), &back),
        STATUS_OK);
    if (good && back.part != PROJECTION_TARGET)
        good = complain(trial, "the form is taken for a need", wire);
    if (good && !is_same(json_doc_root(back.doc), value))
        good = complain(trial, "the inverse is another value", wire);
    json_doc_free(back.doc);
    json_doc_free(doc);
    return good;
}

/* Members of the value that the schema does not declare have no form where objects are closed. */
static bool check_value(const struct trial *trial, struct json value)
{
    struct buffer wire;
    struct error error = { 0 };
    buffer_init(&wire, alloc_default(), TEXT_BYTES_MAX);
    enum status status = projection_convert(trial->projection, value, &wire, &error);
    bool good = true;
    if (status == STATUS_OK) {
        trial->counts->values++;
        good = check_form(trial, value, buffer_view(&wire));
    } else {
        assert_int_equal(status, STATUS_UNSUPPORTED);
        trial->counts->formless++;
    }
    buffer_release(&wire);
    return good;
}

static bool check_values(struct trial *trial)
{
    bool good = true;
    for (unsigned i = 0; good && i < VALUES_A_PROJECTION; i++) {
        struct buffer text;
        buffer_init(&text, alloc_default(), TEXT_BYTES_MAX);
        struct values values = { trial->rng, trial->target->root, &text };
        values_schema(&values, trial->target->root, 0);
        struct json_doc *doc = parse(buffer_view(&text));
        if (is_valid(trial->target, json_doc_root(doc)))
            good = check_value(trial, json_doc_root(doc));
        json_doc_free(doc);
        buffer_release(&text);
    }
    return good;
}

/* ---- a reply that conforms ---- */

/* An envelope with nothing in it conforms where both members may be null or absent. */
static bool is_empty_envelope(const struct trial *trial, struct json reply)
{
    if (trial->need_name.len == 0 || json_type(reply) != JSON_OBJECT || json_count(reply) > 2)
        return false;
    for (struct json at = json_first(reply); json_exists(at); at = json_next(at, reply)) {
        if (json_type(at) != JSON_NULL)
            return false;
    }
    return true;
}

static bool check_reply(const struct trial *trial, struct json reply, struct str text)
{
    struct projection_value back = { 0 };
    trial->counts->replies++;
    assert_int_equal(projection_invert(trial->projection, reply, alloc_default(), &back),
                     STATUS_OK);
    bool valid = back.part == PROJECTION_NEED || is_valid(trial->target, json_doc_root(back.doc));
    trial->counts->valid_replies += valid;
    json_doc_free(back.doc);
    if (!valid && projection_is_exact(trial->projection) && !is_empty_envelope(trial, reply))
        return complain(trial, "exact, but the reply is not valid", text);
    if (valid && back.part == PROJECTION_TARGET && !watch_goes_on(trial, text))
        return complain(trial, "the watch refuses a valid reply", text);
    return true;
}

static bool check_replies(struct trial *trial)
{
    bool good = true;
    for (unsigned i = 0; trial->wire != NULL && good && i < VALUES_A_PROJECTION; i++) {
        struct buffer text;
        buffer_init(&text, alloc_default(), TEXT_BYTES_MAX);
        struct values values = { trial->rng, trial->wire->root, &text };
        values_schema(&values, trial->wire->root, 0);
        struct json_doc *doc = parse(buffer_view(&text));
        if (is_valid(trial->wire, json_doc_root(doc)))
            good = check_reply(trial, json_doc_root(doc), buffer_view(&text));
        json_doc_free(doc);
        buffer_release(&text);
    }
    return good;
}

/* The wire schema keeps to what the provider states. */
static bool check_rules(const struct trial *trial, struct str schema)
{
    char text[WIRE_CHECKER_TEXT];
    if (schema.len == 0)
        return true;
    struct json_doc *doc = parse(schema);
    const char *fault = wire_checker_fault(trial->rules->name, json_doc_root(doc), text);
    json_doc_free(doc);
    trial->counts->checked += wire_checker_knows(trial->rules->name);
    return fault == NULL || complain(trial, "the provider does not take it", str_from(fault));
}

static bool run_trial(struct trial *trial, struct str need_name)
{
    struct error error = { 0 };
    struct projection_options options = { trial->target, trial->rules, need_name, trial->rung,
                                          true };
    trial->need_name = need_name;
    enum status status = projection_new(&options, alloc_default(), &trial->projection, &error);
    trial->counts->projections++;
    if (status == STATUS_UNSUPPORTED) {
        trial->counts->unsupported++;
        return true;
    }
    assert_int_equal(status, STATUS_OK);
    trial->counts->exact += projection_is_exact(trial->projection);
    struct str schema = projection_schema(trial->projection);
    bool good = true;
    trial->wire = NULL;
    if (schema.len > 0 && !trial->rules->has_upper_types) {
        trial->wire = compile(schema);
        if (trial->wire == NULL)
            good = complain(trial, "the wire schema is none", schema);
    }
    good = good && check_rules(trial, schema) && check_values(trial) && check_replies(trial);
    if (!good)
        print_error("wire schema: %.*s\n", (int)schema.len, schema.ptr);
    schema_program_free(trial->wire);
    projection_free(trial->projection);
    return good;
}

static bool run_seed(const struct world *world, uint64_t seed, struct counts *counts)
{
    struct rng_seeded word;
    struct buffer text;
    struct generate generate = { rng_from_seed(&word, seed), &text, 0, true };
    buffer_init(&text, alloc_default(), TEXT_BYTES_MAX);
    generate_document(&generate);
    struct schema_program *target = compile(buffer_view(&text));
    bool good = true;
    for (uint32_t i = 0; target != NULL && good && i < world->rules_count; i++) {
        uint32_t rung = draw(&generate.rng, 4);
        struct trial trial = { .seed = seed,
                               .rules = &world->rules[i],
                               .rung =
                                   rung >= 2 ? PROJECTION_FULL : (enum projection_rung)(rung + 1),
                               .target = target,
                               .rng = generate.rng,
                               .counts = counts };
        good = run_trial(&trial, chance(&generate.rng, 50) ? STR("_need") : STR(""));
        if (!good)
            print_error("target schema: %.*s\n", (int)text.len, text.ptr);
    }
    schema_program_free(target);
    buffer_release(&text);
    return good;
}

static void world_open(struct world *world)
{
    struct error error = { 0 };
    struct str text = test_file_read(STRUCTURE_SOURCE_DIR "/data/providers.json");
    memset(world, 0, sizeof(*world));
    arena_init(&world->arena, alloc_default(), 1 << 22);
    world->data = parse(text);
    test_file_free(text);
    struct json all = json_get(json_doc_root(world->data), STR("rules"));
    for (struct json at = json_first(all); json_exists(at); at = json_next(at, all)) {
        assert_true(world->rules_count < RULES_MAX);
        assert_int_equal(wire_rules_read(json_member_name(at), at, &world->arena,
                                         &world->rules[world->rules_count++], &error),
                         STATUS_OK);
    }
}

static void world_close(struct world *world)
{
    json_doc_free(world->data);
    arena_release(&world->arena);
}

static void test_seeds(void **state)
{
    const char *setting = getenv("STRUCTURE_SEEDS");
    uint64_t seeds = setting == NULL ? SEEDS_DEFAULT : strtoull(setting, NULL, 10);
    const char *first = getenv("STRUCTURE_SEED");
    uint64_t begin = first == NULL ? 1 : strtoull(first, NULL, 10);
    uint64_t wrong = 0;
    struct world world;
    struct counts counts = { 0 };
    (void)state;
    world_open(&world);
    for (uint64_t seed = begin; seed < begin + seeds; seed++)
        wrong += !run_seed(&world, seed, &counts);
    print_message("%llu seeds: %llu projections (%llu unsupported, %llu exact), %llu values, %llu "
                  "replies (%llu valid)\n",
                  (unsigned long long)seeds, (unsigned long long)counts.projections,
                  (unsigned long long)counts.unsupported, (unsigned long long)counts.exact,
                  (unsigned long long)counts.values, (unsigned long long)counts.replies,
                  (unsigned long long)counts.valid_replies);
    assert_int_equal(wrong, 0);
    /* valid only by an open alternative, with members that it does not declare */
    assert_true(seeds < SEEDS_DEFAULT || counts.formless * 1000 < counts.values);
    assert_true(counts.checked > 0 && counts.values > 0 && counts.replies > 0 && counts.exact > 0);
    world_close(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_seeds) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
