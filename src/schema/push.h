/* push.h - judging a text while it arrives.
 *
 * Owns: a parser, and what the schema still asks of the containers that are open. Feeding says as
 * soon as it is certain that no continuation of the text is valid; whether the whole text is valid
 * is decided at its end, by the same validator and with the same verdict as for a whole text.
 *
 * Certain are, at the byte that decides: a type, a member that a closed object does not know, a
 * member name, a string that is too long, too many items or members; at the end of a value: all
 * that its schema says of it. An alternative (anyOf, oneOf) fails with its last branch. What
 * depends on the rest of a value (not, if, contains, unevaluated...) is judged at its end. Work is
 * bounded by PUSH_STEPS_PER_BYTE: beyond, the verdict comes later, never differently. With
 * JSON_DUPLICATES_LAST it comes at the end of the text. Not recursive. Thread rule: one thread at a
 * time.
 */
#ifndef STRUCTURE_SCHEMA_PUSH_H
#define STRUCTURE_SCHEMA_PUSH_H

#include "schema/program.h"

struct schema_push;

/* Borrows program. json NULL, steps_max 0 (of the last verdict): the defaults. */
enum status schema_push_new(const struct schema_program *program, const struct json_options *json,
                            uint64_t steps_max, const struct alloc *alloc,
                            struct schema_push **out_push);
void schema_push_free(struct schema_push *push); /* accepts NULL */

/* Takes the next bytes. *out_invalid: it is certain that the text is not valid; it stays so, and
 * more text may follow. INVALID_REQUEST: the text is no JSON; NO_MEMORY. Failures are final. */
enum status schema_push_feed(struct schema_push *push, struct str chunk, bool *out_invalid,
                             struct error *error);

/* Ends the text: the verdict, and the document, which is the caller's. UNSUPPORTED as in
 * schema_is_valid. Nothing but freeing and schema_push_pointer may follow. */
enum status schema_push_finish(struct schema_push *push, bool *out_valid, struct json_doc **out_doc,
                               struct error *error);

/* The pointer of the value that made it certain, borrowed; empty also as long as nothing is. */
struct str schema_push_pointer(const struct schema_push *push);

#endif
