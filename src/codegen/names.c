/* names.c - C identifiers of names that a schema has. See plan.h.
 *
 * Owns: what an identifier may be: letters, digits and '_', no keyword of C or C++, no name that
 * headers define, nothing reserved; and uniqueness. Invariant: the same schema gives the same
 * names.
 */
#include "base/features.h"

#include "codegen/plan.h"

#include <inttypes.h>

enum { NAME_BYTES_MAX = 60 };

static const char *const taken[] = {
    "alignas",    "alignof",       "and",
    "and_eq",     "asm",           "assert",
    "auto",       "bitand",        "bitor",
    "bool",       "break",         "case",
    "catch",      "char",          "class",
    "compl",      "concept",       "const",
    "consteval",  "constexpr",     "constinit",
    "const_cast", "continue",      "co_await",
    "co_return",  "co_yield",      "decltype",
    "default",    "delete",        "do",
    "double",     "dynamic_cast",  "else",
    "enum",       "environ",       "errno",
    "explicit",   "export",        "extern",
    "false",      "float",         "for",
    "friend",     "goto",          "i386",
    "if",         "inline",        "int",
    "linux",      "long",          "major",
    "makedev",    "minor",         "mutable",
    "namespace",  "new",           "noexcept",
    "not",        "not_eq",        "nullptr",
    "offsetof",   "operator",      "or",
    "or_eq",      "private",       "protected",
    "public",     "register",      "reinterpret_cast",
    "requires",   "restrict",      "return",
    "short",      "signed",        "sizeof",
    "static",     "static_assert", "static_cast",
    "stderr",     "stdin",         "stdout",
    "struct",     "switch",        "template",
    "this",       "thread_local",  "throw",
    "true",       "try",           "typedef",
    "typeid",     "typename",      "typeof",
    "union",      "unix",          "unsigned",
    "using",      "virtual",       "void",
    "volatile",   "wchar_t",       "while",
    "xor",        "xor_eq",        "NULL",
    "EOF",
};

static bool is_taken(struct str name)
{
    for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++) {
        if (str_equal(str_from(taken[i]), name))
            return true;
    }
    return false;
}

static bool is_letter(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

static bool is_digit(char byte)
{
    return byte >= '0' && byte <= '9';
}

static struct str keep(struct plan *plan, struct str text)
{
    struct str copy = arena_copy(plan->arena, text);
    if (copy.ptr == NULL && plan->status == STATUS_OK)
        plan->status = error_set(plan->error, STATUS_NO_MEMORY, "out of memory");
    return copy.ptr == NULL ? STR("x") : copy;
}

struct str plan_identifier(struct plan *plan, struct str text)
{
    char name[NAME_BYTES_MAX + 4];
    size_t len = 0;
    /* What begins with a digit, or would be reserved, gets a letter in front. */
    bool needs_letter = text.len == 0 || !is_letter(text.ptr[0]);
    if (needs_letter)
        name[len++] = 'm';
    for (size_t i = 0; i < text.len && len < NAME_BYTES_MAX; i++) {
        bool is_plain = is_letter(text.ptr[i]) || is_digit(text.ptr[i]);
        if (is_plain || (len > 0 && name[len - 1] != '_'))
            name[len++] = is_plain ? text.ptr[i] : '_';
    }
    while (len > 1 && name[len - 1] == '_')
        len--;
    if (is_taken(str_of(name, len)))
        name[len++] = '_';
    return keep(plan, str_of(name, len));
}

/* ---- uniqueness ------------------------------------------------------------------------------ */

static bool with_affix(struct str name, const char *before, struct str part, const char *after)
{
    size_t begin = strlen(before), end = strlen(after);
    return name.len == begin + part.len + end && memcmp(name.ptr, before, begin) == 0 &&
           memcmp(name.ptr + begin, part.ptr, part.len) == 0 &&
           memcmp(name.ptr + begin + part.len, after, end) == 0;
}

/* Whether two members, with has_... and ..._count of either, would have one name. */
static bool members_clash(struct str a, struct str b)
{
    return str_equal(a, b) || with_affix(a, "has_", b, "") || with_affix(b, "has_", a, "") ||
           with_affix(a, "", b, "_count") || with_affix(b, "", a, "_count");
}

static struct str numbered(struct plan *plan, struct str base, uint32_t number)
{
    struct buffer text;
    buffer_init(&text, plan->alloc, 4 * NAME_BYTES_MAX);
    buffer_append_str(&text, base);
    buffer_printf(&text, "_%" PRIu32, number);
    struct str name = keep(plan, buffer_view(&text));
    buffer_release(&text);
    return name;
}

struct str plan_member_name(struct plan *plan, const struct plan_type *type, struct str base)
{
    struct str name = base;
    for (uint32_t number = 2, i = 0; i < type->field_count; i++) {
        if (!members_clash(type->fields[i].c_name, name))
            continue;
        name = numbered(plan, base, number++);
        i = UINT32_MAX; /* once more from the first */
    }
    return name;
}

static bool type_name_is_known(const struct plan *plan, struct str name)
{
    for (int i = 0; i < plan->type_count; i++) {
        const struct plan_type *type = &plan->types[i];
        if (str_equal(type->c_name, name))
            return true;
        for (uint32_t k = 0; k < type->field_count; k++) {
            if (str_equal(type->fields[k].enum_name, name))
                return true;
        }
    }
    return false;
}

struct str plan_type_name(struct plan *plan, struct str prefix, struct str suffix)
{
    struct buffer text;
    buffer_init(&text, plan->alloc, 4 * NAME_BYTES_MAX);
    buffer_append_str(&text, prefix);
    if (prefix.len > 0 && suffix.len > 0)
        buffer_append_byte(&text, '_');
    buffer_append_str(&text, suffix);
    /* A long path keeps its end. */
    size_t skip = text.len > 2 * NAME_BYTES_MAX ? text.len - NAME_BYTES_MAX : 0;
    struct str base = { text.ptr + skip, text.len - skip };
    while (base.len > 0 && !is_letter(base.ptr[0]))
        base = str_of(base.ptr + 1, base.len - 1);
    base = keep(plan, base);
    buffer_release(&text);
    struct str name = base;
    for (uint32_t number = 2; type_name_is_known(plan, name); number++)
        name = numbered(plan, base, number);
    return name;
}
