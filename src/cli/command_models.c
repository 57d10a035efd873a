/* command_models.c - `structure models list`: which models can be used, and where that comes from.
 *
 * Owns: the listing, and the local model's part of it. Leaves to others: loading that model
 * (src/model), the providers' part (models_provider.c). Invariant: a model that cannot be loaded is
 * listed with the reason; the list itself does not fail.
 */
#include "base/features.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/models.h"
#include "cli/report.h"
#include "json/json.h"
#include "model/local.h"

struct models_entry {
    struct buffer path;
    const char *origin;
    bool is_present;
    bool is_open;
    struct model model;
    struct model_info info;
    struct error error; /* why it cannot be used */
};

static const char *models_origin(void)
{
    const char *file = getenv("STRUCTURE_MODEL_FILE");
    const char *data = getenv("XDG_DATA_HOME");
    if (file != NULL && file[0] != '\0')
        return "STRUCTURE_MODEL_FILE";
    return data != NULL && data[0] != '\0' ? "XDG_DATA_HOME" : "default";
}

static void models_find(struct cli *cli, struct models_entry *entry)
{
    struct stat info;
    struct model_local_options options = { .threads = 0 };
    buffer_init(&entry->path, cli->alloc, MODELS_BYTES_MAX);
    entry->origin = models_origin();
    if (model_local_default_path(&entry->path, &entry->error) != STATUS_OK)
        return;
    entry->is_present = entry->path.len > 0 && stat(entry->path.ptr, &info) == 0;
    entry->is_open =
        model_local_open(&options, cli->alloc, NULL, &entry->model, &entry->error) == STATUS_OK;
    if (entry->is_open)
        entry->info = model_info(&entry->model);
}

static void models_capabilities(struct buffer *text, unsigned capabilities, const char *quote)
{
    if ((capabilities & MODEL_STRICT_OUTPUT) != 0)
        buffer_printf(text, "%sstrict-output%s", quote, quote);
    if ((capabilities & MODEL_NEED_ALTERNATIVE) != 0)
        buffer_printf(text, "%s%sneed-alternative%s",
                      (capabilities & MODEL_STRICT_OUTPUT) != 0 ? (quote[0] == '\0' ? ", " : ",")
                                                                : "",
                      quote, quote);
}

static void models_json(struct buffer *text, const struct models_entry *entry, bool is_default)
{
    buffer_append_str(text, STR("{\"models\":[{\"name\":"));
    json_write_string(entry->is_open ? entry->info.name : STR("local"), text);
    buffer_printf(
        text, ",\"provider\":\"local\",\"default\":%s,\"path\":", is_default ? "true" : "false");
    json_write_string(buffer_view(&entry->path), text);
    buffer_printf(text, ",\"origin\":\"%s\",\"present\":%s,\"usable\":%s", entry->origin,
                  entry->is_present ? "true" : "false", entry->is_open ? "true" : "false");
    if (entry->is_open) {
        buffer_printf(
            text, ",\"parameters\":%" PRIu64 ",\"contextTokens\":%" PRIu32 ",\"capabilities\":[",
            entry->info.parameter_count, entry->info.context_tokens);
        models_capabilities(text, entry->info.capabilities, "\"");
        buffer_append_byte(text, ']');
    } else {
        buffer_append_str(text, STR(",\"error\":{"));
        cli_error_members_append(text, &entry->error);
        buffer_append_byte(text, '}');
    }
    buffer_append_str(text, STR("}]"));
}

static void models_words(struct buffer *text, const struct models_entry *entry, bool is_default)
{
    struct str name = entry->is_open ? entry->info.name : STR("local");
    buffer_printf(text, "%.*s%s\n", (int)name.len, name.ptr, is_default ? " (default)" : "");
    buffer_printf(text, "  file:         %.*s\n", (int)entry->path.len,
                  entry->path.ptr == NULL ? "" : entry->path.ptr);
    buffer_printf(text, "  origin:       %s\n", entry->origin);
    if (entry->is_open) {
        buffer_printf(text, "  parameters:   %" PRIu64 "\n  context:      %" PRIu32 " tokens\n",
                      entry->info.parameter_count, entry->info.context_tokens);
        buffer_append_str(text, STR("  capabilities: "));
        models_capabilities(text, entry->info.capabilities, "");
        buffer_append_byte(text, '\n');
    } else {
        buffer_printf(text, "  not usable:   %s: %s\n", status_name(entry->error.status),
                      entry->error.message);
        if (entry->error.hint[0] != '\0')
            buffer_printf(text, "  next step:    %s\n", entry->error.hint);
    }
}

/* ---- names ---- */

/* An alias of the built-in data that the configuration has too. */
static bool models_alias_is_hidden(const struct cli_config *config, uint32_t index, struct str name)
{
    for (uint32_t i = 0; i < index; i++) {
        struct str value;
        if (str_equal(catalogue_alias_at(config->catalogue, i, &value), name))
            return true;
    }
    return false;
}

static void models_names_json(struct buffer *text, const struct cli_config *config,
                              const struct cli_model_choice *choice)
{
    struct model_info info = cli_model_info(choice);
    buffer_append_str(text, STR(",\"aliases\":{"));
    for (uint32_t i = 0; i < catalogue_alias_count(config->catalogue); i++) {
        struct str value;
        struct str name = catalogue_alias_at(config->catalogue, i, &value);
        if (models_alias_is_hidden(config, i, name))
            continue;
        if (i > 0)
            buffer_append_byte(text, ',');
        json_write_string(name, text);
        buffer_append_byte(text, ':');
        json_write_string(value, text);
    }
    buffer_append_str(text, STR("},\"default\":{\"model\":"));
    json_write_string(choice->path.len > 0 ? choice->path : info.name, text);
    buffer_append_str(text, STR(",\"origin\":"));
    json_write_string(str_from(choice->origin), text);
    buffer_append_byte(text, '}');
}

static void models_names_words(struct buffer *text, const struct cli_config *config,
                               const struct cli_model_choice *choice)
{
    struct model_info info = cli_model_info(choice);
    struct str name = choice->path.len > 0 ? choice->path : info.name;
    buffer_append_str(text, STR("\naliases\n"));
    for (uint32_t i = 0; i < catalogue_alias_count(config->catalogue); i++) {
        struct str value;
        struct str alias = catalogue_alias_at(config->catalogue, i, &value);
        if (!models_alias_is_hidden(config, i, alias))
            buffer_printf(text, "  %-14.*s  %.*s\n", (int)alias.len, alias.ptr, (int)value.len,
                          value.ptr);
    }
    buffer_printf(text, "\nwithout -m: %.*s (%s)\n", (int)name.len, name.ptr, choice->origin);
}

/* ---- everything ---- */

static const struct provider_row *models_named(const struct cli_config *config, const char *name,
                                               struct error *error)
{
    struct str model;
    const struct provider_row *row = catalogue_provider(config->catalogue, str_from(name));
    /* The words for a wrong name are those of a model's. */
    if (row == NULL &&
        catalogue_resolve(config->catalogue, str_from(name), &row, &model, error) == STATUS_OK &&
        row == NULL)
        (void)error_set(error, STATUS_INVALID_REQUEST, "\"%.100s\" is no provider", name);
    return row;
}

static void models_all_json(struct cli *cli, struct buffer *text, const struct cli_config *config,
                            const struct cli_model_choice *choice, const struct provider_row *only)
{
    struct models_entry entry = { .is_open = false };
    if (only == NULL) {
        models_find(cli, &entry);
        models_json(text, &entry, choice->provider == NULL && choice->path.len == 0);
    }
    buffer_append_str(text, only == NULL ? STR(",\"providers\":[") : STR("{\"providers\":["));
    bool is_first = true;
    for (uint32_t i = 0; i < catalogue_count(config->catalogue); i++) {
        const struct provider_row *row = catalogue_at(config->catalogue, i);
        if (only != NULL && row != only)
            continue;
        if (!is_first)
            buffer_append_byte(text, ',');
        is_first = false;
        models_provider_json(text, config, row);
    }
    buffer_append_byte(text, ']');
    if (only == NULL)
        models_names_json(text, config, choice);
    buffer_append_str(text, STR("}\n"));
    model_free(&entry.model);
    buffer_release(&entry.path);
}

static void models_all_words(struct cli *cli, struct buffer *text, const struct cli_config *config,
                             const struct cli_model_choice *choice)
{
    struct models_entry entry = { .is_open = false };
    models_find(cli, &entry);
    models_words(text, &entry, choice->provider == NULL && choice->path.len == 0);
    buffer_append_str(text, STR("\nproviders (name, state, key, base URL)\n"));
    for (uint32_t i = 0; i < catalogue_count(config->catalogue); i++)
        models_provider_line(text, config, catalogue_at(config->catalogue, i));
    models_names_words(text, config, choice);
    model_free(&entry.model);
    buffer_release(&entry.path);
}

static int models_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    (void)options;
    struct error error = { 0 };
    struct cli_config config;
    struct cli_model_choice choice;
    const struct provider_row *only = NULL;
    const char *source = NULL;
    struct buffer text;
    int code = CLI_EXIT_OK;
    buffer_init(&text, cli->alloc, MODELS_BYTES_MAX);
    enum status status = cli_config_open(NULL, cli->alloc, &config, &source, &error);
    if (operands->count > 1)
        status = error_set(&error, STATUS_INVALID_REQUEST, "models list takes one PROVIDER");
    if (status == STATUS_OK && operands->count == 1) {
        only = models_named(&config, operands->items[0], &error);
        status = error.status;
    }
    if (status == STATUS_OK && only == NULL)
        status = cli_model_choose(&config, NULL, &choice, &error);
    if (status != STATUS_OK) {
        code = cli_fail(cli, source, &error);
    } else if (cli->json) {
        models_all_json(cli, &text, &config, &choice, only);
    } else if (only != NULL) {
        models_provider_words(&text, &config, only);
    } else {
        models_all_words(cli, &text, &config, &choice);
    }
    cli_output_append(&cli->out, buffer_view(&text));
    cli_config_release(&config);
    buffer_release(&text);
    return code;
}

const struct command command_models_list = {
    .name = "models list",
    .usage = "[PROVIDER]",
    .summary = "Show the models and providers that can be used, and where each setting is from.",
    .details = "With PROVIDER: what is known of it and of its models. What cannot be used is shown "
               "with the reason. No key is ever shown, and no network is used.",
    .run = models_run,
};
