/* text.c - cutting a text into words and sentences.
 *
 * Owns: where a word begins and ends (letters and digits, joined by marks that stand inside
 * numbers, names and addresses) and where a sentence ends. Leaves to others: facts (facts.h).
 * Linear in the text.
 */
#include "base/features.h"

#include "evidence/text.h"

#include "base/hash.h"
#include "evidence/chars.h"
#include "evidence/facts.h"
#include "evidence/match.h"

#define EVIDENCE_BYTES_MAX ((size_t)1 << 30)

static bool is_word_char(uint32_t code_point)
{
    return code_point == '_' || char_is_alnum(code_point);
}

static bool joins_words(uint32_t code_point)
{
    switch (code_point) {
    case '.':
    case '\'':
    case 0x2019:
    case '&':
    case '@':
    case ':':
    case '/':
    case '+':
    case '#':
    case '-': return true;
    default: return false;
    }
}

static bool is_money_sign(uint32_t code_point)
{
    return code_point == '$' || code_point == 0xA3 || code_point == 0x20AC;
}

/* End of the word that begins at `at`. A comma joins digits. */
static size_t word_end(struct str text, size_t at)
{
    for (;;) {
        unsigned bytes;
        unsigned after;
        uint32_t code_point = char_at(text, at, &bytes);
        if (is_word_char(code_point)) {
            at += bytes;
            continue;
        }
        uint32_t next = char_at(text, at + bytes, &after);
        if (bytes > 0 && joins_words(code_point) && is_word_char(next))
            at += bytes + after;
        else if (code_point == ',' && char_is_digit(char_before(text, at)) && char_is_digit(next))
            at += 2;
        else
            return at;
    }
}

/* The word at or after `at`; false at the end of the text. */
static bool word_find(struct str text, size_t at, size_t *out_begin, size_t *out_end)
{
    unsigned bytes;
    for (; at < text.len; at += bytes) {
        uint32_t code_point = char_at(text, at, &bytes);
        bool is_money = is_money_sign(code_point) && char_is_digit(char_at(text, at + bytes, NULL));
        if (!char_is_alnum(code_point) && !is_money)
            continue;
        *out_begin = at;
        *out_end = word_end(text, is_money ? at + bytes : at);
        return true;
    }
    return false;
}

static bool is_abbreviation(struct str word)
{
    static const char *const list[] = { "mr", "ms", "mrs", "dr",   "prof", "st",
                                        "no", "nr", "art", "para", NULL };
    return word.len == 1 || match_in(word, list);
}

/* Does a sentence end in the gap between two words? */
static bool gap_ends_sentence(struct str text, const struct evidence_word *before, size_t next)
{
    unsigned bytes;
    unsigned blanks = 0;
    bool point = false;
    bool quote = false;
    bool dash = false;
    for (size_t at = before->end; at < next; at += bytes) {
        uint32_t code_point = char_at(text, at, &bytes);
        if (code_point == '\n' || code_point == '\r' || code_point == '!' || code_point == '?' ||
            code_point == ';' || code_point == '\t')
            return true;
        blanks = char_is_blank(code_point) ? blanks + 1 : 0;
        if (blanks == 3 || (dash && blanks > 0))
            return true;
        point = point || code_point == '.';
        quote = code_point == '"' || code_point == 0x201C || code_point == '(';
        dash = (code_point == '|' || code_point == 0x2022 || code_point == 0xB7 ||
                code_point == 0x2013 || code_point == 0x2014) &&
               char_is_blank(char_before(text, at));
    }
    uint32_t first = char_at(text, next, NULL);
    return point && !is_abbreviation(before->folded.text) &&
           (quote || char_is_upper(first) || char_is_digit(first) || is_money_sign(first));
}

static enum status words_count(struct evidence_text *text)
{
    size_t begin = 0;
    size_t end = 0;
    uint32_t count = 0;
    while (word_find(text->text, end, &begin, &end))
        count++;
    text->words = arena_take_array(&text->arena, count + 1, sizeof(*text->words));
    return text->words == NULL ? STATUS_NO_MEMORY : STATUS_OK;
}

static unsigned word_flags(struct str text, size_t begin, struct str lower)
{
    uint32_t first = char_at(text, begin, NULL);
    return (char_is_upper(first) ? EVIDENCE_CAPITAL : 0u) |
           (char_is_digit(first) || is_money_sign(first) ? EVIDENCE_DIGIT : 0u) |
           (match_is_stop(lower) ? EVIDENCE_STOP : 0u);
}

static enum status words_read(struct evidence_text *text)
{
    size_t begin = 0;
    size_t end = 0;
    uint32_t sentence = 0;
    char *lower = arena_take(&text->arena, text->text.len + 1);
    if (lower == NULL)
        return STATUS_NO_MEMORY;
    char_fold(text->text, lower);
    text->lower = str_of(lower, text->text.len);
    while (word_find(text->text, end, &begin, &end)) {
        struct evidence_word *word = &text->words[text->word_count];
        if (text->word_count > 0 && gap_ends_sentence(text->text, word - 1, begin))
            sentence++;
        word->begin = (uint32_t)begin;
        word->end = (uint32_t)end;
        word->sentence = sentence;
        word->folded = match_word_of(str_of(lower + begin, end - begin));
        word->flags = word_flags(text->text, begin, word->folded.text);
        text->word_count++;
    }
    return STATUS_OK;
}

static enum status lines_read(struct evidence_text *text)
{
    size_t count = 1;
    for (size_t at = 0; at < text->text.len; at++)
        count += text->text.ptr[at] == '\n';
    text->line_begins = arena_take_array(&text->arena, count, sizeof(*text->line_begins));
    if (text->line_begins == NULL)
        return STATUS_NO_MEMORY;
    text->line_begins[text->line_count++] = 0;
    for (size_t at = 0; at < text->text.len; at++)
        if (text->text.ptr[at] == '\n')
            text->line_begins[text->line_count++] = (uint32_t)at + 1;
    return STATUS_OK;
}

/* Counts equal stems through a table of hashes; a collision only makes a count too high. */
static enum status words_count_repeats(struct evidence_text *text)
{
    size_t slots = 64;
    while (slots < (size_t)text->word_count * 2)
        slots *= 2;
    uint32_t *counts = arena_take_array(&text->arena, slots, sizeof(*counts));
    if (counts == NULL)
        return STATUS_NO_MEMORY;
    memset(counts, 0, slots * sizeof(*counts));
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < text->word_count; i++) {
            struct str stem = match_stem(text->words[i].folded.text);
            size_t slot = hash_bytes(stem.ptr, stem.len, 0) & (slots - 1);
            if (pass == 0)
                counts[slot]++;
            else
                text->words[i].repeats = counts[slot];
        }
    }
    return STATUS_OK;
}

enum status evidence_text_new(struct str source, const struct alloc *alloc,
                              struct evidence_text **out_text, struct error *error)
{
    struct evidence_text *text = alloc_get(alloc, sizeof(*text));
    if (text == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    *text = (struct evidence_text){ .alloc = alloc };
    arena_init(&text->arena, alloc, EVIDENCE_BYTES_MAX);
    text->text = arena_copy(&text->arena, source);
    enum status status = text->text.ptr == NULL ? STATUS_NO_MEMORY : words_count(text);
    if (status == STATUS_OK)
        status = words_read(text);
    if (status == STATUS_OK)
        status = lines_read(text);
    if (status == STATUS_OK)
        status = words_count_repeats(text);
    if (status == STATUS_OK)
        status = facts_read(text);
    if (status != STATUS_OK) {
        evidence_text_free(text);
        return error_set(error, status, "out of memory while reading the prompt");
    }
    *out_text = text;
    return STATUS_OK;
}

void evidence_text_free(struct evidence_text *text)
{
    if (text == NULL)
        return;
    const struct alloc *alloc = text->alloc;
    arena_release(&text->arena);
    alloc_free(alloc, text, sizeof(*text));
}

uint32_t evidence_word_at(const struct evidence_text *text, uint32_t offset)
{
    uint32_t low = 0;
    uint32_t high = text->word_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (text->words[middle].begin <= offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? 0 : low - 1;
}

uint32_t evidence_first_fact(const struct evidence_text *text, uint32_t offset)
{
    uint32_t low = 0;
    uint32_t high = text->fact_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (text->facts[middle].begin < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Number of the line that offset is in; a line feed belongs to the line that it ends. */
static uint32_t line_at(const struct evidence_text *text, uint32_t offset)
{
    uint32_t low = 0;
    uint32_t high = text->line_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (text->line_begins[middle] <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

uint32_t evidence_line_begin(const struct evidence_text *text, uint32_t offset)
{
    return text->line_begins[line_at(text, offset)];
}

uint32_t evidence_line_end(const struct evidence_text *text, uint32_t offset)
{
    uint32_t next = line_at(text, offset) + 1;
    return next < text->line_count ? text->line_begins[next] - 1 : (uint32_t)text->text.len;
}
