/* record_table.h - rows of a table under a line of headings; private to src/evidence. */
#ifndef STRUCTURE_EVIDENCE_RECORD_TABLE_H
#define STRUCTURE_EVIDENCE_RECORD_TABLE_H

#include "evidence/record.h"

/* Looks for headings on the line above the first record. Returns how many member names they match;
 * with two or more, rows with as many cells as there are headings get their cells. */
unsigned record_table_read(const struct evidence_text *text, const struct evidence_needs *needs,
                           struct arena *arena, struct evidence_records *records);

#endif
