/* error.c - kinds and errors at the public edge.
 *
 * Owns: the map from statuses to public kinds, and error handles. Leaves to others: their words.
 * Invariant: a failure can always be handed out, even when memory is gone.
 */
#include "base/features.h"

#include "api/api.h"

static structure_error error_without_memory = {
    .error = { .status = STATUS_NO_MEMORY, .message = "out of memory", .retry_after_ms = -1 }
};

struct str api_text(const char *text, size_t len)
{
    return len == STRUCTURE_NUL ? str_from(text) : str_of(text, len);
}

struct alloc api_alloc(const struct structure_allocator *allocator)
{
    if (allocator == NULL)
        return *alloc_default();
    return (struct alloc){ allocator->resize, allocator->state };
}

enum structure_kind api_kind(enum status status)
{
    switch (status) {
    case STATUS_OK: return STRUCTURE_OK;
    case STATUS_INVALID_REQUEST: return STRUCTURE_INVALID_REQUEST;
    case STATUS_INVALID_SCHEMA: return STRUCTURE_INVALID_SCHEMA;
    case STATUS_UNKNOWN_SCHEMA: return STRUCTURE_UNKNOWN_SCHEMA;
    case STATUS_NOT_CONFIGURED: return STRUCTURE_NOT_CONFIGURED;
    case STATUS_UNSUPPORTED: return STRUCTURE_UNSUPPORTED;
    case STATUS_REJECTED: return STRUCTURE_REJECTED;
    case STATUS_TRANSIENT: return STRUCTURE_TRANSIENT;
    case STATUS_TRANSPORT: return STRUCTURE_TRANSPORT;
    case STATUS_SCHEMA_VIOLATION: return STRUCTURE_SCHEMA_VIOLATION;
    case STATUS_DEADLINE: return STRUCTURE_DEADLINE;
    case STATUS_STORE: return STRUCTURE_STORE;
    case STATUS_NO_MEMORY:
    case STATUS_INTERNAL: return STRUCTURE_INTERNAL;
    case STATUS_CANCELLED: return STRUCTURE_CANCELLED;
    }
    return STRUCTURE_INTERNAL;
}

const char *structure_kind_name(enum structure_kind kind)
{
    switch (kind) {
    case STRUCTURE_OK: return status_name(STATUS_OK);
    case STRUCTURE_INVALID_REQUEST: return status_name(STATUS_INVALID_REQUEST);
    case STRUCTURE_INVALID_SCHEMA: return status_name(STATUS_INVALID_SCHEMA);
    case STRUCTURE_UNKNOWN_SCHEMA: return status_name(STATUS_UNKNOWN_SCHEMA);
    case STRUCTURE_NOT_CONFIGURED: return status_name(STATUS_NOT_CONFIGURED);
    case STRUCTURE_UNSUPPORTED: return status_name(STATUS_UNSUPPORTED);
    case STRUCTURE_REJECTED: return status_name(STATUS_REJECTED);
    case STRUCTURE_TRANSIENT: return status_name(STATUS_TRANSIENT);
    case STRUCTURE_TRANSPORT: return status_name(STATUS_TRANSPORT);
    case STRUCTURE_SCHEMA_VIOLATION: return status_name(STATUS_SCHEMA_VIOLATION);
    case STRUCTURE_DEADLINE: return status_name(STATUS_DEADLINE);
    case STRUCTURE_STORE: return status_name(STATUS_STORE);
    case STRUCTURE_INTERNAL: return status_name(STATUS_INTERNAL);
    case STRUCTURE_CANCELLED: return status_name(STATUS_CANCELLED);
    }
    return status_name(STATUS_INTERNAL);
}

enum structure_kind api_fail(enum status status, const struct error *error,
                             structure_error **out_error)
{
    enum status why = error->status != STATUS_OK ? error->status : status;
    if (out_error != NULL) {
        structure_error *made = NULL;
        if (why != STATUS_NO_MEMORY)
            made = alloc_get(alloc_default(), sizeof(*made));
        if (made == NULL) {
            made = &error_without_memory;
        } else {
            made->error = *error;
            if (error->status == STATUS_OK)
                (void)error_set(&made->error, why, "%s", status_name(why));
        }
        *out_error = made;
    }
    return api_kind(why);
}

void structure_error_free(structure_error *error)
{
    if (error != &error_without_memory)
        alloc_free(alloc_default(), error, sizeof(*error));
}

enum structure_kind structure_error_kind(const structure_error *error)
{
    return api_kind(error->error.status);
}

const char *structure_error_message(const structure_error *error)
{
    return error->error.message;
}

const char *structure_error_hint(const structure_error *error)
{
    return error->error.hint;
}

const char *structure_error_pointer(const structure_error *error)
{
    return error->error.has_pointer ? error->error.pointer : NULL;
}

uint32_t structure_error_line(const structure_error *error)
{
    return error->error.line;
}

uint32_t structure_error_column(const structure_error *error)
{
    return error->error.column;
}

int64_t structure_error_retry_after_ms(const structure_error *error)
{
    return error->error.retry_after_ms;
}
