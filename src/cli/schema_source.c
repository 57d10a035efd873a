/* schema_source.c - a schema as the person named it, compiled. See schema_source.h. */
#include "base/features.h"

#include "cli/schema_source.h"

#include "base/limits.h"
#include "cli/input.h"
#include "cli/report.h"
#include "cli/wrap_root.h"

const char *const cli_unknown_choices[] = { "error", "warn", "allow", NULL };

struct source_warnings {
    struct cli *cli;
    const char *name;
};

static void source_warn(void *state, const struct error *warning)
{
    const struct source_warnings *warnings = state;
    cli_warn(warnings->cli, warnings->name, warning);
}

enum status cli_schema_load(struct cli *cli, const char *argument,
                            const struct schema_options *options, bool wrap_root,
                            struct cli_schema *out, struct error *error)
{
    static const struct cli_input_limit limit = { LIMIT_SCHEMA_BYTES, NULL, STATUS_INVALID_SCHEMA };
    struct cli_text text = { 0 };
    struct buffer wrapped;
    buffer_init(&wrapped, cli->alloc, 2 * LIMIT_SCHEMA_BYTES);
    *out = (struct cli_schema){ 0 };
    enum status status = cli_input_document(argument, &limit, cli->alloc, &text, error);
    if (status != STATUS_OK)
        goto out;
    out->name = text.name;
    struct str source = buffer_view(&text.bytes);
    if (wrap_root) {
        status = cli_wrap_root(source, cli->alloc, &wrapped, error);
        if (status != STATUS_OK)
            goto out;
        source = buffer_view(&wrapped);
    }
    struct source_warnings warnings = { cli, text.name };
    struct schema_options with_warnings = *options;
    if (with_warnings.warn == NULL) {
        with_warnings.warn = source_warn;
        with_warnings.warn_state = &warnings;
    }
    status = schema_compile_text(source, &with_warnings, cli->alloc, &out->program, error);
out:
    buffer_release(&wrapped);
    cli_text_release(&text);
    return status;
}

void cli_schema_release(struct cli_schema *schema)
{
    schema_program_free(schema->program);
    schema->program = NULL;
}
