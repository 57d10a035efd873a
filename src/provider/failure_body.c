/* failure_body.c - reading the error that a body holds, in any of the shapes seen.
 *
 * Owns: where type, code, parameter, message and the time to come back stand. One reader for all
 * protocols, because gateways answer in each other's shapes. Leaves to others: what they mean
 * (failure.c). Invariant: every view is into the body's document.
 */
#include "base/features.h"

#include "provider/failure.h"
#include "provider/failure_parts.h"

enum { DETAILS_MAX = 16 };

static bool is_type(struct json value, enum json_type type)
{
    return json_exists(value) && json_type(value) == type;
}

static struct json member(struct json value, struct str name)
{
    return is_type(value, JSON_OBJECT) ? json_get(value, name) : (struct json){ NULL, NULL };
}

/* A string, or a number as it is written; else what was there before. */
static void take(struct json value, struct str *out)
{
    if (is_type(value, JSON_STRING) && json_string(value).len > 0)
        *out = json_string(value);
    else if (is_type(value, JSON_NUMBER))
        *out = json_number_text(value);
}

static bool ends_with(struct str text, struct str end)
{
    return text.len >= end.len && memcmp(text.ptr + text.len - end.len, end.ptr, end.len) == 0;
}

static bool has_part(struct str text, struct str part)
{
    for (size_t at = 0; at + part.len <= text.len; at++) {
        if (memcmp(text.ptr + at, part.ptr, part.len) == 0)
            return true;
    }
    return false;
}

/* google.rpc.QuotaFailure: a limit of a day does not pass while somebody waits. */
static void read_quota(struct json detail, struct provider_error_body *out)
{
    struct json violations = member(detail, STR("violations"));
    uint32_t count = 0;
    if (!is_type(violations, JSON_ARRAY))
        return;
    for (struct json at = json_first(violations); json_exists(at) && count < DETAILS_MAX;
         at = json_next(at, violations), count++) {
        struct str id = STR("");
        take(member(at, STR("quotaId")), &id);
        if (has_part(id, STR("PerDay")))
            out->code = id;
    }
}

/* google.rpc.Status.details */
static void read_details(struct json details, struct provider_error_body *out)
{
    uint32_t count = 0;
    if (!is_type(details, JSON_ARRAY))
        return;
    for (struct json at = json_first(details); json_exists(at) && count < DETAILS_MAX;
         at = json_next(at, details), count++) {
        struct str type = STR("");
        struct str delay = STR("");
        take(member(at, STR("@type")), &type);
        take(member(at, STR("retryDelay")), &delay);
        if (ends_with(type, STR("RetryInfo")))
            out->retry_after_ms = failure_read_duration(delay);
        else if (ends_with(type, STR("ErrorInfo")))
            take(member(at, STR("reason")), &out->code);
        else if (ends_with(type, STR("QuotaFailure")))
            read_quota(at, out);
        else if (ends_with(type, STR("BadRequest")) &&
                 is_type(member(at, STR("fieldViolations")), JSON_ARRAY))
            take(member(json_at(member(at, STR("fieldViolations")), 0), STR("field")), &out->param);
    }
}

/* [{"type": "extra_forbidden", "loc": ["body", "seed"], "msg": "..."}] */
static void read_validation(struct json list, struct provider_error_body *out)
{
    struct json first = json_count(list) > 0 ? json_first(list) : (struct json){ NULL, NULL };
    struct json place = member(first, STR("loc"));
    take(member(first, STR("type")), &out->code);
    take(member(first, STR("msg")), &out->message);
    if (is_type(place, JSON_ARRAY) && json_count(place) > 0)
        take(json_at(place, json_count(place) > 1 ? 1 : 0), &out->param);
}

/* A message: a text, or an object or list around it. */
static void read_message(struct json value, struct provider_error_body *out)
{
    take(value, &out->message);
    if (is_type(value, JSON_OBJECT)) {
        take(member(value, STR("message")), &out->message);
        value = member(value, STR("detail"));
        take(value, &out->message);
    }
    if (is_type(value, JSON_ARRAY))
        read_validation(value, out);
}

static void read_members(struct json holder, struct provider_error_body *out)
{
    take(member(holder, STR("type")), &out->type);
    take(member(holder, STR("status")), &out->type);
    take(member(holder, STR("code")), &out->code);
    take(member(holder, STR("param")), &out->param);
    take(member(holder, STR("request_id")), &out->request_id);
    read_message(member(holder, STR("detail")), out);
    read_message(member(holder, STR("message")), out);
    read_details(member(holder, STR("details")), out);
}

void provider_error_read(struct json body, struct provider_error_body *out_body)
{
    *out_body = (struct provider_error_body){ .retry_after_ms = -1 };
    if (is_type(body, JSON_ARRAY) && json_count(body) > 0)
        body = json_first(body);
    if (!is_type(body, JSON_OBJECT)) {
        take(body, &out_body->message);
        return;
    }
    struct json error = member(body, STR("error"));
    read_members(body, out_body);
    if (is_type(error, JSON_STRING)) {
        take(error, &out_body->message);
    } else if (is_type(error, JSON_OBJECT)) {
        struct str outer_id = out_body->request_id;
        *out_body = (struct provider_error_body){ .retry_after_ms = -1, .request_id = outer_id };
        read_members(error, out_body);
        /* An error inside of an error: the innermost speaks. */
        if (is_type(member(error, STR("error")), JSON_OBJECT))
            read_members(member(error, STR("error")), out_body);
    }
    out_body->is_understood =
        out_body->message.len > 0 || out_body->type.len > 0 || out_body->code.len > 0;
}
