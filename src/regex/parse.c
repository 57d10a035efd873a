/* parse.c - terms, groups, alternatives and quantifiers of ECMA-262 with the `u` flag.
 *
 * Owns: the stack of open groups. Leaves to others: escapes and classes (parse_escape.c), names
 * (parse_name.c), instructions (builder.c). Everything is refused that `new RegExp(p, "u")` of
 * ECMA-262 2024 refuses; what is well-formed but not supported is refused only once the whole
 * pattern is known to be well-formed.
 */
#include "base/features.h"

#include "regex/parse.h"

#include "base/limits.h"
#include "base/utf8.h"

struct parse_group {
    uint32_t begin;       /* first instruction */
    uint32_t alternative; /* first of the alternative in progress */
    int32_t jumps;        /* of builder_alternative */
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
    return parser->builder->status == STATUS_OK;
}

void parse_fail(struct parser *parser, const char *reason)
{
    if (!parse_ok(parser))
        return;
    parser->builder->status = STATUS_INVALID_SCHEMA;
    (void)error_set(parser->builder->error, STATUS_INVALID_SCHEMA,
                    "not an ECMA-262 regular expression: %s (byte %zu)", reason, parser->at);
}

void parse_unsupported(struct parser *parser, const char *what)
{
    if (parser->unsupported == NULL)
        parser->unsupported = what;
}

static void parse_limit(struct parser *parser, const char *what, unsigned limit)
{
    if (!parse_ok(parser))
        return;
    parser->builder->status = STATUS_UNSUPPORTED;
    (void)error_set(parser->builder->error, STATUS_UNSUPPORTED, "%s: the limit is %u", what, limit);
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
        *out_max = BUILDER_UNBOUNDED;
    if (!parse_skip(parser, '}'))
        parse_fail(parser, "a count is not closed by \"}\"");
    else if (*out_min > *out_max)
        parse_fail(parser, "the counts of a quantifier are out of order");
}

/* What may follow the atom whose instructions begin there. Greedy or lazy accept the same texts. */
static void parse_quantifier(struct parser *parser, uint32_t begin)
{
    uint64_t min = 0;
    uint64_t max = BUILDER_UNBOUNDED;
    if (parse_skip(parser, '+'))
        min = 1;
    else if (parse_skip(parser, '?'))
        max = 1;
    else if (parse_skip(parser, '{'))
        parse_counts(parser, &min, &max);
    else if (!parse_skip(parser, '*'))
        return;
    (void)parse_skip(parser, '?');
    if (parse_ok(parser))
        builder_repeat(parser->builder, begin, min, max);
}

/* ---- groups ---------------------------------------------------------------------------------- */

static void stack_push(struct parser *parser, struct parse_stack *stack, bool is_assertion)
{
    const struct alloc *alloc = parser->builder->alloc;
    if (stack->count > LIMIT_REGEX_DEPTH) {
        parse_limit(parser, "groups are nested too deep", LIMIT_REGEX_DEPTH);
        return;
    }
    if (stack->count == stack->cap) {
        uint32_t cap = stack->cap == 0 ? PARSE_GROUPS_MIN : stack->cap * 2;
        struct parse_group *groups =
            alloc_grow(alloc, stack->groups, stack->cap * sizeof(*groups), cap * sizeof(*groups));
        if (groups == NULL) {
            builder_fail(parser->builder, STATUS_NO_MEMORY);
            return;
        }
        stack->groups = groups;
        stack->cap = cap;
    }
    uint32_t begin = builder_count(parser->builder);
    stack->groups[stack->count++] =
        (struct parse_group){ begin, begin, BUILDER_NONE, is_assertion };
}

/* Behind `(?`. Returns whether the group is an assertion. */
static bool parse_group_kind(struct parser *parser)
{
    if (parse_skip(parser, ':'))
        return false;
    if (parse_skip(parser, '=') || parse_skip(parser, '!')) {
        parse_unsupported(parser, "lookahead is");
        return true;
    }
    if (!parse_skip(parser, '<')) {
        parse_fail(parser, "\"(?\" begins no group of ECMA-262");
        return false;
    }
    if (parse_skip(parser, '=') || parse_skip(parser, '!')) {
        parse_unsupported(parser, "lookbehind is");
        return true;
    }
    parser->captures++;
    parse_group_name(parser, false);
    return false;
}

/* Behind `(`. */
static void parse_open(struct parser *parser, struct parse_stack *stack)
{
    bool is_assertion = false;
    if (parse_skip(parser, '?'))
        is_assertion = parse_group_kind(parser);
    else
        parser->captures++;
    if (parse_ok(parser))
        stack_push(parser, stack, is_assertion);
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
    builder_join(parser->builder, group.jumps);
    if (!group.is_assertion)
        parse_quantifier(parser, group.begin);
}

/* ---- terms ----------------------------------------------------------------------------------- */

/* Behind the backslash: assertions and references, which are no atoms of one character. Returns
 * whether it was one. */
static bool parse_special_escape(struct parser *parser)
{
    char c = parse_peek(parser, 0);
    uint64_t number;
    if (c == 'b' || c == 'B') {
        parser->at++;
        builder_push(parser->builder, c == 'b' ? REGEX_WORD : REGEX_NOT_WORD, 0);
        if (parser->builder->regex != NULL)
            parser->builder->regex->has_word = true;
        return true;
    }
    if (c == 'k') {
        parser->at++;
        if (parse_skip(parser, '<'))
            parse_group_name(parser, true);
        else
            parse_fail(parser, "\"\\k\" is not followed by a group name");
    } else if (c >= '1' && c <= '9') {
        (void)parse_decimal(parser, &number);
        if (number > parser->reference_max)
            parser->reference_max = number;
    } else {
        return false;
    }
    parse_unsupported(parser, "backreferences are");
    parse_quantifier(parser, builder_count(parser->builder));
    return true;
}

/* Behind the backslash. */
static void parse_escape(struct parser *parser)
{
    uint32_t begin = builder_count(parser->builder);
    if (parse_special_escape(parser))
        return;
    charset_clear(&parser->set);
    if (parse_class_escape(parser))
        builder_charset(parser->builder, &parser->set);
    else
        builder_code_point(parser->builder, parse_character_escape(parser));
    parse_quantifier(parser, begin);
}

static void parse_atom(struct parser *parser)
{
    uint32_t begin = builder_count(parser->builder);
    switch (parse_peek(parser, 0)) {
    case '*':
    case '+':
    case '?':
    case '{': parse_fail(parser, "a quantifier has nothing to repeat"); return;
    case '}':
    case ']': parse_fail(parser, "a lone bracket must be escaped"); return;
    case '.':
        parser->at++;
        charset_clear(&parser->set);
        charset_add_dot(&parser->set);
        builder_charset(parser->builder, &parser->set);
        break;
    case '[':
        parser->at++;
        parse_class(parser);
        break;
    default: builder_code_point(parser->builder, parse_code_point(parser)); break;
    }
    parse_quantifier(parser, begin);
}

static void parse_term(struct parser *parser, struct parse_stack *stack)
{
    struct parse_group *group = &stack->groups[stack->count - 1];
    if (parse_skip(parser, '('))
        parse_open(parser, stack);
    else if (parse_skip(parser, ')'))
        parse_close(parser, stack);
    else if (parse_skip(parser, '|'))
        builder_alternative(parser->builder, &group->alternative, &group->jumps);
    else if (parse_skip(parser, '^'))
        builder_push(parser->builder, REGEX_START, 0);
    else if (parse_skip(parser, '$'))
        builder_push(parser->builder, REGEX_END, 0);
    else if (parse_skip(parser, '\\'))
        parse_escape(parser);
    else
        parse_atom(parser);
}

/* What only the whole pattern shows. */
static void parse_finish(struct parser *parser, const struct parse_stack *stack)
{
    if (stack->count > 1)
        parse_fail(parser, "a group is not closed");
    if (parser->reference_max > parser->captures)
        parse_fail(parser, "a reference to a group that is not there");
    parse_check_names(parser);
    if (parser->unsupported != NULL && !parser->strict && parse_ok(parser)) {
        parser->builder->status = STATUS_UNSUPPORTED;
        (void)error_set(parser->builder->error, STATUS_UNSUPPORTED,
                        "%s not supported yet in patterns", parser->unsupported);
    }
}

void parse_pattern(struct parser *parser)
{
    const struct alloc *alloc = parser->builder->alloc;
    struct parse_stack stack = { 0 };
    if (parser->text.len > LIMIT_REGEX_BYTES)
        parse_limit(parser, "the pattern has too many bytes", LIMIT_REGEX_BYTES);
    else if ((parser->at = utf8_check(parser->text)) != parser->text.len)
        parse_fail(parser, "the text is not UTF-8");
    parser->at = 0;
    charset_init(&parser->set, alloc);
    if (parse_ok(parser))
        stack_push(parser, &stack, false);
    while (parse_ok(parser) && parser->at < parser->text.len)
        parse_term(parser, &stack);
    if (parser->set.failed)
        builder_fail(parser->builder, STATUS_NO_MEMORY);
    if (parse_ok(parser))
        parse_finish(parser, &stack);
    if (parse_ok(parser))
        builder_join(parser->builder, stack.groups[0].jumps);
    alloc_free(alloc, stack.groups, stack.cap * sizeof(*stack.groups));
    alloc_free(alloc, parser->names, parser->name_cap * sizeof(*parser->names));
    charset_release(&parser->set);
}
