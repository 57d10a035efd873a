/* dry_run.c - --dry-run: what would be sent to the model. See dry_run.h.
 *
 * Owns: the form of that document. Leaves to others: the prompt (engine) and the language (decode).
 * Invariant: nothing is sent.
 */
#include "base/features.h"

#include "cli/dry_run.h"

#include <inttypes.h>

#include "decode/language.h"
#include "provider/provider.h"

static const char *dry_run_role(enum model_role role)
{
    switch (role) {
    case MODEL_ROLE_SYSTEM: return "system";
    case MODEL_ROLE_USER: return "user";
    case MODEL_ROLE_ASSISTANT: return "assistant";
    }
    return "user";
}

static const char *dry_run_grounded(enum model_grounded grounded)
{
    switch (grounded) {
    case MODEL_GROUNDED_AUTO: return "auto";
    case MODEL_GROUNDED_ON: return "on";
    case MODEL_GROUNDED_OFF: return "off";
    }
    return "auto";
}

/* The lines of gaps as an array of strings. */
static void dry_run_gaps_append(struct buffer *out, struct str gaps)
{
    bool is_first = true;
    buffer_append_byte(out, '[');
    while (gaps.len > 0) {
        const char *newline = memchr(gaps.ptr, '\n', gaps.len);
        size_t len = newline == NULL ? gaps.len : (size_t)(newline - gaps.ptr);
        if (len > 0) {
            if (!is_first)
                buffer_append_byte(out, ',');
            json_write_string(str_of(gaps.ptr, len), out);
            is_first = false;
        }
        len += newline == NULL ? 0 : 1;
        gaps.ptr += len;
        gaps.len -= len;
    }
    buffer_append_byte(out, ']');
}

static void dry_run_request_append(struct buffer *out, const struct model_request *request)
{
    buffer_append_str(out, STR(",\"messages\":["));
    for (uint32_t i = 0; i < request->message_count; i++) {
        const struct model_message *message = &request->messages[i];
        buffer_printf(out, "%s{\"role\":\"%s\",\"content\":", i == 0 ? "" : ",",
                      dry_run_role(message->role));
        json_write_string(message->text, out);
        buffer_append_byte(out, '}');
    }
    buffer_printf(out, "],\"maxTokens\":%" PRIu32 ",\"grounded\":\"%s\"", request->tokens_max,
                  dry_run_grounded(request->grounded));
    if (request->temperature >= 0)
        buffer_printf(out, ",\"temperature\":%g", request->temperature);
    if (request->has_seed)
        buffer_printf(out, ",\"seed\":%" PRIu64, request->seed);
    if (request->need_name.len > 0) {
        buffer_append_str(out, STR(",\"needName\":"));
        json_write_string(request->need_name, out);
    }
    if (request->program != NULL) {
        buffer_append_str(out, STR(",\"wireSchema\":"));
        json_write(request->program->root, 0, out);
    }
}

enum status cli_dry_run_append(struct engine_call *call, const struct model_info *info,
                               const struct alloc *alloc, struct buffer *out, struct error *error)
{
    struct engine_action action = engine_call_next(call);
    struct decode_language *language = NULL;
    if (action.kind == ENGINE_ACTION_FAILED) {
        *error = *engine_call_error(call);
        return error->status;
    }
    buffer_append_str(out, STR("{\"model\":"));
    json_write_string(info->name, out);
    dry_run_request_append(out, &action.request);
    if (action.request.program != NULL) {
        struct decode_options options = { .need_name = action.request.need_name };
        enum status status =
            decode_language_new(action.request.program, &options, alloc, &language, error);
        if (status != STATUS_OK)
            return status;
        buffer_append_str(out, STR(",\"leftToValidator\":"));
        dry_run_gaps_append(out, decode_language_gaps(language));
        decode_language_free(language);
    }
    buffer_append_byte(out, '}');
    return STATUS_OK;
}

enum status cli_dry_run_append_provider(struct engine_call *call, const struct model *model,
                                        struct buffer *out, struct error *error)
{
    struct engine_action action = engine_call_next(call);
    if (action.kind == ENGINE_ACTION_FAILED) {
        *error = *engine_call_error(call);
        return error->status;
    }
    return provider_describe(model, &action.request, out, error);
}
