/* replies.h - what providers answer, protocol by protocol, as events that a test can lose, double
 * and spoil.
 *
 * Owns: one well-formed reply of each protocol, streamed and as one document, for any text, finish
 * and usage, written from the protocols' documentation; and the providers that ask so. Leaves to
 * others: faults (faults.h).
 */
#ifndef STRUCTURE_WIRE_REPLIES_H
#define STRUCTURE_WIRE_REPLIES_H

#include "base/buffer.h"

enum wire_protocol {
    WIRE_ANTHROPIC,
    WIRE_RESPONSES,
    WIRE_CHAT,
    WIRE_COMPAT,
    WIRE_GEMINI,
    WIRE_PROTOCOL_COUNT
};

enum wire_finish { WIRE_STOP, WIRE_LENGTH, WIRE_REFUSAL, WIRE_FILTER, WIRE_ODD, WIRE_NO_FINISH };

struct wire_content {
    struct str text;
    enum wire_finish finish;
    bool no_usage;
    bool no_terminal; /* the protocol's last event is missing */
};

enum { WIRE_EVENTS_MAX = 48, WIRE_INPUT_TOKENS = 31, WIRE_OUTPUT_TOKENS = 17 };

/* One streamed event with its empty line, or the one document. */
struct wire_events {
    struct buffer store;
    size_t begin[WIRE_EVENTS_MAX];
    uint32_t count;
};

/* The model to ask for, "anthropic/claude-sonnet-4-5", and the path behind the server's address
 * that its base URL ends with. */
const char *wire_model_name(enum wire_protocol protocol);
const char *wire_base_path(enum wire_protocol protocol);
const char *wire_protocol_word(enum wire_protocol protocol);

void wire_events_init(struct wire_events *events);
void wire_events_release(struct wire_events *events);
struct str wire_event(const struct wire_events *events, uint32_t index);
/* Puts text in as event number index; the ones behind it move on. */
void wire_events_insert(struct wire_events *events, uint32_t index, struct str text);
void wire_events_remove(struct wire_events *events, uint32_t index);
void wire_events_replace(struct wire_events *events, uint32_t index, struct str text);

/* Fills events, which were initialised. */
void wire_reply(enum wire_protocol protocol, bool is_streamed, const struct wire_content *content,
                struct wire_events *events);

/* An error of that protocol: its body, and the event that says it in a stream. */
void wire_error_body(enum wire_protocol protocol, const char *type, const char *code,
                     const char *param, struct buffer *out);
void wire_error_event(enum wire_protocol protocol, const char *type, struct buffer *out);

#endif
