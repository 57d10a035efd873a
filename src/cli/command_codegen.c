/* command_codegen.c - `structure codegen`: a schema as C structs.
 *
 * Owns: its options, and the name that a file gives. Leaves to others: reading the schema, the text
 * (codegen/codegen.h).
 */
#include "base/features.h"

#include "base/limits.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/report.h"
#include "cli/schema_source.h"
#include "codegen/codegen.h"

enum { CODEGEN_BYTES_MAX = 64 * 1024 * 1024 };

enum codegen_id { CODEGEN_LANG, CODEGEN_NAME };

struct codegen_settings {
    bool has_lang;
    const char *name;
};

static const struct cli_option codegen_cli_options[] = {
    { "lang", 0, CODEGEN_LANG, "LANGUAGE", "c; the only one so far" },
    { "name", 'n', CODEGEN_NAME, "NAME",
      "the root struct and prefix of all names; default: the schema's title, else the file's "
      "name" },
};

static const struct codegen_settings codegen_defaults = { .has_lang = false };

static enum status codegen_apply(void *state, unsigned id, const char *value, struct error *error)
{
    static const char *const languages[] = { "c", NULL };
    struct codegen_settings *settings = state;
    unsigned choice = 0;
    enum status status = STATUS_OK;
    switch ((enum codegen_id)id) {
    case CODEGEN_LANG:
        status = cli_option_choice("lang", value, languages, &choice, error);
        settings->has_lang = true;
        break;
    case CODEGEN_NAME: settings->name = value; break;
    }
    return status;
}

/* "invoice" of "schemas/invoice.schema.json", unless the schema has a title. */
static struct str name_of(const struct codegen_settings *settings, const struct cli_schema *schema)
{
    struct json root = schema->program->root;
    if (settings->name != NULL)
        return str_from(settings->name);
    if (json_type(root) == JSON_OBJECT && json_exists(json_get(root, STR("title"))))
        return STR("");
    struct str name = str_from(schema->name);
    for (size_t i = name.len; i > 0; i--) {
        if (name.ptr[i - 1] == '/') {
            name = str_of(name.ptr + i, name.len - i);
            break;
        }
    }
    const char *dot = name.len == 0 ? NULL : memchr(name.ptr, '.', name.len);
    return dot == NULL ? STR("") : str_of(name.ptr, (size_t)(dot - name.ptr));
}

static int codegen_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    const struct codegen_settings *settings = options;
    struct error error = { 0 };
    struct cli_schema schema = { 0 };
    struct buffer text;
    struct schema_options compile = { .unknown_keywords = SCHEMA_UNKNOWN_WARN,
                                      .object_root = true,
                                      .format_asserts = true };
    error_clear(&error);
    if (operands->count != 1 || !settings->has_lang) {
        (void)error_set(&error, STATUS_INVALID_REQUEST, "codegen takes --lang c and one SCHEMA");
        error_hint(&error, "structure help codegen");
        return cli_fail(cli, NULL, &error);
    }
    buffer_init(&text, cli->alloc, CODEGEN_BYTES_MAX);
    enum status status = cli_schema_load(cli, operands->items[0], &compile, false, &schema, &error);
    if (status == STATUS_OK) {
        struct codegen_options wanted = { schema.program, name_of(settings, &schema) };
        status = codegen_c(&wanted, cli->alloc, &text, &error);
    }
    int code = status == STATUS_OK ? CLI_EXIT_OK : cli_fail(cli, schema.name, &error);
    if (status == STATUS_OK)
        cli_output_append(&cli->out, buffer_view(&text));
    buffer_release(&text);
    cli_schema_release(&schema);
    return code;
}

const struct command command_codegen = {
    .name = "codegen",
    .usage = "--lang c SCHEMA [-n NAME]",
    .summary = "Print C structs for a schema: struct, schema, decode, free.",
    .details = "The text is a header and, where NAME_IMPLEMENTATION is defined, the "
               "implementation: include it in one C file so, elsewhere as it is. What a place may "
               "be several things, or any, is kept as JSON text.",
    .options = codegen_cli_options,
    .option_count = sizeof(codegen_cli_options) / sizeof(codegen_cli_options[0]),
    .defaults = &codegen_defaults,
    .options_size = sizeof(codegen_defaults),
    .apply = codegen_apply,
    .run = codegen_run,
};
