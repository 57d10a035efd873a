/* fits.c - whether a value fits nodes of a compiled program.
 *
 * Owns: one judge and the value null. Leaves to others: judging (schema/judge.h). Invariant: the
 * judge never remembers verdicts of two documents.
 */
#include "base/features.h"

#include "projection/fits.h"

#include "schema/judge.h"

enum status fits_init(struct fits *fits, const struct schema_program *program,
                      const struct alloc *alloc)
{
    *fits = (struct fits){ .alloc = alloc };
    fits->judge = alloc_get(alloc, sizeof(*fits->judge));
    if (fits->judge == NULL)
        return STATUS_NO_MEMORY;
    judge_init(fits->judge, program, 0, alloc, NULL);
    enum status status = json_parse(STR("null"), NULL, alloc, &fits->null_doc, NULL);
    if (status != STATUS_OK)
        fits_release(fits);
    return status;
}

void fits_release(struct fits *fits)
{
    if (fits->judge != NULL) {
        judge_release(fits->judge);
        alloc_free(fits->alloc, fits->judge, sizeof(*fits->judge));
    }
    json_doc_free(fits->null_doc);
    *fits = (struct fits){ .judge = NULL };
}

void fits_forget(struct fits *fits)
{
    judge_forget_verdicts(fits->judge);
    fits->doc = NULL;
}

bool fits_node(struct fits *fits, uint32_t node, struct json value)
{
    if (fits->doc != value.doc) {
        judge_forget_verdicts(fits->judge);
        fits->doc = value.doc;
    }
    bool fit = judge_value(fits->judge, node, value);
    return fit || fits->judge->status != STATUS_OK;
}

bool fits_all(struct fits *fits, const uint32_t *nodes, uint32_t count, struct json value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!fits_node(fits, nodes[i], value))
            return false;
    }
    return true;
}

struct json fits_null(const struct fits *fits)
{
    return json_doc_root(fits->null_doc);
}

enum status fits_status(const struct fits *fits)
{
    return fits->judge->status == STATUS_NO_MEMORY ? STATUS_NO_MEMORY : STATUS_OK;
}
