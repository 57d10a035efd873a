/* extract_pattern.c - strings with `pattern`: runs of the text that match it.
 *
 * Owns: the search over short runs, bounded in runs and in matching steps.
 */
#include "base/features.h"

#include "model/extractor.h"
#include "regex/regex.h"

enum { PATTERN_RUN_WORDS = 4, PATTERN_STEPS_MAX = 2000000 };

bool extract_has_pattern(const struct extractor *x, const struct target *target)
{
    return target_find(x->program, target, SCHEMA_OP_PATTERN) != NULL;
}

/* Every pattern of the target is found in the text. */
static bool matches_all(const struct extractor *x, const struct target *target, struct str text,
                        uint64_t *steps)
{
    for (unsigned part = 0; part < target->part_count; part++) {
        const struct schema_op *op =
            schema_node_find(x->program, target->parts[part], SCHEMA_OP_PATTERN);
        bool matches = true;
        if (op != NULL && regex_matches(x->program->patterns[op->a].regex, text, x->job->alloc,
                                        steps, &matches) != STATUS_OK)
            return false;
        if (!matches)
            return false;
    }
    return true;
}

enum extracted extract_patterned(struct extractor *x, const struct target *target, bool required,
                                 const struct evidence_view *view)
{
    struct choice choices[EXTRACT_CHOICES_MAX];
    uint64_t steps = PATTERN_STEPS_MAX;
    unsigned count = 0;
    for (uint32_t first = 0; first < x->text->word_count; first++) {
        uint32_t sentence = x->text->words[first].sentence;
        if (!evidence_in_scope(view, x->text->words[first].begin))
            continue;
        for (uint32_t last = first; last < x->text->word_count && last < first + PATTERN_RUN_WORDS;
             last++) {
            struct evidence_span span = { x->text->words[first].begin, x->text->words[last].end };
            struct str run = evidence_slice(x->text, span.begin, span.end);
            if (x->text->words[last].sentence != sentence || count == EXTRACT_CHOICES_MAX)
                break;
            if (!matches_all(x, target, run, &steps))
                continue;
            double prior = evidence_prior(view, span.begin, span.end) - 0.5 * (last - first);
            buffer_clear(&x->scratch);
            json_write_string(run, &x->scratch);
            choices[count++] =
                (struct choice){ .surface = run,
                                 .json = arena_copy(&x->arena, buffer_view(&x->scratch)),
                                 .prior = prior,
                                 .evidence = prior,
                                 .span = span };
        }
    }
    return extract_weighed(x, choices, count, required);
}
