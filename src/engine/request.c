/* request.c - the request check, before any model is asked.
 *
 * Owns: what is refused and in which words. Leaves to others: the schema (compiled before), the
 * model's context.
 */
#include "base/features.h"

#include "engine/request.h"

#include <stdio.h>

#include "base/limits.h"
#include "base/utf8.h"
#include "engine/text.h"

enum { NEED_DIGITS_MAX = 8 };

static enum status check_text(struct str text, const char *what, struct error *error)
{
    if (text.len > LIMIT_PROMPT_BYTES)
        return error_set(error, STATUS_INVALID_REQUEST,
                         "the %s is longer than the limit of %u bytes", what, LIMIT_PROMPT_BYTES);
    size_t bad = utf8_check(text);
    if (bad == text.len)
        return STATUS_OK;
    uint32_t line = 1, column = 1;
    json_position((struct str){ text.ptr, bad }, bad, &line, &column);
    error_set(error, STATUS_INVALID_REQUEST, "the %s is not well-formed UTF-8 at byte %zu", what,
              bad);
    error_at_line(error, line, column);
    return STATUS_INVALID_REQUEST;
}

static enum status check_prompt(struct str prompt, struct error *error)
{
    if (check_text(prompt, "prompt", error) != STATUS_OK)
        return STATUS_INVALID_REQUEST;
    if (!engine_text_is_blank(prompt))
        return STATUS_OK;
    error_set(error, STATUS_INVALID_REQUEST, "the prompt is blank");
    error_hint(error, "give the text from which the object is to be extracted");
    return STATUS_INVALID_REQUEST;
}

/* A conversation that the caller holds: within the limits of a prompt, and the user speaks last. */
static enum status check_turns(const struct engine_request *request, struct error *error)
{
    size_t bytes = 0;
    if (request->turn_count == 0 || request->turn_count > LIMIT_TURNS_MAX)
        return error_set(error, STATUS_INVALID_REQUEST,
                         "a conversation must have 1..%u turns (was %u)", LIMIT_TURNS_MAX,
                         request->turn_count);
    for (uint32_t i = 0; i < request->turn_count; i++) {
        if (check_text(request->turns[i].text, "conversation", error) != STATUS_OK)
            return STATUS_INVALID_REQUEST;
        bytes += request->turns[i].text.len;
    }
    if (bytes > LIMIT_PROMPT_BYTES)
        return error_set(error, STATUS_INVALID_REQUEST,
                         "the conversation is longer than the limit of %u bytes",
                         LIMIT_PROMPT_BYTES);
    const struct model_message *last = &request->turns[request->turn_count - 1];
    if (last->role != MODEL_ROLE_USER || engine_text_is_blank(last->text))
        return error_set(error, STATUS_INVALID_REQUEST,
                         "the last turn of the conversation must be the user's, and not blank");
    return STATUS_OK;
}

static enum status check_target(const struct schema_program *program, struct error *error)
{
    if (program != NULL && program->node_count > 0 &&
        (program->nodes[0].types & SCHEMA_OBJECT) != 0)
        return STATUS_OK;
    error_set(error, STATUS_INVALID_SCHEMA, "the root of the schema must describe an object");
    error_at_pointer(error, STR(""));
    error_hint(error, "--wrap-root sends the schema as the member \"value\" of an object");
    return STATUS_INVALID_SCHEMA;
}

enum status engine_request_check(const struct engine_request *request,
                                 const struct model_info *info, struct error *error)
{
    enum status status =
        request->turns != NULL ? check_turns(request, error) : check_prompt(request->prompt, error);
    if (status == STATUS_OK)
        status = check_text(request->instructions, "instructions text", error);
    if (status == STATUS_OK)
        status = check_target(request->program, error);
    if (status != STATUS_OK)
        return status;
    if (request->loops_max > LIMIT_LOOPS_MAX)
        return error_set(error, STATUS_INVALID_REQUEST, "maxLoops must be in 1..%u (was %u)",
                         LIMIT_LOOPS_MAX, request->loops_max);
    if (request->require_strict &&
        (info->capabilities & (MODEL_STRICT_OUTPUT | MODEL_STRICT_UNKNOWN)) == 0) {
        error_set(error, STATUS_UNSUPPORTED, "the model %.*s has no strict output",
                  (int)info->name.len, info->name.ptr);
        error_hint(error, "--no-strict asks by prompt instead");
        return STATUS_UNSUPPORTED;
    }
    return STATUS_OK;
}

/* Which names of the family the target knows. */
struct need_names {
    bool has_plain;      /* "_need" */
    bool has_underscore; /* "_need_" */
    uint32_t number_max; /* of "_need2", "_need3", ... */
};

static void need_names_add(struct need_names *names, struct str name)
{
    if (!str_starts_with(name, STR("_need")))
        return;
    struct str rest = engine_text_skip(name, 5);
    if (rest.len == 0)
        names->has_plain = true;
    if (str_equal(rest, STR("_")))
        names->has_underscore = true;
    uint32_t number = 0;
    for (size_t i = 0; i < rest.len; i++) {
        if (rest.ptr[i] < '0' || rest.ptr[i] > '9' || i == NEED_DIGITS_MAX)
            return;
        number = number * 10 + (uint32_t)(rest.ptr[i] - '0');
    }
    if (number > names->number_max)
        names->number_max = number;
}

static struct need_names need_names_of(const struct schema_program *program)
{
    struct need_names names = { .number_max = 1 };
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct schema_op *op = &program->ops[i];
        for (uint32_t k = 0; op->opcode == SCHEMA_OP_PROPERTIES && k < op->b; k++)
            need_names_add(&names, program->properties[op->a + k].name);
        for (uint32_t k = 0; op->opcode == SCHEMA_OP_REQUIRED && k < op->b; k++)
            need_names_add(&names, program->names[op->a + k]);
    }
    return names;
}

size_t engine_request_need_name(const struct schema_program *program,
                                char name[ENGINE_NEED_NAME_BYTES])
{
    struct need_names names = need_names_of(program);
    int len;
    if (!names.has_plain || !names.has_underscore)
        len = snprintf(name, ENGINE_NEED_NAME_BYTES, "_need%s", names.has_plain ? "_" : "");
    else
        len = snprintf(name, ENGINE_NEED_NAME_BYTES, "_need%u", names.number_max + 1);
    return len < 0 ? 0 : (size_t)len;
}
