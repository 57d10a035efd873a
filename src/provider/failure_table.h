/* failure_table.h - which words of a provider mean what. Private to src/provider. */
#ifndef STRUCTURE_PROVIDER_FAILURE_TABLE_H
#define STRUCTURE_PROVIDER_FAILURE_TABLE_H

#include "provider/failure.h"

/* What a code, a type or a status means. */
struct failure_meaning {
    enum status kind;
    bool is_retryable;
    enum failure_blame blame;
    const char *reason;
};

struct failure_word {
    const char *word; /* in lower case */
    struct failure_meaning meaning;
};

/* A part of the provider's message, in lower case. Used only where codes say too little. */
struct failure_fragment {
    const char *fragment;
    const char *second; /* must be there too; NULL: nothing more */
    struct failure_meaning meaning;
};

/* NULL: not there. Words are compared without case. */
const struct failure_meaning *failure_of_word(struct str word);
const struct failure_meaning *failure_of_status(int http_status);
/* The word of the table that stands in quotes somewhere in a text: an error inside of a message. */
const struct failure_meaning *failure_of_word_in(struct str text);
/* Money and quota: looked for in every message, because no code is sure. text is in lower case.
 * says_when: the provider named a time to come back, so that weak signs do not count. */
const struct failure_meaning *failure_of_money(struct str text, bool says_when);
const struct failure_meaning *failure_of_fragment(struct str text);
/* Whether a parameter's name belongs to the field that carries the schema. */
bool failure_param_is_schema(struct str param);
/* The request parameter whose name stands first in a message, as a word of its own; or empty. */
struct str failure_param_in(struct str text);
/* Whether a message says of something that it is not taken. */
bool failure_text_refuses(struct str text);

/* The words for a reason, and what to do about it (may be empty). */
struct failure_reason {
    const char *reason;
    const char *words;
    const char *hint;
};
const struct failure_reason *failure_reason_of(const char *reason);

/* Whether part stands somewhere in text, both in lower case. */
bool failure_text_has(struct str text, const char *part);

#endif
