/* command_validate.c - `structure validate`: are these instances valid for that schema.
 *
 * Owns: the options, and the walk over the files. Leaves to others: lines (validate_lines.c),
 * judging and telling one instance (validate_instance.c). Invariant: an instance that cannot be
 * judged never hides the others, and the worst exit code counts.
 */
#include "base/features.h"

#include <inttypes.h>

#include "base/limits.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "cli/resources.h"
#include "cli/sarif.h"
#include "cli/schema_source.h"
#include "cli/validate.h"

enum { VALIDATE_ARENA_BYTES = 64 * 1024 * 1024, VALIDATE_ERRORS_MAX = 100000 };

/* A document of a machine form. */
enum { VALIDATE_DOCUMENT_BYTES = 1024 * 1024 * 1024 };

enum validate_id {
    VALIDATE_SCHEMA,
    VALIDATE_RESOURCE,
    VALIDATE_LINES,
    VALIDATE_OUTPUT,
    VALIDATE_MAX_ERRORS,
    VALIDATE_NO_FORMAT,
    VALIDATE_DIALECT,
    VALIDATE_UNKNOWN,
    VALIDATE_DUPLICATES,
    VALIDATE_MAX_SIZE,
    VALIDATE_MAX_DEPTH,
    VALIDATE_MAX_NODES,
    VALIDATE_MAX_DIGITS
};

static const struct cli_option validate_options[] = {
    { "schema", 's', VALIDATE_SCHEMA, "SCHEMA",
      "the schema: a file, -, or JSON text that begins with {" },
    { "resource", 0, VALIDATE_RESOURCE, "[URI=]FILE",
      "a document that $ref may reach by URI, or by its $id; repeatable" },
    { "lines", 0, VALIDATE_LINES, NULL, "each line is one instance (JSON Lines)" },
    { "output", 0, VALIDATE_OUTPUT, "FORM",
      "human (default), flag, basic, detailed, verbose, list, hierarchical or sarif" },
    { "max-errors", 0, VALIDATE_MAX_ERRORS, "N", "faults told per instance, default 20" },
    { "no-format", 0, VALIDATE_NO_FORMAT, NULL, "format is an annotation, not asserted" },
    { "dialect", 0, VALIDATE_DIALECT, "URI",
      "the dialect where $schema is absent, default 2020-12" },
    { "unknown-keywords", 0, VALIDATE_UNKNOWN, "POLICY", "allow, warn (default) or error" },
    { "duplicate-keys", 0, VALIDATE_DUPLICATES, "POLICY",
      "refuse (default) or last: which of two members of one name counts" },
    { "max-size", 0, VALIDATE_MAX_SIZE, "SIZE",
      "bytes of an instance, default 256M; of a line 16M" },
    { "max-depth", 0, VALIDATE_MAX_DEPTH, "N", "nesting of an instance, default 128" },
    { "max-nodes", 0, VALIDATE_MAX_NODES, "N", "values in an instance, default 16000000" },
    { "max-digits", 0, VALIDATE_MAX_DIGITS, "N", "digits of a number, default 10000" },
};

static const struct validate_settings validate_defaults = {
    .errors_max = LIMIT_VIOLATIONS,
    .compile = { .unknown_keywords = SCHEMA_UNKNOWN_WARN, .format_asserts = true },
    .json = { 0, LIMIT_JSON_DEPTH, LIMIT_JSON_LOCAL_NODES, LIMIT_JSON_DIGITS,
              JSON_DUPLICATES_REFUSE },
};

static enum status validate_apply_output(struct validate_settings *settings, const char *value,
                                         struct error *error)
{
    static const char *const forms[] = { "human", "flag",         "basic", "detailed", "verbose",
                                         "list",  "hierarchical", "sarif", NULL };
    unsigned choice;
    enum status status = cli_option_choice("output", value, forms, &choice, error);
    if (status != STATUS_OK)
        return status;
    settings->form = (enum validate_form)choice;
    settings->has_form = true;
    return STATUS_OK;
}

static enum status validate_apply_resource(struct validate_settings *settings, const char *value,
                                           struct error *error)
{
    if (settings->resource_count == VALIDATE_RESOURCES_MAX)
        return error_set(error, STATUS_INVALID_REQUEST, "more than %d resources",
                         VALIDATE_RESOURCES_MAX);
    settings->resources[settings->resource_count++] = value;
    return STATUS_OK;
}

static enum status validate_apply_limit(const char *option, const char *value, uint32_t *out,
                                        struct error *error)
{
    uint64_t number;
    enum status status = cli_quantity_count(option, value, 1, UINT32_MAX, &number, error);
    if (status == STATUS_OK)
        *out = (uint32_t)number;
    return status;
}

static enum status validate_apply(void *state, unsigned id, const char *value, struct error *error)
{
    static const char *const duplicates[] = { "refuse", "last", NULL };
    struct validate_settings *settings = state;
    enum status status = STATUS_OK;
    unsigned choice = 0;
    uint64_t number = 0;
    switch ((enum validate_id)id) {
    case VALIDATE_SCHEMA: settings->schema = value; break;
    case VALIDATE_RESOURCE: return validate_apply_resource(settings, value, error);
    case VALIDATE_LINES: settings->lines = true; break;
    case VALIDATE_OUTPUT: return validate_apply_output(settings, value, error);
    case VALIDATE_MAX_ERRORS:
        status = cli_quantity_count("max-errors", value, 1, VALIDATE_ERRORS_MAX, &number, error);
        settings->errors_max = (uint32_t)number;
        break;
    case VALIDATE_NO_FORMAT: settings->compile.format_asserts = false; break;
    case VALIDATE_DIALECT: settings->compile.dialect = str_from(value); break;
    case VALIDATE_UNKNOWN:
        status = cli_option_choice("unknown-keywords", value, cli_unknown_choices, &choice, error);
        settings->compile.unknown_keywords = (enum schema_unknown)choice;
        break;
    case VALIDATE_DUPLICATES:
        status = cli_option_choice("duplicate-keys", value, duplicates, &choice, error);
        settings->json.duplicates = (enum json_duplicates)choice;
        break;
    case VALIDATE_MAX_SIZE:
        status = cli_quantity_size("max-size", value, UINT32_MAX, &number, error);
        settings->json.bytes_max = (size_t)number;
        break;
    case VALIDATE_MAX_DEPTH:
        return validate_apply_limit("max-depth", value, &settings->json.depth_max, error);
    case VALIDATE_MAX_NODES:
        return validate_apply_limit("max-nodes", value, &settings->json.nodes_max, error);
    case VALIDATE_MAX_DIGITS:
        return validate_apply_limit("max-digits", value, &settings->json.digits_max, error);
    }
    return status;
}

static enum status validate_whole(struct validate_run *run, const char *path, struct error *error)
{
    struct cli_input_limit limit = { run->json.bytes_max, "--max-size", STATUS_INVALID_REQUEST };
    struct cli_text text = { 0 };
    enum status status = cli_input_document(path, &limit, run->cli->alloc, &text, error);
    if (status != STATUS_OK)
        return status;
    validate_instance(run, text.name, 0, buffer_view(&text.bytes));
    cli_text_release(&text);
    return STATUS_OK;
}

/* False when the rest is not wanted: the person asked to stop, or nobody reads the data. */
static bool validate_file(struct validate_run *run, const char *path)
{
    struct error error = { 0 };
    enum status status = run->settings->lines ? validate_lines(run, path, &error)
                                              : validate_whole(run, path, &error);
    if (status != STATUS_OK)
        validate_instance_failed(run, path, 0, &error);
    return status != STATUS_CANCELLED && run->cli->out.failed_errno == 0;
}

static enum status validate_check(const struct validate_settings *settings,
                                  const struct cli_operands *operands, struct error *error)
{
    unsigned stdin_uses = operands->count == 0 ? 1 : 0;
    if (settings->schema == NULL) {
        (void)error_set(error, STATUS_INVALID_REQUEST, "no schema given");
        error_hint(error, "name it with -s SCHEMA");
        return STATUS_INVALID_REQUEST;
    }
    stdin_uses += cli_input_is_stdin(settings->schema) ? 1 : 0;
    for (size_t i = 0; i < operands->count; i++)
        stdin_uses += cli_input_is_stdin(operands->items[i]) ? 1 : 0;
    if (stdin_uses > 1) {
        (void)error_set(error, STATUS_INVALID_REQUEST, "standard input is named twice");
        error_hint(error, "give the schema or the instance as a file");
        return STATUS_INVALID_REQUEST;
    }
    return STATUS_OK;
}

/* What stands around all instances, in the forms that are one document. */
static void validate_begin(struct validate_run *run)
{
    buffer_clear(&run->document);
    if (run->form == VALIDATE_REPORT)
        buffer_append_str(&run->document, STR("{\"instances\":["));
    else if (run->form == VALIDATE_SARIF)
        cli_sarif_begin(&run->document);
    if (run->document.len > 0)
        cli_output_append(&run->cli->out, buffer_view(&run->document));
}

static void validate_end(struct validate_run *run)
{
    buffer_clear(&run->document);
    if (run->form == VALIDATE_REPORT)
        buffer_printf(&run->document, "],\"valid\":%s}\n", run->code == 0 ? "true" : "false");
    else if (run->form == VALIDATE_SARIF)
        cli_sarif_end(&run->document);
    if (run->document.len > 0)
        cli_output_append(&run->cli->out, buffer_view(&run->document));
}

static void validate_walk(struct validate_run *run, const struct cli_operands *operands)
{
    static char stdin_name[] = "-";
    char *only_stdin[] = { stdin_name };
    char **paths = operands->count > 0 ? operands->items : only_stdin;
    size_t count = operands->count > 0 ? operands->count : 1;
    validate_begin(run);
    for (size_t i = 0; i < count; i++) {
        if (!validate_file(run, paths[i]) || cli_interrupt_is_requested())
            break;
    }
    validate_end(run);
    cli_say(run->cli, CLI_LEVEL_STEP,
            "instances: %" PRIu64 ", valid: %" PRIu64 ", invalid: %" PRIu64
            ", not judged: %" PRIu64,
            run->judged, run->judged - run->invalid - run->unjudged, run->invalid, run->unjudged);
}

/* The schema, with the documents that it may refer to. On failure *out_name is what to name. */
static enum status validate_compile(struct cli *cli, const struct validate_settings *settings,
                                    struct cli_schema *schema, const char **out_name,
                                    struct error *error)
{
    struct schema_options options = settings->compile;
    enum status status = cli_resources_load(cli, settings->resources, settings->resource_count,
                                            &options.library, out_name, error);
    if (status != STATUS_OK)
        return status;
    status = cli_schema_load(cli, settings->schema, &options, false, schema, error);
    *out_name = schema->name;
    schema_library_unref(options.library);
    if (status == STATUS_OK)
        cli_say(cli, CLI_LEVEL_STEP, "%s: the schema is valid, %zu resources", schema->name,
                settings->resource_count);
    return status;
}

static int validate_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    const struct validate_settings *settings = options;
    struct error error = { 0 };
    struct cli_schema schema = { 0 };
    const char *name = NULL;
    struct validate_run run = { .cli = cli,
                                .settings = settings,
                                .form = settings->form,
                                .json = settings->json,
                                .is_first_result = true };
    if (run.json.bytes_max == 0)
        run.json.bytes_max = settings->lines ? LIMIT_JSON_BYTES : LIMIT_JSON_LOCAL_BYTES;
    if (cli->json && !settings->has_form)
        run.form = VALIDATE_REPORT;
    enum status status = validate_check(settings, operands, &error);
    if (status == STATUS_OK)
        status = validate_compile(cli, settings, &schema, &name, &error);
    if (status != STATUS_OK)
        return cli_fail(cli, name, &error);
    run.program = schema.program;
    arena_init(&run.arena, cli->alloc, VALIDATE_ARENA_BYTES);
    buffer_init(&run.document, cli->alloc, VALIDATE_DOCUMENT_BYTES);
    cli_scratch_init(&run.scratch, cli->alloc);
    validate_walk(&run, operands);
    cli_scratch_release(&run.scratch);
    buffer_release(&run.document);
    arena_release(&run.arena);
    cli_schema_release(&schema);
    return run.code;
}

const struct command command_validate = {
    .name = "validate",
    .usage = "-s SCHEMA [--lines] [--output FORM] [FILE...]",
    .summary = "Judge JSON instances by a JSON Schema.",
    .details =
        "Each FILE (or standard input) is one instance; with --lines each line is one. Faults are "
        "told "
        "on stderr, machine forms on stdout. Exit code: 0 all valid, 1 an instance is not valid, "
        "2 an instance is not JSON, 3 the schema is not valid; the worst counts.",
    .options = validate_options,
    .option_count = sizeof(validate_options) / sizeof(validate_options[0]),
    .defaults = &validate_defaults,
    .options_size = sizeof(validate_defaults),
    .apply = validate_apply,
    .run = validate_run,
};
