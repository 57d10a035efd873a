/* trace_notes.c - keywords that only annotate, and what annotations say about evaluated children.
 *
 * Owns: which keywords of a schema are annotations; the marks that unevaluatedItems and
 * unevaluatedProperties go by, read off the units themselves. Leaves to others: annotations of
 * keywords with instructions (trace_apply.c), what they look like (output_walk.c). Invariant: a
 * unit that is not valid gives no marks, nor does anything below it.
 */
#include "base/features.h"

#include "schema/dialect.h"
#include "schema/trace.h"

enum { WORD_BITS = 64, WORDS_MIN = 16, WORDS_MAX = 1 << 22 };

/* ---- marks ----------------------------------------------------------------------------------- */

/* Zeroed bits for the children of the frame's value. */
static bool marks_reserve(struct trace_run *run, struct trace_frame *frame)
{
    uint32_t words = json_count(trace_schema_unit(run, frame)->instance) / WORD_BITS + 1;
    uint32_t capacity = run->word_capacity == 0 ? WORDS_MIN : run->word_capacity;
    frame->word_first = run->word_count;
    while (capacity - run->word_count < words && capacity < WORDS_MAX)
        capacity *= 2;
    if (capacity - run->word_count < words) {
        run->judge.status = error_set(run->judge.error, STATUS_UNSUPPORTED,
                                      "the trace needs more than %d words of marks", WORDS_MAX);
        return false;
    }
    uint64_t *grown = run->words;
    if (capacity != run->word_capacity)
        grown = alloc_grow(run->trace->alloc, run->words, run->word_capacity * sizeof(*grown),
                           capacity * sizeof(*grown));
    if (grown == NULL) {
        run->judge.status = error_set(run->judge.error, STATUS_NO_MEMORY, "out of memory");
        return false;
    }
    run->words = grown;
    run->word_capacity = capacity;
    memset(grown + run->word_count, 0, words * sizeof(*grown));
    run->word_count += words;
    return true;
}

/* What a keyword applied its schemas to is evaluated, but for names, and for `contains` before
 * 2020-12. */
static bool marks_by_keyword(const struct schema_program *program, const struct trace_unit *keyword)
{
    return keyword->opcode != SCHEMA_OP_PROPERTY_NAMES &&
           (keyword->opcode != SCHEMA_OP_CONTAINS ||
            program->nodes[keyword->node].dialect == DIALECT_2020);
}

bool trace_mark(struct trace_run *run, struct trace_frame *frame)
{
    const struct schema_trace *trace = run->trace;
    const struct json_node *value = trace->units[frame->unit].instance.node;
    if (!marks_reserve(run, frame))
        return false;
    uint64_t *words = run->words + frame->word_first;
    for (uint32_t i = frame->unit + 1; i < frame->keyword;) {
        const struct trace_unit *unit = &trace->units[i];
        if (!judge_charge(&run->judge, 1))
            return false;
        bool is_child = unit->kind == TRACE_SCHEMA && unit->instance.node != value;
        if (is_child && unit->valid &&
            marks_by_keyword(trace->program, &trace->units[unit->parent]))
            words[unit->item / WORD_BITS] |= UINT64_C(1) << (unit->item % WORD_BITS);
        i = is_child || !unit->valid ? unit->end : i + 1;
    }
    return true;
}

bool trace_is_marked(const struct trace_run *run, const struct trace_frame *frame)
{
    uint64_t word = run->words[frame->word_first + frame->item / WORD_BITS];
    return (word >> (frame->item % WORD_BITS) & 1) != 0;
}

/* ---- annotations ----------------------------------------------------------------------------- */

/* Whether a keyword that has no instruction annotates a value of that type. */
static bool notes_keyword(const struct schema_program *program, uint32_t node, struct str name,
                          uint8_t bit)
{
    static const struct {
        const char *name;
        uint8_t dialects;
    } of_strings[] = {
        { "contentEncoding", DIALECT_7 | DIALECT_2019 | DIALECT_2020 },
        { "contentMediaType", DIALECT_7 | DIALECT_2019 | DIALECT_2020 },
        { "contentSchema", DIALECT_2019 | DIALECT_2020 },
    };
    uint8_t dialect = program->nodes[node].dialect;
    struct json schema = program->nodes[node].schema;
    for (unsigned i = 0; i < sizeof(of_strings) / sizeof(of_strings[0]); i++)
        if (str_equal(name, str_from(of_strings[i].name)) &&
            (of_strings[i].dialects & dialect) != 0)
            return bit == SCHEMA_STRING &&
                   (i < 2 || json_exists(json_get(schema, STR("contentMediaType"))));
    if (str_equal(name, STR("format")))
        return schema_node_find(program, node, SCHEMA_OP_FORMAT) == NULL;
    const struct schema_keyword_row *row = schema_keyword_find(name, (enum schema_dialect)dialect);
    if (row == NULL)
        return dialect >= DIALECT_2019;
    return row->keyword == KEYWORD_ANNOTATION && !str_starts_with(name, STR("$"));
}

/* Before 2019-09 `$ref` hides what stands beside it. */
static bool notes_are_hidden(const struct schema_program *program, uint32_t node)
{
    struct json reference = json_get(program->nodes[node].schema, STR("$ref"));
    return program->nodes[node].dialect < DIALECT_2019 && json_exists(reference) &&
           json_type(reference) == JSON_STRING;
}

void trace_annotate(struct trace_run *run, const struct trace_frame *frame)
{
    const struct schema_program *program = run->trace->program;
    uint32_t node = trace_schema_unit(run, frame)->node;
    struct json schema = program->nodes[node].schema;
    if (json_type(schema) != JSON_OBJECT || notes_are_hidden(program, node))
        return;
    for (struct json v = json_first(schema); json_exists(v); v = json_next(v, schema)) {
        struct str name = json_member_name(v);
        if (!notes_keyword(program, node, name, frame->bit))
            continue;
        uint32_t unit = trace_keyword(run, frame, name);
        if (unit == SCHEMA_NONE)
            return;
        run->trace->units[unit].annotation = v;
        run->trace->units[unit].note = TRACE_NOTE_VALUE;
    }
}
