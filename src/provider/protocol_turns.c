/* protocol_turns.c - the turns of a call as wire protocols want them, and its parameters.
 *
 * Owns: putting system turns first, merging neighbours of one role (some protocols, and templates
 * behind others, demand that roles alternate), leaving out blank turns (some refuse them).
 * Invariant: every byte of every turn that is not blank is written once, in order.
 */
#include "base/features.h"

#include "provider/protocol_parts.h"

const struct str protocol_tool_words = { "Takes the answer. Call it once.", 31 };

bool protocol_takes(const struct protocol_call *call, enum provider_parameter parameter)
{
    return (call->model_row->parameters & (unsigned)parameter) != 0 &&
           (call->omit & (unsigned)parameter) == 0;
}

bool protocol_asks_by(const struct protocol_call *call, enum provider_mechanism mechanism)
{
    return call->mechanism == mechanism && call->schema.len > 0;
}

bool protocol_has_format(const struct protocol_call *call)
{
    return protocol_asks_by(call, PROVIDER_BY_SCHEMA) || call->mechanism == PROVIDER_BY_JSON_OBJECT;
}

void protocol_begin(const struct protocol_call *call, struct wire *wire, struct buffer *body)
{
    wire_begin(wire, body, call->model_row->extra, call->schema);
}

void protocol_write_limit(const struct protocol_call *call, struct wire *wire, struct str name)
{
    const struct str old_name = STR("max_tokens");
    const struct str new_name = STR("max_completion_tokens");
    if (call->tokens_max == 0)
        return;
    if (call->model_row->output_limit_name.len > 0)
        name = call->model_row->output_limit_name;
    if (call->use_other_limit_name)
        name = str_equal(name, old_name) ? new_name : old_name;
    wire_uint(wire, name, call->tokens_max);
}

void protocol_write_sampling(const struct protocol_call *call, struct wire *wire, uint64_t seed_max)
{
    if (call->temperature >= 0 && protocol_takes(call, PROVIDER_TAKES_TEMPERATURE))
        wire_number(wire, STR("temperature"), call->temperature);
    if (call->has_seed && protocol_takes(call, PROVIDER_TAKES_SEED))
        wire_uint(wire, STR("seed"), call->seed & seed_max);
}

void protocol_write_schema(const struct protocol_call *call, struct wire *wire,
                           struct str schema_name)
{
    wire_string(wire, STR("name"), call->schema_name);
    wire_bool(wire, STR("strict"), call->is_strict);
    wire_json(wire, schema_name, call->schema);
}

struct str protocol_role_word(enum model_role role)
{
    return role == MODEL_ROLE_ASSISTANT ? STR("assistant") : STR("user");
}

static bool text_is_blank(struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] != ' ' && (text.ptr[i] < '\t' || text.ptr[i] > '\r'))
            return false;
    }
    return true;
}

/* Whether a message is a turn of the conversation besides the system's. */
static bool message_speaks(const struct model_message *message)
{
    return message->role != MODEL_ROLE_SYSTEM && !text_is_blank(message->text);
}

static bool text_has_word_json(struct str text)
{
    for (size_t i = 0; i + 4 <= text.len; i++) {
        if ((text.ptr[i] | 32) == 'j' && (text.ptr[i + 1] | 32) == 's' &&
            (text.ptr[i + 2] | 32) == 'o' && (text.ptr[i + 3] | 32) == 'n')
            return true;
    }
    return false;
}

/* Some servers refuse "a JSON object" unless the prompt has the word. */
static bool call_lacks_word_json(const struct protocol_call *call)
{
    if (call->mechanism != PROVIDER_BY_JSON_OBJECT ||
        !protocol_takes(call, PROVIDER_NEEDS_WORD_JSON) || text_has_word_json(call->schema_words))
        return false;
    for (uint32_t i = 0; i < call->message_count; i++) {
        if (text_has_word_json(call->messages[i].text))
            return false;
    }
    return true;
}

/* The system's texts: its turns, the schema's words, the word JSON. */
enum { SYSTEM_TEXTS_BESIDES = 2 };

static bool system_text(const struct protocol_call *call, uint32_t *at, struct str *out_text)
{
    while (*at < call->message_count) {
        const struct model_message *message = &call->messages[(*at)++];
        if (message->role != MODEL_ROLE_SYSTEM || text_is_blank(message->text))
            continue;
        *out_text = message->text;
        return true;
    }
    *out_text = call->schema_words;
    if ((*at)++ == call->message_count && !text_is_blank(call->schema_words))
        return true;
    *out_text = STR("Answer with one JSON object.");
    if (*at <= call->message_count + SYSTEM_TEXTS_BESIDES && call_lacks_word_json(call)) {
        *at = call->message_count + SYSTEM_TEXTS_BESIDES + 1;
        return true;
    }
    return false;
}

static bool system_speaks(const struct protocol_call *call)
{
    struct str text;
    uint32_t at = 0;
    return system_text(call, &at, &text);
}

bool protocol_has_system(const struct protocol_call *call)
{
    return protocol_takes(call, PROVIDER_TAKES_SYSTEM_ROLE) && system_speaks(call);
}

bool protocol_turn_next(const struct protocol_call *call, struct protocol_turn *turn)
{
    uint32_t at = turn->end;
    bool has_system =
        !turn->is_begun && !protocol_takes(call, PROVIDER_TAKES_SYSTEM_ROLE) && system_speaks(call);
    while (at < call->message_count && !message_speaks(&call->messages[at]))
        at++;
    if (at == call->message_count && !has_system)
        return false;
    *turn = (struct protocol_turn){ MODEL_ROLE_USER, at, at, has_system, true };
    if (at < call->message_count && !has_system)
        turn->role = call->messages[at].role;
    while (at < call->message_count &&
           (!message_speaks(&call->messages[at]) || call->messages[at].role == turn->role))
        at++;
    turn->end = at;
    return true;
}

/* *at counts the system's texts first, where they belong to the run, then its messages. */
bool protocol_text_next(const struct protocol_call *call, const struct protocol_turn *turn,
                        uint32_t *at, struct str *out_text)
{
    uint32_t system_count = call->message_count + SYSTEM_TEXTS_BESIDES + 1;
    if (turn == NULL)
        return system_text(call, at, out_text);
    if (*at < system_count) {
        if (turn->has_system && system_text(call, at, out_text))
            return true;
        *at = system_count;
    }
    uint32_t index = turn->begin + (*at - system_count);
    while (index < turn->end && !message_speaks(&call->messages[index]))
        index++;
    if (index >= turn->end)
        return false;
    *out_text = call->messages[index].text;
    *at = index + 1 - turn->begin + system_count;
    return true;
}

void protocol_write_texts(const struct protocol_call *call, const struct protocol_turn *turn,
                          struct wire *wire, struct str name)
{
    struct str text;
    uint32_t at = 0;
    if (!wire_text(wire, name))
        return;
    for (bool is_first = true; protocol_text_next(call, turn, &at, &text); is_first = false) {
        if (!is_first)
            wire_text_add(wire, STR("\n\n"));
        wire_text_add(wire, text);
    }
    wire_text_end(wire);
}

void protocol_write_turns(const struct protocol_call *call, struct wire *wire)
{
    struct protocol_turn turn = { .is_begun = false };
    while (protocol_turn_next(call, &turn)) {
        wire_item(wire);
        wire_string(wire, STR("role"), protocol_role_word(turn.role));
        protocol_write_texts(call, &turn, wire, STR("content"));
        wire_object_end(wire);
    }
}
