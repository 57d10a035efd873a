/* local_none.c - what a build without libllama answers. The other half of local_llama.c. */
#include "base/features.h"

#include "model/local.h"

#if !STRUCTURE_HAVE_LLAMA

enum status model_local_open(const struct model_local_options *options, const struct alloc *alloc,
                             const struct model_sink *sink, struct model *out_model,
                             struct error *error)
{
    (void)options;
    (void)alloc;
    (void)sink;
    (void)out_model;
    error_set(error, STATUS_NOT_CONFIGURED, "this program was built without local models");
    error_hint(error, "run ./setup, which builds libllama and then this program with it");
    return STATUS_NOT_CONFIGURED;
}

const char *model_local_library_version(void)
{
    return NULL;
}

#endif
