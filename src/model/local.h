/* local.h - a GGUF model in this process through libllama's C API. */
#ifndef STRUCTURE_MODEL_LOCAL_H
#define STRUCTURE_MODEL_LOCAL_H

#include "model/model.h"

struct model_local_options {
    struct str path;        /* of a .gguf file; empty: the default model of the user */
    uint32_t threads;       /* 0: the processors available, at most 8 */
    uint32_t context_max;   /* tokens; 0: the model's own, at most 8192 */
};

/* Loads the model. Errors: NOT_CONFIGURED (built without libllama, or the default model is
 * absent: the hint gives the next step), INVALID_REQUEST (no such file, not a GGUF file, cannot
 * be loaded), NO_MEMORY. One model may serve many calls, one at a time. */
enum status model_local_open(const struct model_local_options *options, const struct alloc *alloc,
                             const struct model_sink *sink, struct model *out_model,
                             struct error *error);

/* Path of the default model: $STRUCTURE_MODEL_FILE, else $XDG_DATA_HOME/structure/models/<name>,
 * else $HOME/.local/share/structure/models/<name>. Appended to out. */
enum status model_local_default_path(struct buffer *out, struct error *error);

/* "0.5.0", or NULL when built without libllama. */
const char *model_local_library_version(void);

#endif
