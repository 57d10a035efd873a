/* protocol.h - one wire protocol: a pure request writer and a push reader of replies.
 *
 * A protocol turns one model call into the bytes of a request, and the events of a reply into what
 * every provider says in the end: text, finish signal, usage. Instances: anthropic.c,
 * openai_responses.c, openai_chat.c, gemini.c. No I/O, no retries, no schema knowledge.
 *
 * Success needs three things that a reader reports one by one: the protocol's terminal event
 * (is_complete), a finish signal, and text. Unknown members, events and finish words are tolerated;
 * the wrong type of a known member is TRANSPORT. Thread rule: one thread at a time.
 */
#ifndef STRUCTURE_PROVIDER_PROTOCOL_H
#define STRUCTURE_PROVIDER_PROTOCOL_H

#include "model/model.h"
#include "net/sse.h"
#include "provider/catalogue.h"
#include "provider/failure.h"

/* ---- writing ---- */

/* Everything borrowed. */
struct protocol_call {
    const struct provider_row *provider;
    const struct provider_model *model_row;
    struct str model;    /* as the provider names it */
    struct str base_url; /* without a slash at the end */
    struct str key;      /* empty: none */
    const struct model_message *messages;
    uint32_t message_count;
    enum provider_mechanism mechanism;
    struct str schema;      /* wire schema as JSON text; empty unless BY_SCHEMA or BY_TOOL */
    struct str schema_name; /* [A-Za-z0-9_-]{1,64} */
    struct str
        schema_words; /* projection_words and, where needed, the schema: one more system turn */
    bool is_strict;
    uint32_t tokens_max;
    double temperature; /* negative: not sent */
    bool has_seed;
    uint64_t seed;
    bool is_streamed;
    unsigned omit; /* enum provider_parameter bits that a refusal told us to leave out */
    bool use_other_limit_name; /* the limit's other name: max_tokens <-> max_completion_tokens */
};

enum { PROTOCOL_HEADERS_MAX = 24 };

/* What a writer fills: url and body are the caller's buffers, headers point into them, into the
 * call or into `text`. */
struct protocol_request {
    struct buffer url;
    struct buffer body;
    struct buffer text; /* header values that had to be made, such as "Bearer KEY" */
    struct http_header headers[PROTOCOL_HEADERS_MAX];
    uint32_t header_count;
};

void protocol_request_init(struct protocol_request *request, const struct alloc *alloc);
/* Zeroes what was secret. */
void protocol_request_release(struct protocol_request *request);

/* ---- reading ---- */

/* What has come so far. */
struct protocol_reply {
    struct buffer text; /* the structured text: the first text channel, or tool arguments */
    struct buffer
        reasoning; /* bounded, only kept while text is empty (JSON in the wrong channel) */
    enum model_channel channel;
    bool has_finish;
    enum model_finish finish;
    char finish_word[48]; /* the provider's, for -vv; [A-Za-z0-9_-] */
    bool is_complete;     /* the protocol's terminal event was seen, or the document was whole */
    bool has_usage;
    struct model_usage usage;
    bool has_failure; /* an error event or an error document inside of a 200 reply */
    struct provider_failure failure;
    char served_model[MODEL_ID_BYTES];
    char id[MODEL_ID_BYTES];
    bool has_second_choice; /* more than one text block or choice: noted */
    bool tool_was_absent;   /* announced by the finish signal, but not there */
};

struct protocol_reader; /* one reply being read */

struct protocol_ops {
    const char *name;
    /* Writes the request for call. Errors are in the buffers' status. */
    void (*write)(const struct protocol_call *call, struct protocol_request *request);
    /* Whether a stream's event ends the reply, etc.: reads one event (streamed). Sets members of
     * reply. TRANSPORT when it is not the protocol's, NO_MEMORY. Events after the terminal one are
     * ignored but for usage. */
    enum status (*event)(struct protocol_reader *reader, const struct sse_event *event,
                         struct error *error);
    /* Reads a whole document (not streamed, or a server that ignored "stream"). */
    enum status (*document)(struct protocol_reader *reader, struct json document,
                            struct error *error);
};

const struct protocol_ops *protocol_of(enum provider_protocol protocol);

/* ---- the reader around it, the same for all: status line, content type, SSE or document ---- */

struct protocol_reader {
    const struct protocol_ops *ops;
    const struct alloc *alloc;
    struct protocol_reply reply;
    struct sse_parser sse;
    struct buffer document; /* body that is no stream, and bodies of error statuses (bounded) */
    bool schema_was_sent;
    bool is_streamed;  /* what was asked for */
    bool reads_events; /* what came */
    int http_status;
    struct provider_failure head_failure; /* kept from the head: Retry-After, request id */
    uint32_t event_count;
    enum status status; /* final once it is not OK */
    struct error error;
    struct buffer block; /* the protocol's own bookkeeping over events, bounded */
    uint32_t block_index;
    unsigned flags;
};

/* text_max: bytes of reply text. */
enum status protocol_reader_init(struct protocol_reader *reader, const struct protocol_call *call,
                                 size_t text_max, const struct alloc *alloc);
void protocol_reader_release(struct protocol_reader *reader);
void protocol_reader_head(struct protocol_reader *reader, const struct http_head *head);
/* Returns false when nothing more is wanted (a failure, or the reply is complete). New text is at
 * the end of reply.text. */
bool protocol_reader_body(struct protocol_reader *reader, struct str chunk);
/* The body ended well (end NULL) or not. After it reply and *out_failure say all: OK when the reply
 * is complete (whatever its finish), else the kind of failure. */
void protocol_reader_end(struct protocol_reader *reader, const struct http_end *end,
                         struct provider_failure *out_failure);

#endif
