/* record.c - hypotheses about records, of which the best one wins.
 *
 * Owns: how lines, blocks, clauses and sentences are tried, and what speaks for each. Bounded: at
 * most RECORDS_MAX records a hypothesis, SHAPE_TOKENS_MAX tokens a comparison, CLAUSE_BYTES_MAX
 * bytes a clause.
 */
#include "base/features.h"

#include "evidence/record.h"

#include "evidence/chars.h"
#include "evidence/match.h"
#include "evidence/record_table.h"

enum {
    SHAPE_TOKENS_MAX = 40,
    HEAD_WORDS_MAX = 14,
    DOUBT_TOO_MUCH_TENTHS = 15,
    CLAUSE_BYTES_MAX = 1024 /* a longer clause is no record */
};

/* The search: the best reading so far and the one that is being built. */
struct search {
    const struct evidence_view *view;
    const struct evidence_needs *needs;
    struct arena *arena;
    struct evidence_records *best;
    double best_score;
    struct evidence_records trial;
};

static void search_offer(struct search *search, double score)
{
    if (search->trial.count >= 2 && score > search->best_score) {
        search->best_score = score;
        *search->best = search->trial;
    }
}

static void trial_add(struct search *search, uint32_t begin, uint32_t end)
{
    if (search->trial.count < RECORDS_MAX)
        search->trial.items[search->trial.count++] =
            (struct evidence_scope){ .begin = begin, .end = end };
}

static bool says_one_of(const struct evidence_view *view, const struct str *values, unsigned count,
                        uint32_t begin, uint32_t end)
{
    struct evidence_scope scope = { .begin = begin, .end = end };
    struct evidence_view part = *view;
    part.scope = &scope;
    for (unsigned i = 0; i < count; i++)
        if (evidence_literal_said(&part, values[i]))
            return true;
    return false;
}

/* Facts of each kind inside [begin, end), against what an item must have. */
static bool fits(const struct search *search, uint32_t begin, uint32_t end)
{
    const struct evidence_text *text = search->view->text;
    const struct evidence_needs *needs = search->needs;
    unsigned counts[EVIDENCE_PHONE + 1] = { 0 };
    uint32_t number_end = 0;
    for (uint32_t i = evidence_first_fact(text, begin);
         i < text->fact_count && text->facts[i].begin < end; i++) {
        const struct evidence_fact *fact = &text->facts[i];
        bool repeats = fact->kind == EVIDENCE_NUMBER && fact->begin < number_end;
        if (fact->end > end || repeats || fact->doubt * 10 >= DOUBT_TOO_MUCH_TENTHS)
            continue;
        counts[fact->kind]++;
        if (fact->kind == EVIDENCE_NUMBER)
            number_end = fact->end;
    }
    if (counts[EVIDENCE_NUMBER] < needs->numbers || counts[EVIDENCE_DATE] < needs->dates ||
        counts[EVIDENCE_DATE_TIME] < needs->date_times ||
        (needs->email && counts[EVIDENCE_EMAIL] == 0) ||
        (needs->uri && counts[EVIDENCE_URI] == 0) || (needs->phone && counts[EVIDENCE_PHONE] == 0))
        return false;
    for (unsigned i = 0; i < needs->enum_count; i++)
        if (!says_one_of(search->view, needs->enums[i].values, needs->enums[i].count, begin, end))
            return false;
    if (needs->strings == 0)
        return true;
    for (uint32_t i = evidence_word_at(text, begin);
         i < text->word_count && text->words[i].begin < end; i++)
        if (text->words[i].begin >= begin &&
            (text->words[i].flags & (EVIDENCE_STOP | EVIDENCE_DIGIT)) == 0 &&
            text->words[i].end - text->words[i].begin >= 2)
            return true;
    return false;
}

/* ---- likeness
 * ------------------------------------------------------------------------------------- */

struct shape {
    unsigned char tokens[SHAPE_TOKENS_MAX];
    unsigned count;
};

/* Numbers, capital words and small words become one token each, other marks themselves. */
static struct shape shape_of(const struct evidence_text *text, uint32_t begin, uint32_t end)
{
    struct shape shape = { .count = 0 };
    unsigned bytes;
    while (begin < end && shape.count < SHAPE_TOKENS_MAX) {
        uint32_t c = char_at(text->text, begin, &bytes);
        begin += bytes;
        if (char_is_space(c))
            continue;
        if (!char_is_alnum(c)) {
            shape.tokens[shape.count++] = c < 0x80 ? (unsigned char)c : '~';
            continue;
        }
        bool digit = char_is_digit(c);
        shape.tokens[shape.count++] = digit ? '9' : char_is_upper(c) ? 'A' : 'a';
        for (; begin < end; begin += bytes) {
            c = char_at(text->text, begin, &bytes);
            bool goes_on = digit ? char_is_digit(c) ||
                                       ((c == '.' || c == ',') &&
                                        char_is_digit(char_at(text->text, begin + bytes, NULL)))
                                 : char_is_letter(c);
            if (!goes_on)
                break;
        }
    }
    return shape;
}

/* 0..1: twice the longest common subsequence over both lengths. */
static double likeness(const struct shape *a, const struct shape *b)
{
    unsigned char row[SHAPE_TOKENS_MAX + 1] = { 0 };
    if (a->count + b->count == 0)
        return 0.0;
    for (unsigned i = 0; i < a->count; i++) {
        unsigned char diagonal = 0;
        for (unsigned j = 0; j < b->count; j++) {
            unsigned char above = row[j + 1];
            if (a->tokens[i] == b->tokens[j])
                row[j + 1] = (unsigned char)(diagonal + 1);
            else if (row[j] > above)
                row[j + 1] = row[j];
            diagonal = above;
        }
    }
    return 2.0 * row[b->count] / (a->count + b->count);
}

static double likeness_of(const struct evidence_text *text, struct evidence_span a,
                          struct evidence_span b)
{
    struct shape left = shape_of(text, a.begin, a.end);
    struct shape right = shape_of(text, b.begin, b.end);
    return likeness(&left, &right);
}

/* ---- what stands before
 * --------------------------------------------------------------------------- */

/* Best match of the array's words among the last words of [begin, end). */
static double words_match(const struct evidence_view *view, uint32_t begin, uint32_t end)
{
    const struct evidence_text *text = view->text;
    double best = 0.0;
    if (text->word_count == 0 || begin >= end)
        return best;
    uint32_t last = evidence_word_at(text, end - 1);
    for (unsigned i = 0; i < HEAD_WORDS_MAX && last >= i && text->words[last - i].begin >= begin;
         i++) {
        double match = text->words[last - i].end <= end
                           ? evidence_leaf_match(view->leaf, &text->words[last - i].folded)
                           : 0.0;
        best = match > best ? match : best;
        if (last == i)
            break;
    }
    return best;
}

/* Do the words before `at`, on its line or the line above, name the array? */
static double head_match(const struct evidence_view *view, uint32_t at)
{
    const struct evidence_text *text = view->text;
    uint32_t line = evidence_line_begin(text, at);
    double best = words_match(view, line, at);
    while (line > 0 && char_in("\n\r -=_*#", text->text.ptr[line - 1]))
        line--;
    double above = line > 0 ? 0.9 * words_match(view, evidence_line_begin(text, line), line) : 0.0;
    return above > best ? above : best;
}

/* ---- lines
 * ---------------------------------------------------------------------------------------- */

static struct evidence_span line_after(const struct evidence_text *text, uint32_t end)
{
    uint32_t begin = end < text->text.len ? end + 1 : end;
    return (struct evidence_span){ begin, evidence_line_end(text, begin) };
}

static bool is_blank_line(const struct evidence_text *text, struct evidence_span line)
{
    return scan_blanks(text->text, line.begin) >= line.end ||
           (text->text.ptr[line.begin] == '\r' && line.end == line.begin + 1);
}

static bool is_bulleted(const struct evidence_text *text, struct evidence_span line)
{
    size_t at = scan_blanks(text->text, line.begin);
    unsigned bytes;
    uint32_t c = char_at(text->text, at, &bytes);
    size_t end = at + bytes;
    if (char_is_digit(c)) {
        end = scan_digits(text->text, at, 1, 3, NULL);
        if (end == SCAN_NONE || end >= text->text.len || !char_in(".)", text->text.ptr[end]))
            return false;
        end++;
    } else if (c != '-' && c != '*' && c != 0x2022 && c != 0xB7 && c != 0x2013) {
        return false;
    }
    return char_is_blank(char_at(text->text, end, NULL));
}

/* Collects lines like the first one, each or each second line, into the trial. Returns the end of
 * the last one. */
static uint32_t lines_collect(struct search *search, struct evidence_span first,
                              double *out_likeness)
{
    const struct evidence_text *text = search->view->text;
    struct evidence_span last = first;
    bool bulleted = is_bulleted(text, first);
    double sum = 0.0;
    int spaced = -1; /* unknown, no, yes: blank lines between the records */
    search->trial.count = 0;
    trial_add(search, first.begin, first.end);
    while (last.end < search->view->scope->end) {
        struct evidence_span line = line_after(text, last.end);
        bool blank = line.end < search->view->scope->end && is_blank_line(text, line);
        if (blank)
            line = line_after(text, line.end);
        if ((spaced >= 0 && blank != (spaced == 1)) || line.begin >= search->view->scope->end ||
            is_blank_line(text, line) || is_bulleted(text, line) != bulleted)
            break;
        double near = likeness_of(text, last, line);
        double far = likeness_of(text, first, line);
        if ((near > far ? near : far) < (bulleted ? 0.35 : 0.5) ||
            !fits(search, line.begin, line.end))
            break;
        spaced = blank;
        sum += near;
        trial_add(search, line.begin, line.end);
        last = line;
    }
    *out_likeness = search->trial.count > 1 ? sum / (search->trial.count - 1) : 0.0;
    return last.end;
}

static void try_lines(struct search *search)
{
    const struct evidence_text *text = search->view->text;
    struct evidence_span line = { search->view->scope->begin,
                                  evidence_line_end(text, search->view->scope->begin) };
    while (line.begin < search->view->scope->end) {
        if (!is_blank_line(text, line) && fits(search, line.begin, line.end)) {
            double alike;
            uint32_t end = lines_collect(search, line, &alike);
            if (search->trial.count >= 2) {
                unsigned headings =
                    record_table_read(text, search->needs, search->arena, &search->trial);
                double score = 2.0 + alike + 1.5 * head_match(search->view, line.begin) +
                               0.5 * (headings < 3 ? headings : 3) +
                               0.1 * (search->trial.count < 10 ? search->trial.count : 10);
                search_offer(search, score);
                line.end = end;
            }
        }
        line = line_after(text, line.end);
    }
}

/* ---- blocks between blank lines
 * -------------------------------------------------------------------- */

static struct evidence_span block_after(const struct evidence_text *text, uint32_t at)
{
    struct evidence_span line = { at, evidence_line_end(text, at) };
    while (line.begin < text->text.len && is_blank_line(text, line))
        line = line_after(text, line.end);
    struct evidence_span block = line;
    while (line.begin < text->text.len && !is_blank_line(text, line)) {
        block.end = line.end;
        line = line_after(text, line.end);
    }
    return block;
}

static unsigned lines_of(const struct evidence_text *text, struct evidence_span span)
{
    unsigned count = 1;
    for (uint32_t i = span.begin; i < span.end; i++)
        count += text->text.ptr[i] == '\n';
    return count;
}

static struct evidence_span first_line(const struct evidence_text *text, struct evidence_span block)
{
    return (struct evidence_span){ block.begin, evidence_line_end(text, block.begin) };
}

static void try_blocks(struct search *search)
{
    const struct evidence_text *text = search->view->text;
    uint32_t end = search->view->scope->end;
    struct evidence_span first = block_after(text, search->view->scope->begin);
    while (first.begin < end) {
        struct evidence_span next = block_after(text, first.end);
        if (lines_of(text, first) > 1 && fits(search, first.begin, first.end)) {
            search->trial.count = 0;
            trial_add(search, first.begin, first.end);
            unsigned lines = lines_of(text, first);
            while (next.begin < end && fits(search, next.begin, next.end) &&
                   lines_of(text, next) + 1 >= lines && lines_of(text, next) <= lines + 1 &&
                   likeness_of(text, first_line(text, first), first_line(text, next)) > 0.6) {
                trial_add(search, next.begin, next.end);
                next = block_after(text, next.end);
            }
            search_offer(search, 3.3 + 1.5 * head_match(search->view, first.begin));
        }
        first = next;
    }
}

/* ---- clauses and sentences of one line
 * -------------------------------------------------------------- */

/* A place between two clauses at `at`: the offset behind it. */
static size_t scan_clause_mark(struct str text, size_t at, bool *out_colon)
{
    *out_colon = text.ptr[at] == ':' && at + 1 < text.len && text.ptr[at + 1] == ' ';
    if (text.ptr[at] == ';' || *out_colon ||
        (text.ptr[at] == ',' && at + 1 < text.len && text.ptr[at + 1] == ' ')) {
        size_t end = scan_blanks(text, at + 1);
        size_t joined = text.ptr[at] == ',' ? scan_word(text, end, "and") : SCAN_NONE;
        return joined == SCAN_NONE ? end : scan_blanks(text, joined);
    }
    if (text.ptr[at] != ' ')
        return SCAN_NONE;
    size_t end = scan_word(text, at + 1, "and");
    if (end == SCAN_NONE)
        end = scan_word(text, at + 1, "as well as");
    return end == SCAN_NONE ? SCAN_NONE : scan_blanks(text, end);
}

/* Cuts [begin, end) into the shortest clauses that each fit. */
static void clauses_collect(struct search *search, uint32_t begin, uint32_t end)
{
    struct str text = search->view->text->text;
    uint32_t from = begin;
    search->trial.count = 0;
    for (uint32_t at = begin; at < end; at++) {
        bool colon;
        size_t after = scan_clause_mark(text, at, &colon);
        if (after == SCAN_NONE)
            continue;
        if (!colon && at - from <= CLAUSE_BYTES_MAX && fits(search, from, at)) {
            trial_add(search, from, at);
            from = (uint32_t)after;
        } else if (colon && search->trial.count == 0) {
            from = (uint32_t)after;
        }
    }
    if (from < end && fits(search, from, end))
        trial_add(search, from, end);
}

/* Any clause has words: a need for nothing else tells no records from other clauses. */
static bool needs_only_words(const struct evidence_needs *needs)
{
    return needs->numbers + needs->dates + needs->date_times + needs->enum_count == 0 &&
           !needs->email && !needs->uri && !needs->phone;
}

/* Then only clauses that are built as records: "name (firm)", "name - firm". */
static void trial_keep_marked(struct search *search)
{
    struct str text = search->view->text->text;
    unsigned kept = 0;
    for (unsigned i = 0; i < search->trial.count; i++) {
        bool marked = false;
        for (uint32_t at = search->trial.items[i].begin; at < search->trial.items[i].end && !marked;
             at++)
            marked = text.ptr[at] == '(' ||
                     (char_is_blank(char_before(text, at)) &&
                      (char_at(text, at, NULL) == 0x2013 || char_at(text, at, NULL) == 0x2014));
        if (marked)
            search->trial.items[kept++] = search->trial.items[i];
    }
    search->trial.count = kept;
}

static void try_clauses(struct search *search, uint32_t begin, uint32_t end)
{
    const struct evidence_text *text = search->view->text;
    clauses_collect(search, begin, end);
    if (needs_only_words(search->needs))
        trial_keep_marked(search);
    if (search->trial.count < 2)
        return;
    struct evidence_span a = { search->trial.items[0].begin, search->trial.items[0].end };
    struct evidence_span b = { search->trial.items[1].begin, search->trial.items[1].end };
    double score =
        1.5 + 1.5 * head_match(search->view, begin) + words_match(search->view, begin, end) +
        0.2 * (search->trial.count < 6 ? search->trial.count : 6) + 0.5 * likeness_of(text, a, b);
    search_offer(search, score);
}

/* Ends of sentences from the words' numbering. */
static void try_sentences(struct search *search, uint32_t begin, uint32_t end)
{
    const struct evidence_text *text = search->view->text;
    unsigned sentences = 0;
    uint32_t from = begin;
    struct evidence_records found = { .count = 0 };
    if (text->word_count == 0)
        return;
    for (uint32_t i = evidence_word_at(text, begin);
         i < text->word_count && text->words[i].begin < end; i++) {
        bool ends = i + 1 == text->word_count || text->words[i + 1].begin >= end ||
                    text->words[i + 1].sentence != text->words[i].sentence;
        if (text->words[i].begin < begin || !ends)
            continue;
        uint32_t to = i + 1 < text->word_count && text->words[i + 1].begin < end
                          ? text->words[i + 1].begin
                          : end;
        sentences++;
        if (fits(search, from, to) && found.count < RECORDS_MAX)
            found.items[found.count++] = (struct evidence_scope){ .begin = from, .end = to };
        try_clauses(search, from, to);
        from = to;
    }
    search->trial = found;
    if (sentences >= 2 && !needs_only_words(search->needs) && 5 * found.count >= 3 * sentences)
        search_offer(search, 1.2 + head_match(search->view, begin));
}

void evidence_records_find(const struct evidence_view *view, const struct evidence_needs *needs,
                           struct arena *arena, struct evidence_records *out)
{
    struct search search = {
        .view = view, .needs = needs, .arena = arena, .best = out, .best_score = 0.0
    };
    out->count = 0;
    try_lines(&search);
    try_blocks(&search);
    struct evidence_span line = { view->scope->begin,
                                  evidence_line_end(view->text, view->scope->begin) };
    while (line.begin < view->scope->end) {
        if (!is_blank_line(view->text, line))
            try_sentences(&search, line.begin,
                          line.end < view->scope->end ? line.end : view->scope->end);
        line = line_after(view->text, line.end);
    }
}
