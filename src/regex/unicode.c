/* unicode.c - reading the compressed tables of Unicode.
 *
 * Owns: the digits of numbers, the look-up of names. Leaves to others: the tables
 * (unicode_tables.c), sets of code points (charset.c). Invariant: the tables are well-formed, so
 * that nothing here can fail.
 */
#include "base/features.h"

#include "regex/unicode.h"

static uint32_t digit_value(char digit)
{
    if (digit <= '9' && digit >= '0')
        return (uint32_t)(digit - '0');
    if (digit >= 'a')
        return (uint32_t)(digit - 'a') + 36;
    if (digit >= 'A')
        return (uint32_t)(digit - 'A') + 10;
    return digit == '+' ? 62 : 63;
}

uint32_t unicode_number(const char **at)
{
    uint32_t value = 0;
    for (unsigned shift = 0;; shift += 5) {
        uint32_t digit = digit_value(*(*at)++);
        value |= (digit & 31) << shift;
        if (digit < 32)
            return value;
    }
}

/* Whether one of the words is the name. */
static bool names_have(const char *names, struct str name)
{
    for (const char *at = names; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, name.ptr, name.len) == 0 && (at[name.len] == ' ' || at[name.len] == '\0'))
            return true;
    }
    return false;
}

int unicode_binary_find(struct str name)
{
    for (size_t i = 0; i < unicode_binary_count; i++)
        if (names_have(unicode_binaries[i].names, name))
            return (int)i;
    return -1;
}

int unicode_script_find(struct str name)
{
    for (size_t i = 0; i < unicode_script_count; i++)
        if (names_have(unicode_scripts[i].names, name))
            return (int)i;
    return -1;
}

uint32_t unicode_category_mask(struct str name)
{
    for (size_t i = 0; i < unicode_category_count; i++)
        if (str_equal(name, str_from(unicode_categories[i].name)))
            return unicode_categories[i].mask;
    return 0;
}

bool unicode_fold_next(struct unicode_fold *fold)
{
    if (*fold->at == '\0')
        return false;
    fold->first += unicode_number(&fold->at);
    uint32_t count = unicode_number(&fold->at);
    uint32_t distance = unicode_number(&fold->at);
    fold->count = count / 2;
    fold->step = 1 + count % 2;
    fold->distance = distance % 2 == 0 ? (int32_t)(distance / 2) : -(int32_t)(distance / 2);
    return true;
}

uint32_t unicode_fold_of(uint32_t code_point)
{
    struct unicode_fold fold = { .at = unicode_folding };
    while (unicode_fold_next(&fold) && fold.first <= code_point) {
        uint32_t offset = code_point - fold.first;
        if (offset % fold.step == 0 && offset / fold.step < fold.count)
            return (uint32_t)((int32_t)code_point + fold.distance);
    }
    return code_point;
}
