/* regex.c - compiling a pattern and matching with it.
 *
 * Owns: the order of the steps: read the pattern into a tree, see whether it is a simple one, write
 * a program, search from the beginning only if it can match nowhere else, build the table if the
 * budget allows. Leaves to others: each step. Invariant: a pattern that compiles has a shape that
 * decides every text.
 */
#include "base/features.h"

#include "regex/regex.h"

#include "base/limits.h"
#include "regex/closure.h"
#include "regex/parse.h"
#include "regex/quick.h"
#include "regex/shape.h"
#include "regex/write.h"

enum { RUN_TABLE_MAX = 32 }; /* code points */

struct regex_budget regex_budget_default(void)
{
    return (struct regex_budget){ .ops = LIMIT_REGEX_WRITES,
                                  .build_steps = LIMIT_REGEX_BUILD_STEPS_ALL };
}

static void regex_drop_program(struct regex *regex, const struct alloc *alloc)
{
    alloc_free(alloc, regex->ops, regex->op_cap * sizeof(*regex->ops));
    alloc_free(alloc, regex->sets, regex->set_cap * sizeof(*regex->sets));
    alloc_free(alloc, regex->looks, regex->look_cap * sizeof(*regex->looks));
    regex->ops = NULL;
    regex->sets = NULL;
    regex->looks = NULL;
    regex->op_count = 0;
    regex->op_cap = 0;
    regex->set_count = 0;
    regex->set_cap = 0;
    regex->look_count = 0;
    regex->look_cap = 0;
}

void regex_free(struct regex *regex, const struct alloc *alloc)
{
    if (regex == NULL)
        return;
    regex_drop_program(regex, alloc);
    alloc_free(alloc, regex->table.next, regex->table.cell_count * sizeof(*regex->table.next));
    alloc_free(alloc, regex->run, sizeof(*regex->run));
    alloc_free(alloc, regex->literal, regex->literal_bytes);
    alloc_free(alloc, regex, sizeof(*regex));
}

/* Searches from the start of the text only, if every way through the pattern passes `^`. Where the
 * pattern begins is regex->entry; from instruction 0 on it is searched for everywhere. */
static enum status find_anchor(struct regex *regex, const struct alloc *alloc)
{
    /* All assertions but `^` hold here; \b and \B cannot both be made to. */
    static const struct closure_place anywhere = { .at_end = true };
    struct closure closure;
    uint32_t body = regex->entry;
    regex->entry = 0;
    if (regex->has_word)
        return STATUS_OK;
    if (!closure_init(&closure, regex, alloc))
        return STATUS_NO_MEMORY;
    closure_begin(&closure);
    closure_add(&closure, (struct closure_thread){ body, 0 }, &anywhere);
    for (uint32_t i = 0; i < closure.taker_count && !closure.found; i++)
        closure_add(&closure, (struct closure_thread){ closure.takers[i].op + 1, 0 }, &anywhere);
    regex->is_anchored = !closure.found;
    if (regex->is_anchored)
        regex->entry = body;
    closure_release(&closure);
    return STATUS_OK;
}

/* What compiling a pattern works with. */
struct compilation {
    const struct alloc *alloc;
    struct regex *regex;
    struct regex_budget *budget;
    struct tree tree;
    uint32_t root;
    struct error *error;
};

static enum status compilation_write(struct compilation *compilation, enum write_mode mode)
{
    struct regex *regex = compilation->regex;
    struct builder builder = { .alloc = compilation->alloc,
                               .regex = regex,
                               .writes_left = compilation->budget->ops,
                               .error = compilation->error };
    regex_drop_program(regex, compilation->alloc);
    write_program(&builder, &compilation->tree, compilation->root, mode);
    compilation->budget->ops = builder.writes_left;
    return builder.status == STATUS_OK ? find_anchor(regex, compilation->alloc) : builder.status;
}

static enum status compile_table(struct compilation *compilation)
{
    struct regex *regex = compilation->regex;
    enum status status = compilation_write(compilation, WRITE_AHEAD);
    if (status == STATUS_OK)
        status = regex_table_build(regex, compilation->alloc, compilation->budget);
    if (status != STATUS_OK || regex->table.next == NULL)
        return status;
    regex_drop_program(regex, compilation->alloc);
    if (regex->shape != REGEX_SHAPE_SIMULATED)
        return STATUS_OK;
    regex->shape = regex->table.start == REGEX_FOUND  ? REGEX_SHAPE_ALWAYS
                   : regex->table.start == REGEX_DEAD ? REGEX_SHAPE_NEVER
                                                      : REGEX_SHAPE_TABLE;
    return STATUS_OK;
}

/* A run that is counted far has a table that is large, and that nobody misses. */
static bool wants_table(const struct regex *regex, const struct tree *tree)
{
    const struct regex_run *run = regex->run;
    bool is_long = run != NULL && (run->min > RUN_TABLE_MAX ||
                                   (run->max > RUN_TABLE_MAX && run->max != UINT32_MAX));
    return !is_long && !tree->has_lookbehind;
}

/* A pattern without back-references. A simple one needs no table: if it is too large for one, that
 * is no reason to refuse it. */
static enum status compile_regular(struct compilation *compilation)
{
    struct regex *regex = compilation->regex;
    const struct tree *tree = &compilation->tree;
    enum status status = shape_find(regex, tree, compilation->root, compilation->alloc);
    if (status == STATUS_OK && wants_table(regex, tree))
        status = compile_table(compilation);
    if (regex->shape != REGEX_SHAPE_SIMULATED && status != STATUS_NO_MEMORY) {
        regex_drop_program(regex, compilation->alloc);
        error_clear(compilation->error);
        return STATUS_OK;
    }
    if (status == STATUS_OK && tree->has_look && regex->table.next == NULL)
        status = compilation_write(compilation, WRITE_MIRRORED);
    return status;
}

static enum status compile_tree(struct compilation *compilation)
{
    compilation->regex->shape = REGEX_SHAPE_SIMULATED;
    if (!compilation->tree.has_reference)
        return compile_regular(compilation);
    compilation->regex->shape = REGEX_SHAPE_BACKTRACKING;
    return compilation_write(compilation, WRITE_CAPTURES);
}

enum status regex_compile(struct str pattern, const struct alloc *alloc,
                          struct regex_budget *budget, struct regex **out_regex,
                          struct regex_notes *out_notes, struct error *error)
{
    struct regex_budget own = regex_budget_default();
    struct compilation compilation = { .alloc = alloc,
                                       .budget = budget == NULL ? &own : budget,
                                       .error = error };
    struct regex *regex = alloc_get(alloc, sizeof(*regex));
    if (regex == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *regex = (struct regex){ 0 };
    compilation.regex = regex;
    tree_init(&compilation.tree, alloc, false);
    struct parser parser = {
        .text = pattern, .alloc = alloc, .tree = &compilation.tree, .error = error
    };
    compilation.root = parse_pattern(&parser);
    enum status status = parser.status == STATUS_OK ? compile_tree(&compilation) : parser.status;
    tree_release(&compilation.tree);
    if (status != STATUS_OK) {
        regex_free(regex, alloc);
        return status == STATUS_NO_MEMORY ? error_set(error, status, "out of memory") : status;
    }
    if (out_notes != NULL)
        out_notes->tolerated_escapes = parser.tolerated;
    *out_regex = regex;
    return STATUS_OK;
}

enum status regex_check(struct str pattern, const struct alloc *alloc, struct error *error)
{
    struct tree tree;
    tree_init(&tree, alloc, true);
    struct parser parser = {
        .text = pattern, .strict = true, .alloc = alloc, .tree = &tree, .error = error
    };
    (void)parse_pattern(&parser);
    tree_release(&tree);
    return parser.status;
}

enum status regex_matches(const struct regex *regex, struct str text, const struct alloc *alloc,
                          uint64_t *steps, bool *out_matches)
{
    int quick = regex_quick_matches(regex, text);
    if (quick != REGEX_QUICK_UNKNOWN) {
        uint64_t cost = text.len / 16 + 1;
        if (cost > *steps)
            return STATUS_UNSUPPORTED;
        *steps -= cost;
        *out_matches = quick == REGEX_QUICK_YES;
        return STATUS_OK;
    }
    uint64_t own = *steps < LIMIT_REGEX_STEPS ? *steps : LIMIT_REGEX_STEPS;
    uint64_t left = own;
    enum status status = regex->shape == REGEX_SHAPE_SIMULATED
                             ? regex_simulate(regex, text, alloc, &left, out_matches)
                             : regex_backtrack(regex, text, alloc, &left, out_matches);
    *steps -= own - left;
    return status;
}
