/* partial.c - what a parser has read so far. See partial.h. */
#include "base/features.h"

#include "json/partial.h"

#include "json/parser.h"

/* True where the grammar's next token is a value. */
static bool partial_awaits_value(enum json_state state)
{
    switch (state) {
    case STATE_ROOT:
    case STATE_ITEM_FIRST:
    case STATE_ITEM:
    case STATE_MEMBER_VALUE: return true;
    case STATE_ITEM_END:
    case STATE_NAME_FIRST:
    case STATE_NAME:
    case STATE_COLON:
    case STATE_MEMBER_END:
    case STATE_END: break;
    }
    return false;
}

void json_parser_look(const struct json_parser *parser, struct json_partial *out)
{
    *out = (struct json_partial){ .doc = parser->doc, .container = JSON_PARTIAL_NONE };
    if (parser->doc == NULL)
        return;
    out->node_count = parser->node_count;
    if (parser->container != JSON_NO_CONTAINER)
        out->container = parser->container;
    if (partial_awaits_value(parser->state))
        out->token = str_of(parser->doc->text + parser->at, parser->doc->text_len - parser->at);
}

uint32_t json_partial_outer(const struct json_partial *partial, uint32_t container)
{
    uint32_t outer = partial->doc->nodes[container].aux;
    return outer == JSON_NO_CONTAINER ? JSON_PARTIAL_NONE : outer;
}
