/* model_options.c - how a model is to be opened.
 *
 * Owns: the texts of the options. Invariant: memory that held a key is overwritten before it is
 * given back.
 */
#include "base/features.h"

#include "api/api_extract.h"

enum { OPTION_BYTES_MAX = 64 * 1024, OPTION_CATALOGUE_BYTES_MAX = 4 * 1024 * 1024 };

structure_model_options *structure_model_options_new(void)
{
    const struct alloc *alloc = alloc_default();
    structure_model_options *options = alloc_get(alloc, sizeof(*options));
    if (options == NULL)
        return NULL;
    *options = (structure_model_options){ .options = { .threads = 0 } };
    buffer_init(&options->texts.base_url, alloc, OPTION_BYTES_MAX);
    buffer_init(&options->texts.key, alloc, OPTION_BYTES_MAX);
    buffer_init(&options->texts.ca_file, alloc, OPTION_BYTES_MAX);
    buffer_init(&options->texts.catalogue, alloc, OPTION_CATALOGUE_BYTES_MAX);
    buffer_init(&options->texts.record_folder, alloc, OPTION_BYTES_MAX);
    buffer_init(&options->texts.replay_folder, alloc, OPTION_BYTES_MAX);
    return options;
}

static void option_release(struct buffer *text)
{
    volatile char *bytes = text->ptr;
    for (size_t i = 0; bytes != NULL && i < text->cap; i++)
        bytes[i] = 0;
    buffer_release(text);
}

void structure_model_options_free(structure_model_options *options)
{
    if (options == NULL)
        return;
    option_release(&options->texts.base_url);
    option_release(&options->texts.key);
    option_release(&options->texts.ca_file);
    option_release(&options->texts.catalogue);
    option_release(&options->texts.record_folder);
    option_release(&options->texts.replay_folder);
    alloc_free(alloc_default(), options, sizeof(*options));
}

/* All at once, so that growing leaves no copies behind; the former text stays where it fails. */
static enum structure_kind option_set(struct buffer *kept, const char *text, size_t len)
{
    struct buffer copy;
    struct str given = api_text(text, len);
    if (given.len > kept->max)
        return STRUCTURE_INVALID_REQUEST;
    buffer_init(&copy, kept->alloc, kept->max);
    buffer_append_str(&copy, given);
    if (buffer_status(&copy) != STATUS_OK) {
        option_release(&copy);
        return STRUCTURE_INTERNAL;
    }
    option_release(kept);
    *kept = copy;
    return STRUCTURE_OK;
}

void structure_model_options_set_threads(structure_model_options *options, uint32_t threads)
{
    options->options.threads = threads;
}

void structure_model_options_set_context_max(structure_model_options *options, uint32_t tokens)
{
    options->options.context_max = tokens;
}

enum structure_kind structure_model_options_set_base_url(structure_model_options *options,
                                                         const char *text, size_t len)
{
    return option_set(&options->texts.base_url, text, len);
}

enum structure_kind structure_model_options_set_key(structure_model_options *options,
                                                    const char *text, size_t len)
{
    return option_set(&options->texts.key, text, len);
}

enum structure_kind structure_model_options_set_ca_file(structure_model_options *options,
                                                        const char *text, size_t len)
{
    return option_set(&options->texts.ca_file, text, len);
}

enum structure_kind structure_model_options_set_catalogue(structure_model_options *options,
                                                          const char *text, size_t len)
{
    return option_set(&options->texts.catalogue, text, len);
}

enum structure_kind structure_model_options_set_record_folder(structure_model_options *options,
                                                              const char *text, size_t len)
{
    return option_set(&options->texts.record_folder, text, len);
}

enum structure_kind structure_model_options_set_replay_folder(structure_model_options *options,
                                                              const char *text, size_t len)
{
    return option_set(&options->texts.replay_folder, text, len);
}

void structure_model_options_set_stream(structure_model_options *options, int stream)
{
    options->no_stream = stream == 0;
}

void structure_model_options_set_trace(structure_model_options *options,
                                       void (*trace)(void *state, const char *line), void *state)
{
    options->trace = trace;
    options->trace_state = state;
}
