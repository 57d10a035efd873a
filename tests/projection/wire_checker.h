/* wire_checker.h - whether a schema keeps to what a provider states of the schemas it takes.
 *
 * Owns: the statements, written from the providers' documentation (docs/providers.md has the
 * sources) and not from data/providers.json, so that both can be held against each other, and an
 * independent count of what is limited. Leaves to others: what a provider enforces.
 */
#ifndef STRUCTURE_TEST_PROJECTION_WIRE_CHECKER_H
#define STRUCTURE_TEST_PROJECTION_WIRE_CHECKER_H

#include "json/json.h"

enum { WIRE_CHECKER_TEXT = 512 };

/* Whether there are statements for that set of rules. */
bool wire_checker_knows(struct str rules_name);

/* The first fault as a sentence with its pointer, written to out; NULL when all is kept. */
const char *wire_checker_fault(struct str rules_name, struct json schema,
                               char out[WIRE_CHECKER_TEXT]);

#endif
