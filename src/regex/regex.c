/* regex.c - compiling a pattern and matching with it.
 *
 * Owns: the order of the steps: read the pattern into a program, search from the beginning only if
 * it can match nowhere else, build the table if the budget allows. Leaves to others: each step.
 */
#include "base/features.h"

#include "regex/regex.h"

#include "base/limits.h"
#include "regex/closure.h"
#include "regex/parse.h"

struct regex_budget regex_budget_default(void)
{
    return (struct regex_budget){ .ops = LIMIT_REGEX_WRITES,
                                  .build_steps = LIMIT_REGEX_BUILD_STEPS_ALL };
}

static void regex_drop_program(struct regex *regex, const struct alloc *alloc)
{
    alloc_free(alloc, regex->ops, regex->op_cap * sizeof(*regex->ops));
    alloc_free(alloc, regex->sets, regex->set_cap * sizeof(*regex->sets));
    regex->ops = NULL;
    regex->sets = NULL;
    regex->op_cap = 0;
    regex->set_cap = 0;
}

void regex_free(struct regex *regex, const struct alloc *alloc)
{
    if (regex == NULL)
        return;
    regex_drop_program(regex, alloc);
    regex_table_release(&regex->table, alloc);
    alloc_free(alloc, regex, sizeof(*regex));
}

/* Any code point, or go on with the pattern: what makes a search of a match. */
static void write_search(struct builder *builder)
{
    struct charset any;
    charset_init(&any, builder->alloc);
    charset_add(&any, 0, CODE_POINT_MAX);
    uint32_t begin = builder_count(builder);
    builder_charset(builder, &any);
    builder_repeat(builder, begin, 0, BUILDER_UNBOUNDED);
    charset_release(&any);
}

/* Searches from the start of the text only, if every way through the pattern from `body` on passes
 * `^`. */
static enum status find_anchor(struct regex *regex, uint32_t body, const struct alloc *alloc)
{
    /* All assertions but `^` hold here; \b and \B cannot both be made to. */
    static const struct closure_place anywhere = { .at_end = true };
    struct closure closure;
    if (regex->has_word)
        return STATUS_OK;
    if (!closure_init(&closure, regex, alloc))
        return STATUS_NO_MEMORY;
    closure_begin(&closure);
    closure_add(&closure, body, &anywhere);
    for (uint32_t i = 0; i < closure.taker_count && !closure.found; i++)
        closure_add(&closure, closure.takers[i] + 1, &anywhere);
    if (!closure.found)
        regex->entry = body;
    closure_release(&closure);
    return STATUS_OK;
}

static enum status regex_read(struct parser *parser, struct regex *regex, const struct alloc *alloc)
{
    struct builder *builder = parser->builder;
    write_search(builder);
    uint32_t body = builder_count(builder);
    parse_pattern(parser);
    builder_push(builder, REGEX_MATCH, 0);
    return builder->status == STATUS_OK ? find_anchor(regex, body, alloc) : builder->status;
}

enum status regex_compile(struct str pattern, const struct alloc *alloc,
                          struct regex_budget *budget, struct regex **out_regex,
                          struct regex_notes *out_notes, struct error *error)
{
    struct regex_budget own = regex_budget_default();
    if (budget == NULL)
        budget = &own;
    struct regex *regex = alloc_get(alloc, sizeof(*regex));
    if (regex == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *regex = (struct regex){ 0 };
    struct builder builder = {
        .alloc = alloc, .regex = regex, .writes_left = budget->ops, .error = error
    };
    struct parser parser = { .text = pattern, .builder = &builder };
    enum status status = regex_read(&parser, regex, alloc);
    budget->ops = builder.writes_left;
    if (status == STATUS_OK)
        status = regex_table_build(regex, alloc, budget);
    if (status != STATUS_OK) {
        regex_free(regex, alloc);
        return status == STATUS_NO_MEMORY ? error_set(error, status, "out of memory") : status;
    }
    if (regex->table.next != NULL)
        regex_drop_program(regex, alloc);
    if (out_notes != NULL)
        out_notes->tolerated_escapes = parser.tolerated;
    *out_regex = regex;
    return STATUS_OK;
}

enum status regex_check(struct str pattern, const struct alloc *alloc, struct error *error)
{
    struct builder builder = { .alloc = alloc, .error = error };
    struct parser parser = { .text = pattern, .strict = true, .builder = &builder };
    parse_pattern(&parser);
    return builder.status;
}

/* ---- matching -------------------------------------------------------------------------------- */

static bool table_matches(const struct regex_table *table, struct str text)
{
    uint32_t state = table->start;
    for (size_t i = 0; i < text.len && state >= REGEX_STATE_FIRST; i++)
        state = regex_table_next(table, state, table->classes[(uint8_t)text.ptr[i]]);
    if (state >= REGEX_STATE_FIRST)
        state = regex_table_next(table, state, table->columns - 1);
    return state == REGEX_FOUND;
}

enum status regex_matches(const struct regex *regex, struct str text, const struct alloc *alloc,
                          uint64_t *steps, bool *out_matches)
{
    if (regex->table.next == NULL) {
        uint64_t own = *steps < LIMIT_REGEX_STEPS ? *steps : LIMIT_REGEX_STEPS;
        uint64_t left = own;
        enum status status = regex_simulate(regex, text, alloc, &left, out_matches);
        *steps -= own - left;
        return status;
    }
    uint64_t cost = text.len / 16 + 1;
    if (cost > *steps)
        return STATUS_UNSUPPORTED;
    *steps -= cost;
    *out_matches = table_matches(&regex->table, text);
    return STATUS_OK;
}
