/* drift.c - compares a refused value with the one that came after it.
 *
 * Owns: which values of a refused reply count as valid. A statistic: bounded in steps, never an
 * error.
 */
#include "base/features.h"

#include "engine/drift.h"

#include "base/limits.h"

enum { DRIFT_STEPS_MAX = 1000000, DRIFT_COMPARE_MAX = 100000 };

/* A container of before and its counterpart, with the next children to compare. */
struct drift_frame {
    struct json before, after; /* after may not exist */
    struct json child, child_after;
};

struct drift {
    const struct schema_violations *violations;
    uint32_t steps;
    uint32_t count;
    struct drift_frame frames[LIMIT_JSON_DEPTH + 1];
    uint32_t depth;
};

/* These keywords blame an object for members that it lacks or has too many of; its members are
 * valid. */
static bool keyword_is_about_members(struct str keyword)
{
    static const struct str keywords[] = { { "required", 8 },       { "dependentRequired", 17 },
                                           { "minProperties", 13 }, { "maxProperties", 13 },
                                           { "minItems", 8 },       { "maxItems", 8 } };
    for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++) {
        if (str_equal(keyword, keywords[i]))
            return true;
    }
    return false;
}

static bool is_blamed(const struct drift *drift, struct json value)
{
    for (uint32_t i = 0; i < drift->violations->count; i++) {
        const struct schema_violation *violation = &drift->violations->items[i];
        if (violation->value.node == value.node && !keyword_is_about_members(violation->keyword))
            return true;
    }
    return false;
}

static void drift_compare(struct drift *drift, struct json before, struct json after)
{
    enum json_type type = json_type(before);
    if (is_blamed(drift, before))
        return;
    if (type != JSON_OBJECT && type != JSON_ARRAY) {
        uint64_t budget = DRIFT_COMPARE_MAX;
        if (!json_exists(after) || !json_equal(before, after, &budget))
            drift->count++;
        return;
    }
    if (!json_exists(after) || json_type(after) != type)
        after = (struct json){ NULL, NULL };
    struct drift_frame *frame = &drift->frames[drift->depth++];
    frame->before = before;
    frame->after = after;
    frame->child = json_first(before);
    frame->child_after = json_exists(after) ? json_first(after) : after;
}

/* The counterpart of the frame's child. Objects are usually in the same order. */
static struct json frame_counterpart(struct drift *drift, const struct drift_frame *frame)
{
    if (!json_exists(frame->after) || json_type(frame->after) == JSON_ARRAY)
        return frame->child_after;
    struct str name = json_member_name(frame->child);
    if (json_exists(frame->child_after) && str_equal(json_member_name(frame->child_after), name))
        return frame->child_after;
    uint32_t cost = json_count(frame->after);
    drift->steps -= cost < drift->steps ? cost : drift->steps;
    return json_get(frame->after, name);
}

static void drift_advance(struct drift *drift)
{
    struct drift_frame *frame = &drift->frames[drift->depth - 1];
    if (!json_exists(frame->child)) {
        drift->depth--;
        return;
    }
    struct json child = frame->child, counterpart = frame_counterpart(drift, frame);
    frame->child = json_next(child, frame->before);
    if (json_exists(counterpart))
        frame->child_after = json_next(counterpart, frame->after);
    drift_compare(drift, child, counterpart);
}

uint32_t engine_drift_count(struct json before, const struct schema_violations *violations,
                            struct json after)
{
    if (violations->more || !json_exists(before) || !json_exists(after))
        return 0;
    struct drift drift;
    drift.violations = violations;
    drift.steps = DRIFT_STEPS_MAX;
    drift.count = 0;
    drift.depth = 0;
    drift_compare(&drift, before, after);
    for (; drift.depth > 0 && drift.steps > 0; drift.steps -= drift.steps > 0)
        drift_advance(&drift);
    return drift.count;
}
