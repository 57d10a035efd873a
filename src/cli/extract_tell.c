/* extract_tell.c - telling how a call of `extract` ended.
 *
 * Owns: which part goes to stdout and which to stderr, and the exit code. Leaves to others: the
 * documents themselves (engine). Invariant: what the model wrote reaches stderr only as the
 * question of need-more-input or with --show-values.
 */
#include "base/features.h"

#include <inttypes.h>

#include "base/limits.h"
#include "cli/extract.h"
#include "cli/grounding.h"
#include "cli/printable.h"

enum { TELL_BYTES_MAX = 64 * 1024 * 1024 };

void extract_append_document(struct cli *cli, struct str text)
{
    unsigned indent = cli_output_indent(&cli->out);
    struct json_doc *document = NULL;
    struct json_options options = { TELL_BYTES_MAX, 2 * LIMIT_JSON_DEPTH, LIMIT_JSON_LOCAL_NODES,
                                    LIMIT_JSON_DIGITS, JSON_DUPLICATES_REFUSE };
    if (indent > 0 && json_parse(text, &options, cli->alloc, &document, NULL) == STATUS_OK) {
        struct buffer pretty;
        buffer_init(&pretty, cli->alloc, TELL_BYTES_MAX);
        json_write(json_doc_root(document), indent, &pretty);
        cli_output_append(&cli->out, buffer_view(&pretty));
        buffer_release(&pretty);
        json_doc_free(document);
    } else {
        cli_output_append(&cli->out, text);
    }
    cli_output_append(&cli->out, STR("\n"));
}

/* The result document, with the member "grounding" put before its closing brace when it is wanted.
 */
static void tell_result(struct cli *cli, const struct extract_settings *settings,
                        const struct engine_result *result, struct str prompt)
{
    struct buffer text;
    buffer_init(&text, cli->alloc, TELL_BYTES_MAX);
    engine_write_result(result, 0, &text);
    if (settings->grounding && result->status == ENGINE_OK && text.len > 0 &&
        text.ptr[text.len - 1] == '}') {
        buffer_truncate(&text, text.len - 1);
        buffer_append_str(&text, STR(",\"grounding\":"));
        cli_grounding_append(&text, result->data, prompt, cli->alloc);
        buffer_append_byte(&text, '}');
    }
    extract_append_document(cli, buffer_view(&text));
    buffer_release(&text);
}

static void tell_data(struct cli *cli, const struct engine_result *result)
{
    struct buffer text;
    buffer_init(&text, cli->alloc, TELL_BYTES_MAX);
    engine_write_data(result, cli_output_indent(&cli->out), &text);
    buffer_append_byte(&text, '\n');
    cli_output_append(&cli->out, buffer_view(&text));
    buffer_release(&text);
}

static void tell_value(struct buffer *line, const struct schema_violation *violation)
{
    struct buffer value;
    if (!json_exists(violation->value))
        return;
    buffer_init(&value, line->alloc, TELL_BYTES_MAX);
    json_write(violation->value, 0, &value);
    buffer_append_str(line, STR(" (was "));
    cli_printable_append(line, buffer_view(&value), 0, LIMIT_REASON_VALUE_CODE_POINTS);
    buffer_append_byte(line, ')');
    buffer_release(&value);
}

void extract_say_violations(struct cli *cli, enum cli_level level,
                            const struct extract_settings *settings,
                            const struct schema_violations *violations)
{
    struct buffer lines;
    buffer_init(&lines, cli->alloc, TELL_BYTES_MAX);
    for (uint32_t i = 0; i < violations->count; i++) {
        const struct schema_violation *violation = &violations->items[i];
        buffer_append_str(&lines, STR("  "));
        if (violation->pointer.len > 0) {
            cli_printable_append(&lines, violation->pointer, 0, 0);
            buffer_append_str(&lines, STR(": "));
        }
        cli_printable_append(&lines, violation->message, 0, 0);
        if (settings->show_values)
            tell_value(&lines, violation);
        buffer_append_byte(&lines, '\n');
    }
    cli_say_text(cli, level, buffer_view(&lines));
    buffer_release(&lines);
}

static void tell_summary(struct cli *cli, const struct engine_result *result)
{
    const struct engine_usage *usage = &result->usage;
    cli_say(cli, CLI_LEVEL_STEP,
            "iterations: %" PRIu32 ", model calls: %" PRIu32 ", %" PRIu64 " input tokens (%" PRIu64
            " cached), %" PRIu64 " output tokens",
            result->iterations, usage->model_calls, usage->tokens.input_tokens,
            usage->tokens.cached_input_tokens, usage->tokens.output_tokens);
    for (uint32_t i = 0; i < result->repair_count; i++)
        cli_say(cli, CLI_LEVEL_DETAIL, "repair: %.*s (risk %.*s)", (int)result->repairs[i].name.len,
                result->repairs[i].name.ptr, (int)result->repairs[i].risk.len,
                result->repairs[i].risk.ptr);
    for (uint32_t i = 0; i < result->warning_count; i++)
        cli_say(cli, CLI_LEVEL_STEP, "warning: %.*s", (int)result->warnings[i].len,
                result->warnings[i].ptr);
}

int extract_tell(struct cli *cli, const struct extract_settings *settings,
                 const struct engine_result *result, struct str prompt)
{
    bool whole = settings->result || (cli->json && result->status != ENGINE_OK);
    tell_summary(cli, result);
    if (whole)
        tell_result(cli, settings, result, prompt);
    switch (result->status) {
    case ENGINE_OK:
        if (!whole)
            tell_data(cli, result);
        return CLI_EXIT_OK;
    case ENGINE_NEED_MORE_INPUT:
        if (!whole)
            cli_say(cli, CLI_LEVEL_ERROR, "need-more-input: %.*s", (int)result->need.len,
                    result->need.ptr);
        return CLI_EXIT_NEED_MORE_INPUT;
    case ENGINE_STALE:
        if (!whole) {
            cli_say(cli, CLI_LEVEL_ERROR,
                    "stale: no reply conformed to the schema in %" PRIu32 " iteration%s",
                    result->iterations, result->iterations == 1 ? "" : "s");
            extract_say_violations(cli, CLI_LEVEL_ERROR, settings, &result->violations);
        }
        return CLI_EXIT_STALE;
    }
    return CLI_EXIT_STALE;
}
