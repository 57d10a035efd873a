/* catalogue.h - who can be asked, and what each can do: providers, models and wire rules as data.
 *
 * Owns: data/providers.json, compiled in, and what the user's configuration adds to it. Leaves to
 * others: what the facts mean (protocol.h, wire_rules.h). Invariant: no fact about a provider or a
 * model stands in code; every row carries a date and a source. Rows are matched from the first to
 * the last, the user's before the built-in ones; the last row of a provider matches every name and
 * is its conservative one. Immutable after opening: may be shared between threads.
 */
#ifndef STRUCTURE_PROVIDER_CATALOGUE_H
#define STRUCTURE_PROVIDER_CATALOGUE_H

#include "net/http.h"
#include "projection/wire_rules.h"

enum provider_protocol {
    PROVIDER_ANTHROPIC, /* Messages */
    PROVIDER_RESPONSES, /* OpenAI Responses */
    PROVIDER_CHAT,      /* OpenAI Chat Completions, and every compatible server */
    PROVIDER_GEMINI     /* generateContent */
};

/* How a request asks for the schema. */
enum provider_mechanism {
    PROVIDER_BY_PROMPT,      /* words only */
    PROVIDER_BY_JSON_OBJECT, /* "a JSON object", the schema in words */
    PROVIDER_BY_SCHEMA,      /* the protocol's own field: output_config, text.format, ... */
    PROVIDER_BY_TOOL         /* a strict tool, chosen freely by the model */
};

enum provider_strictness { PROVIDER_STRICT_NO, PROVIDER_STRICT_YES, PROVIDER_STRICT_UNKNOWN };

/* Parameters that a model takes. */
enum provider_parameter {
    PROVIDER_TAKES_TEMPERATURE = 1 << 0,
    PROVIDER_TAKES_SEED = 1 << 1,
    PROVIDER_TAKES_STREAM = 1 << 2,       /* streaming together with the schema */
    PROVIDER_TAKES_STREAM_USAGE = 1 << 3, /* stream_options.include_usage */
    PROVIDER_TAKES_CACHE_MARKS = 1 << 4,
    PROVIDER_TAKES_SYSTEM_ROLE = 1 << 5, /* else system turns are put before the first user turn */
    PROVIDER_SHOWS_SCHEMA = 1 << 6,      /* the provider shows the wire schema to the model */
    PROVIDER_TAKES_STORE = 1 << 7,       /* "store": false is sent, so that nothing is kept */
    PROVIDER_NEEDS_WORD_JSON = 1 << 8    /* json_object is refused unless the prompt says JSON */
};

struct provider_model {
    struct str pattern; /* "gpt-5*": `*` stands for any bytes */
    struct str date, source;
    enum provider_mechanism mechanism;
    enum provider_strictness strictness;
    const struct wire_rules *rules; /* of the mechanism BY_SCHEMA and BY_TOOL */
    unsigned parameters;            /* enum provider_parameter bits */
    struct str output_limit_name;   /* "max_tokens", "max_completion_tokens", ... */
    uint32_t context_tokens;        /* 0: unknown */
    uint32_t output_tokens_max;     /* 0: unknown */
    uint32_t reasoning_tokens;      /* hidden ones count in the output limit: added to it */
    /* A merge patch (RFC 7396) over the body of every request, such as {"reasoning": {"effort":
     * "none"}}; the text "${schema}" in it stands for the wire schema. May not exist. */
    struct json extra;
};

struct provider_row {
    struct str id;    /* "openai-chat" */
    struct str title; /* "OpenAI (Chat Completions)" */
    enum provider_protocol protocol;
    struct str base_url;          /* default; empty: none */
    struct str base_url_variable; /* "OPENAI_BASE_URL" */
    struct str key_variable;      /* "OPENAI_API_KEY"; empty: none is used */
    bool key_required;
    struct str key_header;    /* "x-api-key", or "authorization" (then "Bearer KEY") */
    struct str default_model; /* for the provider's name alone; empty: a model must be named */
    struct json headers;      /* object of further headers: {"anthropic-version": "..."} */
    struct str path;          /* of the request below the base URL; empty: the protocol's */
    enum http_version http_version;
    struct str date, source;
    struct str ca_file, proxy; /* from configuration */
    struct str key_source;     /* from configuration: "env:NAME", "file:PATH", "cmd:..." */
    bool is_users;             /* made or changed by configuration */
    const struct provider_model *models;
    uint32_t model_count;
};

struct catalogue;

/* Reads the built-in data and, over it, the user's: a JSON object with the members "rules",
 * "providers" and "aliases" (absent ones and others are fine). user may be a value that does not
 * exist; it is copied. INVALID_REQUEST with pointer when the user's is not of that form. */
enum status catalogue_open(struct json user, const struct alloc *alloc,
                           struct catalogue **out_catalogue, struct error *error);
void catalogue_free(struct catalogue *catalogue); /* accepts NULL */

uint32_t catalogue_count(const struct catalogue *catalogue);
const struct provider_row *catalogue_at(const struct catalogue *catalogue, uint32_t index);
const struct provider_row *catalogue_provider(const struct catalogue *catalogue, struct str id);

/* The row of a model of that provider; never NULL. *out_is_known (may be NULL): the row names it
 * rather than being the conservative one. */
const struct provider_model *catalogue_model(const struct provider_row *provider, struct str model,
                                             bool *out_is_known);

/* What "default:fast" stands for in the end (an alias may name another one): "provider/model",
 * "local", or a path; empty when alias is none. */
struct str catalogue_alias(const struct catalogue *catalogue, struct str alias);
uint32_t catalogue_alias_count(const struct catalogue *catalogue);
struct str catalogue_alias_at(const struct catalogue *catalogue, uint32_t index,
                              struct str *out_value); /* its name */

/* Which provider and model a person means by a name: an alias, "provider/model" (the model may hold
 * slashes), or "provider" alone. A model in this process ("local", "local/...", "*.gguf") has the
 * provider NULL, and *out_model is that name. NOT_CONFIGURED with the nearest name when there is
 * none. *out_model is a view into name or the catalogue. */
enum status catalogue_resolve(const struct catalogue *catalogue, struct str name,
                              const struct provider_row **out_provider, struct str *out_model,
                              struct error *error);

const struct wire_rules *catalogue_rules(const struct catalogue *catalogue, struct str name);
const char *provider_protocol_name(enum provider_protocol protocol);
const char *provider_mechanism_name(enum provider_mechanism mechanism);

#endif
