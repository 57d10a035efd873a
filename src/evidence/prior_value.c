/* prior_value.c - numbers, enum values and booleans against the text.
 *
 * Owns: units and currencies as signs of what a number means, occurrences of enum values, and
 * negation around the words of a boolean.
 */
#include "base/features.h"

#include "evidence/chars.h"
#include "evidence/match.h"
#include "evidence/prior.h"

#define WEIGHT_MONEY      1.5
#define WEIGHT_PERCENT    1.5
#define WEIGHT_UNIT       1.5
#define WEIGHT_MULTIPLIED 2.0
#define WEIGHT_SAID       1.5 /* an enum value that occurs */
#define WEIGHT_BOOLEAN    2.0
#define WEIGHT_CENTS      0.7
#define WEIGHT_SCALE      1.5

static const char *const million_words[] = { "million", "millions", "mio", "mn", NULL };
static const char *const percent_words[] = { "percent", "percentage", "rate", "share",
                                             "pct",     "uptime",     NULL };

/* Names of the same unit stand on one line. */
static const char *const units[][10] = {
    { "min", "mins", "minute", "minutes", NULL },
    { "h", "hr", "hrs", "hour", "hours", NULL },
    { "d", "day", "days", "daily", NULL },
    { "week", "weeks", NULL },
    { "month", "months", NULL },
    { "year", "years", "yr", "yrs", NULL },
    { "kg", "kilo", "kilos", "kilogram", "kilograms", NULL },
    { "g", "gram", "grams", NULL },
    { "mg", "milligram", "milligrams", NULL },
    { "km", "kilometre", "kilometres", "kilometer", "kilometers", NULL },
    { "m", "metre", "metres", "meter", "meters", NULL },
    { "mm", "millimetre", "millimetres", "millimeter", "millimeters", NULL },
    { "cm", "centimetre", "centimetres", "centimeter", "centimeters", NULL },
    { "m2", "sqm", "square", NULL },
    { "l", "litre", "litres", "liter", "liters", NULL },
    { "ml", "millilitre", "millilitres", "milliliter", "milliliters", NULL },
    { "ms", "millisecond", "milliseconds", NULL },
    { "s", "sec", "second", "seconds", NULL },
    { "w", "watt", "watts", NULL },
    { "c", "celsius", "degrees", NULL },
    { "night", "nights", NULL },
    { "star", "stars", NULL },
    { "gb", "gigabyte", "gigabytes", NULL },
    { "kmh", "kph", NULL },
};

static int unit_of(struct str word)
{
    for (int i = 0; i < (int)(sizeof(units) / sizeof(units[0])); i++)
        if (match_in(word, units[i]))
            return i;
    return -1;
}

/* The word right behind a number: "3 nights", "45-minute", "500g". */
static struct str word_behind(const struct evidence_text *text, uint32_t at)
{
    size_t begin = scan_blanks(text->text, at);
    if (begin < text->text.len && text->text.ptr[begin] == '-')
        begin++;
    size_t end = begin;
    unsigned bytes;
    while (char_is_letter(char_at(text->text, end, &bytes)))
        end += bytes;
    if (end > begin && char_is_digit(char_at(text->text, end, NULL)))
        end++;
    return str_of(text->lower.ptr + begin, end - begin);
}

static double unit_prior(const struct evidence_view *view, uint32_t end)
{
    const struct evidence_leaf *leaf = view->leaf;
    struct str behind = word_behind(view->text, end);
    int unit = behind.len > 0 ? unit_of(behind) : -1;
    bool leaf_has_unit = false;
    if (behind.len == 0)
        return 0.0;
    for (unsigned i = 0; i < leaf->word_count; i++) {
        if (leaf->words[i].weight < 0.5)
            continue;
        int wanted = unit_of(leaf->words[i].word.text);
        if (match_words(leaf->words[i].word.text, behind) >= 0.9 || (unit >= 0 && unit == wanted))
            return WEIGHT_UNIT;
        leaf_has_unit = leaf_has_unit || wanted >= 0;
    }
    return unit >= 0 && leaf_has_unit ? -WEIGHT_UNIT : 0.0;
}

static bool text_has_money(const struct evidence_text *text)
{
    for (uint32_t i = 0; i < text->fact_count; i++)
        if (text->facts[i].currency.len > 0)
            return true;
    return false;
}

/* "4.6 out of 5", "4/5": the second number says nothing of the first one's leaf. */
static bool is_scale(const struct evidence_text *text, uint32_t begin)
{
    size_t at = begin;
    while (at > 0 && text->text.ptr[at - 1] == ' ')
        at--;
    return (at >= 6 && scan_literal(text->text, at - 6, "out of") == at) ||
           (at > 0 && text->text.ptr[at - 1] == '/');
}

static double number_prior(const struct evidence_view *view, const struct evidence_fact *fact)
{
    const struct evidence_leaf *leaf = view->leaf;
    double prior = 0.0;
    if (fact->multiplied != 0 &&
        (fact->multiplied > 0) != evidence_leaf_mentions(leaf, million_words))
        prior -= WEIGHT_MULTIPLIED;
    if (fact->currency.len > 0)
        prior += leaf->wants_money ? WEIGHT_MONEY : -WEIGHT_MONEY;
    else if (leaf->wants_money && text_has_money(view->text))
        prior -= 0.5 * WEIGHT_MONEY;
    if (leaf->wants_money && fact->is_cents)
        prior += WEIGHT_CENTS;
    if (is_scale(view->text, fact->begin))
        prior -= WEIGHT_SCALE;
    if (fact->is_percent && !evidence_leaf_mentions(leaf, percent_words))
        prior -= WEIGHT_PERCENT;
    return prior + unit_prior(view, fact->end);
}

double evidence_fact_prior(const struct evidence_view *view, const struct evidence_fact *fact)
{
    uint32_t bytes = fact->end - fact->begin;
    double prior = evidence_prior(view, fact->begin, fact->end) +
                   evidence_pair_prior(view, fact->begin, fact->end) - fact->doubt;
    /* A number inside a longer quotation is still free: "a 3-room flat". */
    if (evidence_is_used(view, fact->begin, fact->end, UINT32_MAX) &&
        !evidence_is_used(view, fact->begin, fact->end, 2 * bytes + 2))
        prior += WEIGHT_USED;
    return fact->kind == EVIDENCE_NUMBER ? prior + number_prior(view, fact) : prior;
}

/* A literal as people write it: any case of ASCII letters, "-" and "_" also as a blank or nothing.
 * Returns the end. */
static size_t scan_spoken(const struct evidence_text *text, size_t at, struct str literal)
{
    for (size_t i = 0; i < literal.len; i++) {
        char wanted = literal.ptr[i];
        char byte = at < text->lower.len ? text->lower.ptr[at] : '\0';
        if (wanted == '-' || wanted == '_' || wanted == ' ') {
            at += byte == '-' || byte == '_' || byte == ' ';
            continue;
        }
        if (wanted >= 'A' && wanted <= 'Z')
            wanted = (char)(wanted | 0x20);
        if (byte != wanted && (at >= text->text.len || text->text.ptr[at] != literal.ptr[i]))
            return SCAN_NONE;
        at++;
    }
    return char_is_alnum(char_at(text->text, at, NULL)) ? SCAN_NONE : at;
}

/* The next place of the scope, from *at on, that says the literal as whole words; moves *at behind
 * it. */
static bool next_said(const struct evidence_view *view, struct str literal, uint32_t *at,
                      uint32_t *out_begin)
{
    const struct evidence_text *text = view->text;
    for (; literal.len > 0 && *at < view->scope->end; (*at)++) {
        size_t end = scan_spoken(text, *at, literal);
        if (end != SCAN_NONE && end > *at && end <= view->scope->end &&
            !(*at > 0 && char_is_alnum(char_before(text->text, *at)))) {
            *out_begin = *at;
            *at = (uint32_t)end;
            return true;
        }
    }
    return false;
}

static bool currency_said(const struct evidence_view *view, struct str literal)
{
    const struct evidence_text *text = view->text;
    for (uint32_t i = evidence_first_fact(text, view->scope->begin);
         i < text->fact_count && evidence_in_scope(view, text->facts[i].begin); i++)
        if (text->facts[i].kind == EVIDENCE_CURRENCY && str_equal(text->facts[i].value, literal))
            return true;
    return false;
}

bool evidence_literal_said(const struct evidence_view *view, struct str literal)
{
    uint32_t at = view->scope->begin;
    uint32_t begin;
    return next_said(view, literal, &at, &begin) || currency_said(view, literal);
}

double evidence_literal_prior(const struct evidence_view *view, struct str literal)
{
    struct evidence_view own = *view;
    own.uses = NULL; /* a choice may rest on words that another leaf quoted */
    double best = currency_said(view, literal) ? WEIGHT_SAID : 0.0;
    bool said = best > 0.0;
    uint32_t at = view->scope->begin;
    uint32_t begin;
    while (next_said(view, literal, &at, &begin)) {
        double prior = WEIGHT_SAID + 0.5 * evidence_prior(&own, begin, at);
        best = !said || prior > best ? prior : best;
        said = true;
    }
    return best;
}

static const char *const weak_words[] = { "is",       "has",     "whether",  "included",  "allowed",
                                          "includes", "include", "required", "available", NULL };
static const char *const negations[] = { "no",     "not",   "without",  "never", "none",
                                         "out",    "isn't", "aren't",   "don't", "doesn't",
                                         "didn't", "won't", "cannot",   "can't", "neither",
                                         "nor",    "only",  "excluded", "excl",  "except",
                                         "off",    "non",   "failed",   NULL };

static bool is_negation(struct str word)
{
    return match_in(word, negations) || (word.len >= 6 && word.ptr[0] == 'u' && word.ptr[1] == 'n');
}

/* How well the surroundings of a word speak of the leaf: the word itself and other words of the
 * leaf near it. */
static double boolean_match(const struct evidence_view *view, uint32_t at)
{
    const struct evidence_text *text = view->text;
    const struct evidence_leaf *leaf = view->leaf;
    double score = 0.0;
    for (unsigned k = 0; k < leaf->word_count; k++) {
        if (match_in(leaf->words[k].word.text, weak_words))
            continue;
        double match =
            match_compare(&leaf->words[k].word, &text->words[at].folded) * leaf->words[k].weight;
        score = match > score ? match : score;
    }
    if (score == 0.0)
        return 0.0;
    uint32_t from = at > 6 ? at - 6 : 0;
    for (unsigned k = 0; k < leaf->word_count; k++) {
        for (uint32_t i = from; i <= at + 6 && i < text->word_count; i++) {
            double match = i == at || text->words[i].sentence != text->words[at].sentence
                               ? 0.0
                               : match_compare(&leaf->words[k].word, &text->words[i].folded);
            if (match > 0.0) {
                score += 0.3 * leaf->words[k].weight * match;
                break;
            }
        }
    }
    return score;
}

static bool ends_clause(uint32_t c)
{
    return c == ',' || c == ';' || c == '\n' || c == '.' || c == 0x2013;
}

/* A negation in the clause around a word, at most four words away. */
static bool is_negated(const struct evidence_text *text, uint32_t at)
{
    for (uint32_t i = at; i > 0 && i + 4 > at; i--) {
        unsigned bytes;
        for (uint32_t c = text->words[i - 1].end; c < text->words[i].begin; c += bytes)
            if (ends_clause(char_at(text->text, c, &bytes)))
                goto behind;
        if (is_negation(text->words[i - 1].folded.text))
            return true;
    }
behind:
    for (uint32_t i = at; i + 1 < text->word_count && i < at + 4; i++) {
        unsigned bytes;
        for (uint32_t c = text->words[i].end; c < text->words[i + 1].begin; c += bytes)
            if (ends_clause(char_at(text->text, c, &bytes)))
                return false;
        if (is_negation(text->words[i + 1].folded.text))
            return true;
    }
    return false;
}

double evidence_boolean_prior(const struct evidence_view *view)
{
    const struct evidence_text *text = view->text;
    double best = 0.0;
    uint32_t place = 0;
    for (uint32_t i = 0; i < text->word_count; i++) {
        double score = evidence_in_scope(view, text->words[i].begin) ? boolean_match(view, i) : 0.0;
        if (score > best) {
            best = score;
            place = i;
        }
    }
    if (best < 0.45)
        return view->scope->end - view->scope->begin < text->text.len ? -0.5 * WEIGHT_BOOLEAN : 0.0;
    double strength = WEIGHT_BOOLEAN * (best < 1.0 ? best : 1.0);
    return is_negated(text, place) ? -strength : strength;
}
