/* model_source.h - a model as the person named it, opened. */
#ifndef STRUCTURE_CLI_MODEL_SOURCE_H
#define STRUCTURE_CLI_MODEL_SOURCE_H

#include "model/model.h"

/* name: NULL, "local" or an alias (the default model), or a path to a .gguf file. Other providers
 * are UNSUPPORTED for now, other names NOT_CONFIGURED. *out_path is the file that it means, empty
 * for the default. */
enum status cli_model_resolve(const char *name, struct str *out_path, struct error *error);

/* What is known of a local model before it is loaded: enough to check a request. */
struct model_info cli_model_stand_in(void);

#endif
