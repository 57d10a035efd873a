/* span.c - edges and shapes of runs.
 *
 * Owns: which words make good first and last words, and what a run of figures or of typed values is
 * worth to a leaf that asks for something else.
 */
#include "base/features.h"

#include "evidence/span.h"

#include "evidence/chars.h"
#include "evidence/list.h"
#include "evidence/match.h"

#define WEIGHT_TOP        1.0 /* the first words of a text are often its subject */
#define WEIGHT_RECORD_TOP 1.0 /* and so are those of a record */
#define WEIGHT_ITEM       1.5
#define WEIGHT_SELF       2.0 /* a value does not repeat the name of its leaf */
#define WEIGHT_REUSED     1.0 /* beyond what prior.c takes off */
#define WEIGHT_OVERLAP    4.0
#define WEIGHT_HEADING    2.4
#define WEIGHT_TYPED      2.5
#define WEIGHT_IDENTIFIER 1.2
#define WEIGHT_TAIL       1.0 /* "by 4 May 2026" behind a task */
#define WEIGHT_INNER      0.6

static const char *const articles[] = { "the", "a", "an", NULL };
static const char *const determiners[] = { "the", "a",   "an",    "no",  "our", "your",
                                           "his", "her", "their", "its", "my",  NULL };
static const char *const titles[] = { "mr", "mrs", "ms", NULL };
/* Words that seldom stand inside a name or a short value. */
static const char *const inner_words[] = { "in",    "at",    "by",    "from",   "is",   "are",
                                           "was",   "were",  "has",   "have",   "had",  "which",
                                           "who",   "that",  "for",   "with",   "on",   "because",
                                           "when",  "where", "after", "before", "will", "to",
                                           "until", NULL };
static const char *const abbreviations[] = { "inc", "ltd", "co", "corp", "jr", "sr", NULL };
static const char *const typed_leaf_words[] = { "date",  "day",     "when",    "deadline",
                                                "due",   "time",    "year",    "period",
                                                "dates", "email",   "mail",    "url",
                                                "link",  "website", "contact", NULL };
static const char *const identifier_words[] = {
    "id",   "number", "no",       "code", "reference", "ref",   "nr",
    "zip",  "postal", "postcode", "sku",  "phone",     "tel",   "isbn",
    "iban", "policy", "tracking", "case", "invoice",   "order", NULL
};
static const char *const figure_leaf_words[] = { "platform", "room",    "gate",   "seat",
                                                 "floor",    "version", "score",  "size",
                                                 "sets",     "time",    "result", NULL };

static bool is_plain_gap(const struct evidence_text *text, uint32_t left)
{
    uint32_t begin = text->words[left].end;
    unsigned bytes;
    uint32_t c = char_at(text->text, begin, &bytes);
    return (c == ' ' || c == 0xA0) && begin + bytes == text->words[left + 1].begin;
}

static double start_bonus(const struct evidence_text *text, uint32_t at)
{
    const struct evidence_word *word = &text->words[at];
    const struct evidence_word *before = at > 0 ? word - 1 : NULL;
    bool is_named = (word->flags & (EVIDENCE_CAPITAL | EVIDENCE_DIGIT)) != 0;
    double bonus = is_named ? 0.3 : 0.0;
    if ((word->flags & EVIDENCE_STOP) != 0) {
        bool is_article = match_in(word->folded.text, articles);
        bonus -= is_article && is_named                     ? 0.5
                 : match_in(word->folded.text, determiners) ? 0.8
                                                            : 2.5;
    }
    if (before == NULL || !is_plain_gap(text, at - 1)) {
        bonus += 0.7;
    } else {
        bool joined = (before->flags & EVIDENCE_CAPITAL) != 0 && is_named &&
                      before->sentence == word->sentence;
        if ((before->flags & EVIDENCE_STOP) != 0)
            bonus += 0.3;
        else if (joined)
            bonus -= (word->flags & EVIDENCE_CAPITAL) != 0 ? 1.5 : 0.7;
    }
    if (match_in(word->folded.text, titles))
        bonus -= 2.0;
    if (before != NULL && match_in(before->folded.text, titles))
        bonus += 2.2;
    return bonus;
}

static double end_bonus(const struct evidence_text *text, uint32_t at)
{
    const struct evidence_word *word = &text->words[at];
    const struct evidence_word *next = at + 1 < text->word_count ? word + 1 : NULL;
    double bonus = (word->flags & EVIDENCE_STOP) != 0 ? -3.0 : 0.0;
    if (next == NULL)
        return bonus + 1.1;
    if (!is_plain_gap(text, at)) {
        bonus += 0.7;
        if (memchr(text->text.ptr + word->end, '\n', next->begin - word->end) != NULL)
            bonus += 0.4;
    } else if ((word->flags & (EVIDENCE_CAPITAL | EVIDENCE_DIGIT)) != 0 &&
               (next->flags & (EVIDENCE_CAPITAL | EVIDENCE_DIGIT)) != 0) {
        bonus -= 1.5;
    } else {
        bonus += (next->flags & EVIDENCE_STOP) != 0 ? 0.3 : -0.3;
    }
    if (text->text.ptr[word->end] == '.' && next->sentence == word->sentence)
        bonus -= 2.0;
    return bonus;
}

uint32_t evidence_run_last(const struct evidence_view *view, uint32_t first)
{
    const struct evidence_text *text = view->text;
    uint32_t last = first;
    while (last + 1 < text->word_count && last + 1 < first + RUN_WORDS_MAX &&
           text->words[last + 1].sentence == text->words[first].sentence &&
           text->words[last + 1].begin < view->scope->end)
        last++;
    return last;
}

/* A bracket that was opened inside is closed inside. */
static struct evidence_span span_closed(const struct evidence_text *text, struct evidence_span span)
{
    int open = 0;
    for (uint32_t at = span.begin; at < span.end; at++)
        open += (text->text.ptr[at] == '(') - (text->text.ptr[at] == ')');
    if (open == 1 && span.end < text->text.len && text->text.ptr[span.end] == ')')
        span.end++;
    return span;
}

struct evidence_span evidence_run_span(const struct evidence_text *text, uint32_t first,
                                       uint32_t last)
{
    struct evidence_span span = { text->words[first].begin, text->words[last].end };
    if (span.begin > 0 && text->text.ptr[span.begin - 1] == '+')
        span.begin--;
    bool is_initial = last > first && text->words[last].end - text->words[last].begin == 1 &&
                      (text->words[last].flags & EVIDENCE_CAPITAL) != 0;
    if (span.end < text->text.len && text->text.ptr[span.end] == '.' &&
        (is_initial || match_in(text->words[last].folded.text, abbreviations)))
        span.end++;
    return span_closed(text, span);
}

/* The first telling word of the run is the leaf's own name. */
static bool repeats_name(const struct evidence_view *view, uint32_t first)
{
    const struct evidence_text *text = view->text;
    uint32_t at = first;
    if ((text->words[at].flags & EVIDENCE_STOP) != 0 && at + 1 < text->word_count)
        at++;
    for (unsigned i = 0; i < view->leaf->name_count; i++)
        if (match_words(view->leaf->name[i], text->words[at].folded.text) >= 0.9)
            return true;
    return false;
}

double evidence_run_start_prior(const struct evidence_view *view, uint32_t first, bool is_item)
{
    const struct evidence_text *text = view->text;
    const struct evidence_word *word = &text->words[first];
    double prior = evidence_prior(view, word->begin, word->end) +
                   evidence_pair_prior(view, word->begin, word->end) + start_bonus(text, first);
    bool is_whole = view->scope->begin == 0 && view->scope->end == text->text.len;
    if (first == 0)
        prior += WEIGHT_TOP;
    if (!is_whole && (first == 0 || text->words[first - 1].begin < view->scope->begin))
        prior += WEIGHT_RECORD_TOP;
    if (evidence_is_used(view, word->begin, word->end, UINT32_MAX))
        prior -= WEIGHT_REUSED;
    if (repeats_name(view, first))
        prior -= WEIGHT_SELF;
    if (first == 0 || text->words[first - 1].sentence != word->sentence)
        prior += WEIGHT_HEADING * evidence_heading_match(view, first);
    if (is_item) {
        double list = evidence_list_strength(text, first);
        if (evidence_list_is_bullet(text, first) && list < 0.6)
            list = 0.6;
        prior += WEIGHT_ITEM * list;
        if (evidence_list_continues(text, first))
            prior -= WEIGHT_ITEM;
        if (first > 0 && text->words[first - 1].sentence == word->sentence &&
            evidence_leaf_match(view->leaf, &text->words[first - 1].folded) >= 0.8)
            prior += WEIGHT_ITEM; /* "bring tea, milk, ..." */
    }
    return prior;
}

static bool has_digit(struct str run)
{
    for (size_t i = 0; i < run.len; i++)
        if (char_is_digit((unsigned char)run.ptr[i]))
            return true;
    return false;
}

/* Nothing but digits, marks and money signs. */
static bool is_figures(struct str run)
{
    unsigned bytes;
    for (size_t i = 0; i < run.len; i += bytes) {
        uint32_t c = char_at(run, i, &bytes);
        if (!char_is_digit(c) && c < 0x80 && !char_in(".,:$% -", (char)c))
            return false;
    }
    return true;
}

static double shape_prior(const struct evidence_view *view, struct evidence_span span)
{
    const struct evidence_text *text = view->text;
    struct str run = evidence_slice(text, span.begin, span.end);
    double prior = 0.0;
    if (!evidence_leaf_mentions(view->leaf, typed_leaf_words)) {
        for (uint32_t i = 0; i < text->fact_count && text->facts[i].begin < span.end; i++) {
            const struct evidence_fact *fact = &text->facts[i];
            bool is_typed = fact->kind == EVIDENCE_DATE || fact->kind == EVIDENCE_DATE_TIME ||
                            fact->kind == EVIDENCE_EMAIL || fact->kind == EVIDENCE_URI;
            bool inside = fact->begin <= span.begin && span.end <= fact->end;
            bool fills = span.begin <= fact->begin && fact->end <= span.end &&
                         2 * (fact->end - fact->begin) > span.end - span.begin;
            if (is_typed && (inside || fills)) {
                prior -= WEIGHT_TYPED;
                break;
            }
            if (is_typed && span.begin <= fact->begin && fact->end <= span.end) {
                prior -= WEIGHT_TAIL;
                break;
            }
        }
    }
    if (evidence_leaf_mentions(view->leaf, identifier_words))
        prior += has_digit(run) ? WEIGHT_IDENTIFIER : -WEIGHT_IDENTIFIER;
    else if (is_figures(run) && !evidence_leaf_mentions(view->leaf, figure_leaf_words))
        prior -= WEIGHT_TYPED;
    return prior;
}

static double item_prior(const struct evidence_text *text, struct evidence_span span)
{
    unsigned bytes;
    uint32_t next = char_at(text->text, scan_blanks(text->text, span.end), &bytes);
    size_t behind = scan_blanks(text->text, span.end);
    bool stops = next == 0 || next == ',' || next == ';' || next == '.' || next == '\n' ||
                 next == '\r' || scan_word(text->text, behind, "and") != SCAN_NONE ||
                 scan_word(text->text, behind, "or") != SCAN_NONE;
    double prior = stops ? WEIGHT_ITEM : 0.0;
    for (size_t at = span.begin; at + 1 < span.end; at++) {
        bool cuts =
            ((text->text.ptr[at] == ',' || text->text.ptr[at] == ';') &&
             text->text.ptr[at + 1] == ' ') ||
            (text->text.ptr[at] == ' ' && (scan_word(text->text, at + 1, "and") != SCAN_NONE ||
                                           scan_word(text->text, at + 1, "or") != SCAN_NONE));
        if (cuts)
            return prior - 1.5 * WEIGHT_ITEM;
    }
    return prior;
}

double evidence_run_end_prior(const struct evidence_view *view, uint32_t first, uint32_t last,
                              bool is_item)
{
    const struct evidence_text *text = view->text;
    struct evidence_span span = evidence_run_span(text, first, last);
    double prior = end_bonus(text, last) + shape_prior(view, span);
    for (uint32_t i = first + 1; i < last; i++)
        if (match_in(text->words[i].folded.text, inner_words))
            prior -= WEIGHT_INNER;
    if (last > first && evidence_is_used(view, text->words[first].end, span.end, UINT32_MAX))
        prior -= WEIGHT_OVERLAP;
    return is_item ? prior + item_prior(text, span) : prior;
}
