/* grounding_words.c - finding words in a text, exactly, without case, without regard to the kind of
 * blanks.
 *
 * Owns: word edges and case folding for the scripts with simple case. Leaves to others: numbers and
 * dates. Invariant: every byte that is looked at is taken from the budget.
 */
#include "base/features.h"

#include "cli/grounding_match.h"

#include "base/utf8.h"

/* Simple case folding for Latin, Greek and Cyrillic; other code points stay. */
static uint32_t word_fold(uint32_t c)
{
    if (c < 0x80)
        return c >= 'A' && c <= 'Z' ? c + 32 : c;
    if ((c >= 0xC0 && c <= 0xDE && c != 0xD7) || (c >= 0x391 && c <= 0x3A9) ||
        (c >= 0x410 && c <= 0x42F))
        return c + 32;
    if (c >= 0x400 && c <= 0x40F)
        return c + 80;
    if ((c >= 0x100 && c <= 0x137) || (c >= 0x14A && c <= 0x177) || (c >= 0x1E00 && c <= 0x1EFF))
        return c | 1;
    if ((c >= 0x139 && c <= 0x148) || (c >= 0x179 && c <= 0x17E))
        return c + (c & 1);
    return c;
}

static bool word_is_space(uint32_t c)
{
    return c == ' ' || (c >= 9 && c <= 13) || c == 0xA0 || (c >= 0x2000 && c <= 0x200B) ||
           c == 0x202F || c == 0x3000;
}

static bool word_is_part(uint32_t c)
{
    if (c < 0x80)
        return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    /* Letters in the main; the punctuation blocks are left out. */
    return c >= 0xC0 && !word_is_space(c) && !(c >= 0x2010 && c <= 0x206F) &&
           !(c >= 0x3001 && c <= 0x3003);
}

bool grounding_is_word_at(struct str text, size_t offset)
{
    uint32_t c;
    return offset < text.len && utf8_decode(text.ptr + offset, text.len - offset, &c) > 0 &&
           word_is_part(c);
}

/* The code point before offset is part of a word. */
static bool word_is_before(struct str text, size_t offset)
{
    while (offset > 0) {
        offset--;
        if (((unsigned char)text.ptr[offset] & 0xC0) != 0x80)
            return grounding_is_word_at(text, offset);
    }
    return false;
}

struct word_cursor {
    struct str text;
    size_t offset;
    bool merge_space;
};

/* The next code point as fold sees it; 0 at the end. */
static uint32_t word_next(struct word_cursor *cursor, bool fold_case)
{
    uint32_t c = 0;
    if (cursor->offset >= cursor->text.len)
        return 0;
    unsigned used =
        utf8_decode(cursor->text.ptr + cursor->offset, cursor->text.len - cursor->offset, &c);
    cursor->offset += used > 0 ? used : 1;
    if (!cursor->merge_space || !word_is_space(c))
        return fold_case ? word_fold(c) : c;
    while (cursor->offset < cursor->text.len) {
        used =
            utf8_decode(cursor->text.ptr + cursor->offset, cursor->text.len - cursor->offset, &c);
        if (used == 0 || !word_is_space(c))
            break;
        cursor->offset += used;
    }
    return ' ';
}

static bool word_match_at(struct grounding_text *text, size_t offset, struct str words,
                          enum grounding_fold fold, size_t *out_end)
{
    bool merge = fold == GROUNDING_SPACE;
    struct word_cursor there = { text->text, offset, merge };
    struct word_cursor here = { words, 0, merge };
    while (here.offset < words.len) {
        if (text->steps_left == 0)
            return false;
        text->steps_left--;
        if (word_next(&here, fold != GROUNDING_EXACT) != word_next(&there, fold != GROUNDING_EXACT))
            return false;
    }
    *out_end = there.offset;
    return true;
}

bool grounding_find_words(struct grounding_text *text, struct str words, enum grounding_fold fold,
                          struct grounding_span *out)
{
    if (words.len == 0)
        return false;
    bool word_first = grounding_is_word_at(words, 0);
    bool word_last = word_is_before(words, words.len);
    for (size_t begin = 0; begin < text->text.len && text->steps_left > 0; begin++) {
        size_t end;
        text->steps_left--;
        if (((unsigned char)text->text.ptr[begin] & 0xC0) == 0x80)
            continue;
        if (!word_match_at(text, begin, words, fold, &end))
            continue;
        if ((word_first && word_is_before(text->text, begin)) ||
            (word_last && grounding_is_word_at(text->text, end)))
            continue;
        *out = (struct grounding_span){ begin, end };
        return true;
    }
    return false;
}
