/* command_version.c - `structure version`: version, build options, versions of linked libraries. */
#include "base/features.h"

#include "cli/cli.h"
#include "cli/report.h"
#include "json/json.h"
#include "structure.h"

enum { VERSION_BYTES_MAX = 4096 };

#if defined(__clang__)
#define VERSION_COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define VERSION_COMPILER "gcc " __VERSION__
#else
#define VERSION_COMPILER "unknown"
#endif

static void version_json(struct buffer *text, const char *library)
{
    buffer_printf(text, "{\"version\":\"%s\",\"compiler\":", structure_version());
    json_write_string(STR(VERSION_COMPILER), text);
    buffer_printf(text, ",\"localModels\":%s,\"libraries\":{", library == NULL ? "false" : "true");
    if (library != NULL) {
        buffer_append_str(text, STR("\"libllama\":"));
        json_write_string(str_from(library), text);
    }
    buffer_append_str(text, STR("}}\n"));
}

static void version_words(struct buffer *text, const char *library)
{
    buffer_printf(text, "structure %s\n", structure_version());
    buffer_printf(text, "compiler: %s\n", VERSION_COMPILER);
    if (library == NULL)
        buffer_append_str(text, STR("local models: no (built without libllama)\n"));
    else
        buffer_printf(text, "local models: yes (libllama %s)\n", library);
}

static int version_run(struct cli *cli, const void *options, const struct cli_operands *operands)
{
    (void)options;
    struct error error = { 0 };
    if (operands->count > 0) {
        (void)error_set(&error, STATUS_INVALID_REQUEST, "version takes no operand");
        return cli_fail(cli, NULL, &error);
    }
    struct buffer text;
    buffer_init(&text, cli->alloc, VERSION_BYTES_MAX);
    const char *library = structure_version_llama();
    if (cli->json)
        version_json(&text, library);
    else
        version_words(&text, library);
    cli_output_append(&cli->out, buffer_view(&text));
    buffer_release(&text);
    return CLI_EXIT_OK;
}

const struct command command_version = {
    .name = "version",
    .usage = "",
    .summary = "Show version, build options and the versions of linked libraries.",
    .run = version_run,
};
