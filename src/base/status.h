/* status.h - what a fallible function returns, and the caller-owned description of what went wrong.
 *
 * Owns: the closed set of statuses (the error kinds of the product plus OK and NO_MEMORY) and
 * struct error. An error is filled once, where the cause is known, and travels upwards unchanged.
 * Its text carries JSON Pointers, keywords, limits and file names, never the value of an instance,
 * a prompt, a reply or a key.
 */
#ifndef STRUCTURE_BASE_STATUS_H
#define STRUCTURE_BASE_STATUS_H

#include <stdint.h>

#include "base/str.h"

enum status {
    STATUS_OK = 0,
    STATUS_NO_MEMORY,
    STATUS_INVALID_REQUEST,
    STATUS_INVALID_SCHEMA,
    STATUS_UNKNOWN_SCHEMA,
    STATUS_NOT_CONFIGURED,
    STATUS_UNSUPPORTED,
    STATUS_REJECTED,
    STATUS_TRANSIENT,
    STATUS_TRANSPORT,
    STATUS_SCHEMA_VIOLATION,
    STATUS_CANCELLED,
    STATUS_DEADLINE,
    STATUS_STORE,
    STATUS_INTERNAL
};

enum { ERROR_MESSAGE_BYTES = 512, ERROR_POINTER_BYTES = 256, ERROR_HINT_BYTES = 256 };

struct error {
    enum status status;               /* STATUS_OK while nothing happened */
    char message[ERROR_MESSAGE_BYTES]; /* what and where, one line, NUL-terminated UTF-8 */
    char hint[ERROR_HINT_BYTES];      /* the next step, or "" */
    char pointer[ERROR_POINTER_BYTES]; /* JSON Pointer of the place, valid if has_pointer ("" is the
                                          root) */
    bool has_pointer;
    uint32_t line;                    /* 1-based, 0 when unknown */
    uint32_t column;                  /* 1-based, in code points, 0 when unknown */
    int64_t retry_after_ms;           /* -1 when unknown */
};

/* Name of a kind as every surface prints it: "invalid-request". NO_MEMORY prints as "internal". */
const char *status_name(enum status status);

void error_clear(struct error *error);

/* Fills error (which may be NULL) unless it is filled already, and returns status. Text is cut at a
 * code point boundary when it does not fit. */
enum status error_set(struct error *error, enum status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Add the next step, the JSON Pointer or the source position to an error that was just set. */
void error_hint(struct error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
void error_at_pointer(struct error *error, struct str pointer);
void error_at_line(struct error *error, uint32_t line, uint32_t column);

#endif
