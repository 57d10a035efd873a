/* grounding_match.h - the ways in which a value may stand in a text. Private to grounding.c. */
#ifndef STRUCTURE_CLI_GROUNDING_MATCH_H
#define STRUCTURE_CLI_GROUNDING_MATCH_H

#include "json/json.h"

struct grounding_text {
    struct str text;
    uint64_t steps_left; /* bytes that may still be looked at */
};

/* Bytes begin .. end of the text; false when the value is not there. */
struct grounding_span {
    size_t begin, end;
};

enum grounding_fold { GROUNDING_EXACT, GROUNDING_CASE, GROUNDING_SPACE };

/* words at word edges; CASE ignores case, SPACE also takes any run of white space for any other. */
bool grounding_find_words(struct grounding_text *text, struct str words, enum grounding_fold fold,
                          struct grounding_span *out);

/* A number of the same value: thousands separators, decimal comma, trailing zeros and the words
 * zero to twelve are understood. *out_exact: written as in the data. */
bool grounding_find_number(struct grounding_text *text, struct str number,
                           struct grounding_span *out, bool *out_exact);

/* The date of a leaf that begins with YYYY-MM-DD, as people write it ("14 May 2026", "May 14th,
 * 2026", "14.5.2026", "05/14/2026"). A spelling without a year counts if the year stands elsewhere
 * in the text. */
bool grounding_find_date(struct grounding_text *text, struct str date, struct grounding_span *out);

/* Letters and digits of any script: what makes a word. */
bool grounding_is_word_at(struct str text, size_t offset);

#endif
