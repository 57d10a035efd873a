/* request.h - is this request one that a call can begin with? */
#ifndef STRUCTURE_ENGINE_REQUEST_H
#define STRUCTURE_ENGINE_REQUEST_H

#include "engine/engine.h"

/* Fills *error and returns INVALID_REQUEST, INVALID_SCHEMA or UNSUPPORTED when it is not. */
enum status engine_request_check(const struct engine_request *request,
                                 const struct model_info *info, struct error *error);

/* The member name of the need object: "_need", or another when the target knows that name. Writes
 * the bytes to name (not NUL-terminated) and returns their number. */
enum { ENGINE_NEED_NAME_BYTES = 24 };
size_t engine_request_need_name(const struct schema_program *program,
                                char name[ENGINE_NEED_NAME_BYTES]);

#endif
