/* validate_instance.c - one instance of `structure validate`: judged, and told in the form asked
 * for.
 *
 * Owns: that a valid instance costs no more than parsing and the verdict. Leaves to others: words
 * and reports (judgement.c, sarif.c), the specification's forms (schema/output.h). Invariant: each
 * instance is told exactly once.
 */
#include "base/features.h"

#include "cli/judgement.h"
#include "cli/report.h"
#include "cli/sarif.h"
#include "cli/validate.h"

static bool form_is_specified(enum validate_form form)
{
    return form > VALIDATE_FLAG && form < VALIDATE_SARIF;
}

static void validate_count(struct validate_run *run, const struct cli_judgement *judgement)
{
    int code = CLI_EXIT_OK;
    if (judgement->error != NULL)
        code = cli_exit_code(judgement->error->status);
    else if (!judgement->is_valid)
        code = CLI_EXIT_NEGATIVE;
    run->judged++;
    run->unjudged += judgement->error != NULL;
    run->invalid += code == CLI_EXIT_NEGATIVE;
    run->code = code > run->code ? code : run->code;
    run->is_begun = true;
}

/* One line of a machine form where there is an error instead of a judgement. The error is part of
 * the line; without --json it is told in words too. */
static void validate_tell_unjudged(struct validate_run *run, const struct cli_judgement *judgement)
{
    struct error error = *judgement->error;
    if (error.line != 0)
        error.line += judgement->lines_above;
    buffer_clear(&run->document);
    buffer_append_str(&run->document, STR("{\"valid\":false,\"error\":{"));
    cli_error_members_append(&run->document, &error);
    buffer_append_str(&run->document, STR("}}\n"));
    if (!run->cli->json)
        cli_judgement_tell(run->cli, CLI_FORM_HUMAN, judgement, false);
    cli_output_append(&run->cli->out, buffer_view(&run->document));
}

static void validate_tell(struct validate_run *run, const struct cli_judgement *judgement)
{
    bool is_first = !run->is_begun;
    validate_count(run, judgement);
    switch (run->form) {
    case VALIDATE_HUMAN:
        if (!judgement->is_valid || run->cli->verbosity >= (int)CLI_LEVEL_STEP)
            cli_judgement_tell(run->cli, CLI_FORM_HUMAN, judgement, is_first);
        break;
    case VALIDATE_FLAG:
    case VALIDATE_BASIC:
    case VALIDATE_DETAILED:
    case VALIDATE_VERBOSE:
    case VALIDATE_LIST:
    case VALIDATE_HIERARCHICAL:
        if (judgement->error != NULL)
            validate_tell_unjudged(run, judgement);
        else if (run->form != VALIDATE_FLAG)
            cli_output_append(&run->cli->out, buffer_view(&run->document));
        else
            cli_output_append(&run->cli->out, judgement->is_valid ? STR("{\"valid\":true}\n")
                                                                  : STR("{\"valid\":false}\n"));
        break;
    case VALIDATE_SARIF:
        buffer_clear(&run->document);
        cli_sarif_append(&run->document, judgement, &run->is_first_result);
        cli_output_append(&run->cli->out, buffer_view(&run->document));
        break;
    case VALIDATE_REPORT: cli_judgement_tell(run->cli, CLI_FORM_REPORT, judgement, is_first); break;
    }
}

/* The verdict and what the form needs beside it. */
static enum status validate_judge(struct validate_run *run, struct json instance,
                                  struct schema_violations *violations, bool *out_valid,
                                  struct error *error)
{
    const struct alloc *alloc = &run->scratch.alloc;
    if (form_is_specified(run->form)) {
        enum schema_output_form form = (enum schema_output_form)(run->form - VALIDATE_FLAG);
        unsigned indent = cli_output_indent(&run->cli->out);
        buffer_clear(&run->document);
        enum status status = schema_output(run->program, instance, form, indent, 0, alloc,
                                           &run->document, out_valid, error);
        buffer_append_byte(&run->document, '\n');
        return status;
    }
    enum status status = schema_is_valid(run->program, instance, 0, alloc, out_valid, error);
    if (status != STATUS_OK || *out_valid || run->form == VALIDATE_FLAG)
        return status;
    return schema_validate(run->program, instance, 0, alloc, out_valid, violations, error);
}

void validate_instance(struct validate_run *run, const char *name, uint32_t lines_above,
                       struct str text)
{
    struct error *error = &run->error;
    struct json_doc *document = NULL;
    struct schema_violations violations = { .arena = &run->arena,
                                            .count_max = run->settings->errors_max };
    struct cli_judgement judgement = {
        .name = name, .is_line = run->settings->lines, .lines_above = lines_above, .source = text
    };
    enum status status = json_parse(text, &run->json, &run->scratch.alloc, &document, error);
    if (status == STATUS_OK)
        status =
            validate_judge(run, json_doc_root(document), &violations, &judgement.is_valid, error);
    if (status != STATUS_OK) {
        (void)error_set(error, status, "out of memory"); /* unless the cause was told */
        judgement.error = error;
        judgement.is_valid = false;
    } else if (!judgement.is_valid && violations.count > 0) {
        judgement.violations = &violations;
    }
    validate_tell(run, &judgement);
    if (judgement.error != NULL)
        error_clear(error);
    json_doc_free(document);
    if (violations.count > 0)
        arena_reset(&run->arena);
    cli_scratch_reset(&run->scratch);
}

void validate_instance_failed(struct validate_run *run, const char *name, uint32_t lines_above,
                              const struct error *error)
{
    struct cli_judgement judgement = {
        .name = name, .is_line = run->settings->lines, .lines_above = lines_above, .error = error
    };
    validate_tell(run, &judgement);
}
