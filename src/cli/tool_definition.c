/* tool_definition.c - `structure` as a tool that a model calls. See tool_definition.h.
 *
 * Owns: its name, words and parameters, which stand once; the forms around them. Leaves to others:
 * answering such a call (a server).
 */
#include "base/features.h"

#include "cli/tool_definition.h"

#include "json/json.h"

static const char definition_words[] =
    "Turn free text into one JSON object that is valid for a schema. Give the text, and the schema "
    "as JSON Schema, as the name of a registered one, or in words. The answer holds the object "
    "(status ok), or says what the text does not tell (need-more-input: ask for it and call again "
    "with the longer text), or what never conformed (stale).";

static const char definition_parameters[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"prompt\":{\"type\":\"string\",\"description\":\"The text to take the values from.\"},"
    "\"schema\":{\"description\":\"What the object must be.\",\"anyOf\":[{\"type\":\"object\","
    "\"description\":\"A JSON Schema (2020-12) whose root is an object.\"},{\"type\":\"string\","
    "\"description\":\"With schemaMode named: the name of a registered schema. With text: what is "
    "wanted, in words.\"}]},"
    "\"schemaMode\":{\"type\":\"string\",\"enum\":[\"json\",\"named\",\"text\"],\"default\":"
    "\"json\",\"description\":\"What schema is when it is a string.\"},"
    "\"maxLoops\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":10,\"default\":3,\"description\":"
    "\"How often an answer that does not conform is asked for at the most.\"}},"
    "\"required\":[\"prompt\",\"schema\"]}";

static const char definition_result[] =
    "{\"type\":\"object\",\"properties\":{"
    "\"status\":{\"type\":\"string\",\"enum\":[\"ok\",\"need-more-input\",\"stale\"]},"
    "\"data\":{\"type\":\"object\",\"description\":\"The valid object; with status ok.\"},"
    "\"need\":{\"type\":\"string\",\"description\":\"What is missing; with need-more-input.\"},"
    "\"errors\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"description\":\"What did not "
    "conform; with stale.\"},"
    "\"schemaOrigin\":{\"type\":\"string\"},\"iterations\":{\"type\":\"integer\",\"minimum\":0},"
    "\"usage\":{\"type\":\"object\"}},\"required\":[\"status\",\"schemaOrigin\",\"iterations\"]}";

/* {"name":"structure","description":"...",  */
static void definition_begin(struct buffer *out)
{
    buffer_append_str(out, STR("{\"name\":\"structure\",\"description\":"));
    json_write_string(str_from(definition_words), out);
    buffer_append_byte(out, ',');
}

void tool_definition_append(struct buffer *out, enum tool_form form)
{
    switch (form) {
    case TOOL_OPENAI:
        buffer_append_str(out,
                          STR("{\"type\":\"function\",\"name\":\"structure\",\"description\":"));
        json_write_string(str_from(definition_words), out);
        buffer_printf(out, ",\"strict\":false,\"parameters\":%s}", definition_parameters);
        break;
    case TOOL_OPENAI_CHAT:
        buffer_append_str(out, STR("{\"type\":\"function\",\"function\":"));
        definition_begin(out);
        buffer_printf(out, "\"parameters\":%s}}", definition_parameters);
        break;
    case TOOL_ANTHROPIC:
        definition_begin(out);
        buffer_printf(out, "\"input_schema\":%s}", definition_parameters);
        break;
    case TOOL_GEMINI:
        buffer_append_str(out, STR("{\"functionDeclarations\":["));
        definition_begin(out);
        buffer_printf(out, "\"parametersJsonSchema\":%s}]}", definition_parameters);
        break;
    case TOOL_MCP:
        definition_begin(out);
        buffer_printf(out,
                      "\"inputSchema\":%s,\"outputSchema\":%s,\"annotations\":{\"readOnlyHint\":"
                      "true,\"openWorldHint\":true}}",
                      definition_parameters, definition_result);
        break;
    }
}

void tool_of_schema_append(struct buffer *out, struct str name, struct str schema)
{
    buffer_append_str(out, STR("{\"name\":"));
    json_write_string(name, out);
    buffer_append_str(
        out, STR(",\"description\":\"Takes the values of this tool's result from a text.\","
                 "\"inputSchema\":{\"type\":\"object\",\"properties\":{\"prompt\":{\"type\":"
                 "\"string\",\"description\":\"The text to take the values from.\"}},"
                 "\"required\":[\"prompt\"]},\"outputSchema\":"));
    buffer_append_str(out, schema);
    buffer_append_byte(out, '}');
}
