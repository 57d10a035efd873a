/* status.c - names of the statuses and the filling of struct error.
 *
 * Owns: the rule that the first cause stays. Leaves to others: the words. Invariant: every text in
 * an error is NUL-terminated and, given UTF-8 arguments, well-formed.
 */
#include "base/features.h"

#include "base/status.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

const char *status_name(enum status status)
{
    switch (status) {
    case STATUS_OK: return "ok";
    case STATUS_INVALID_REQUEST: return "invalid-request";
    case STATUS_INVALID_SCHEMA: return "invalid-schema";
    case STATUS_UNKNOWN_SCHEMA: return "unknown-schema";
    case STATUS_NOT_CONFIGURED: return "not-configured";
    case STATUS_UNSUPPORTED: return "unsupported";
    case STATUS_REJECTED: return "rejected";
    case STATUS_TRANSIENT: return "transient";
    case STATUS_TRANSPORT: return "transport";
    case STATUS_SCHEMA_VIOLATION: return "schema-violation";
    case STATUS_CANCELLED: return "cancelled";
    case STATUS_DEADLINE: return "deadline";
    case STATUS_STORE: return "store";
    case STATUS_NO_MEMORY:
    case STATUS_INTERNAL: return "internal";
    }
    return "internal";
}

void error_clear(struct error *error)
{
    if (error == NULL)
        return;
    error->status = STATUS_OK;
    error->message[0] = '\0';
    error->hint[0] = '\0';
    error->pointer[0] = '\0';
    error->has_pointer = false;
    error->line = 0;
    error->column = 0;
    error->retry_after_ms = -1;
}

/* Formats into out; a text that does not fit is cut before the code point that crosses the end. */
static void error_format(char *out, size_t out_size, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

static void error_format(char *out, size_t out_size, const char *format, va_list arguments)
{
    int len = vsnprintf(out, out_size, format, arguments);
    if (len < 0) {
        out[0] = '\0';
        return;
    }
    if ((size_t)len < out_size)
        return;
    size_t incomplete;
    (void)utf8_valid_prefix(str_from(out), &incomplete);
    out[incomplete] = '\0';
}

enum status error_set(struct error *error, enum status status, const char *format, ...)
{
    if (error == NULL || error->status != STATUS_OK)
        return status;
    error_clear(error);
    error->status = status;
    va_list arguments;
    va_start(arguments, format);
    error_format(error->message, sizeof(error->message), format, arguments);
    va_end(arguments);
    return status;
}

void error_hint(struct error *error, const char *format, ...)
{
    if (error == NULL)
        return;
    va_list arguments;
    va_start(arguments, format);
    error_format(error->hint, sizeof(error->hint), format, arguments);
    va_end(arguments);
}

void error_at_pointer(struct error *error, struct str pointer)
{
    if (error == NULL)
        return;
    struct str fitting = utf8_prefix(pointer, sizeof(error->pointer) - 1);
    if (fitting.len > 0)
        memcpy(error->pointer, fitting.ptr, fitting.len);
    error->pointer[fitting.len] = '\0';
    error->has_pointer = true;
}

void error_at_line(struct error *error, uint32_t line, uint32_t column)
{
    if (error == NULL)
        return;
    error->line = line;
    error->column = column;
}
