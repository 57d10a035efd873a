/* protocol.h - one wire protocol: a pure request writer and a push reader of replies.
 *
 * A protocol turns one model call into the bytes of a request, and the events of a reply into what
 * every provider says in the end: text, finish signal, usage. Instances: anthropic.c,
 * openai_responses.c, openai_chat.c, gemini.c. No I/O, no retries, no schema knowledge.
 *
 * Success needs three things that a reader reports one by one: the protocol's terminal event
 * (is_complete), a finish signal, and text. A stream without finish signal is not complete; a whole
 * document may lack it. Unknown members, events and finish words are tolerated; the wrong type of a
 * known member is TRANSPORT. Thread rule: one thread at a time.
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

/* What a writer fills. Headers point into the call, into its row, or into `text`. */
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
    /* The structured text. It only grows. Where a tool was asked for, text outside of its arguments
     * waits aside until the end shows that there was no call. */
    struct buffer text;
    struct buffer reasoning; /* bounded; what a server put into a member for reasoning */
    enum model_channel channel;
    bool has_finish;
    enum model_finish finish; /* UNKNOWN until has_finish */
    char finish_word[48];     /* the provider's, for -vv; [A-Za-z0-9_.-] */
    bool is_complete; /* the protocol's terminal event was seen, or the document was whole */
    bool has_usage;
    struct model_usage usage;
    uint64_t reasoning_tokens; /* those of the output tokens that nobody sees; 0: not said */
    bool has_failure; /* an error event or document inside of a 200 reply, or no such protocol */
    struct provider_failure failure;
    char served_model[MODEL_ID_BYTES];
    char id[MODEL_ID_BYTES];
    bool has_second_choice; /* more than one text block or choice: noted */
    bool tool_was_absent;   /* announced by the finish signal, but not there */
};

/* Cut at the limit before any text: hidden reasoning used it up. */
bool protocol_reply_is_starved(const struct protocol_reply *reply);

struct protocol_reader; /* one reply being read */

struct protocol_ops {
    const char *name;
    struct str path;   /* below the base URL; "{model}" and "{method}" stand for what they say */
    struct str method; /* of a path with "{method}" */
    struct str method_streamed;
    bool ends_with_done;     /* its streams end with the data "[DONE]" */
    bool ends_with_transfer; /* they end when the transfer ends well after a finish signal */
    /* Writes the body of the request for call. Errors are in the buffer's status. */
    void (*write)(const struct protocol_call *call, struct buffer *body);
    /* One event of a stream, and a whole document (not streamed, or a server that ignored
     * "stream"). They fill reader->reply. NO_MEMORY; TRANSPORT when a known member has the wrong
     * type, with the failure filled. Errors that the reply holds were seen before. */
    enum status (*event)(struct protocol_reader *reader, struct str name, struct json data);
    enum status (*document)(struct protocol_reader *reader, struct json document);
};

const struct protocol_ops *protocol_of(enum provider_protocol protocol);

/* Writes url, headers and body of call. Errors are in the status of the three buffers: REJECTED
 * beyond their maximum, INVALID_REQUEST for a header that cannot be one. */
void protocol_write(const struct protocol_call *call, struct protocol_request *request);

/* ---- the reader around it, the same for all: status line, content, SSE or document ---- */

enum protocol_form { PROTOCOL_UNDECIDED, PROTOCOL_EVENTS, PROTOCOL_DOCUMENT };

struct protocol_reader {
    const struct protocol_ops *ops;
    const struct alloc *alloc;
    struct protocol_reply reply;
    int64_t
        wall_ms; /* when the head came, for Retry-After dates; -1: unknown. The caller's to set */

    /* private */
    struct sse_parser sse;
    struct buffer document;  /* body that is no stream, and bodies of error statuses (bounded) */
    enum protocol_form form; /* what came, whatever was asked for and whatever its content type */
    bool schema_was_sent;
    bool tool_was_sent;
    struct failure_head head;
    enum status status; /* final once it is not OK */
    uint32_t event_count;
    size_t bytes_after;  /* that came after the terminal event */
    struct buffer aside; /* text outside of the tool that was asked for */
    struct buffer block; /* a tool's input as its block began */
    int64_t tool_index;  /* of the call that is read; -1: none yet */
    int64_t text_index;  /* of the text block that came last; -1: none yet */
    size_t part_begin;   /* offset in text of the current part */
    uint64_t sequence;   /* of the last numbered event */
    uint64_t sequence_hash;
    unsigned flags; /* the protocol's own */
};

/* text_max: bytes of reply text. Needs a release even when it fails (NO_MEMORY never: allocates
 * nothing). */
enum status protocol_reader_init(struct protocol_reader *reader, const struct protocol_call *call,
                                 size_t text_max, const struct alloc *alloc);
void protocol_reader_release(struct protocol_reader *reader);
void protocol_reader_head(struct protocol_reader *reader, const struct http_head *head);
/* Returns false when nothing more is wanted: a failure, or far too much after the terminal event.
 * A complete reply does not stop by itself, so that its connection ends well and can serve again;
 * whoever does not want to wait for that looks at reply.is_complete. New text is at the end of
 * reply.text. */
bool protocol_reader_body(struct protocol_reader *reader, struct str chunk);
/* The body ended well (end NULL, or HTTP_DONE) or not. After it reply and *out_failure say all: OK
 * when the reply is complete (whatever its finish), else the kind of failure. How the transfer
 * ended does not matter once the terminal event was there. */
void protocol_reader_end(struct protocol_reader *reader, const struct http_end *end,
                         struct provider_failure *out_failure);

#endif
