/* list.c - separators of enumerations.
 *
 * Owns: commas, strokes, "and", line breaks with bullets, and a remark in brackets behind an item.
 */
#include "base/features.h"

#include "evidence/list.h"

#include "evidence/chars.h"

enum { ITEM_WORDS_MAX = 7, LIST_ITEMS_COUNTED = 4, REMARK_BYTES_MAX = 42 };

static const char *const conjunctions[] = { "and", "or",   "und",        "et",
                                            "y",   "plus", "as well as", NULL };

static bool is_bullet(uint32_t c)
{
    return c == '-' || c == '*' || c == 0x2022 || c == 0xB7 || c == 0x2013;
}

/* "- ", "3. ", "3) " at `at`: the offset behind it. */
static size_t scan_bullet(struct str text, size_t at)
{
    unsigned bytes;
    size_t end = SCAN_NONE;
    if (is_bullet(char_at(text, at, &bytes))) {
        end = at + bytes;
    } else {
        end = scan_digits(text, at, 1, 3, NULL);
        if (end == SCAN_NONE || end >= text.len || (text.ptr[end] != '.' && text.ptr[end] != ')'))
            return SCAN_NONE;
        end++;
    }
    size_t after = scan_blanks(text, end);
    return after == end ? SCAN_NONE : after;
}

/* "(whole grain)" behind an item. */
static size_t skip_remark(struct str text, size_t at)
{
    size_t open = scan_blanks(text, at);
    if (open >= text.len || text.ptr[open] != '(')
        return at;
    for (size_t i = open + 1; i < text.len && i - open < REMARK_BYTES_MAX && text.ptr[i] != '\n';
         i++)
        if (text.ptr[i] == ')')
            return i + 1;
    return at;
}

/* ", ", ", and ", " and ", " / ". */
static size_t scan_separator(struct str text, size_t at, bool *out_is_last)
{
    size_t end = scan_blanks(text, at);
    bool mark = end < text.len && char_in(",;/&", text.ptr[end]);
    if (mark)
        end = scan_blanks(text, end + 1);
    else if (end == at)
        return SCAN_NONE;
    if (mark && end < text.len && text.ptr[end] == '\n')
        end = scan_blanks(text, end + 1);
    size_t joined = scan_any_word(text, end, conjunctions, NULL);
    if (joined == SCAN_NONE)
        return mark ? end : SCAN_NONE;
    *out_is_last = !mark;
    return scan_blanks(text, joined);
}

/* The line ends and the next one begins with a bullet. */
static size_t scan_next_line(struct str text, size_t at)
{
    if (at < text.len && char_in(".;,", text.ptr[at]))
        at++;
    at = scan_blanks(text, at);
    if (at < text.len && text.ptr[at] == '\r')
        at++;
    if (at >= text.len || text.ptr[at] != '\n')
        return SCAN_NONE;
    return scan_bullet(text, scan_blanks(text, at + 1));
}

bool evidence_list_next(const struct evidence_text *text, uint32_t offset, uint32_t *out_word,
                        bool *out_is_last)
{
    *out_is_last = false;
    size_t at = skip_remark(text->text, offset);
    size_t begin = scan_next_line(text->text, at);
    if (begin == SCAN_NONE)
        begin = scan_separator(text->text, at, out_is_last);
    if (begin == SCAN_NONE || text->word_count == 0)
        return false;
    uint32_t word = evidence_word_at(text, (uint32_t)begin);
    if (text->words[word].begin < begin)
        word++;
    if (word >= text->word_count || text->words[word].begin > begin + 2)
        return false;
    *out_word = word;
    return true;
}

/* A short item begins with the word and another one follows it. */
static bool short_item(const struct evidence_text *text, uint32_t word, uint32_t *out_next)
{
    bool is_last;
    for (uint32_t i = word; i < text->word_count && i < word + ITEM_WORDS_MAX; i++) {
        if (text->words[i].sentence != text->words[word].sentence)
            return false;
        if (evidence_list_next(text, text->words[i].end, out_next, &is_last))
            return text->words[*out_next].sentence == text->words[word].sentence ||
                   evidence_list_is_bullet(text, *out_next);
    }
    return false;
}

double evidence_list_strength(const struct evidence_text *text, uint32_t word)
{
    static const double strengths[LIST_ITEMS_COUNTED + 1] = { 0.0, 0.6, 1.0, 1.3, 1.5 };
    unsigned count = 0;
    uint32_t next;
    while (count < LIST_ITEMS_COUNTED && short_item(text, word, &next)) {
        word = next;
        count++;
    }
    return strengths[count];
}

bool evidence_list_is_bullet(const struct evidence_text *text, uint32_t word)
{
    uint32_t begin = text->words[word].begin;
    size_t line = scan_blanks(text->text, evidence_line_begin(text, begin));
    return line < begin && scan_bullet(text->text, line) == begin;
}

bool evidence_list_continues(const struct evidence_text *text, uint32_t word)
{
    if (word == 0 || text->words[word - 1].sentence != text->words[word].sentence)
        return false;
    struct str before = text->words[word - 1].folded.text;
    return text->text.ptr[text->words[word - 1].end] == ',' || str_equal(before, STR("and")) ||
           str_equal(before, STR("or"));
}
