/* command_validate.c - `structure validate`: are these instances valid for that schema.
 *
 * Owns: walking over files and lines, limits of instances, the exit code (the worst). Leaves to
 * others: judging (src/schema) and telling (judgement.c). Invariant: an instance that cannot be
 * judged never hides the others.
 */
#include "base/features.h"

#include "base/arena.h"
#include "base/limits.h"
#include "cli/cli.h"
#include "cli/input.h"
#include "cli/interrupt.h"
#include "cli/judgement.h"
#include "cli/quantity.h"
#include "cli/report.h"
#include "cli/schema_source.h"

enum { VALIDATE_ARENA_BYTES = 64 * 1024 * 1024, VALIDATE_ERRORS_MAX = 100000 };

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
    { "resource", 0, VALIDATE_RESOURCE, "FILE", "a document that $ref may reach (not built yet)" },
    { "lines", 0, VALIDATE_LINES, NULL, "each line is one instance (JSON Lines)" },
    { "output", 0, VALIDATE_OUTPUT, "FORM", "human (default), flag or basic" },
    { "max-errors", 0, VALIDATE_MAX_ERRORS, "N", "faults told per instance, default 20" },
    { "no-format", 0, VALIDATE_NO_FORMAT, NULL, "format is an annotation, not asserted" },
    { "dialect", 0, VALIDATE_DIALECT, "URI",
      "the dialect where $schema is absent, default 2020-12" },
    { "unknown-keywords", 0, VALIDATE_UNKNOWN, "POLICY", "allow, warn (default) or error" },
    { "duplicate-keys", 0, VALIDATE_DUPLICATES, "POLICY",
      "refuse (default) or last: which of two members of one name counts" },
    { "max-size", 0, VALIDATE_MAX_SIZE, "SIZE", "bytes of an instance, default 256M" },
    { "max-depth", 0, VALIDATE_MAX_DEPTH, "N", "nesting of an instance, default 128" },
    { "max-nodes", 0, VALIDATE_MAX_NODES, "N", "values in an instance, default 16000000" },
    { "max-digits", 0, VALIDATE_MAX_DIGITS, "N", "digits of a number, default 10000" },
};

struct validate_settings {
    const char *schema;
    bool lines;
    bool has_form;
    enum cli_form form;
    uint32_t errors_max;
    struct schema_options compile;
    struct json_options json;
};

static const struct validate_settings validate_defaults = {
    .errors_max = LIMIT_VIOLATIONS,
    .compile = { .unknown_keywords = SCHEMA_UNKNOWN_WARN, .format_asserts = true },
    .json = { LIMIT_JSON_LOCAL_BYTES, LIMIT_JSON_DEPTH, LIMIT_JSON_LOCAL_NODES, LIMIT_JSON_DIGITS,
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
    if (choice > CLI_FORM_BASIC) {
        (void)error_set(error, STATUS_UNSUPPORTED, "--output %s is not built yet", forms[choice]);
        error_hint(error,
                   "one of: human, flag, basic; --json gives one document over all instances");
        return STATUS_UNSUPPORTED;
    }
    settings->form = (enum cli_form)choice;
    settings->has_form = true;
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
    case VALIDATE_RESOURCE:
        (void)error_set(error, STATUS_UNSUPPORTED, "--resource is not built yet");
        error_hint(error, "put the document under $defs of the schema and refer to it there");
        return STATUS_UNSUPPORTED;
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

struct validate_run {
    struct cli *cli;
    const struct validate_settings *settings;
    const struct schema_program *program;
    enum cli_form form;
    struct arena arena; /* violations of one instance */
    bool is_begun;      /* an instance was told */
    int code;           /* the worst so far */
};

static void validate_tell(struct validate_run *run, const struct cli_judgement *judgement)
{
    int code = judgement->error != NULL ? cli_exit_code(judgement->error->status)
               : judgement->is_valid    ? CLI_EXIT_OK
                                        : CLI_EXIT_NEGATIVE;
    cli_judgement_tell(run->cli, run->form, judgement, !run->is_begun);
    run->is_begun = true;
    run->code = code > run->code ? code : run->code;
}

static void validate_tell_error(struct validate_run *run, const char *name, uint32_t lines_above,
                                const struct error *error)
{
    struct cli_judgement judgement = {
        .name = name, .is_line = run->settings->lines, .lines_above = lines_above, .error = error
    };
    validate_tell(run, &judgement);
}

/* Judges one text. */
static void validate_text(struct validate_run *run, const char *name, uint32_t lines_above,
                          struct str text)
{
    struct error error = { 0 };
    struct json_doc *document = NULL;
    arena_reset(&run->arena);
    struct schema_violations violations = { .arena = &run->arena,
                                            .count_max = run->settings->errors_max };
    struct cli_judgement judgement = {
        .name = name, .is_line = run->settings->lines, .lines_above = lines_above, .source = text
    };
    const struct alloc *alloc = run->cli->alloc;
    bool want_reasons = run->form != CLI_FORM_FLAG;
    enum status status = json_parse(text, &run->settings->json, alloc, &document, &error);
    if (status == STATUS_OK && want_reasons)
        status = schema_validate(run->program, json_doc_root(document), 0, alloc,
                                 &judgement.is_valid, &violations, &error);
    else if (status == STATUS_OK)
        status = schema_is_valid(run->program, json_doc_root(document), 0, alloc,
                                 &judgement.is_valid, &error);
    if (status != STATUS_OK) {
        (void)error_set(&error, status, "out of memory"); /* unless the cause was told */
        judgement.error = &error;
    } else if (!judgement.is_valid && want_reasons) {
        judgement.violations = &violations;
    }
    validate_tell(run, &judgement);
    json_doc_free(document);
}

static bool validate_is_blank(struct str line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (line.ptr[i] != ' ' && line.ptr[i] != '\t' && line.ptr[i] != '\r')
            return false;
    }
    return true;
}

static enum status validate_lines(struct validate_run *run, const char *path, struct error *error)
{
    struct cli_lines lines;
    size_t bytes_max = run->settings->json.bytes_max;
    enum status status = cli_lines_open(&lines, path, bytes_max, run->cli->alloc, error);
    if (status != STATUS_OK)
        return status;
    for (;;) {
        struct str line;
        bool too_long;
        bool more;
        status = cli_lines_next(&lines, &line, &too_long, &more, error);
        if (status != STATUS_OK || !more)
            break;
        if (too_long) {
            struct error fault = { 0 };
            (void)error_set(&fault, STATUS_INVALID_REQUEST,
                            "the line is longer than the limit of %zu bytes", bytes_max);
            error_hint(&fault, "raise the limit with --max-size");
            error_at_line(&fault, 1, 1);
            validate_tell_error(run, lines.name, lines.number - 1, &fault);
        } else if (!validate_is_blank(line)) {
            validate_text(run, lines.name, lines.number - 1, line);
        }
    }
    cli_lines_close(&lines);
    return status;
}

static enum status validate_whole(struct validate_run *run, const char *path, struct error *error)
{
    struct cli_input_limit limit = { run->settings->json.bytes_max, "--max-size",
                                     STATUS_INVALID_REQUEST };
    struct cli_text text = { 0 };
    enum status status = cli_input_document(path, &limit, run->cli->alloc, &text, error);
    if (status != STATUS_OK)
        return status;
    validate_text(run, text.name, 0, buffer_view(&text.bytes));
    cli_text_release(&text);
    return STATUS_OK;
}

/* False when the person asked to stop. */
static bool validate_file(struct validate_run *run, const char *path)
{
    struct error error = { 0 };
    enum status status = run->settings->lines ? validate_lines(run, path, &error)
                                              : validate_whole(run, path, &error);
    if (status != STATUS_OK)
        validate_tell_error(run, path, 0, &error);
    return status != STATUS_CANCELLED;
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

static int validate_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    static char stdin_name[] = "-";
    const struct validate_settings *settings = options;
    struct error error = { 0 };
    struct cli_schema schema = { 0 };
    struct validate_run run = { .cli = cli, .settings = settings, .form = settings->form };
    if (cli->json && !settings->has_form)
        run.form = CLI_FORM_REPORT;
    enum status status = validate_check(settings, operands, &error);
    if (status == STATUS_OK)
        status = cli_schema_load(cli, settings->schema, &settings->compile, false, &schema, &error);
    if (status != STATUS_OK)
        return cli_fail(cli, schema.name, &error);
    run.program = schema.program;
    arena_init(&run.arena, cli->alloc, VALIDATE_ARENA_BYTES);
    if (run.form == CLI_FORM_REPORT)
        cli_output_append(&cli->out, STR("{\"instances\":["));
    char *only_stdin[] = { stdin_name };
    char **paths = operands->count > 0 ? operands->items : only_stdin;
    size_t count = operands->count > 0 ? operands->count : 1;
    for (size_t i = 0; i < count; i++) {
        if (!validate_file(&run, paths[i]) || cli_interrupt_is_requested())
            break;
    }
    if (run.form == CLI_FORM_REPORT)
        cli_output_append(&cli->out,
                          run.code == 0 ? STR("],\"valid\":true}\n") : STR("],\"valid\":false}\n"));
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
