/* protocol_parts.h - what the protocols share: turns of a conversation, and filling a reply.
 *
 * Private to src/provider. protocol_turns.c owns the turns, protocol_reply.c the reply,
 * protocol_request.c URL and headers, protocol.c the reader around a protocol.
 */
#ifndef STRUCTURE_PROVIDER_PROTOCOL_PARTS_H
#define STRUCTURE_PROVIDER_PROTOCOL_PARTS_H

#include "provider/protocol.h"
#include "provider/wire_text.h"

extern const struct protocol_ops protocol_anthropic;
extern const struct protocol_ops protocol_responses;
extern const struct protocol_ops protocol_chat;
extern const struct protocol_ops protocol_gemini;

/* ---- the call ---- */

/* Whether the model takes a parameter and no refusal told us to leave it out. */
bool protocol_takes(const struct protocol_call *call, enum provider_parameter parameter);
/* Whether the schema itself goes into the request that way. */
bool protocol_asks_by(const struct protocol_call *call, enum provider_mechanism mechanism);
void protocol_begin(const struct protocol_call *call, struct wire *wire, struct buffer *body);
/* The limit of output tokens under the row's name, else the protocol's. */
void protocol_write_limit(const struct protocol_call *call, struct wire *wire, struct str name);
/* temperature and seed (at most seed_max), where they are taken. */
void protocol_write_sampling(const struct protocol_call *call, struct wire *wire,
                             uint64_t seed_max);
/* The reply is asked for as JSON: by a schema, or as any object. */
bool protocol_has_format(const struct protocol_call *call);
extern const struct str protocol_tool_words; /* the description of the tool */
/* "name", "strict" and the schema under schema_name, as OpenAI's formats and tools have them. */
void protocol_write_schema(const struct protocol_call *call, struct wire *wire,
                           struct str schema_name);

/* ---- turns ---- */

/* A run of turns of one role; zeroed before the first. System turns and blank ones are left out. */
struct protocol_turn {
    enum model_role role;
    uint32_t begin, end; /* messages */
    bool has_system;     /* the system's texts come first in it: the model takes no system role */
    bool is_begun;
};

struct str protocol_role_word(enum model_role role); /* "user", "assistant" */
bool protocol_turn_next(const struct protocol_call *call, struct protocol_turn *turn);
/* Whether the system's texts go into a member of their own. */
bool protocol_has_system(const struct protocol_call *call);
/* The texts of a run one by one, turn NULL: the system's, the schema's words last. *at begins as
 * 0. */
bool protocol_text_next(const struct protocol_call *call, const struct protocol_turn *turn,
                        uint32_t *at, struct str *out_text);
/* All of them as one member, a blank line between two. */
void protocol_write_texts(const struct protocol_call *call, const struct protocol_turn *turn,
                          struct wire *wire, struct str name);

/* Each run as {"role", "content"}: the items of an array that is open. */
void protocol_write_turns(const struct protocol_call *call, struct wire *wire);

/* ---- the reply ---- */

enum { PROTOCOL_INDEX_MAX = 4096 }; /* of a block, choice or call: more is no sensible reply */

/* Members of values that may be of any type or not exist; the result may not exist. */
struct json protocol_member(struct json value, struct str name);
struct json protocol_item(struct json value, uint32_t index);
struct str protocol_word(struct json value, struct str name); /* a string member, else empty */
bool protocol_is(struct json value, enum json_type type);     /* exists and is of that type */
bool protocol_is_null(struct json value);                     /* is null or does not exist */
bool protocol_is_true(struct json value);

/* TRANSPORT, after filling the failure: the reply is not the protocol's at that member. */
enum status protocol_odd(struct protocol_reader *reader, struct str member);
/* Text of the answer; index tells its block or part from others. */
enum status protocol_add_text(struct protocol_reader *reader, struct str text, int64_t index);
/* A string, an array of parts with "text" members, or null. */
enum status protocol_add_content(struct protocol_reader *reader, struct json content,
                                 int64_t index);
void protocol_add_reasoning(struct protocol_reader *reader, struct str text);
/* A tool call was announced: the first one is read, others are noted. False: not that one. */
bool protocol_begin_tool(struct protocol_reader *reader, int64_t index);
/* Its arguments: a piece of JSON text, or a value (an object as text, a string as it is). */
enum status protocol_add_arguments(struct protocol_reader *reader, struct str text);
enum status protocol_add_argument_value(struct protocol_reader *reader, struct json value);

/* At the end: the answer may be what stood elsewhere. */
enum status protocol_settle_text(struct protocol_reader *reader);

struct protocol_finish_word {
    const char *word;
    enum model_finish finish;
};
#define PROTOCOL_COUNT_OF(table) (sizeof(table) / sizeof((table)[0]))

/* Looks the provider's word up; one that is not there is UNKNOWN. A worse finish is never replaced
 * by a better one. */
void protocol_finish(struct protocol_reader *reader, const struct protocol_finish_word *words,
                     size_t count, struct str word);
void protocol_refuse(struct protocol_reader *reader, struct str word);
void protocol_filter(struct protocol_reader *reader, struct str word);
/* The finish signal spoke of a tool: notes when there was none. */
void protocol_expect_tool(struct protocol_reader *reader);
/* A count of tokens into *out_count, which never goes down; what is no sensible count is ignored.
 */
bool protocol_count(struct json value, uint64_t *out_count);
/* Names of the members of a usage as OpenAI's protocols have them. */
struct protocol_usage_names {
    const char *input, *input_details, *output, *output_details;
};
void protocol_read_usage(struct protocol_reader *reader, struct json usage,
                         const struct protocol_usage_names *names);
/* A member "index"; absent: 0. TRANSPORT when it is no sensible one. */
enum status protocol_index(struct protocol_reader *reader, struct json holder, struct str name,
                           int64_t *out_index);
void protocol_identify(struct protocol_reader *reader, struct json id, struct json model);

/* Parses a text of the reply. Lone surrogates become U+FFFD. TRANSPORT (failure filled). */
enum status protocol_parse(struct protocol_reader *reader, struct str text,
                           struct json_doc **out_doc);

#endif
