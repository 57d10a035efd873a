/* record.h - the parts of a text that are the items of an array of objects: lines, blocks, clauses
 * or sentences that are built alike and can each serve what an item must have.
 */
#ifndef STRUCTURE_EVIDENCE_RECORD_H
#define STRUCTURE_EVIDENCE_RECORD_H

#include "evidence/prior.h"

enum { RECORDS_MAX = 64, NEEDS_ENUMS_MAX = 8 };

/* Required leaves of an item, by kind. */
struct evidence_needs {
    unsigned numbers, dates, date_times, strings;
    bool email, uri, phone;
    struct {
        const struct str *values;
        unsigned count;
    } enums[NEEDS_ENUMS_MAX]; /* each must occur by one of its values */
    unsigned enum_count;
    const struct str *keys; /* folded words of the item's member names, for table headings */
    unsigned key_count;
};

struct evidence_records {
    struct evidence_scope items[RECORDS_MAX];
    unsigned count;
};

/* The best reading of the scope of view as records; view->leaf has the words of the array. count is
 * 0 when there is none. Cells live in the arena. */
void evidence_records_find(const struct evidence_view *view, const struct evidence_needs *needs,
                           struct arena *arena, struct evidence_records *out);

#endif
