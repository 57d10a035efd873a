/* model_source.c - a model as the person named it. See model_source.h.
 *
 * Owns: which names mean which model. Leaves to others: loading. Invariant: a name that means a
 * remote provider never falls back to another model.
 */
#include "base/features.h"

#include "cli/model_source.h"

#include <sys/stat.h>

static bool name_is_one_of(struct str name, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (str_equal(name, str_from(*names)))
            return true;
    }
    return false;
}

static bool name_is_file(const char *name)
{
    struct stat info;
    size_t len = strlen(name);
    return (len > 5 && strcmp(name + len - 5, ".gguf") == 0) || stat(name, &info) == 0;
}

enum status cli_model_resolve(const char *name, struct str *out_path, struct error *error)
{
    static const char *const defaults[] = { "local", "default", "default:fast", "default:strong",
                                            NULL };
    static const char *const providers[] = { "anthropic",    "openai", "openai-chat",
                                             "gemini",       "compat", "ollama",
                                             "llama-server", "vllm",   "lmstudio",
                                             "openrouter",   "groq",   "mistral",
                                             "deepseek",     "azure",  NULL };
    *out_path = STR("");
    if (name == NULL || name_is_one_of(str_from(name), defaults))
        return STATUS_OK;
    if (name_is_file(name)) {
        *out_path = str_from(name);
        return STATUS_OK;
    }
    struct str provider = str_of(name, strcspn(name, "/"));
    if (name_is_one_of(provider, providers)) {
        (void)error_set(error, STATUS_UNSUPPORTED, "the provider \"%.*s\" is not built yet",
                        (int)provider.len, provider.ptr);
        error_hint(error, "use -m local, or -m with the path of a .gguf file");
        return STATUS_UNSUPPORTED;
    }
    (void)error_set(error, STATUS_NOT_CONFIGURED, "no model is called \"%.100s\"", name);
    error_hint(error,
               "structure models list shows what there is; a path to a .gguf file works too");
    return STATUS_NOT_CONFIGURED;
}

struct model_info cli_model_stand_in(void)
{
    return (struct model_info){
        .name = STR("local"),
        .capabilities = MODEL_STRICT_OUTPUT | MODEL_NEED_ALTERNATIVE,
        .prompt_style = MODEL_PROMPT_TEXT_FIRST,
    };
}
