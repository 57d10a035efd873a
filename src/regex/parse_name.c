/* parse_name.c - names of groups and references to them.
 *
 * Owns: which names are well-formed, and that each is given once. Names are compared by code point,
 * because they may be written with escapes.
 */
#include "base/features.h"

#include "base/limits.h"
#include "regex/parse.h"

enum { NAMES_MIN = 8 };

/* The next code point of a name, escapes read. */
static uint32_t name_next(struct parser *parser)
{
    if (!parse_skip(parser, '\\'))
        return parse_code_point(parser);
    if (parse_peek(parser, 0) == 'u')
        return parse_unicode_escape(parser);
    parse_fail(parser, "an escape in a group name that is not defined");
    return 0;
}

static void names_push(struct parser *parser, struct parse_name name)
{
    const struct alloc *alloc = parser->builder->alloc;
    if (parser->name_count == LIMIT_REGEX_NAMES) {
        parser->builder->status = STATUS_UNSUPPORTED;
        (void)error_set(parser->builder->error, STATUS_UNSUPPORTED,
                        "the pattern has more than %u group names", LIMIT_REGEX_NAMES);
        return;
    }
    if (parser->name_count == parser->name_cap) {
        size_t cap = parser->name_cap == 0 ? NAMES_MIN : parser->name_cap * 2;
        struct parse_name *names = alloc_grow(
            alloc, parser->names, parser->name_cap * sizeof(*names), cap * sizeof(*names));
        if (names == NULL) {
            builder_fail(parser->builder, STATUS_NO_MEMORY);
            return;
        }
        parser->names = names;
        parser->name_cap = cap;
    }
    parser->names[parser->name_count++] = name;
}

void parse_group_name(struct parser *parser, bool is_reference)
{
    size_t begin = parser->at;
    size_t end = begin;
    while (parse_ok(parser) && !parse_skip(parser, '>')) {
        if (parser->at == parser->text.len) {
            parse_fail(parser, "a group name is not closed");
            return;
        }
        if (!charset_is_name(name_next(parser), end == begin))
            parse_fail(parser, "a group name has a character that no name may have");
        end = parser->at;
    }
    if (end == begin)
        parse_fail(parser, "a group name is empty");
    if (parse_ok(parser))
        names_push(parser, (struct parse_name){ str_of(parser->text.ptr + begin, end - begin),
                                                is_reference });
}

static bool names_equal(const struct parser *parser, struct str a, struct str b)
{
    struct parser left = { .text = a, .builder = parser->builder };
    struct parser right = { .text = b, .builder = parser->builder };
    while (left.at < a.len && right.at < b.len)
        if (name_next(&left) != name_next(&right))
            return false;
    return left.at == a.len && right.at == b.len;
}

/* How many groups before `count` have this name. */
static size_t names_given(const struct parser *parser, struct str name, size_t count)
{
    size_t given = 0;
    for (size_t i = 0; i < count; i++)
        if (!parser->names[i].is_reference && names_equal(parser, parser->names[i].text, name))
            given++;
    return given;
}

void parse_check_names(struct parser *parser)
{
    for (size_t i = 0; i < parser->name_count && parse_ok(parser); i++) {
        const struct parse_name *name = &parser->names[i];
        if (name->is_reference && names_given(parser, name->text, parser->name_count) == 0)
            parse_fail(parser, "a reference to a group name that is not there");
        else if (!name->is_reference && names_given(parser, name->text, i) > 0)
            parse_fail(parser, "two groups have the same name");
    }
}
