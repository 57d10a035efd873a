/* tool_definition.h - `structure` as a tool that a model calls, in each provider's form. */
#ifndef STRUCTURE_CLI_TOOL_DEFINITION_H
#define STRUCTURE_CLI_TOOL_DEFINITION_H

#include "base/buffer.h"

enum tool_form { TOOL_OPENAI, TOOL_OPENAI_CHAT, TOOL_ANTHROPIC, TOOL_GEMINI, TOOL_MCP };

/* Appends the definition as JSON on one line. */
void tool_definition_append(struct buffer *out, enum tool_form form);

/* Appends an MCP tool that takes a text and gives an object of that schema (JSON text). */
void tool_of_schema_append(struct buffer *out, struct str name, struct str schema);

#endif
