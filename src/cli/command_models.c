/* command_models.c - `structure models list`: which models can be used, and where that comes from.
 *
 * Owns: the listing. Leaves to others: finding and loading the model (src/model). Invariant: a
 * model that cannot be loaded is listed with the reason; the list itself does not fail.
 */
#include "base/features.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "cli/cli.h"
#include "cli/report.h"
#include "json/json.h"
#include "model/local.h"

enum { MODELS_BYTES_MAX = 64 * 1024 };

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

static void models_json(struct buffer *text, const struct models_entry *entry)
{
    buffer_append_str(text, STR("{\"models\":[{\"name\":"));
    json_write_string(entry->is_open ? entry->info.name : STR("local"), text);
    buffer_append_str(text, STR(",\"provider\":\"local\",\"default\":true,\"path\":"));
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
    buffer_append_str(text, STR("}]}\n"));
}

static void models_words(struct buffer *text, const struct models_entry *entry)
{
    struct str name = entry->is_open ? entry->info.name : STR("local");
    buffer_printf(text, "%.*s (default)\n", (int)name.len, name.ptr);
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

static int models_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    (void)options;
    struct error error = { 0 };
    struct models_entry entry = { .is_open = false };
    struct buffer text;
    if (operands->count > 0) {
        (void)error_set(&error, STATUS_INVALID_REQUEST, "models list takes no operand");
        return cli_fail(cli, NULL, &error);
    }
    buffer_init(&text, cli->alloc, MODELS_BYTES_MAX);
    models_find(cli, &entry);
    if (cli->json)
        models_json(&text, &entry);
    else
        models_words(&text, &entry);
    cli_output_append(&cli->out, buffer_view(&text));
    model_free(&entry.model);
    buffer_release(&entry.path);
    buffer_release(&text);
    return CLI_EXIT_OK;
}

const struct command command_models_list = {
    .name = "models list",
    .usage = "",
    .summary = "Show the models that can be used, with capabilities and origin.",
    .details = "A model that cannot be used is shown with the reason and the next step.",
    .run = models_run,
};
