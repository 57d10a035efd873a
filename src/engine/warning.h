/* warning.h - what the caller should know about an answer that was accepted. */
#ifndef STRUCTURE_ENGINE_WARNING_H
#define STRUCTURE_ENGINE_WARNING_H

#include "engine/call.h"

/* Adds a warning; the ones beyond the maximum are dropped. NO_MEMORY. */
enum status engine_warning_add(struct engine_call *call, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same for a text that is said once a call, however often it comes. */
enum status engine_warning_add_once(struct engine_call *call, struct str text);

/* Warnings about the data of an accepted reply: control characters that the text does not contain,
 * a model so small that its answers are often wrong. */
enum status engine_warning_of_data(struct engine_call *call, struct json data);

#endif
