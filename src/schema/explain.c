/* explain.c - stub */
#include "base/features.h"

#include "schema/explain.h"

void schema_explain(struct judge *judge, struct json instance, struct schema_violations *violations)
{
    struct schema_violation *v = arena_take_zeroed(violations->arena, sizeof(*v));
    if (v == NULL) {
        judge->status = error_set(judge->error, STATUS_NO_MEMORY, "out of memory");
        return;
    }
    v->message = STR("value does not conform to the schema");
    v->keyword = STR("schema");
    v->value = instance;
    violations->items = v;
    violations->count = 1;
}
