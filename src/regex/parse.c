/* parse.c - terms, groups, alternatives and quantifiers of ECMA-262 with the `u` flag.
 *
 * Owns: the stack of open groups. Leaves to others: escapes and classes (parse_escape.c), modifiers
 * (parse_flags.c), names (parse_name.c), the tree (tree.c). Invariant: everything is refused that
 * `new RegExp(p, "u")` of ECMA-262 2024 refuses, but for the modifiers of 2025.
 */
#include "base/features.h"

#include "regex/parse.h"

#include "base/limits.h"
#include "base/utf8.h"

struct parse_group {
    uint32_t node;            /* what the enclosing sequence gets */
    uint32_t alternatives;    /* inside of it */
    uint32_t sequence;        /* the one in progress */
    uint32_t captures;        /* groups before this one */
    struct parse_flags flags; /* outside */
    bool is_assertion;
};

struct parse_stack {
    struct parse_group *groups;
    uint32_t count;
    uint32_t cap;
};

enum { PARSE_GROUPS_MIN = 16 };

/* ---- the cursor ------------------------------------------------------------------------------ */

bool parse_ok(const struct parser *parser)
{
    return parser->status == STATUS_OK;
}

void parse_fail(struct parser *parser, const char *reason)
{
    if (!parse_ok(parser))
        return;
    parser->status =
        error_set(parser->error, STATUS_INVALID_SCHEMA,
                  "not an ECMA-262 regular expression: %s (byte %zu)", reason, parser->at);
}

void parse_limit(struct parser *parser, const char *what, unsigned limit)
{
    if (parse_ok(parser))
        parser->status =
            error_set(parser->error, STATUS_UNSUPPORTED, "%s: the limit is %u", what, limit);
}

void parse_no_memory(struct parser *parser)
{
    if (parse_ok(parser))
        parser->status = error_set(parser->error, STATUS_NO_MEMORY, "out of memory");
}

char parse_peek(const struct parser *parser, size_t ahead)
{
    return ahead < parser->text.len - parser->at ? parser->text.ptr[parser->at + ahead] : '\0';
}

bool parse_skip(struct parser *parser, char byte)
{
    if (parser->at == parser->text.len || parser->text.ptr[parser->at] != byte)
        return false;
    parser->at++;
    return true;
}

uint32_t parse_code_point(struct parser *parser)
{
    uint32_t code_point = 0;
    parser->at +=
        utf8_decode(parser->text.ptr + parser->at, parser->text.len - parser->at, &code_point);
    return code_point;
}

bool parse_decimal(struct parser *parser, uint64_t *out_value)
{
    size_t begin = parser->at;
    uint64_t value = 0;
    for (char c; (c = parse_peek(parser, 0)) >= '0' && c <= '9'; parser->at++) {
        uint64_t digit = (uint64_t)(c - '0');
        value = value > (UINT64_MAX - 1 - digit) / 10 ? UINT64_MAX - 1 : value * 10 + digit;
    }
    *out_value = value;
    return parser->at > begin;
}

/* ---- quantifiers ----------------------------------------------------------------------------- */

/* Behind `{`. */
static void parse_counts(struct parser *parser, uint64_t *out_min, uint64_t *out_max)
{
    if (!parse_decimal(parser, out_min)) {
        parse_fail(parser, "\"{\" is not followed by a count");
        return;
    }
    *out_max = *out_min;
    if (parse_skip(parser, ',') && !parse_decimal(parser, out_max))
        *out_max = UINT64_MAX;
    if (!parse_skip(parser, '}'))
        parse_fail(parser, "a count is not closed by \"}\"");
    else if (*out_min > *out_max)
        parse_fail(parser, "the counts of a quantifier are out of order");
}

static uint32_t saturated(uint64_t count)
{
    return count == UINT64_MAX       ? TREE_UNBOUNDED
           : count >= TREE_UNBOUNDED ? TREE_UNBOUNDED - 1
                                     : (uint32_t)count;
}

/* What may follow the last child of the sequence. `captures` is how many groups came before it. */
static void parse_quantifier(struct parser *parser, uint32_t sequence, uint32_t captures)
{
    struct tree *tree = parser->tree;
    uint64_t min = 0;
    uint64_t max = UINT64_MAX;
    if (parse_skip(parser, '+'))
        min = 1;
    else if (parse_skip(parser, '?'))
        max = 1;
    else if (parse_skip(parser, '{'))
        parse_counts(parser, &min, &max);
    else if (!parse_skip(parser, '*'))
        return;
    bool is_lazy = parse_skip(parser, '?');
    uint32_t repeat = tree_add(tree, TREE_REPEAT);
    tree_wrap_last(tree, sequence, repeat);
    if (repeat == 0)
        return;
    struct tree_node *node = &tree->nodes[repeat];
    node->is_lazy = is_lazy;
    node->a = saturated(min);
    node->b = saturated(max);
    node->min_capture = captures;
    node->max_capture = tree->captures;
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void stack_push(struct parser *parser, struct parse_stack *stack, struct parse_group group)
{
    if (stack->count > LIMIT_REGEX_DEPTH) {
        parse_limit(parser, "groups are nested too deep", LIMIT_REGEX_DEPTH);
        return;
    }
    if (stack->count == stack->cap) {
        uint32_t cap = stack->cap == 0 ? PARSE_GROUPS_MIN : stack->cap * 2;
        struct parse_group *groups = alloc_grow(
            parser->alloc, stack->groups, stack->cap * sizeof(*groups), cap * sizeof(*groups));
        if (groups == NULL) {
            parse_no_memory(parser);
            return;
        }
        stack->groups = groups;
        stack->cap = cap;
    }
    group.alternatives = tree_add(parser->tree, TREE_ALTERNATIVES);
    group.sequence = tree_add(parser->tree, TREE_SEQUENCE);
    tree_append(parser->tree, group.alternatives, group.sequence);
    if (group.node != 0)
        tree_append(parser->tree, group.node, group.alternatives);
    else
        group.node = group.alternatives;
    stack->groups[stack->count++] = group;
}

static void parse_capture(struct parser *parser, struct parse_group *group)
{
    group->node = tree_add(parser->tree, TREE_CAPTURE);
    if (group->node != 0)
        parser->tree->nodes[group->node].a = parser->tree->captures;
    parser->tree->captures++;
}

/* `=` or `!`: false when neither follows. */
static bool parse_look(struct parser *parser, struct parse_group *group, bool is_behind)
{
    struct tree *tree = parser->tree;
    bool is_negative = parse_skip(parser, '!');
    if (!is_negative && !parse_skip(parser, '='))
        return false;
    group->is_assertion = true;
    group->node = tree_add(tree, TREE_LOOK);
    tree->has_look = true;
    tree->has_lookbehind = tree->has_lookbehind || is_behind;
    if (group->node != 0) {
        tree->nodes[group->node].is_behind = is_behind;
        tree->nodes[group->node].is_negative = is_negative;
    }
    return true;
}

/* Behind `(?`. */
static void parse_group_kind(struct parser *parser, struct parse_group *group)
{
    if (parse_skip(parser, ':') || parse_look(parser, group, false))
        return;
    if (!parse_skip(parser, '<')) {
        parser->flags = parse_modifiers(parser);
        return;
    }
    if (parse_look(parser, group, true))
        return;
    parse_group_name(parser, parser->tree->captures, 0);
    parse_capture(parser, group);
}

/* Behind `(`. */
static void parse_open(struct parser *parser, struct parse_stack *stack)
{
    struct parse_group group = { .captures = parser->tree->captures, .flags = parser->flags };
    if (parse_skip(parser, '?'))
        parse_group_kind(parser, &group);
    else
        parse_capture(parser, &group);
    if (parse_ok(parser))
        stack_push(parser, stack, group);
}

/* Behind `)`. */
static void parse_close(struct parser *parser, struct parse_stack *stack)
{
    if (stack->count == 1) {
        parser->at--;
        parse_fail(parser, "\")\" closes no group");
        return;
    }
    struct parse_group group = stack->groups[--stack->count];
    uint32_t sequence = stack->groups[stack->count - 1].sequence;
    parser->flags = group.flags;
    tree_append(parser->tree, sequence, group.node);
    if (!group.is_assertion)
        parse_quantifier(parser, sequence, group.captures);
}

static void parse_alternative(struct parser *parser, struct parse_group *group)
{
    group->sequence = tree_add(parser->tree, TREE_SEQUENCE);
    tree_append(parser->tree, group->alternatives, group->sequence);
}

/* ---- terms ----------------------------------------------------------------------------------- */

/* `k<name>` or a number, behind the backslash. */
static uint32_t parse_reference(struct parser *parser)
{
    struct tree *tree = parser->tree;
    uint64_t number;
    uint32_t node = tree_add(tree, TREE_REFERENCE);
    tree->has_reference = true;
    if (node != 0)
        tree->nodes[node].ignore_case = parser->flags.ignore_case;
    if (parse_skip(parser, 'k')) {
        if (parse_skip(parser, '<'))
            parse_group_name(parser, 0, node);
        else
            parse_fail(parser, "\"\\k\" is not followed by a group name");
        return node;
    }
    (void)parse_decimal(parser, &number);
    if (number > parser->reference_max)
        parser->reference_max = number;
    if (node != 0)
        tree->nodes[node].a = saturated(number);
    return node;
}

/* A code point as it is, or as a set when case is ignored. */
static uint32_t parse_character_node(struct parser *parser, uint32_t code_point)
{
    if (!parser->flags.ignore_case) {
        uint32_t node = tree_add(parser->tree, TREE_CHARACTER);
        if (node != 0)
            parser->tree->nodes[node].a = code_point;
        return node;
    }
    charset_clear(&parser->set);
    charset_add(&parser->set, code_point, code_point);
    return parse_set_node(parser);
}

/* Behind the backslash: an atom, or an assertion, which takes no quantifier. */
static void parse_escape(struct parser *parser, uint32_t sequence)
{
    char c = parse_peek(parser, 0);
    uint32_t node;
    if (c == 'b' || c == 'B') {
        parser->at++;
        tree_append(parser->tree, sequence, parse_word_edge(parser, c == 'B'));
        return;
    }
    charset_clear(&parser->set);
    if (c == 'k' || (c >= '1' && c <= '9'))
        node = parse_reference(parser);
    else if (parse_class_escape(parser))
        node = parse_set_node(parser);
    else
        node = parse_character_node(parser, parse_character_escape(parser));
    tree_append(parser->tree, sequence, node);
    parse_quantifier(parser, sequence, parser->tree->captures);
}

static uint32_t parse_dot(struct parser *parser)
{
    charset_clear(&parser->set);
    if (parser->flags.dot_all)
        charset_add(&parser->set, 0, CODE_POINT_MAX);
    else
        charset_add_line_ends(&parser->set, true);
    return parse_set_node(parser);
}

static void parse_atom(struct parser *parser, uint32_t sequence)
{
    uint32_t node = 0;
    switch (parse_peek(parser, 0)) {
    case '*':
    case '+':
    case '?':
    case '{': parse_fail(parser, "a quantifier has nothing to repeat"); return;
    case '}':
    case ']': parse_fail(parser, "a lone bracket must be escaped"); return;
    case '.':
        parser->at++;
        node = parse_dot(parser);
        break;
    case '[':
        parser->at++;
        parse_class(parser);
        node = parse_ok(parser) ? tree_add_set(parser->tree, &parser->set) : 0;
        break;
    default: node = parse_character_node(parser, parse_code_point(parser)); break;
    }
    if (!parse_ok(parser))
        return;
    tree_append(parser->tree, sequence, node);
    parse_quantifier(parser, sequence, parser->tree->captures);
}

static void parse_term(struct parser *parser, struct parse_stack *stack)
{
    struct parse_group *group = &stack->groups[stack->count - 1];
    if (parse_skip(parser, '('))
        parse_open(parser, stack);
    else if (parse_skip(parser, ')'))
        parse_close(parser, stack);
    else if (parse_skip(parser, '|'))
        parse_alternative(parser, group);
    else if (parse_skip(parser, '^'))
        tree_append(parser->tree, group->sequence, parse_line_edge(parser, true));
    else if (parse_skip(parser, '$'))
        tree_append(parser->tree, group->sequence, parse_line_edge(parser, false));
    else if (parse_skip(parser, '\\'))
        parse_escape(parser, group->sequence);
    else
        parse_atom(parser, group->sequence);
}

/* What only the whole pattern shows. */
static void parse_finish(struct parser *parser, const struct parse_stack *stack)
{
    if (stack->count > 1)
        parse_fail(parser, "a group is not closed");
    if (parser->reference_max >= parser->tree->captures)
        parse_fail(parser, "a reference to a group that is not there");
    parse_check_names(parser);
    if (parser->tree->has_reference && parser->tree->captures > LIMIT_REGEX_CAPTURES)
        parse_limit(parser, "a pattern with back-references has too many groups",
                    LIMIT_REGEX_CAPTURES);
}

/* What the tree could not keep. */
static void parse_check_tree(struct parser *parser)
{
    if (parser->tree->status == STATUS_NO_MEMORY || parser->set.failed)
        parse_no_memory(parser);
    else if (parser->tree->status != STATUS_OK)
        parse_limit(parser, "the character classes have too many ranges", LIMIT_REGEX_RANGES);
}

static void parser_release(struct parser *parser)
{
    alloc_free(parser->alloc, parser->names, parser->name_cap * sizeof(*parser->names));
    charset_release(&parser->set);
    charset_release(&parser->name_begins);
    charset_release(&parser->name_goes_on);
}

uint32_t parse_pattern(struct parser *parser)
{
    struct parse_stack stack = { 0 };
    uint32_t root = 0;
    charset_init(&parser->set, parser->alloc);
    charset_init(&parser->name_begins, parser->alloc);
    charset_init(&parser->name_goes_on, parser->alloc);
    if (parser->text.len > LIMIT_REGEX_BYTES)
        parse_limit(parser, "the pattern has too many bytes", LIMIT_REGEX_BYTES);
    else if ((parser->at = utf8_check(parser->text)) != parser->text.len)
        parse_fail(parser, "the text is not UTF-8");
    parser->at = 0;
    if (parse_ok(parser))
        stack_push(parser, &stack, (struct parse_group){ 0 });
    while (parse_ok(parser) && parser->at < parser->text.len) {
        parse_term(parser, &stack);
        parse_check_tree(parser);
    }
    if (parse_ok(parser)) {
        parse_finish(parser, &stack);
        root = stack.groups[0].node;
    }
    alloc_free(parser->alloc, stack.groups, stack.cap * sizeof(*stack.groups));
    parser_release(parser);
    return root;
}
