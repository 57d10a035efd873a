/* model_source.c - a model as the person named it: chosen, and opened. See model_source.h.
 *
 * Invariant: a name that means a provider never falls back to another model; a key is read only
 * when the model is opened to be asked.
 */
#include "base/features.h"

#include "cli/model_source.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/key_source.h"
#include "cli/report.h"
#include "model/local.h"

/* ---- names ---- */

static bool name_is_file(struct str name)
{
    struct stat info;
    char path[CLI_CONFIG_PATH_BYTES];
    if (name.len == 0 || name.len >= sizeof(path))
        return false;
    memcpy(path, name.ptr, name.len);
    path[name.len] = '\0';
    return stat(path, &info) == 0 && S_ISREG(info.st_mode);
}

static struct str model_named(const struct cli_config *config, const char *name,
                              const char **out_origin)
{
    const char *variable = getenv("STRUCTURE_MODEL");
    *out_origin = "-m";
    if (name != NULL)
        return str_from(name);
    *out_origin = "STRUCTURE_MODEL";
    if (variable != NULL && variable[0] != '\0')
        return str_from(variable);
    *out_origin = config->model_origin;
    if (config->model.len > 0)
        return config->model;
    *out_origin = "default";
    return STR("default");
}

static enum status choose_local(struct str meant, struct cli_model_choice *choice,
                                struct error *error)
{
    choice->path = str_equal(meant, STR("local")) ? STR("") : meant;
    if (!str_starts_with(meant, STR("local/")))
        return STATUS_OK;
    (void)error_set(error, STATUS_NOT_CONFIGURED, "models in this process have no names");
    error_hint(error, "-m local is the default one; any other is named by its path");
    return STATUS_NOT_CONFIGURED;
}

enum status cli_model_choose(const struct cli_config *config, const char *name,
                             struct cli_model_choice *out_choice, struct error *error)
{
    struct cli_model_choice choice = { .is_known = true };
    struct str named = model_named(config, name, &choice.origin);
    struct str meant = STR("");
    enum status status =
        catalogue_resolve(config->catalogue, named, &choice.provider, &meant, error);
    if (status == STATUS_NOT_CONFIGURED && name_is_file(named)) {
        error_clear(error);
        choice.provider = NULL;
        meant = named;
        status = STATUS_OK;
    }
    if (status == STATUS_OK && choice.provider == NULL)
        status = choose_local(meant, &choice, error);
    if (status != STATUS_OK)
        return status;
    if (choice.provider != NULL) {
        choice.model = meant;
        choice.row = catalogue_model(choice.provider, meant, &choice.is_known);
    }
    *out_choice = choice;
    return STATUS_OK;
}

/* ---- what is known of it ---- */

void cli_url_append(struct buffer *out, struct str url)
{
    size_t scheme = 0, end = 0, at = 0;
    while (scheme + 3 <= url.len && memcmp(url.ptr + scheme, "://", 3) != 0)
        scheme++;
    scheme = scheme + 3 <= url.len ? scheme + 3 : 0;
    for (end = scheme; end < url.len && memchr("/?#", url.ptr[end], 3) == NULL; end++) {
        if (url.ptr[end] == '@')
            at = end + 1;
    }
    buffer_append(out, url.ptr, scheme);
    if (at > 0)
        buffer_append_str(out, STR("***@"));
    else
        at = scheme;
    buffer_append(out, url.ptr + at, url.len - at);
}

static const char *model_variable(struct str name)
{
    char copy[256];
    if (name.len == 0 || name.len >= sizeof(copy))
        return NULL;
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    const char *value = getenv(copy);
    return value == NULL || value[0] == '\0' ? NULL : value;
}

struct str cli_model_base_url(const struct cli_config *config, const struct provider_row *row,
                              const char *option, struct str *out_origin)
{
    const char *value = model_variable(row->base_url_variable);
    *out_origin = STR("--base-url");
    if (option != NULL)
        return str_from(option);
    *out_origin = row->base_url_variable;
    if (value != NULL)
        return str_from(value);
    *out_origin = row->base_url.len > 0 ? STR("default") : STR("");
    if (row->base_url.len > 0 && row->is_users) {
        struct buffer pointer;
        buffer_init(&pointer, alloc_default(), ERROR_POINTER_BYTES);
        json_pointer_append(&pointer, STR("providers"));
        json_pointer_append(&pointer, row->id);
        json_pointer_append(&pointer, STR("baseUrl"));
        const char *file = cli_config_origin(config, buffer_view(&pointer));
        *out_origin = file != NULL ? str_from(file) : STR("default");
        buffer_release(&pointer);
    }
    return row->base_url;
}

struct model_info cli_model_info(const struct cli_model_choice *choice)
{
    if (choice->provider != NULL)
        return provider_model_info(choice->provider, choice->model);
    return (struct model_info){
        .name = STR("local"),
        .capabilities = MODEL_STRICT_OUTPUT | MODEL_NEED_ALTERNATIVE,
        .prompt_style = MODEL_PROMPT_TEXT_FIRST,
    };
}

/* ---- opening ---- */

/* Whether what is sent there can be read on the way: not encrypted, and not this machine. */
static bool url_is_open(struct str url)
{
    static const char *const here[] = { "localhost", "127.", "[::1]", NULL };
    if (!str_starts_with(url, STR("http://")))
        return false;
    struct str host = str_of(url.ptr + 7, url.len - 7);
    for (unsigned i = 0; here[i] != NULL; i++) {
        if (str_starts_with(host, str_from(here[i])))
            return false;
    }
    return true;
}

/* What would otherwise be found only after connections failed and were tried again. */
static enum status open_check_provider(const struct cli_model_options *options, struct error *error)
{
    if (options->record != NULL && options->replay != NULL) {
        (void)error_set(error, STATUS_INVALID_REQUEST, "--record and --replay exclude each other");
        error_hint(error, "record first, then replay the same folder");
        return STATUS_INVALID_REQUEST;
    }
    struct stat info;
    const char *file = options->ca_file;
    if (file == NULL ||
        (stat(file, &info) == 0 && !S_ISDIR(info.st_mode) && access(file, R_OK) == 0))
        return STATUS_OK;
    (void)error_set(error, STATUS_INVALID_REQUEST, "--ca-file %s is no file that can be read",
                    file);
    error_hint(error, "name a file with certificates in PEM form");
    return STATUS_INVALID_REQUEST;
}

static enum status open_provider(struct cli *cli, const struct cli_config *config,
                                 const struct cli_model_choice *choice,
                                 const struct cli_model_options *options, struct model *out_model,
                                 struct error *error)
{
    const struct provider_row *row = choice->provider;
    struct str origin;
    struct buffer key;
    enum status status = open_check_provider(options, error);
    if (status != STATUS_OK)
        return status;
    struct provider_options provider = {
        .catalogue = config->catalogue,
        .provider = row,
        .model = choice->model,
        .base_url = cli_model_base_url(config, row, options->base_url, &origin),
        .ca_file = str_from(options->ca_file),
        .record_folder = str_from(options->record),
        .replay_folder = str_from(options->replay),
        .no_stream = options->no_stream,
        .show_values = options->show_values,
        .trace = options->trace,
        .trace_state = options->trace_state,
    };
    buffer_init(&key, cli->alloc, CLI_KEY_BYTES);
    if (options->without_key || options->replay != NULL)
        provider.key = STR("none");
    else
        status = cli_key_read(row, cli->cancel, &key, error);
    if (status == STATUS_OK) {
        if (provider.key.len == 0)
            provider.key = buffer_view(&key);
        if (key.len > 0 && url_is_open(provider.base_url))
            cli_say(cli, CLI_LEVEL_NOTE,
                    "warning: the key of %.*s goes over a connection that is not encrypted",
                    (int)row->id.len, row->id.ptr);
        status = provider_open(&provider, cli->alloc, out_model, error);
    }
    cli_key_release(&key);
    return status;
}

/* What an option of providers alone would do is refused rather than ignored. */
static enum status open_check_local(const struct cli_model_options *options, struct error *error)
{
    const char *given = options->base_url != NULL  ? "--base-url"
                        : options->ca_file != NULL ? "--ca-file"
                        : options->record != NULL  ? "--record"
                        : options->replay != NULL  ? "--replay"
                        : options->no_stream       ? "--no-stream"
                                                   : NULL;
    if (given == NULL)
        return STATUS_OK;
    (void)error_set(error, STATUS_INVALID_REQUEST, "%s is for a provider, and the model is local",
                    given);
    error_hint(error, "name a provider's model with -m provider/model");
    return STATUS_INVALID_REQUEST;
}

enum status cli_model_open(struct cli *cli, const struct cli_config *config,
                           const struct cli_model_choice *choice,
                           const struct cli_model_options *options, const struct model_sink *sink,
                           struct model *out_model, struct error *error)
{
    if (choice->provider != NULL)
        return open_provider(cli, config, choice, options, out_model, error);
    struct model_local_options local = { .path = choice->path };
    enum status status = open_check_local(options, error);
    if (status == STATUS_OK)
        status = model_local_open(&local, cli->alloc, sink, out_model, error);
    return status;
}
