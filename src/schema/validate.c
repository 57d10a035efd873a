/* validate.c - the two questions of a caller: valid or not, and why not.
 *
 * Owns: the order of things: the quick path first, the judge where that does not know, reasons only
 * for an invalid instance. Leaves to others: the machines (fast_run.c, judge.c), the choice of
 * reasons (explain.c), their wording (message.c).
 */
#include "base/features.h"

#include "schema/validate.h"

#include "base/limits.h"
#include "schema/explain.h"
#include "schema/fast.h"
#include "schema/judge.h"

/* A root without `type` may have been narrowed to objects (compile option object_root). */
static bool validate_judge(struct judge *judge, struct json instance)
{
    if ((judge->program->nodes[0].types & schema_type_of(instance)) == 0)
        return false;
    return judge_value(judge, 0, instance);
}

/* A caller's own step budget is the judge's to keep. */
static enum fast_verdict validate_quickly(const struct schema_program *program,
                                          struct json instance, uint64_t steps_max,
                                          const struct alloc *alloc)
{
    return steps_max == 0 ? schema_fast_run(program->internal->fast, instance, alloc)
                          : FAST_UNKNOWN;
}

/* Apart, so that the quick path does not pay for the room that a judge takes on the stack. */
static __attribute__((noinline)) enum status
validate_slowly(const struct schema_program *program, struct json instance, uint64_t steps_max,
                const struct alloc *alloc, bool *out_valid, struct error *error)
{
    struct judge judge;
    judge_init(&judge, program, steps_max, alloc, error);
    bool valid = validate_judge(&judge, instance);
    judge_release(&judge);
    if (judge.status == STATUS_OK)
        *out_valid = valid;
    return judge.status;
}

enum status schema_is_valid(const struct schema_program *program, struct json instance,
                            uint64_t steps_max, const struct alloc *alloc, bool *out_valid,
                            struct error *error)
{
    enum fast_verdict quick = validate_quickly(program, instance, steps_max, alloc);
    if (quick == FAST_UNKNOWN)
        return validate_slowly(program, instance, steps_max, alloc, out_valid, error);
    *out_valid = quick == FAST_VALID;
    return STATUS_OK;
}

enum status schema_validate(const struct schema_program *program, struct json instance,
                            uint64_t steps_max, const struct alloc *alloc, bool *out_valid,
                            struct schema_violations *violations, struct error *error)
{
    struct judge judge;
    violations->items = NULL;
    violations->count = 0;
    violations->more = false;
    if (validate_quickly(program, instance, steps_max, alloc) == FAST_VALID) {
        *out_valid = true;
        return STATUS_OK;
    }
    judge_init(&judge, program, steps_max, alloc, error);
    bool valid = validate_judge(&judge, instance);
    if (judge.status == STATUS_OK && !valid)
        schema_explain(&judge, instance, violations);
    judge_release(&judge);
    if (judge.status == STATUS_OK)
        *out_valid = valid;
    return judge.status;
}
