/* judgement.c - the forms in which the outcome for one instance is told. See judgement.h.
 *
 * Owns: the machine forms and where each goes. Leaves to others: judging. Invariant: machine forms
 * are one line an instance on stdout; words for people go to stderr, or to the file of -o.
 */
#include "base/features.h"

#include "cli/judgement.h"

#include <inttypes.h>
#include <stdint.h>
#include <unistd.h>

#include "cli/fault.h"
#include "cli/report.h"
#include "cli/terminal.h"

enum { JUDGEMENT_BYTES_MAX = 64 * 1024 * 1024 };

static void member_append(struct buffer *out, const char *name, struct str value)
{
    buffer_printf(out, ",\"%s\":", name);
    json_write_string(value, out);
}

void cli_violation_append(struct buffer *out, const struct schema_violation *violation,
                          uint32_t lines_above)
{
    buffer_append_str(out, STR("{\"pointer\":"));
    json_write_string(violation->pointer, out);
    member_append(out, "keyword", violation->keyword);
    member_append(out, "message", violation->message);
    member_append(out, "schemaPointer", violation->schema_pointer);
    if (violation->limit.len > 0) {
        buffer_append_str(out, STR(",\"limit\":"));
        buffer_append_str(out, violation->limit);
    }
    if (violation->hint.len > 0)
        member_append(out, "hint", violation->hint);
    if (violation->line != 0)
        buffer_printf(out, ",\"line\":%" PRIu32 ",\"column\":%" PRIu32,
                      violation->line + lines_above, violation->column);
    buffer_append_byte(out, '}');
}

static struct error judgement_error(const struct cli_judgement *judgement)
{
    struct error error = *judgement->error;
    if (error.line != 0)
        error.line += judgement->lines_above;
    return error;
}

static void judgement_append_error(struct buffer *out, const struct cli_judgement *judgement)
{
    struct error error = judgement_error(judgement);
    buffer_append_str(out, STR(",\"error\":{"));
    cli_error_members_append(out, &error);
    buffer_append_byte(out, '}');
}

static void judgement_report(struct buffer *out, const struct cli_judgement *judgement,
                             bool is_first)
{
    buffer_append_str(out, is_first ? STR("{\"file\":") : STR(",{\"file\":"));
    json_write_string(str_from(judgement->name), out);
    if (judgement->is_line)
        buffer_printf(out, ",\"line\":%" PRIu32, judgement->lines_above + 1);
    buffer_append_str(out, judgement->is_valid ? STR(",\"valid\":true") : STR(",\"valid\":false"));
    if (judgement->error != NULL)
        judgement_append_error(out, judgement);
    if (judgement->violations != NULL) {
        buffer_append_str(out, STR(",\"violations\":["));
        for (uint32_t i = 0; i < judgement->violations->count; i++) {
            if (i > 0)
                buffer_append_byte(out, ',');
            cli_violation_append(out, &judgement->violations->items[i], judgement->lines_above);
        }
        buffer_printf(out, "],\"more\":%s", judgement->violations->more ? "true" : "false");
    }
    buffer_append_byte(out, '}');
}

static void judgement_human(struct cli *cli, struct buffer *out,
                            const struct cli_judgement *judgement)
{
    struct cli_fault_view view = { judgement->name, judgement->lines_above, judgement->source,
                                   cli_terminal_columns(STDERR_FILENO),
                                   cli->out_path == NULL && cli_use_color(cli) };
    const struct schema_violations *violations = judgement->violations;
    for (uint32_t i = 0; i < violations->count;)
        i += cli_fault_append(out, &view, &violations->items[i], violations->count - i);
    if (judgement->violations->more)
        buffer_printf(
            out, "%s: more faults are not shown; --max-errors raises the limit of %" PRIu32 "\n",
            judgement->name, judgement->violations->count);
}

/* Words for a person: a fault of the instance, or why it could not be judged. */
static void judgement_say(struct cli *cli, const struct cli_judgement *judgement,
                          struct buffer *text)
{
    if (judgement->error != NULL) {
        struct error error = judgement_error(judgement);
        bool json = cli->json;
        cli->json = false; /* the machine form, if any, has it already */
        (void)cli_fail(cli, error.line != 0 ? judgement->name : NULL, &error);
        cli->json = json;
    } else if (!judgement->is_valid) {
        judgement_human(cli, text, judgement);
    } else {
        cli_say(cli, CLI_LEVEL_STEP, "%s:%" PRIu32 ": valid", judgement->name,
                judgement->lines_above + 1);
    }
}

void cli_judgement_tell(struct cli *cli, enum cli_form form, const struct cli_judgement *judgement,
                        bool is_first)
{
    struct buffer text;
    buffer_init(&text, cli->alloc, JUDGEMENT_BYTES_MAX);
    bool is_words = false;
    switch (form) {
    case CLI_FORM_HUMAN:
        judgement_say(cli, judgement, &text);
        is_words = cli->out_path == NULL;
        break;
    case CLI_FORM_REPORT: judgement_report(&text, judgement, is_first); break;
    }
    if (is_words)
        cli_say_text(cli, CLI_LEVEL_ERROR, buffer_view(&text));
    else if (text.len > 0)
        cli_output_append(&cli->out, buffer_view(&text));
    buffer_release(&text);
}
