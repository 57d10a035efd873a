/* local_llama.c - loading a GGUF file through libllama: the checks, the vocabulary, what the model
 * says of itself.
 *
 * libllama's log goes to the process otherwise; here its first error is kept for the message of the
 * call that failed, and nothing is printed. Files from strangers are libllama's to parse: see
 * docs/local-models.md.
 */
#include "base/features.h"

#include "model/local_llama.h"

#if STRUCTURE_HAVE_LLAMA

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/utf8.h"

enum {
    LOCAL_PATH_BYTES_MAX = 4096,
    LOCAL_NAME_BYTES_MAX = 256,
    LOCAL_PIECE_BYTES = 512,
    LOCAL_LOG_BYTES = 200
};

/* ---- libllama's log -------------------------------------------------------------------------- */

static _Thread_local char local_log_error[LOCAL_LOG_BYTES];

/* Keeps the first error of a load in this thread, which names the cause, without control bytes. */
static void local_log(enum ggml_log_level level, const char *text, void *state)
{
    (void)state;
    if (level != GGML_LOG_LEVEL_ERROR || text == NULL || local_log_error[0] != '\0')
        return;
    size_t len = 0;
    for (; text[len] != '\0' && len + 1 < sizeof(local_log_error); len++)
        local_log_error[len] = (unsigned char)text[len] < ' ' ? ' ' : text[len];
    while (len > 0 && local_log_error[len - 1] == ' ')
        len--;
    local_log_error[len] = '\0';
}

static void local_start_library(void)
{
    llama_log_set(local_log, NULL);
    llama_backend_init();
}

static pthread_once_t local_library_once = PTHREAD_ONCE_INIT;

/* ---- checks of the file ---------------------------------------------------------------------- */

static enum status local_check_magic(const char *path, struct error *error)
{
    char magic[4];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return error_set(error, STATUS_INVALID_REQUEST, "cannot open the model file %s: %s", path,
                         strerror(errno));
    size_t count = fread(magic, 1, sizeof(magic), file);
    (void)fclose(file);
    if (count == sizeof(magic) && memcmp(magic, "GGUF", sizeof(magic)) == 0)
        return STATUS_OK;
    error_set(error, STATUS_INVALID_REQUEST, "%s is not a GGUF model file", path);
    error_hint(error, "models for this program are files in the GGUF format of llama.cpp");
    return STATUS_INVALID_REQUEST;
}

static enum status local_check_file(const char *path, bool is_default, struct error *error)
{
    struct stat about;
    if (stat(path, &about) != 0) {
        if (is_default && (errno == ENOENT || errno == ENOTDIR)) {
            error_set(error, STATUS_NOT_CONFIGURED, "the default local model is not there: %s",
                      path);
            error_hint(error, "run ./setup to fetch it, or name a .gguf file with --model PATH");
            return STATUS_NOT_CONFIGURED;
        }
        return error_set(error, STATUS_INVALID_REQUEST, "cannot open the model file %s: %s", path,
                         strerror(errno));
    }
    if (S_ISDIR(about.st_mode))
        return error_set(error, STATUS_INVALID_REQUEST, "%s is a directory, not a model file",
                         path);
    if (!S_ISREG(about.st_mode))
        return error_set(error, STATUS_INVALID_REQUEST, "%s is not a regular file", path);
    if (about.st_size == 0)
        return error_set(error, STATUS_INVALID_REQUEST, "the model file %s is empty", path);
    return local_check_magic(path, error);
}

/* ---- vocabulary and description -------------------------------------------------------------- */

static enum model_token_kind local_token_kind(const struct llama_vocab *vocab, llama_token token)
{
    const unsigned reserved =
        LLAMA_TOKEN_ATTR_CONTROL | LLAMA_TOKEN_ATTR_UNUSED | LLAMA_TOKEN_ATTR_UNKNOWN;
    if (llama_vocab_is_eog(vocab, token))
        return MODEL_TOKEN_END;
    if (((unsigned)llama_vocab_get_attr(vocab, token) & reserved) != 0)
        return MODEL_TOKEN_RESERVED;
    return MODEL_TOKEN_TEXT;
}

static enum status local_read_vocabulary(struct local *local, struct error *error)
{
    char piece[LOCAL_PIECE_BYTES];
    int32_t count = llama_vocab_n_tokens(local->vocab);
    enum status status = model_vocabulary_init(&local->vocabulary, count < 0 ? 0 : (uint32_t)count,
                                               local->alloc, error);
    for (llama_token token = 0; status == STATUS_OK && token < count; token++) {
        enum model_token_kind kind = local_token_kind(local->vocab, token);
        int32_t len = 0;
        if (kind == MODEL_TOKEN_TEXT)
            len = llama_token_to_piece(local->vocab, token, piece, sizeof(piece), 0, false);
        if (len < 0) /* longer than any use of it */
            len = 0;
        model_vocabulary_add(&local->vocabulary, kind, str_of(piece, (size_t)len));
    }
    if (status == STATUS_OK)
        status = model_vocabulary_finish(&local->vocabulary, error);
    if (status == STATUS_OK && local->vocabulary.bytes_longest == 0)
        status = error_set(error, STATUS_INVALID_REQUEST, "the model has no text vocabulary");
    return status;
}

/* "local/" and the file's name without its ending. */
static void local_name(struct local *local, struct str path)
{
    size_t begin = path.len;
    while (begin > 0 && path.ptr[begin - 1] != '/')
        begin--;
    struct str name = str_of(path.ptr + begin, path.len - begin);
    if (name.len > 5 && memcmp(name.ptr + name.len - 5, ".gguf", 5) == 0)
        name.len -= 5;
    name = utf8_prefix(name, LOCAL_NAME_BYTES_MAX - 6);
    buffer_append_str(&local->name, STR("local/"));
    buffer_append_str(&local->name, name);
}

static void local_describe(struct local *local, const struct model_local_options *options)
{
    int32_t trained = llama_model_n_ctx_train(local->llama);
    uint32_t context_max =
        options->context_max > 0 ? options->context_max : LOCAL_CONTEXT_DEFAULT_MAX;
    uint64_t parameters = llama_model_n_params(local->llama);
    if (trained > 0 && (uint32_t)trained < context_max)
        context_max = (uint32_t)trained;
    local->threads = local_threads_max(options->threads);
    local->threads_vary = options->threads == 0;
    local->info = (struct model_info){
        .name = buffer_view(&local->name),
        .capabilities = MODEL_STRICT_OUTPUT | MODEL_NEED_ALTERNATIVE,
        .prompt_style = parameters < LOCAL_SMALL_PARAMETERS ? MODEL_PROMPT_TEXT_FIRST
                                                           : MODEL_PROMPT_RULES_FIRST,
        .parameter_count = parameters,
        .context_tokens = context_max,
    };
}

/* ---- life cycle ------------------------------------------------------------------------------ */

struct load_progress {
    const struct model_sink *sink;
    int percent; /* last reported */
};

static bool local_load_progress(float progress, void *state)
{
    struct load_progress *load = state;
    int percent = (int)(progress * 100.0F);
    if (load->sink != NULL && load->sink->phase != NULL && percent > load->percent) {
        load->percent = percent;
        load->sink->phase(load->sink->state, "loading the model", percent * 10);
    }
    return true;
}

static void local_free(void *state)
{
    struct local *local = state;
    local_context_free(local);
    if (local->llama != NULL)
        llama_model_free(local->llama);
    model_sampler_release(&local->sampler);
    model_vocabulary_release(&local->vocabulary);
    model_tokens_release(&local->kept);
    model_tokens_release(&local->prompt);
    model_tokens_release(&local->output);
    buffer_release(&local->name);
    alloc_free(local->alloc, local, sizeof(*local));
}

static enum status local_load(struct local *local, const char *path, const struct model_sink *sink,
                              struct error *error)
{
    struct llama_model_params params = llama_model_default_params();
    struct load_progress progress = { sink, -1 };
    params.n_gpu_layers = 0;
    params.progress_callback = local_load_progress;
    params.progress_callback_user_data = &progress;
    local_log_error[0] = '\0';
    local->llama = llama_model_load_from_file(path, params);
    if (local->llama == NULL) {
        error_set(error, STATUS_INVALID_REQUEST, "the model file %s cannot be loaded", path);
        error_hint(error, "%s", local_log_error[0] != '\0' ? local_log_error
                                                           : "is the file whole?");
        return STATUS_INVALID_REQUEST;
    }
    local->vocab = llama_model_get_vocab(local->llama);
    if (!llama_model_has_decoder(local->llama) || llama_model_has_encoder(local->llama))
        return error_set(error, STATUS_INVALID_REQUEST, "%s is not a model that writes text", path);
    return local_read_vocabulary(local, error);
}

static struct model_info local_info(void *state)
{
    const struct local *local = state;
    return local->info;
}

static const struct model_ops local_ops = { "local", local_info, local_generate, local_free };

static enum status local_open(const char *path, const struct model_local_options *options,
                              const struct alloc *alloc, const struct model_sink *sink,
                              struct model *out_model, struct error *error)
{
    struct local *local = alloc_get(alloc, sizeof(*local));
    if (local == NULL)
        return error_set(error, STATUS_NO_MEMORY, "no memory for a local model");
    *local = (struct local){ .alloc = alloc };
    buffer_init(&local->name, alloc, LOCAL_NAME_BYTES_MAX);
    model_tokens_init(&local->kept, alloc);
    model_tokens_init(&local->prompt, alloc);
    model_tokens_init(&local->output, alloc);
    model_sampler_init(&local->sampler, &local->vocabulary, alloc);
    local_name(local, str_from(path));
    enum status status = buffer_status(&local->name);
    if (status != STATUS_OK)
        (void)error_set(error, status, "no memory for a local model");
    else
        status = local_load(local, path, sink, error);
    if (status != STATUS_OK) {
        local_free(local);
        return status;
    }
    local_describe(local, options);
    *out_model = (struct model){ &local_ops, local };
    return STATUS_OK;
}

enum status model_local_open(const struct model_local_options *options, const struct alloc *alloc,
                             const struct model_sink *sink, struct model *out_model,
                             struct error *error)
{
    static const struct model_local_options none = { .threads = 0 };
    struct buffer path;
    enum status status = STATUS_OK;
    if (options == NULL)
        options = &none;
    bool is_default = options->path.len == 0;
    buffer_init(&path, alloc, LOCAL_PATH_BYTES_MAX);
    if (is_default)
        status = model_local_default_path(&path, error);
    else
        buffer_append_str(&path, options->path);
    if (status == STATUS_OK && buffer_status(&path) == STATUS_NO_MEMORY)
        status = error_set(error, STATUS_NO_MEMORY, "no memory for a local model");
    else if (status == STATUS_OK && (buffer_status(&path) != STATUS_OK ||
                                     memchr(path.ptr, '\0', path.len) != NULL))
        status = error_set(error, STATUS_INVALID_REQUEST, "the path of the model is not usable");
    if (status == STATUS_OK)
        status = local_check_file(path.ptr, is_default, error);
    if (status == STATUS_OK) {
        (void)pthread_once(&local_library_once, local_start_library);
        status = local_open(path.ptr, options, alloc, sink, out_model, error);
    }
    buffer_release(&path);
    return status;
}

const char *model_local_library_version(void)
{
    return llama_version();
}

#endif
