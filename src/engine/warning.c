/* warning.c - warnings of a call.
 *
 * Owns: their words. They carry pointers and code points, never values.
 */
#include "base/features.h"

#include "engine/warning.h"

#include <stdarg.h>
#include <stdio.h>

enum {
    WARNING_BYTES = 512,
    CONTROL_WARNINGS_MAX = 4,
    SMALL_MODEL_PARAMETERS = 1000000000,
    PARAMETERS_PER_MILLION = 1000000
};

enum status engine_warning_add(struct engine_call *call, const char *format, ...)
{
    char text[WARNING_BYTES];
    if (call->result.warning_count == ENGINE_WARNINGS_MAX)
        return STATUS_OK;
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (len < 0)
        return STATUS_OK;
    struct str copy = arena_copy(&call->arena, str_from(text));
    if (copy.ptr == NULL)
        return STATUS_NO_MEMORY;
    call->warnings[call->result.warning_count++] = copy;
    call->result.warnings = call->warnings;
    return STATUS_OK;
}

enum status engine_warning_add_once(struct engine_call *call, struct str text)
{
    for (uint32_t i = 0; i < call->result.warning_count; i++) {
        if (str_equal(call->warnings[i], text))
            return STATUS_OK;
    }
    return engine_warning_add(call, "%.*s", (int)text.len, text.len > 0 ? text.ptr : "");
}

/* The first control character of text that the prompt does not contain, or -1. Line breaks are
 * ordinary. */
static int foreign_control(struct str text, struct str prompt)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte < 0x20 && byte != '\n' && memchr(prompt.ptr, byte, prompt.len) == NULL)
            return byte;
    }
    return -1;
}

static enum status warn_of_control(struct engine_call *call, struct json value, int control)
{
    struct buffer pointer;
    buffer_init(&pointer, call->alloc, WARNING_BYTES / 2);
    json_pointer_of(value, &pointer);
    struct str view =
        buffer_status(&pointer) == STATUS_OK ? buffer_view(&pointer) : STR("(a value)");
    enum status status = engine_warning_add(
        call, "%.*s: contains the control character U+%04X, which the text does not", (int)view.len,
        view.len > 0 ? view.ptr : "", (unsigned)control);
    buffer_release(&pointer);
    return status;
}

/* Visits every value below data once; the document is a tree, so the stack is as deep as the
 * document. */
static enum status warn_of_controls(struct engine_call *call, struct json data)
{
    struct json containers[LIMIT_JSON_DEPTH + 1];
    struct json next[LIMIT_JSON_DEPTH + 1];
    uint32_t depth = 1, warned = 0;
    containers[0] = data;
    next[0] = json_first(data);
    while (depth > 0 && warned < CONTROL_WARNINGS_MAX) {
        struct json value = next[depth - 1];
        if (!json_exists(value)) {
            depth--;
            continue;
        }
        next[depth - 1] = json_next(value, containers[depth - 1]);
        enum json_type type = json_type(value);
        if ((type == JSON_OBJECT || type == JSON_ARRAY) && depth <= LIMIT_JSON_DEPTH) {
            containers[depth] = value;
            next[depth++] = json_first(value);
        }
        int control =
            type == JSON_STRING ? foreign_control(json_string(value), call->source_text) : -1;
        if (control < 0)
            continue;
        warned++;
        enum status status = warn_of_control(call, value, control);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

enum status engine_warning_of_data(struct engine_call *call, struct json data)
{
    enum status status = STATUS_OK;
    if (json_type(data) == JSON_OBJECT || json_type(data) == JSON_ARRAY)
        status = warn_of_controls(call, data);
    uint64_t parameters = call->info.parameter_count;
    if (status == STATUS_OK && parameters > 0 && parameters < SMALL_MODEL_PARAMETERS)
        status =
            engine_warning_add(call,
                               "a small model (%u million parameters) answered: the data is valid, "
                               "not necessarily right",
                               (unsigned)(parameters / PARAMETERS_PER_MILLION));
    return status;
}
