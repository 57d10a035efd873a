/* record_table.c - columns divided by tabs, strokes or two blanks.
 *
 * Owns: the cutting of a line into cells. Memory failure leaves the rows without cells, which only
 * costs evidence.
 */
#include "base/features.h"

#include "evidence/record_table.h"

#include "evidence/chars.h"
#include "evidence/match.h"

enum { CELLS_MAX = 24 };

static bool is_divider(const struct evidence_text *text, uint32_t at, uint32_t end)
{
    const char *bytes = text->text.ptr;
    return bytes[at] == '\t' || bytes[at] == '|' ||
           (bytes[at] == ' ' && at + 1 < end && bytes[at + 1] == ' ');
}

static unsigned cells_cut(const struct evidence_text *text, uint32_t begin, uint32_t end,
                          struct evidence_cell *out)
{
    const char *bytes = text->text.ptr;
    unsigned count = 0;
    while (begin < end && count < CELLS_MAX) {
        if (bytes[begin] == ' ' || bytes[begin] == '\r' || is_divider(text, begin, end)) {
            begin++;
            continue;
        }
        uint32_t at = begin;
        while (at < end && !is_divider(text, at, end))
            at++;
        out[count] = (struct evidence_cell){ .begin = begin, .end = at };
        while (out[count].end > begin && char_in(" \r", bytes[out[count].end - 1]))
            out[count].end--;
        count++;
        begin = at;
    }
    return count;
}

static void headings_name(const struct evidence_text *text, struct evidence_cell *cells,
                          unsigned count, struct arena *arena)
{
    for (unsigned i = 0; i < count; i++) {
        struct str words[CELL_WORDS_MAX];
        struct str heading = evidence_slice(text, cells[i].begin, cells[i].end);
        cells[i].word_count = match_split(heading, arena, words, CELL_WORDS_MAX);
        for (unsigned w = 0; w < cells[i].word_count; w++)
            cells[i].words[w] = match_word_of(words[w]);
    }
}

static unsigned keys_matched(const struct evidence_needs *needs, const struct evidence_cell *cells,
                             unsigned count)
{
    unsigned matched = 0;
    for (unsigned k = 0; k < needs->key_count; k++) {
        bool found = false;
        for (unsigned i = 0; i < count && !found; i++)
            for (unsigned w = 0; w < cells[i].word_count && !found; w++)
                found = match_words(needs->keys[k], cells[i].words[w].text) >= 0.8;
        matched += found;
    }
    return matched;
}

unsigned record_table_read(const struct evidence_text *text, const struct evidence_needs *needs,
                           struct arena *arena, struct evidence_records *records)
{
    struct evidence_cell headings[CELLS_MAX];
    struct evidence_cell cells[CELLS_MAX];
    uint32_t line = records->items[0].begin;
    while (line > 0 && char_in("\n\r -=_+|", text->text.ptr[line - 1]))
        line--;
    if (line == 0)
        return 0;
    unsigned columns = cells_cut(text, evidence_line_begin(text, line), line, headings);
    headings_name(text, headings, columns, arena);
    unsigned matched = keys_matched(needs, headings, columns);
    for (unsigned i = 0; matched >= 2 && i < records->count; i++) {
        if (cells_cut(text, records->items[i].begin, records->items[i].end, cells) != columns)
            continue;
        struct evidence_cell *own = arena_take_array(arena, columns, sizeof(*own));
        if (own == NULL)
            break;
        for (unsigned c = 0; c < columns; c++) {
            own[c] = headings[c];
            own[c].begin = cells[c].begin;
            own[c].end = cells[c].end;
        }
        records->items[i].cells = own;
        records->items[i].cell_count = columns;
    }
    return matched;
}
