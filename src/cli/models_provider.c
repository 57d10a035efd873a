/* models_provider.c - what is known of a provider, as a line, in words, as JSON.
 *
 * Owns: the form. Leaves to others: the facts (provider/catalogue.h). Invariant: no key is read
 * from a command, and none is shown.
 */
#include "base/features.h"

#include <inttypes.h>

#include "cli/key_source.h"
#include "cli/models.h"
#include "cli/printable.h"

enum { MODELS_KEY_COLUMNS = 42 };

static const struct {
    unsigned bit;
    const char *name;
} models_parameters[] = {
    { PROVIDER_TAKES_TEMPERATURE, "temperature" },
    { PROVIDER_TAKES_SEED, "seed" },
    { PROVIDER_TAKES_STREAM, "stream" },
    { PROVIDER_TAKES_CACHE_MARKS, "cacheMarks" },
};

static const char *models_strictness(enum provider_strictness strictness)
{
    switch (strictness) {
    case PROVIDER_STRICT_NO: return "no";
    case PROVIDER_STRICT_YES: return "yes";
    case PROVIDER_STRICT_UNKNOWN: return "unknown";
    }
    return "unknown";
}

const char *models_provider_lacks(const struct cli_config *config, const struct provider_row *row)
{
    struct str origin;
    if (row->key_required && !cli_key_is_present(row))
        return "no key";
    if (cli_model_base_url(config, row, NULL, &origin).len == 0)
        return "no base URL";
    return NULL;
}

/* "env:NAME", and whether it is there. */
static void key_words(struct buffer *text, const struct provider_row *row)
{
    bool is_command = str_starts_with(row->key_source, STR("cmd:"));
    if (is_command)
        buffer_append_str(text, STR("cmd:..."));
    else
        cli_key_source_append(text, row);
    if (!is_command)
        buffer_printf(text, " (%s)",
                      cli_key_is_present(row) ? "set"
                      : row->key_required     ? "not set"
                                              : "not set, optional");
}

static void url_words(struct buffer *text, const struct cli_config *config,
                      const struct provider_row *row)
{
    struct str origin;
    struct str url = cli_model_base_url(config, row, NULL, &origin);
    if (url.len == 0) {
        buffer_printf(text, "none (%.*s is not set)", (int)row->base_url_variable.len,
                      row->base_url_variable.ptr);
        return;
    }
    cli_url_append(text, url);
    if (!str_equal(origin, STR("default")))
        buffer_printf(text, " (%.*s)", (int)origin.len, origin.ptr);
}

void models_provider_line(struct buffer *text, const struct cli_config *config,
                          const struct provider_row *row)
{
    const char *lacks = models_provider_lacks(config, row);
    buffer_printf(text, "  %-13.*s  %-12s  ", (int)row->id.len, row->id.ptr,
                  lacks == NULL ? "ready" : lacks);
    size_t begin = text->len;
    key_words(text, row);
    size_t width = text->len - begin;
    buffer_printf(text, "%*s  ", width < MODELS_KEY_COLUMNS ? (int)(MODELS_KEY_COLUMNS - width) : 0,
                  "");
    url_words(text, config, row);
    buffer_append_byte(text, '\n');
}

/* ---- in words ---- */

static void model_words(struct buffer *text, const struct provider_model *model)
{
    buffer_printf(text, "  %-24.*s  strict output: %s, asked by: %s", (int)model->pattern.len,
                  model->pattern.ptr, models_strictness(model->strictness),
                  provider_mechanism_name(model->mechanism));
    if (model->mechanism == PROVIDER_BY_SCHEMA || model->mechanism == PROVIDER_BY_TOOL)
        buffer_printf(text, " (rules: %.*s)", (int)model->rules->name.len, model->rules->name.ptr);
    for (size_t i = 0; i < sizeof(models_parameters) / sizeof(models_parameters[0]); i++) {
        bool is_mark = models_parameters[i].bit == PROVIDER_TAKES_CACHE_MARKS;
        if (!is_mark && (model->parameters & models_parameters[i].bit) == 0)
            buffer_printf(text, ", no %s", models_parameters[i].name);
    }
    if (model->context_tokens > 0)
        buffer_printf(text, ", context: %" PRIu32, model->context_tokens);
    if (model->output_tokens_max > 0)
        buffer_printf(text, ", output: %" PRIu32, model->output_tokens_max);
    buffer_append_byte(text, '\n');
}

void models_provider_words(struct buffer *text, const struct cli_config *config,
                           const struct provider_row *row)
{
    const char *lacks = models_provider_lacks(config, row);
    buffer_printf(text, "%.*s: %.*s\n  protocol:      %s\n  ready:         %s%s\n  key:           ",
                  (int)row->id.len, row->id.ptr, (int)row->title.len, row->title.ptr,
                  provider_protocol_name(row->protocol), lacks == NULL ? "yes" : "no, ",
                  lacks == NULL ? "" : lacks);
    key_words(text, row);
    buffer_append_str(text, STR("\n  base URL:      "));
    url_words(text, config, row);
    if (row->default_model.len > 0)
        buffer_printf(text, "\n  default model: %.*s", (int)row->default_model.len,
                      row->default_model.ptr);
    if (row->is_users)
        buffer_append_str(text, STR("\n  facts:         changed by configuration"));
    else
        buffer_printf(text, "\n  facts:         %.*s, %.*s", (int)row->date.len, row->date.ptr,
                      (int)row->source.len, row->source.ptr);
    buffer_append_str(text, STR("\nmodels (the first pattern that matches counts)\n"));
    for (uint32_t i = 0; i < row->model_count; i++)
        model_words(text, &row->models[i]);
}

/* ---- as JSON ---- */

static void member(struct buffer *text, const char *name, struct str value)
{
    buffer_printf(text, ",\"%s\":", name);
    json_write_string(value, text);
}

static void model_json(struct buffer *text, const struct provider_model *model)
{
    bool is_first = true;
    buffer_append_str(text, STR("{\"pattern\":"));
    json_write_string(model->pattern, text);
    buffer_printf(text, ",\"strict\":\"%s\",\"mechanism\":\"%s\"",
                  models_strictness(model->strictness), provider_mechanism_name(model->mechanism));
    if (model->rules != NULL)
        member(text, "rules", model->rules->name);
    buffer_append_str(text, STR(",\"takes\":["));
    for (size_t i = 0; i < sizeof(models_parameters) / sizeof(models_parameters[0]); i++) {
        if ((model->parameters & models_parameters[i].bit) == 0)
            continue;
        buffer_printf(text, "%s\"%s\"", is_first ? "" : ",", models_parameters[i].name);
        is_first = false;
    }
    buffer_append_byte(text, ']');
    if (model->context_tokens > 0)
        buffer_printf(text, ",\"contextTokens\":%" PRIu32, model->context_tokens);
    if (model->output_tokens_max > 0)
        buffer_printf(text, ",\"outputTokensMax\":%" PRIu32, model->output_tokens_max);
    member(text, "date", model->date);
    member(text, "source", model->source);
    buffer_append_byte(text, '}');
}

static void key_json(struct buffer *text, const struct provider_row *row)
{
    struct buffer source;
    buffer_init(&source, text->alloc, MODELS_BYTES_MAX);
    if (str_starts_with(row->key_source, STR("cmd:")))
        buffer_append_str(&source, STR("cmd"));
    else
        cli_key_source_append(&source, row);
    buffer_append_str(text, STR(",\"key\":{\"source\":"));
    json_write_string(buffer_view(&source), text);
    buffer_printf(text, ",\"present\":%s,\"required\":%s}",
                  cli_key_is_present(row) ? "true" : "false", row->key_required ? "true" : "false");
    buffer_release(&source);
}

static void url_json(struct buffer *text, const struct cli_config *config,
                     const struct provider_row *row)
{
    struct buffer shown;
    struct str origin;
    struct str url = cli_model_base_url(config, row, NULL, &origin);
    if (url.len == 0)
        return;
    buffer_init(&shown, text->alloc, MODELS_BYTES_MAX);
    cli_url_append(&shown, url);
    buffer_append_str(text, STR(",\"baseUrl\":{\"value\":"));
    json_write_string(buffer_view(&shown), text);
    member(text, "origin", origin);
    buffer_append_byte(text, '}');
    buffer_release(&shown);
}

void models_provider_json(struct buffer *text, const struct cli_config *config,
                          const struct provider_row *row)
{
    const char *lacks = models_provider_lacks(config, row);
    buffer_append_str(text, STR("{\"provider\":"));
    json_write_string(row->id, text);
    member(text, "title", row->title);
    buffer_printf(text, ",\"protocol\":\"%s\",\"ready\":%s", provider_protocol_name(row->protocol),
                  lacks == NULL ? "true" : "false");
    if (lacks != NULL)
        member(text, "lacks", str_from(lacks));
    key_json(text, row);
    url_json(text, config, row);
    if (row->default_model.len > 0)
        member(text, "defaultModel", row->default_model);
    buffer_printf(text, ",\"configured\":%s", row->is_users ? "true" : "false");
    member(text, "date", row->date);
    member(text, "source", row->source);
    buffer_append_str(text, STR(",\"models\":["));
    for (uint32_t i = 0; i < row->model_count; i++) {
        if (i > 0)
            buffer_append_byte(text, ',');
        model_json(text, &row->models[i]);
    }
    buffer_append_str(text, STR("]}"));
}
