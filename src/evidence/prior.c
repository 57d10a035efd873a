/* prior.c - labels and neighbourhood.
 *
 * Owns: what stands before a place on its line, the words around it in its sentence, and the
 * weights of both. Leaves to others: numbers and choices (prior_value.c).
 */
#include "base/features.h"

#include "evidence/prior.h"

#include <math.h>

#include "evidence/chars.h"
#include "evidence/match.h"

#define WEIGHT_LABEL       4.0
#define WEIGHT_WRONG_LABEL 0.5 /* another label stands there */
#define WEIGHT_NEAR        2.0
#define WEIGHT_RIVAL       2.5 /* the label names another leaf */
#define WEIGHT_BEHIND      0.8 /* words behind a place count less than those before it */
#define WEIGHT_LATE        0.5 /* the end of the text against its beginning */
#define WEIGHT_PAIR        2.0

enum {
    NEAR_WORDS = 9,
    LABEL_BYTES_MAX = 40,
    LABEL_WORDS_MAX = 10,
    HEADING_WORDS_MAX = 6,
    HEADING_BYTES_MAX = 200
};

void evidence_uses_add(struct evidence_uses *uses, uint32_t begin, uint32_t end)
{
    if (uses->count < USES_MAX)
        uses->spans[uses->count++] = (struct evidence_span){ begin, end };
}

enum label_kind { LABEL_NONE, LABEL_COLUMN, LABEL_NAMED };

struct label {
    enum label_kind kind;
    struct match_word words[LABEL_WORDS_MAX];
    unsigned word_count;
};

/* Runs of letters and digits of [begin, end), folded. */
static unsigned words_between(const struct evidence_text *text, uint32_t begin, uint32_t end,
                              struct match_word *out, unsigned max)
{
    unsigned count = 0;
    while (begin < end && count < max) {
        unsigned bytes;
        uint32_t from = begin;
        while (begin < end && char_is_alnum(char_at(text->text, begin, &bytes)))
            begin += bytes;
        if (begin > from)
            out[count++] = match_word_of(str_of(text->lower.ptr + from, begin - from));
        else
            begin += bytes;
    }
    return count;
}

static void label_take(struct label *label, enum label_kind kind, const struct evidence_text *text,
                       uint32_t begin, uint32_t end)
{
    label->kind = kind;
    label->word_count = words_between(text, begin, end, label->words, LABEL_WORDS_MAX);
}

/* Steps back over what may stand between a label's mark and its value: blanks, an opening quote, a
 * currency. */
static uint32_t skip_back(const struct evidence_text *text, uint32_t line, uint32_t at)
{
    while (at > line && (text->text.ptr[at - 1] == ' ' || text->text.ptr[at - 1] == '\t'))
        at--;
    uint32_t c = char_before(text->text, at);
    if (at > line && (c == '"' || c == '\'' || c == '<' || c == '(' || c == '$'))
        at -= 1;
    else if (at > line + 1 && c == 0xA3)
        at -= 2;
    else if (at > line + 2 && (c == 0x20AC || c == 0x201C))
        at -= 3;
    while (at > line && text->text.ptr[at - 1] == ' ')
        at--;
    return at;
}

static bool ends_label(const char *at)
{
    return *at == ':' || *at == '|' || *at == ';';
}

/* "Label: value", "label=value", "No. # value". */
static bool label_named(const struct evidence_text *text, uint32_t line, uint32_t at,
                        struct label *out)
{
    const char *bytes = text->text.ptr;
    uint32_t mark = skip_back(text, line, at);
    if (mark == line ||
        (bytes[mark - 1] != ':' && bytes[mark - 1] != '#' && bytes[mark - 1] != '='))
        return false;
    uint32_t end = mark - 1;
    uint32_t begin = end;
    if (bytes[end] == '=') {
        while (begin > line && (char_is_alnum((unsigned char)bytes[begin - 1]) ||
                                bytes[begin - 1] == '_' || bytes[begin - 1] == '-'))
            begin--;
    } else {
        uint32_t best = end;
        while (begin > line && end - begin < LABEL_BYTES_MAX && !ends_label(bytes + begin - 1)) {
            begin--;
            if (begin == line || char_in(",.*(\t", bytes[begin - 1]) ||
                (begin > line + 1 && bytes[begin - 1] == ' ' && char_in(" -", bytes[begin - 2])))
                best = begin;
        }
        begin = begin > line && ends_label(bytes + begin - 1) ? begin : best;
    }
    if (begin == end)
        return false;
    label_take(out, LABEL_NAMED, text, begin, end);
    return true;
}

/* "Total due        54.00": the first column of a line. */
static bool label_column(const struct evidence_text *text, uint32_t line, uint32_t at,
                         struct label *out)
{
    const char *bytes = text->text.ptr;
    uint32_t end = skip_back(text, line, at);
    bool gap = false;
    for (uint32_t i = end; i < at; i++)
        gap = gap || bytes[i] == '\t' || (bytes[i] == ' ' && i + 1 < at && bytes[i + 1] == ' ');
    if (end > line && bytes[end - 1] == '|') {
        gap = true;
        end--;
    }
    if (!gap || end == line || end - line > LABEL_BYTES_MAX ||
        memchr(bytes + line, ':', end - line) != NULL)
        return false;
    label_take(out, LABEL_COLUMN, text, line, end);
    return true;
}

static void label_find(const struct evidence_view *view, uint32_t at, struct label *out)
{
    const struct evidence_text *text = view->text;
    out->kind = LABEL_NONE;
    out->word_count = 0;
    for (unsigned i = 0; i < view->scope->cell_count; i++) {
        const struct evidence_cell *cell = &view->scope->cells[i];
        struct match_word before[1];
        if (cell->begin <= at && at < cell->end &&
            words_between(text, cell->begin, at, before, 1) == 0) {
            out->kind = LABEL_NAMED;
            out->word_count = cell->word_count;
            memcpy(out->words, cell->words, cell->word_count * sizeof(cell->words[0]));
            return;
        }
    }
    uint32_t line = evidence_line_begin(text, at);
    if (!label_named(text, line, at, out))
        (void)label_column(text, line, at, out);
}

/* Drops function words; returns how many words are left. */
static unsigned label_core(struct label *label)
{
    unsigned kept = 0;
    for (unsigned w = 0; w < label->word_count; w++)
        if (!match_is_stop(label->words[w].text))
            label->words[kept++] = label->words[w];
    label->word_count = kept;
    return kept;
}

static double harmonic(double recall, double precision)
{
    return recall * precision > 0.0 ? 2.0 * recall * precision / (recall + precision) : 0.0;
}

/* How far label and leaf name each other, 0..1. */
static double label_match(const struct label *label, const struct evidence_leaf *leaf)
{
    double hit = 0.0;
    double named = 0.0;
    for (unsigned w = 0; w < label->word_count; w++) {
        double best = 0.0;
        for (unsigned k = 0; k < leaf->word_count; k++) {
            double match = match_compare(&leaf->words[k].word, &label->words[w]) *
                           (leaf->words[k].weight >= 0.5 ? 1.0 : 0.7);
            best = match > best ? match : best;
        }
        named += best;
    }
    for (unsigned k = 0; k < leaf->word_count; k++) {
        double best = 0.0;
        for (unsigned w = 0; w < label->word_count; w++) {
            double match = match_compare(&leaf->words[k].word, &label->words[w]);
            best = match > best ? match : best;
        }
        hit += best * leaf->words[k].weight;
    }
    double recall = hit / leaf->weight_sum < 1.0 ? hit / leaf->weight_sum : 1.0;
    return harmonic(recall, named / label->word_count);
}

/* The same for the name of another leaf. */
static double rival_match(const struct label *label, const struct evidence_rival *rival)
{
    double hit = 0.0;
    double named = 0.0;
    for (unsigned w = 0; w < label->word_count; w++) {
        double best = 0.0;
        for (unsigned k = 0; k < rival->word_count; k++) {
            double match = match_words(rival->words[k].text, label->words[w].text);
            best = match > best ? match : best;
        }
        named += best;
    }
    for (unsigned k = 0; k < rival->word_count; k++) {
        double best = 0.0;
        for (unsigned w = 0; w < label->word_count; w++) {
            double match = match_words(rival->words[k].text, label->words[w].text);
            best = match > best ? match : best;
        }
        hit += best;
    }
    return rival->word_count == 0 ? 0.0
                                  : harmonic(hit / rival->word_count, named / label->word_count);
}

static bool is_own_name(const struct evidence_leaf *leaf, const struct evidence_rival *rival)
{
    if (leaf->name_count != rival->word_count)
        return false;
    for (unsigned i = 0; i < leaf->name_count; i++)
        if (!str_equal(leaf->name[i], rival->words[i].text))
            return false;
    return true;
}

/* The label names another leaf better than this one. */
static bool label_is_rivals(const struct evidence_view *view, const struct label *label, double own)
{
    for (unsigned i = 0; view->rivals != NULL && i < view->rivals->count; i++) {
        const struct evidence_rival *rival = &view->rivals->items[i];
        double match = is_own_name(view->leaf, rival) ? 0.0 : rival_match(label, rival);
        if (match >= 0.5 && match > own + 0.05)
            return true;
    }
    return false;
}

static double label_prior(const struct evidence_view *view, uint32_t at)
{
    struct label label;
    label_find(view, at, &label);
    if (label_core(&label) == 0)
        return 0.0;
    double own = label_match(&label, view->leaf);
    double prior = WEIGHT_LABEL * own;
    if (label_is_rivals(view, &label, own))
        return prior - WEIGHT_RIVAL;
    return own == 0.0 && label.kind == LABEL_NAMED ? -WEIGHT_WRONG_LABEL : prior;
}

/* One word of the leaf against one word of the text at a distance. */
static double near_score(const struct evidence_text *text, const struct match_word *word,
                         uint32_t at, unsigned distance, double side)
{
    double match = match_compare(word, &text->words[at].folded);
    if (match == 0.0)
        return 0.0;
    double rarity =
        1.0 + 0.5 * log((double)(text->words[at].repeats > 0 ? text->words[at].repeats : 1));
    return match * side * exp(-(double)(distance - 1) / 4.0) / rarity;
}

static double near_prior(const struct evidence_view *view, uint32_t first, uint32_t last)
{
    const struct evidence_text *text = view->text;
    uint32_t sentence = text->words[first].sentence;
    double sum = 0.0;
    for (unsigned k = 0; k < view->leaf->word_count; k++) {
        const struct match_word *word = &view->leaf->words[k].word;
        double best = 0.0;
        for (unsigned distance = 1; distance <= NEAR_WORDS; distance++) {
            double score = 0.0;
            if (first >= distance && text->words[first - distance].sentence == sentence)
                score = near_score(text, word, first - distance, distance, 1.0);
            best = score > best ? score : best;
            if (last + distance < text->word_count &&
                text->words[last + distance].sentence == sentence)
                score = near_score(text, word, last + distance, distance, WEIGHT_BEHIND);
            best = score > best ? score : best;
        }
        sum += best * view->leaf->words[k].weight;
    }
    return WEIGHT_NEAR * sum / sqrt(view->leaf->weight_sum);
}

bool evidence_is_used(const struct evidence_view *view, uint32_t begin, uint32_t end,
                      uint32_t bytes_max)
{
    for (unsigned i = 0; view->uses != NULL && i < view->uses->count; i++) {
        const struct evidence_span *span = &view->uses->spans[i];
        if (span->begin < end && begin < span->end && span->end - span->begin <= bytes_max)
            return true;
    }
    return false;
}

double evidence_prior(const struct evidence_view *view, uint32_t begin, uint32_t end)
{
    const struct evidence_text *text = view->text;
    double prior = label_prior(view, begin);
    if (text->word_count == 0)
        return prior;
    uint32_t first = evidence_word_at(text, begin);
    uint32_t last = evidence_word_at(text, end > begin ? end - 1 : begin);
    prior += near_prior(view, first, last);
    if (evidence_is_used(view, begin, end, UINT32_MAX))
        prior -= WEIGHT_USED;
    double words = text->word_count > 20 ? text->word_count : 20;
    return prior - WEIGHT_LATE * first / words;
}

static const char *const from_words[] = { "from", "between", "starting", "starts", "begins",
                                          "of",   "range",   "on",       NULL };
static const char *const to_words[] = { "to", "until", "till", "through", "and", NULL };

static bool is_dash(uint32_t c)
{
    return c == '-' || c == 0x2013 || c == 0x2014;
}

/* The word or dash that stands right before `at`, behind an optional article or currency. */
static void pair_cue_before(const struct evidence_text *text, uint32_t at, bool *out_from,
                            bool *out_to)
{
    uint32_t end = skip_back(text, 0, at);
    *out_from = false;
    *out_to = is_dash(char_before(text->text, end));
    for (unsigned i = 0; i < 2 && end > 0; i++) {
        uint32_t begin = end;
        while (begin > 0 && char_is_alnum((unsigned char)text->text.ptr[begin - 1]))
            begin--;
        struct str word = str_of(text->lower.ptr + begin, end - begin);
        *out_from = *out_from || match_in(word, from_words);
        *out_to = *out_to || match_in(word, to_words);
        if (!str_equal(word, STR("the")) && word.len != 3)
            break;
        end = begin;
        while (end > 0 && text->text.ptr[end - 1] == ' ')
            end--;
    }
}

/* "to", "-", ... right behind `at`, with at most a month, a year or a currency code before it, and
 * a value after it. */
static bool pair_goes_on(const struct evidence_text *text, uint32_t at)
{
    size_t end = at;
    for (unsigned skipped = 0; skipped <= 3; skipped++) {
        end = scan_blanks(text->text, end);
        unsigned bytes;
        bool mark = scan_any_word(text->lower, end, to_words, NULL) != SCAN_NONE;
        if (mark || is_dash(char_at(text->text, end, &bytes))) {
            end = mark ? scan_any_word(text->lower, end, to_words, NULL) : end + bytes;
            uint32_t next = char_at(text->text, scan_blanks(text->text, end), NULL);
            return char_is_alnum(next) || next == '$' || next == 0xA3 || next == 0x20AC;
        }
        size_t begin = end;
        while (char_is_alnum(char_at(text->text, end, &bytes)) && end - begin < 10)
            end += bytes;
        if (end == begin)
            return false;
    }
    return false;
}

double evidence_pair_prior(const struct evidence_view *view, uint32_t begin, uint32_t end)
{
    bool from;
    bool to;
    if (view->leaf->wants_low == view->leaf->wants_high)
        return 0.0;
    pair_cue_before(view->text, begin, &from, &to);
    bool goes_on = pair_goes_on(view->text, end);
    if (view->leaf->wants_low)
        return (goes_on ? WEIGHT_PAIR : 0.0) + (from ? 0.25 * WEIGHT_PAIR : 0.0) -
               (to && !goes_on ? 0.5 * WEIGHT_PAIR : 0.0);
    return (to ? WEIGHT_PAIR : 0.0) - (goes_on && !to ? 0.5 * WEIGHT_PAIR : 0.0);
}

double evidence_heading_match(const struct evidence_view *view, uint32_t word)
{
    const struct evidence_text *text = view->text;
    struct match_word words[HEADING_WORDS_MAX + 1];
    uint32_t line = evidence_line_begin(text, text->words[word].begin);
    double best = 0.0;
    while (line > 0 && char_in("\n\r -=_*#", text->text.ptr[line - 1]))
        line--;
    uint32_t begin = evidence_line_begin(text, line);
    if (line == 0 || line - begin > HEADING_BYTES_MAX)
        return 0.0;
    unsigned count = words_between(text, begin, line, words, HEADING_WORDS_MAX + 1);
    if (count > HEADING_WORDS_MAX)
        return 0.0;
    for (unsigned i = 0; i < count; i++) {
        double match = evidence_leaf_match(view->leaf, &words[i]);
        best = match > best ? match : best;
    }
    return best;
}
