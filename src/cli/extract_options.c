/* extract_options.c - the options of `extract`: one table, and what each stores.
 *
 * Owns: names, ranges and defaults. Leaves to others: acting on them (command_extract.c).
 * Invariant: an option of the contract that is not built yet is refused by name, never ignored.
 */
#include "base/features.h"

#include "base/limits.h"
#include "cli/extract.h"
#include "cli/quantity.h"
#include "cli/schema_source.h"

enum { EXTRACT_TOKENS_MAX = 1000000 };

enum extract_id {
    EXTRACT_FILE,
    EXTRACT_SCHEMA,
    EXTRACT_NAME,
    EXTRACT_DESCRIBE,
    EXTRACT_MODEL,
    EXTRACT_BASE_URL,
    EXTRACT_CA_FILE,
    EXTRACT_MAX_LOOPS,
    EXTRACT_MAX_TOKENS,
    EXTRACT_TIMEOUT,
    EXTRACT_DEADLINE,
    EXTRACT_TEMPERATURE,
    EXTRACT_SEED,
    EXTRACT_GROUNDED,
    EXTRACT_ONCE,
    EXTRACT_NO_STRICT,
    EXTRACT_NO_STREAM,
    EXTRACT_INSTRUCTIONS,
    EXTRACT_RESULT,
    EXTRACT_GROUNDING,
    EXTRACT_DRY_RUN,
    EXTRACT_RECORD,
    EXTRACT_REPLAY,
    EXTRACT_UNKNOWN,
    EXTRACT_WRAP_ROOT,
    EXTRACT_SHOW_VALUES
};

const struct cli_option extract_options[EXTRACT_OPTION_COUNT] = {
    { "file", 'f', EXTRACT_FILE, "FILE", "the prompt's file; - is standard input" },
    { "schema", 's', EXTRACT_SCHEMA, "SCHEMA",
      "the target: a file, -, or JSON text that begins with {" },
    { "name", 'n', EXTRACT_NAME, "NAME", "a registered schema (not built yet)" },
    { "describe", 'd', EXTRACT_DESCRIBE, "WORDS", "the target in words (not built yet)" },
    { "model", 'm', EXTRACT_MODEL, "MODEL",
      "provider/model, an alias (default:fast), local, or the path of a .gguf file; default: "
      "STRUCTURE_MODEL, else what is configured, else local" },
    { "base-url", 0, EXTRACT_BASE_URL, "URL", "endpoint of that provider for this call" },
    { "ca-file", 0, EXTRACT_CA_FILE, "FILE", "certificates to trust in place of the system's" },
    { "max-loops", 0, EXTRACT_MAX_LOOPS, "N", "iterations, 1 to 10, default 3" },
    { "max-tokens", 0, EXTRACT_MAX_TOKENS, "N|auto",
      "output tokens of a reply, default 1024; auto: once more with a higher limit when a reply "
      "was "
      "cut" },
    { "timeout", 0, EXTRACT_TIMEOUT, "D",
      "time for one model call, default 30s, for a local model 2m" },
    { "deadline", 0, EXTRACT_DEADLINE, "D", "time for the whole call" },
    { "temperature", 0, EXTRACT_TEMPERATURE, "X", "0 to 2; default 0 for a local model" },
    { "seed", 0, EXTRACT_SEED, "N", "seed of the sampling" },
    { "grounded", 0, EXTRACT_GROUNDED, "WHEN",
      "auto, on or off: strings and numbers only from the prompt's own words; auto (default) is on "
      "under one "
      "billion parameters" },
    { "once", 0, EXTRACT_ONCE, NULL, "one repair at most, and no way for the model to ask back" },
    { "no-strict", 0, EXTRACT_NO_STRICT, NULL, "take a model that cannot enforce the schema" },
    { "no-stream", 0, EXTRACT_NO_STREAM, NULL, "ask the provider for the whole reply at once" },
    { "instructions", 0, EXTRACT_INSTRUCTIONS, "TEXT|@FILE", "extra rules for the model" },
    { "result", 0, EXTRACT_RESULT, NULL,
      "print the whole result: status, data, need, errors, usage" },
    { "grounding", 0, EXTRACT_GROUNDING, NULL,
      "add to the result where in the prompt each leaf occurs (implies --result)" },
    { "dry-run", 0, EXTRACT_DRY_RUN, NULL, "print what would be sent, send nothing" },
    { "record", 0, EXTRACT_RECORD, "DIR",
      "store every model call, with the prompt and without the key" },
    { "replay", 0, EXTRACT_REPLAY, "DIR", "answer from such a store, without a network" },
    { "unknown-keywords", 0, EXTRACT_UNKNOWN, "POLICY", "error (default), warn or allow" },
    { "wrap-root", 0, EXTRACT_WRAP_ROOT, NULL, "accept a target whose root is not an object" },
    { "show-values", 0, EXTRACT_SHOW_VALUES, NULL,
      "let words on stderr contain what the model wrote" },
};

const struct extract_settings extract_defaults = {
    .loops_max = LIMIT_LOOPS_DEFAULT,
    .tokens_max = LIMIT_TOKENS_DEFAULT,
    .temperature = -1,
    .grounded = MODEL_GROUNDED_AUTO,
    .unknown = SCHEMA_UNKNOWN_ERROR,
};

static enum status extract_later(const char *option, const char *next_step, struct error *error)
{
    (void)error_set(error, STATUS_UNSUPPORTED, "--%s is not built yet", option);
    error_hint(error, "%s", next_step);
    return STATUS_UNSUPPORTED;
}

static enum status extract_apply_count(const char *option, const char *value, uint32_t max,
                                       uint32_t *out, struct error *error)
{
    uint64_t number;
    enum status status = cli_quantity_count(option, value, 1, max, &number, error);
    if (status == STATUS_OK)
        *out = (uint32_t)number;
    return status;
}

enum status extract_apply(void *state, unsigned id, const char *value, struct error *error)
{
    static const char *const grounded[] = { "auto", "on", "off", NULL };
    struct extract_settings *settings = state;
    enum status status = STATUS_OK;
    unsigned choice = 0;
    switch ((enum extract_id)id) {
    case EXTRACT_FILE: settings->prompt_file = value; break;
    case EXTRACT_SCHEMA: settings->schema = value; break;
    case EXTRACT_NAME: return extract_later("name", "give the schema itself with -s SCHEMA", error);
    case EXTRACT_DESCRIBE:
        return extract_later("describe", "write a schema and give it with -s SCHEMA", error);
    case EXTRACT_MODEL: settings->model = value; break;
    case EXTRACT_BASE_URL: settings->base_url = value; break;
    case EXTRACT_CA_FILE: settings->ca_file = value; break;
    case EXTRACT_MAX_LOOPS:
        return extract_apply_count("max-loops", value, LIMIT_LOOPS_MAX, &settings->loops_max,
                                   error);
    case EXTRACT_MAX_TOKENS:
        settings->tokens_auto = strcmp(value, "auto") == 0;
        if (settings->tokens_auto)
            break;
        return extract_apply_count("max-tokens", value, EXTRACT_TOKENS_MAX, &settings->tokens_max,
                                   error);
    case EXTRACT_TIMEOUT:
        return cli_quantity_duration_ms("timeout", value, &settings->timeout_ms, error);
    case EXTRACT_DEADLINE:
        return cli_quantity_duration_ms("deadline", value, &settings->deadline_ms, error);
    case EXTRACT_TEMPERATURE:
        return cli_quantity_fraction("temperature", value, 0, 2, &settings->temperature, error);
    case EXTRACT_SEED:
        settings->has_seed = true;
        return cli_quantity_count("seed", value, 0, UINT64_MAX, &settings->seed, error);
    case EXTRACT_GROUNDED:
        status = cli_option_choice("grounded", value, grounded, &choice, error);
        settings->grounded = (enum model_grounded)choice;
        break;
    case EXTRACT_ONCE: settings->once = true; break;
    case EXTRACT_NO_STRICT: settings->no_strict = true; break;
    case EXTRACT_NO_STREAM: settings->no_stream = true; break;
    case EXTRACT_INSTRUCTIONS: settings->instructions = value; break;
    case EXTRACT_RESULT: settings->result = true; break;
    case EXTRACT_GROUNDING: settings->grounding = settings->result = true; break;
    case EXTRACT_DRY_RUN: settings->dry_run = true; break;
    case EXTRACT_RECORD: settings->record = value; break;
    case EXTRACT_REPLAY: settings->replay = value; break;
    case EXTRACT_UNKNOWN:
        status = cli_option_choice("unknown-keywords", value, cli_unknown_choices, &choice, error);
        settings->unknown = (enum schema_unknown)choice;
        break;
    case EXTRACT_WRAP_ROOT: settings->wrap_root = true; break;
    case EXTRACT_SHOW_VALUES: settings->show_values = true; break;
    }
    return status;
}
