/* mend.h - readings of single values: what a value that the validator blames can only have meant.
 *
 * Owns: null for an absent member, JSON inside a string, a list of pairs for a map, the letter case
 * of an enum; and, by the caller's leave, a single element for a list and back, and coercion.
 * Leaves to others: the verdict. Invariants: only places that a violation names are touched; the
 * result is valid or nothing was done; every reading is in the ledger, with its pointer.
 */
#ifndef STRUCTURE_ENGINE_MEND_H
#define STRUCTURE_ENGINE_MEND_H

#include "engine/ledger.h"

struct engine_mend {
    const struct schema_program *program;
    struct engine_ledger *ledger; /* as it was, when nothing was done */
    bool folds_case;              /* the letter case of enums was not promised by the model */
    const struct alloc *alloc;
};

/* value is not valid. *out_doc: the valid value, the caller's; NULL: there is no such reading.
 * NO_MEMORY, UNSUPPORTED. */
enum status engine_mend_value(const struct engine_mend *mend, struct json value,
                              struct json_doc **out_doc, struct error *error);

#endif
