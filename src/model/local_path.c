/* local_path.c - where the default model lies: a file of the user's data folder, or the one the
 * user names. */
#include "base/features.h"

#include "model/local.h"

#include <stdlib.h>

#define LOCAL_DEFAULT_FILE "SmolLM2-135M-Instruct.Q4_1.gguf"

/* The value of an environment variable, empty when it is unset. */
static struct str path_variable(const char *name)
{
    return str_from(getenv(name));
}

enum status model_local_default_path(struct buffer *out, struct error *error)
{
    struct str file = path_variable("STRUCTURE_MODEL_FILE");
    struct str data = path_variable("XDG_DATA_HOME");
    struct str home = path_variable("HOME");
    if (file.len > 0) {
        buffer_append_str(out, file);
    } else if (data.len > 0 && data.ptr[0] == '/') { /* relative ones are to be ignored, says XDG */
        buffer_append_str(out, data);
        buffer_append_str(out, STR("/structure/models/" LOCAL_DEFAULT_FILE));
    } else if (home.len > 0) {
        buffer_append_str(out, home);
        buffer_append_str(out, STR("/.local/share/structure/models/" LOCAL_DEFAULT_FILE));
    } else {
        error_set(error, STATUS_NOT_CONFIGURED,
                  "there is no place to look for the default model: HOME is not set");
        error_hint(error, "name a .gguf file with --model PATH");
        return STATUS_NOT_CONFIGURED;
    }
    if (buffer_status(out) == STATUS_OK)
        return STATUS_OK;
    return error_set(error, buffer_status(out), "the path of the default model is too long");
}
