/* extract_leaf.c - literals, booleans and typed values: their candidates, and the weighing by the
 * model.
 *
 * Owns: which facts fit which leaf and in which form they are written. Leaves to others: free
 * strings (extract_span.c).
 */
#include "base/features.h"

#include <stdio.h>
#include <stdlib.h>

#include "evidence/match.h"
#include "model/extractor.h"
#include "schema/format.h"

/* Weights of the model's log-probability against the evidence; chosen by measurement. */
#define WEIGHT_LITERAL 0.3
#define WEIGHT_NUMBER  0.4
#define WEIGHT_TYPED   1.0
#define WEIGHT_BOOLEAN 1.0
/* An optional leaf is left out below this evidence: one that anything could fill needs more. */
#define EVIDENCE_CHOICE_MIN 0.35
#define EVIDENCE_FACT_MIN   (-0.15)

/* ---- weighing
 * ------------------------------------------------------------------------------------- */

static int by_prior(const void *left, const void *right)
{
    const struct choice *a = left;
    const struct choice *b = right;
    if (a->prior != b->prior)
        return a->prior > b->prior ? -1 : 1;
    return (a->span.begin > b->span.begin) - (a->span.begin < b->span.begin);
}

static int by_score(const void *left, const void *right)
{
    const struct choice *a = left;
    const struct choice *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return by_prior(left, right);
}

/* Keeps the best of equal values. */
static unsigned merge_equal(struct choice *choices, unsigned count)
{
    unsigned kept = 0;
    qsort(choices, count, sizeof(*choices), by_prior);
    for (unsigned i = 0; i < count; i++) {
        bool again = false;
        for (unsigned k = 0; k < kept && !again; k++)
            again = str_equal(choices[k].json, choices[i].json);
        if (!again && kept < EXTRACT_CHOICES_MAX)
            choices[kept++] = choices[i];
    }
    return kept;
}

unsigned extractor_weigh(struct extractor *x, struct choice *choices, unsigned count, double weight,
                         bool quoted)
{
    const struct model_scorer *scorer = x->job->scorer;
    struct str surfaces[EXTRACT_CHOICES_MAX];
    float log_probs[EXTRACT_CHOICES_MAX];
    count = merge_equal(choices, count);
    for (unsigned i = 0; i < count; i++) {
        surfaces[i] = choices[i].surface;
        choices[i].score = choices[i].prior;
    }
    if (count < 2)
        return count;
    size_t len = x->opening.len;
    if (quoted)
        buffer_append_byte(&x->opening, '"');
    x->status = scorer->ops->set(scorer->state, buffer_view(&x->opening), x->error);
    if (x->status == STATUS_OK)
        x->status = scorer->ops->score(scorer->state, surfaces, count,
                                       quoted ? STR("\",") : STR(","), log_probs, x->error);
    buffer_truncate(&x->opening, len);
    if (x->status != STATUS_OK)
        return 0;
    for (unsigned i = 0; i < count; i++)
        choices[i].score += weight * (double)log_probs[i];
    qsort(choices, count, sizeof(*choices), by_score);
    return count;
}

bool extractor_write_choice(struct extractor *x, const struct choice *choice)
{
    if (extractor_is_refused(x, choice->json) || !extractor_admits(x, choice->json) ||
        !extractor_put(x, choice->json))
        return false;
    if (choice->span.end > choice->span.begin)
        evidence_uses_add(x->uses, choice->span.begin, choice->span.end);
    extractor_show(x);
    return true;
}

/* The best choice that is not refused. */
static enum extracted write_best(struct extractor *x, const struct choice *choices, unsigned count,
                                 bool required, double evidence_min)
{
    for (unsigned i = 0; i < count; i++) {
        if (!required && choices[i].evidence < evidence_min)
            continue;
        if (extractor_write_choice(x, &choices[i]))
            return EXTRACTED;
        if (x->status != STATUS_OK)
            return EXTRACTED_STUCK;
    }
    return EXTRACTED_ABSENT;
}

enum extracted extract_weighed(struct extractor *x, struct choice *choices, unsigned count,
                               bool required)
{
    count = extractor_weigh(x, choices, count, WEIGHT_TYPED, true);
    return write_best(x, choices, count, required, EVIDENCE_FACT_MIN);
}

void extractor_view(struct extractor *x, const struct target *target,
                    struct evidence_leaf *out_leaf, struct evidence_view *out_view)
{
    evidence_leaf_init(out_leaf, x->path, x->path_count, target->description, &x->leaf_arena);
    *out_view = (struct evidence_view){ x->text, out_leaf, &x->scope, x->uses, &x->rivals };
}

static struct str arena_json_string(struct extractor *x, struct str text)
{
    buffer_clear(&x->scratch);
    json_write_string(text, &x->scratch);
    return arena_copy(&x->leaf_arena, buffer_view(&x->scratch));
}

/* ---- literals and booleans
 * ------------------------------------------------------------------------- */

/* One literal as a choice; false when it is none: null, or there was no memory. */
static bool literal_choice(struct extractor *x, const struct evidence_view *view, struct json value,
                           struct choice *out)
{
    if (json_type(value) == JSON_NULL)
        return false;
    buffer_clear(&x->scratch);
    json_write(value, 0, &x->scratch);
    *out = (struct choice){ .json = arena_copy(&x->leaf_arena, buffer_view(&x->scratch)) };
    out->surface = out->json;
    if (json_type(value) == JSON_STRING) {
        out->surface = json_string(value);
        out->prior = evidence_literal_prior(view, out->surface);
    }
    out->evidence = out->prior;
    return out->json.ptr != NULL;
}

/* Of a large enumeration those that the text says come first; the others are in order. */
static unsigned literal_choices(struct extractor *x, const struct target *target,
                                const struct evidence_view *view, struct choice *out,
                                bool *out_quoted)
{
    const struct schema_op *literals = target->literals;
    bool is_large = literals->b > EXTRACT_CHOICES_MAX;
    unsigned count = 0;
    for (unsigned pass = is_large ? 0 : 1; pass < 2; pass++) {
        for (uint32_t i = 0; i < literals->b && count < EXTRACT_CHOICES_MAX; i++) {
            struct json value = x->program->values[literals->a + i];
            bool is_string = json_type(value) == JSON_STRING;
            bool said = is_large && is_string && evidence_literal_said(view, json_string(value));
            if (said != (pass == 0 && is_large) || !literal_choice(x, view, value, &out[count]))
                continue;
            *out_quoted = *out_quoted && is_string;
            count++;
        }
    }
    return count;
}

static enum extracted extract_literal(struct extractor *x, const struct target *target,
                                      bool required)
{
    struct evidence_leaf leaf;
    struct evidence_view view;
    struct choice choices[EXTRACT_CHOICES_MAX];
    bool quoted = true;
    extractor_view(x, target, &leaf, &view);
    unsigned count = literal_choices(x, target, &view, choices, &quoted);
    for (unsigned i = 0; !quoted && i < count; i++)
        choices[i].surface = choices[i].json;
    count = extractor_weigh(x, choices, count, WEIGHT_LITERAL, quoted);
    return write_best(x, choices, count, required || target->literals->b == 1, EVIDENCE_CHOICE_MIN);
}

static enum extracted extract_boolean(struct extractor *x, const struct target *target,
                                      bool required)
{
    struct evidence_leaf leaf;
    struct evidence_view view;
    extractor_view(x, target, &leaf, &view);
    double prior = evidence_boolean_prior(&view);
    double evidence = prior < 0.0 ? -prior : prior;
    struct choice choices[2] = {
        { .surface = STR("true"), .json = STR("true"), .prior = prior, .evidence = evidence },
        { .surface = STR("false"), .json = STR("false"), .prior = -prior, .evidence = evidence },
    };
    unsigned count = extractor_weigh(x, choices, 2, WEIGHT_BOOLEAN, false);
    return write_best(x, choices, count, required, EVIDENCE_CHOICE_MIN);
}

/* ---- typed values
 * ---------------------------------------------------------------------------------- */

static const char *const mail_words[] = { "email", "mail", NULL };
static const char *const phone_words[] = { "phone", "telephone", "tel", "mobile", "fax", NULL };
static const char *const currency_words[] = { "currency", NULL };
static const char *const time_words[] = { "time", NULL };

/* The name ends in such a word, or in a plain one behind it: "email", "contact_phone", "phone
 * number". */
static bool is_named_after(const struct evidence_leaf *leaf, const char *const *words)
{
    static const char *const plain[] = { "number", "address", "no", "nr", "code", NULL };
    if (leaf->name_count == 0)
        return false;
    struct str last = leaf->name[leaf->name_count - 1];
    return match_in(last, words) || (match_in(last, plain) && leaf->name_count > 1 &&
                                     match_in(leaf->name[leaf->name_count - 2], words));
}

bool extract_fact_kind(const struct target *target, const struct evidence_leaf *leaf,
                       enum evidence_kind *out_kind)
{
    if ((target->types & SCHEMA_STRING) == 0) {
        *out_kind = EVIDENCE_NUMBER;
        return (target->types & SCHEMA_NUMBER) != 0;
    }
    if (target->format == SCHEMA_FORMAT_DATE)
        *out_kind = EVIDENCE_DATE;
    else if (target->format == SCHEMA_FORMAT_DATE_TIME)
        *out_kind = EVIDENCE_DATE_TIME;
    else if (target->format == SCHEMA_FORMAT_TIME)
        *out_kind = EVIDENCE_TIME;
    else if (target->format == SCHEMA_FORMAT_EMAIL)
        *out_kind = EVIDENCE_EMAIL;
    else if (target->format == SCHEMA_FORMAT_URI)
        *out_kind = EVIDENCE_URI;
    else if (target->format != SCHEMA_FORMAT_UNKNOWN)
        return false;
    else if (is_named_after(leaf, mail_words))
        *out_kind = EVIDENCE_EMAIL;
    else if (is_named_after(leaf, phone_words))
        *out_kind = EVIDENCE_PHONE;
    else if (is_named_after(leaf, currency_words))
        *out_kind = EVIDENCE_CURRENCY;
    else if (is_named_after(leaf, time_words))
        *out_kind = EVIDENCE_TIME;
    else
        return false;
    return true;
}

/* A time of day as it stands in the text, when that is hours and minutes already. */
static bool is_plain_time(struct str written)
{
    size_t colon = written.len == 5 ? 2 : 1;
    return (written.len == 4 || written.len == 5) && written.ptr[colon] == ':';
}

/* The value of a fact in the form that the leaf writes; empty if it is not one for the leaf. */
static struct str fact_json(struct extractor *x, const struct target *target,
                            const struct evidence_fact *fact)
{
    char text[96];
    struct str written = evidence_slice(x->text, fact->begin, fact->end);
    if (fact->kind == EVIDENCE_NUMBER)
        return fact->value;
    if (fact->kind == EVIDENCE_TIME && target->format == SCHEMA_FORMAT_UNKNOWN) {
        const char *colon = memchr(written.ptr, ':', written.len);
        if (colon != NULL &&
            memchr(colon + 1, ':', written.len - (size_t)(colon + 1 - written.ptr)) != NULL)
            return str_of(NULL, 0); /* a duration with seconds */
        return arena_json_string(x, is_plain_time(written) ? written : fact->value);
    }
    if (fact->kind == EVIDENCE_TIME && target->format == SCHEMA_FORMAT_TIME) {
        int len = snprintf(text, sizeof(text), "%.*s:00Z", (int)fact->value.len, fact->value.ptr);
        return arena_json_string(x, str_of(text, (size_t)len));
    }
    return arena_json_string(x, fact->value);
}

/* Date-times from a date and the time of day that stands nearest to it. */
static unsigned date_time_choices(struct extractor *x, const struct evidence_view *view,
                                  struct choice *choices)
{
    const struct evidence_text *text = x->text;
    unsigned count = 0;
    for (uint32_t d = 0; d < text->fact_count; d++) {
        const struct evidence_fact *date = &text->facts[d];
        if (date->kind != EVIDENCE_DATE || !evidence_in_scope(view, date->begin))
            continue;
        for (uint32_t t = 0; t < text->fact_count && count < EXTRACT_CHOICES_MAX; t++) {
            const struct evidence_fact *time = &text->facts[t];
            char value[64];
            if (time->kind != EVIDENCE_TIME || !evidence_in_scope(view, time->begin))
                continue;
            uint32_t distance =
                time->begin > date->begin ? time->begin - date->begin : date->begin - time->begin;
            int len = snprintf(value, sizeof(value), "%.*sT%.*s:00Z", (int)date->value.len,
                               date->value.ptr, (int)time->value.len, time->value.ptr);
            double prior = evidence_fact_prior(view, date) - distance / 50.0;
            choices[count++] =
                (struct choice){ .surface = evidence_slice(text, date->begin, date->end),
                                 .json = arena_json_string(x, str_of(value, (size_t)len)),
                                 .prior = prior,
                                 .evidence = prior,
                                 .span = { date->begin, date->end } };
        }
    }
    return count;
}

/* Values that say by their form what they are. */
static bool is_telling(enum evidence_kind kind)
{
    return kind == EVIDENCE_EMAIL || kind == EVIDENCE_URI || kind == EVIDENCE_PHONE;
}

static unsigned fact_choices(struct extractor *x, const struct target *target,
                             const struct evidence_view *view, enum evidence_kind kind,
                             struct choice *choices, unsigned max)
{
    const struct evidence_text *text = x->text;
    unsigned count = 0;
    for (uint32_t i = evidence_first_fact(text, x->scope.begin);
         i < text->fact_count && count < max; i++) {
        const struct evidence_fact *fact = &text->facts[i];
        if (!evidence_in_scope(view, fact->begin))
            break;
        if (fact->kind != kind || (fact->is_decimal && (target->types & SCHEMA_FRACTION) == 0))
            continue;
        struct choice *choice = &choices[count];
        *choice = (struct choice){ .json = fact_json(x, target, fact),
                                   .prior = evidence_fact_prior(view, fact),
                                   .span = { fact->begin, fact->end } };
        if (choice->json.ptr == NULL || !extractor_admits(x, choice->json))
            continue;
        choice->surface = fact->is_word || kind == EVIDENCE_CURRENCY
                              ? fact->value
                              : evidence_slice(text, fact->begin, fact->end);
        choice->evidence = choice->prior + (is_telling(kind) ? 1.0 : 0.0);
        count++;
    }
    return count;
}

static enum extracted extract_typed(struct extractor *x, const struct target *target, bool required,
                                    enum evidence_kind kind, const struct evidence_view *view)
{
    struct choice *choices = arena_take_array(&x->leaf_arena, EXTRACT_FACTS_MAX, sizeof(*choices));
    if (choices == NULL) {
        x->status = error_set(x->error, STATUS_NO_MEMORY, "no memory for reading the prompt");
        return EXTRACTED_STUCK;
    }
    unsigned count = fact_choices(x, target, view, kind, choices, EXTRACT_FACTS_MAX);
    if (count == 0 && kind == EVIDENCE_DATE_TIME)
        count = date_time_choices(x, view, choices);
    count = extractor_weigh(x, choices, count,
                            kind == EVIDENCE_NUMBER ? WEIGHT_NUMBER : WEIGHT_TYPED, true);
    return write_best(x, choices, count, required, EVIDENCE_FACT_MIN);
}

/* Other formats: words of the text that have them. */
static enum extracted extract_formatted(struct extractor *x, const struct target *target,
                                        bool required, const struct evidence_view *view)
{
    struct choice choices[EXTRACT_CHOICES_MAX];
    unsigned count = 0;
    for (uint32_t i = 0; i < x->text->word_count && count < EXTRACT_CHOICES_MAX; i++) {
        const struct evidence_word *word = &x->text->words[i];
        struct str run = evidence_slice(x->text, word->begin, word->end);
        if (!evidence_in_scope(view, word->begin) || !schema_format_matches(target->format, run))
            continue;
        double prior = evidence_prior(view, word->begin, word->end);
        choices[count++] = (struct choice){ .surface = run,
                                            .json = arena_json_string(x, run),
                                            .prior = prior,
                                            .evidence = prior,
                                            .span = { word->begin, word->end } };
    }
    return extract_weighed(x, choices, count, required);
}

enum extracted extract_leaf(struct extractor *x, const struct target *target, bool required)
{
    struct evidence_leaf leaf;
    struct evidence_view view;
    struct evidence_span span;
    enum evidence_kind kind;
    arena_reset(&x->leaf_arena);
    if (target->literals != NULL)
        return extract_literal(x, target, required);
    if (target->is_derived)
        return extract_derived(x);
    if ((target->types & SCHEMA_BOOLEAN) != 0 &&
        (target->types & (SCHEMA_STRING | SCHEMA_NUMBER)) == 0)
        return extract_boolean(x, target, required);
    extractor_view(x, target, &leaf, &view);
    if (extract_fact_kind(target, &leaf, &kind)) {
        enum extracted result = extract_typed(x, target, required, kind, &view);
        bool is_loose = kind == EVIDENCE_TIME || kind == EVIDENCE_CURRENCY;
        if (result != EXTRACTED_ABSENT || target->format != SCHEMA_FORMAT_UNKNOWN || !is_loose)
            return result;
    } else if (target->format != SCHEMA_FORMAT_UNKNOWN) {
        return extract_formatted(x, target, required, &view);
    }
    if ((target->types & SCHEMA_STRING) == 0)
        return EXTRACTED_ABSENT;
    if (extract_has_pattern(x, target))
        return extract_patterned(x, target, required, &view);
    return extract_span(x, target, required, false, NULL, &span);
}
