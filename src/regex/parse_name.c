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
    const struct alloc *alloc = parser->alloc;
    if (parser->name_count == LIMIT_REGEX_NAMES) {
        parse_limit(parser, "the pattern has too many group names", LIMIT_REGEX_NAMES);
        return;
    }
    if (parser->name_count == parser->name_cap) {
        size_t cap = parser->name_cap == 0 ? NAMES_MIN : parser->name_cap * 2;
        struct parse_name *names = alloc_grow(
            alloc, parser->names, parser->name_cap * sizeof(*names), cap * sizeof(*names));
        if (names == NULL) {
            parse_no_memory(parser);
            return;
        }
        parser->names = names;
        parser->name_cap = cap;
    }
    parser->names[parser->name_count++] = name;
}

/* The code points of a property, made when the first name asks for them. */
static bool name_set_has(struct parser *parser, struct charset *set, struct str property,
                         uint32_t code_point)
{
    if (set->count == 0) {
        (void)charset_add_property(set, property, (struct str){ 0 }, false);
        charset_normalise(set);
        if (set->failed)
            parse_no_memory(parser);
    }
    return charset_has(set, code_point);
}

/* Whether a code point may begin or continue a group name. */
static bool name_may_have(struct parser *parser, uint32_t code_point, bool begins)
{
    if (code_point == '$' || code_point == '_')
        return true;
    if (code_point < 0x80) {
        bool is_digit = code_point >= '0' && code_point <= '9';
        return (is_digit && !begins) ||
               ((code_point | 0x20) >= 'a' && (code_point | 0x20) <= 'z' && code_point >= 'A');
    }
    if (begins)
        return name_set_has(parser, &parser->name_begins, STR("ID_Start"), code_point);
    return code_point == 0x200C || code_point == 0x200D ||
           name_set_has(parser, &parser->name_goes_on, STR("ID_Continue"), code_point);
}

void parse_group_name(struct parser *parser, uint32_t capture, uint32_t node)
{
    size_t begin = parser->at;
    size_t end = begin;
    while (parse_ok(parser) && !parse_skip(parser, '>')) {
        if (parser->at == parser->text.len) {
            parse_fail(parser, "a group name is not closed");
            return;
        }
        if (!name_may_have(parser, name_next(parser), end == begin))
            parse_fail(parser, "a group name has a character that no name may have");
        end = parser->at;
    }
    if (end == begin)
        parse_fail(parser, "a group name is empty");
    if (parse_ok(parser))
        names_push(parser, (struct parse_name){ str_of(parser->text.ptr + begin, end - begin),
                                                capture, node });
}

static bool names_equal(const struct parser *parser, struct str a, struct str b)
{
    struct parser left = { .text = a, .alloc = parser->alloc };
    struct parser right = { .text = b, .alloc = parser->alloc };
    while (left.at < a.len && right.at < b.len)
        if (name_next(&left) != name_next(&right))
            return false;
    return left.at == a.len && right.at == b.len;
}

/* The first group of this name, NULL when there is none. */
static const struct parse_name *name_find(const struct parser *parser, struct str name)
{
    for (size_t i = 0; i < parser->name_count; i++)
        if (parser->names[i].capture != 0 && names_equal(parser, parser->names[i].text, name))
            return &parser->names[i];
    return NULL;
}

void parse_check_names(struct parser *parser)
{
    for (size_t i = 0; i < parser->name_count && parse_ok(parser); i++) {
        const struct parse_name *name = &parser->names[i];
        const struct parse_name *first = name_find(parser, name->text);
        if (first == NULL)
            parse_fail(parser, "a reference to a group name that is not there");
        else if (name->capture != 0 && first != name)
            parse_fail(parser, "two groups have the same name");
        else if (name->node != 0)
            parser->tree->nodes[name->node].a = first->capture;
    }
}
