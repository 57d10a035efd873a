/* exchange_ladder.c - what a refusal changes in the next request, and what is remembered of it.
 *
 * Owns: the steps from the full schema to words alone, the parameters that are left out, and the
 * memory of both between calls. Leaves to others: what a failure blames (failure.c). Invariant:
 * every change makes the plan simpler, so that there are finitely many.
 */
#include "base/features.h"

#include "base/hash.h"
#include "provider/exchange_parts.h"

enum { MEMORY_ENTRIES = 256, MEMORY_WAYS = 4 };

struct exchange_memory {
    const struct alloc *alloc;
    struct {
        uint64_t key; /* 0: free */
        struct exchange_plan plan;
    } entries[MEMORY_ENTRIES];
    uint32_t next; /* way to be replaced */
};

/* ---- the ladder ---- */

static bool step_down_schema(struct exchange *exchange)
{
    struct exchange_plan *plan = &exchange->plan;
    enum projection_rung last =
        exchange->request->require_strict ? PROJECTION_NO_UNIONS : PROJECTION_JSON_ONLY;
    if (plan->mechanism != PROVIDER_BY_SCHEMA && plan->mechanism != PROVIDER_BY_TOOL)
        return false;
    if (plan->rung >= last)
        return false;
    plan->rung = (enum projection_rung)(plan->rung + 1);
    if (plan->rung == PROJECTION_JSON_ONLY) {
        plan->mechanism = PROVIDER_BY_JSON_OBJECT;
        plan->is_strict = false;
    }
    return true;
}

static bool step_down_strict(struct exchange *exchange)
{
    struct exchange_plan *plan = &exchange->plan;
    if (exchange->request->require_strict || plan->mechanism == PROVIDER_BY_PROMPT)
        return false;
    plan->mechanism =
        plan->mechanism == PROVIDER_BY_JSON_OBJECT ? PROVIDER_BY_PROMPT : PROVIDER_BY_JSON_OBJECT;
    plan->is_strict = false;
    plan->rung = PROJECTION_JSON_ONLY;
    return true;
}

/* Names by which providers speak of a parameter. */
static const struct {
    const char *name;
    unsigned bit; /* 0: the output limit, which has another name */
} parameters[] = {
    { "temperature", PROVIDER_TAKES_TEMPERATURE },
    { "generationConfig.temperature", PROVIDER_TAKES_TEMPERATURE },
    { "seed", PROVIDER_TAKES_SEED },
    { "generationConfig.seed", PROVIDER_TAKES_SEED },
    { "stream_options", PROVIDER_TAKES_STREAM_USAGE },
    { "stream_options.include_usage", PROVIDER_TAKES_STREAM_USAGE },
    { "cache_control", PROVIDER_TAKES_CACHE_MARKS },
    { "store", PROVIDER_TAKES_STORE },
    { "max_tokens", 0 },
    { "max_completion_tokens", 0 },
};

static bool leave_out(struct exchange_plan *plan, struct str name)
{
    for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++) {
        if (!str_equal(name, str_from(parameters[i].name)))
            continue;
        if (parameters[i].bit == 0) {
            bool is_new = !plan->use_other_limit_name;
            plan->use_other_limit_name = true;
            return is_new;
        }
        bool is_new = (plan->omit & parameters[i].bit) == 0;
        plan->omit |= parameters[i].bit;
        return is_new;
    }
    return false;
}

bool exchange_plan_change(struct exchange *exchange, const struct provider_failure *failure)
{
    switch (failure->blame) {
    case FAILURE_BLAMES_NOTHING: return false;
    case FAILURE_BLAMES_SCHEMA: return step_down_schema(exchange);
    case FAILURE_BLAMES_STRICT: return step_down_strict(exchange);
    case FAILURE_BLAMES_PARAMETER: return leave_out(&exchange->plan, str_from(failure->param));
    case FAILURE_BLAMES_STREAM: {
        bool was_streamed = exchange->plan.is_streamed;
        exchange->plan.is_streamed = false;
        return was_streamed;
    }
    }
    return false;
}

/* ---- memory ---- */

enum status exchange_memory_new(const struct alloc *alloc, struct exchange_memory **out_memory)
{
    struct exchange_memory *memory = alloc_get(alloc, sizeof(*memory));
    if (memory == NULL)
        return STATUS_NO_MEMORY;
    memset(memory, 0, sizeof(*memory));
    memory->alloc = alloc;
    *out_memory = memory;
    return STATUS_OK;
}

void exchange_memory_free(struct exchange_memory *memory)
{
    if (memory != NULL)
        alloc_free(memory->alloc, memory, sizeof(*memory));
}

uint64_t exchange_memory_key(const struct exchange *exchange)
{
    uint64_t key = json_hash(exchange->request->program->root, hash_process_seed());
    key = hash_bytes(exchange->options.model.ptr, exchange->options.model.len, key);
    key = hash_bytes(exchange->options.base_url.ptr, exchange->options.base_url.len, key);
    key ^= exchange->request->require_strict ? 1 : 0;
    return key == 0 ? 1 : key;
}

void exchange_memory_recall(const struct exchange_memory *memory, uint64_t key,
                            struct exchange_plan *plan)
{
    uint32_t set = (uint32_t)(key % (MEMORY_ENTRIES / MEMORY_WAYS)) * MEMORY_WAYS;
    for (uint32_t i = 0; memory != NULL && i < MEMORY_WAYS; i++) {
        if (memory->entries[set + i].key == key) {
            bool is_streamed = plan->is_streamed;
            *plan = memory->entries[set + i].plan;
            plan->is_streamed = plan->is_streamed && is_streamed;
        }
    }
}

void exchange_memory_keep(struct exchange_memory *memory, uint64_t key,
                          const struct exchange_plan *plan)
{
    uint32_t set = (uint32_t)(key % (MEMORY_ENTRIES / MEMORY_WAYS)) * MEMORY_WAYS;
    if (memory == NULL)
        return;
    uint32_t way = memory->next++ % MEMORY_WAYS;
    for (uint32_t i = 0; i < MEMORY_WAYS; i++) {
        if (memory->entries[set + i].key == key || memory->entries[set + i].key == 0)
            way = i;
        if (memory->entries[set + i].key == key)
            break;
    }
    memory->entries[set + way].key = key;
    memory->entries[set + way].plan = *plan;
}
