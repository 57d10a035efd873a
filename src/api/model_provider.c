/* model_provider.c - which model a name means, and opening one of a provider.
 *
 * Owns: what comes from the environment where the options say nothing. Leaves to others: the
 * catalogue, the wire. Invariant: a key of the environment goes only to the provider whose variable
 * it is; a provider of the caller's catalogue names its variable itself.
 */
#include "base/features.h"

#include "api/api_extract.h"

#include <stdlib.h>
#include <sys/stat.h>

enum { PROVIDER_VARIABLE_BYTES = 256 };

static struct str provider_variable(struct str name)
{
    char copy[PROVIDER_VARIABLE_BYTES];
    if (name.len == 0 || name.len >= sizeof(copy))
        return STR("");
    memcpy(copy, name.ptr, name.len);
    copy[name.len] = '\0';
    return str_from(getenv(copy));
}

static struct str provider_first(struct str first, struct str second)
{
    return first.len > 0 ? first : second;
}

static enum status provider_key(const struct provider_row *row, struct str given,
                                struct str *out_key, struct error *error)
{
    struct str source = row->key_source;
    struct str variable = row->key_variable;
    *out_key = given;
    if (given.len > 0)
        return STATUS_OK;
    if (str_starts_with(source, STR("env:"))) {
        variable = str_of(source.ptr + 4, source.len - 4);
    } else if (source.len > 0) {
        (void)error_set(error, STATUS_UNSUPPORTED,
                        "the library takes no key from a file or a command");
        error_hint(error, "set the key in the options of the model");
        return STATUS_UNSUPPORTED;
    }
    *out_key = provider_variable(variable);
    return STATUS_OK;
}

static enum status provider_start(structure_model *model, const struct provider_row *row,
                                  struct str name, const structure_model_options *options,
                                  struct error *error)
{
    struct provider_options provider = { .catalogue = model->catalogue,
                                         .provider = row,
                                         .model = name };
    struct str key = STR("");
    if (options != NULL) {
        provider.base_url = buffer_view(&options->texts.base_url);
        provider.ca_file = buffer_view(&options->texts.ca_file);
        provider.record_folder = buffer_view(&options->texts.record_folder);
        provider.replay_folder = buffer_view(&options->texts.replay_folder);
        provider.no_stream = options->no_stream;
        provider.trace = options->trace;
        provider.trace_state = options->trace_state;
        key = buffer_view(&options->texts.key);
    }
    provider.base_url =
        provider_first(provider.base_url, provider_variable(row->base_url_variable));
    enum status status = provider_key(row, key, &provider.key, error);
    if (status == STATUS_OK && provider.replay_folder.len > 0 && provider.key.len == 0)
        provider.key = STR("none");
    if (status == STATUS_OK)
        status = provider_open(&provider, &model->alloc, &model->model, error);
    model->is_provider = status == STATUS_OK;
    return status;
}

static enum status provider_catalogue(structure_model *model,
                                      const structure_model_options *options, struct error *error)
{
    struct json user = { NULL, NULL };
    struct json_doc *doc = NULL;
    enum status status = STATUS_OK;
    if (options != NULL && options->texts.catalogue.len > 0) {
        status =
            json_parse(buffer_view(&options->texts.catalogue), NULL, &model->alloc, &doc, error);
        if (status == STATUS_OK)
            user = json_doc_root(doc);
    }
    if (status == STATUS_OK)
        status = catalogue_open(user, &model->alloc, &model->catalogue, error);
    json_doc_free(doc);
    return status;
}

enum status api_model_resolve(structure_model *model, const char *name,
                              const structure_model_options *options, struct str *out_path,
                              struct error *error)
{
    const struct provider_row *row = NULL;
    struct str meant = STR("");
    struct stat info;
    *out_path = STR("");
    if (name == NULL)
        return STATUS_OK;
    enum status status = provider_catalogue(model, options, error);
    if (status != STATUS_OK)
        return status;
    status = catalogue_resolve(model->catalogue, str_from(name), &row, &meant, error);
    if (status == STATUS_NOT_CONFIGURED && (name[0] == '/' || stat(name, &info) == 0)) {
        error_clear(error);
        *out_path = str_from(name);
        return STATUS_OK;
    }
    if (status != STATUS_OK)
        return status;
    if (row != NULL)
        return provider_start(model, row, meant, options, error);
    if (!str_equal(meant, STR("local")))
        *out_path = meant;
    return STATUS_OK;
}
