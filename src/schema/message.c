/* message.c - faults in words: the one catalogue of sentences.
 *
 * Owns: the wording, and the limit and pointers of a violation. Leaves to others: which faults
 * there are (explain.c), what to do about them (hint.c), the text for the model (reason.c).
 * Invariant: no sentence holds a value of the instance; names of members and values of the schema
 * are shortened.
 */
#include "base/features.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "schema/explain.h"
#include "schema/format.h"
#include "schema/shorten.h"

enum {
    MESSAGE_BYTES_MAX = 4096,
    MESSAGE_POINTER_BYTES_MAX = 1 << 20,
    MESSAGE_LIMIT_BYTES_MAX = 256,
    MESSAGE_TITLE_BYTES_MAX = 160,
    MESSAGE_VALUES_MAX = 8 /* allowed values that a sentence lists */
};

struct message {
    struct buffer *buffer;
    const struct schema_program *program;
    const struct fault *fault;
    bool is_brief; /* only the bound that is broken */
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static void message_add(struct message *message, const char *text)
{
    buffer_append_str(message->buffer, str_from(text));
}

static bool message_is_name(const struct message *message)
{
    return json_node_type(message->fault->value.node) == JSON_NODE_NAME;
}

static void message_subject(struct message *message)
{
    message_add(message, message_is_name(message) ? "member name" : "value");
}

static void message_length_subject(struct message *message)
{
    message_add(message, message_is_name(message) ? "length of the member name" : "length");
}

static void message_quoted(struct message *message, struct str text)
{
    schema_append_short_string(text, message->buffer);
}

/* "a string", "a string or null", "an integer, a string or null". */
void schema_append_types(uint8_t types, struct buffer *out)
{
    static const struct {
        uint8_t bits;
        const char *words;
    } rows[] = {
        { SCHEMA_OBJECT, "an object" },      { SCHEMA_ARRAY, "an array" },
        { SCHEMA_STRING, "a string" },       { SCHEMA_NUMBER, "a number" },
        { SCHEMA_INTEGER, "an integer" },    { SCHEMA_FRACTION, "a number that is no integer" },
        { SCHEMA_BOOLEAN, "true or false" }, { SCHEMA_NULL, "null" },
    };
    const char *words[sizeof(rows) / sizeof(rows[0])];
    unsigned count = 0;
    for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        if ((types & rows[i].bits) != rows[i].bits)
            continue;
        words[count++] = rows[i].words;
        types &= (uint8_t)~rows[i].bits;
    }
    for (unsigned i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_str(out, i + 1 == count ? STR(" or ") : STR(", "));
        buffer_append_str(out, str_from(words[i]));
    }
}

static void message_types(struct message *message, uint8_t types)
{
    schema_append_types(types, message->buffer);
}

static void message_value(struct message *message, uint32_t index, bool *is_first)
{
    if (!*is_first)
        message_add(message, ", ");
    *is_first = false;
    schema_append_short(message->program->values[index], message->buffer);
}

static void message_enum(struct message *message, const char *verb, const struct schema_op *op)
{
    bool is_first = true;
    if (op->b == 0) {
        message_add(message, "no value is allowed here");
        return;
    }
    message_subject(message);
    message_add(message, verb);
    message_add(message, op->b == 1 ? " " : " one of ");
    if (op->b > MESSAGE_VALUES_MAX) {
        buffer_append_uint(message->buffer, op->b);
        message_add(message, " listed values");
        return;
    }
    for (uint32_t i = op->a; i < op->a + op->b; i++)
        message_value(message, i, &is_first);
}

/* The bound on the other side, or NULL. */
static const struct schema_op *message_other_bound(const struct message *message)
{
    static const uint8_t pairs[][2] = {
        { SCHEMA_OP_MINIMUM, SCHEMA_OP_MAXIMUM },
        { SCHEMA_OP_MIN_LENGTH, SCHEMA_OP_MAX_LENGTH },
        { SCHEMA_OP_MIN_ITEMS, SCHEMA_OP_MAX_ITEMS },
        { SCHEMA_OP_MIN_PROPERTIES, SCHEMA_OP_MAX_PROPERTIES },
    };
    const struct fault *fault = message->fault;
    if (message->is_brief)
        return NULL;
    for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        for (unsigned k = 0; k < 2; k++)
            if (pairs[i][k] == fault->op->opcode)
                return schema_node_find(message->program, fault->node,
                                        (enum schema_opcode)pairs[i][1 - k]);
    return NULL;
}

static void message_bound(struct message *message, const struct schema_op *op)
{
    bool exclusive = (op->flags & SCHEMA_OP_EXCLUSIVE) != 0;
    bool is_number = op->opcode == SCHEMA_OP_MINIMUM || op->opcode == SCHEMA_OP_MAXIMUM;
    bool is_minimum = op->opcode == SCHEMA_OP_MINIMUM || op->opcode == SCHEMA_OP_MIN_LENGTH ||
                      op->opcode == SCHEMA_OP_MIN_ITEMS || op->opcode == SCHEMA_OP_MIN_PROPERTIES;
    if (is_minimum)
        message_add(message, exclusive ? "> " : "≥ ");
    else
        message_add(message, exclusive ? "< " : "≤ ");
    if (!is_number) {
        buffer_append_uint(message->buffer, op->a);
        return;
    }
    struct str keyword = schema_op_keyword(message->program, message->fault->node, op);
    struct json limit = json_get(message->program->nodes[message->fault->node].schema, keyword);
    if (json_exists(limit))
        schema_append_short(limit, message->buffer);
}

/* Both bounds, the lower one first, so that whoever mends one does not run into the other. */
static void message_range(struct message *message)
{
    const struct schema_op *low = message->fault->op;
    const struct schema_op *high = message_other_bound(message);
    message_add(message, " must be ");
    if (high != NULL && high < low) {
        low = high;
        high = message->fault->op;
    }
    message_bound(message, low);
    if (high == NULL)
        return;
    message_add(message, " and ");
    message_bound(message, high);
}

static void message_multiple(struct message *message)
{
    const struct fault *fault = message->fault;
    struct json limit = json_get(message->program->nodes[fault->node].schema, STR("multipleOf"));
    message_subject(message);
    message_add(message, " must be a multiple of ");
    if (json_exists(limit))
        schema_append_short(limit, message->buffer);
}

/* `what` and the relation to a count of units. */
static void message_count(struct message *message, const char *what, const char *relation,
                          uint32_t count)
{
    message_add(message, what);
    message_add(message, relation);
    buffer_append_uint(message->buffer, count);
}

static void message_characters(struct message *message)
{
    const struct schema_op *other = message_other_bound(message);
    bool is_one = message->fault->op->a == 1 && (other == NULL || other->a == 1);
    message_length_subject(message);
    message_range(message);
    message_add(message, is_one ? " character" : " characters");
}

/* Draft-04 asks for an integer that is written as one. */
static void message_type(struct message *message)
{
    const struct fault *fault = message->fault;
    message_subject(message);
    message_add(message, " must be ");
    message_types(message, (uint8_t)fault->op->a);
    if (fault->op->b != 0 && json_node_type(fault->value.node) == JSON_NUMBER)
        message_add(message, ", written without fraction and exponent");
}

static void message_format(struct message *message)
{
    uint32_t format = message->fault->op->a;
    message_subject(message);
    message_add(message, " must match format ");
    if (format >= SCHEMA_FORMAT_CUSTOM)
        message_quoted(message,
                       message->program->custom_formats[format - SCHEMA_FORMAT_CUSTOM].name);
    else
        message_quoted(message, str_from(schema_format_name((enum schema_format)format)));
}

static void message_content(struct message *message)
{
    bool is_base64 = (message->fault->op->a & SCHEMA_CONTENT_BASE64) != 0;
    bool is_json = (message->fault->op->a & SCHEMA_CONTENT_JSON) != 0;
    message_subject(message);
    message_add(message, is_base64 ? " must be base64" : " must be a JSON text");
    if (is_base64 && is_json)
        message_add(message, " of a JSON text");
}

/* ---- sentences ------------------------------------------------------------------------------- */

/* Members that the schema under `not` requires. */
static void message_together(struct message *message, const struct schema_op *op)
{
    message_add(message, op->b == 1 ? "member " : "members ");
    for (uint32_t i = 0; i < op->b && i < MESSAGE_VALUES_MAX; i++) {
        if (i > 0)
            message_add(message, i + 1 == op->b ? " and " : ", ");
        message_quoted(message, message->program->names[op->a + i]);
    }
    message_add(message, op->b > MESSAGE_VALUES_MAX ? ", …" : "");
    message_add(message, op->b == 1 ? " is not allowed" : " must not stand together");
}

static void message_not(struct message *message)
{
    const struct schema_program *program = message->program;
    uint32_t node = program->internal->alias[message->fault->op->a];
    const struct schema_op *op = schema_node_ops(program, node);
    if (program->nodes[node].op_count == 1 && op->opcode == SCHEMA_OP_ENUM) {
        message_enum(message, " must not be", op);
        return;
    }
    if (program->nodes[node].op_count == 1 && op->opcode == SCHEMA_OP_REQUIRED && op->b > 0) {
        message_together(message, op);
        return;
    }
    message_subject(message);
    if (program->nodes[node].op_count == 1 && op->opcode == SCHEMA_OP_TYPE) {
        message_add(message, " must not be ");
        message_types(message, (uint8_t)op->a);
        return;
    }
    message_add(message, " must not match the schema under \"not\"");
}

static void message_op(struct message *message)
{
    const struct schema_op *op = message->fault->op;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_TYPE: message_type(message); return;
    case SCHEMA_OP_ENUM: message_enum(message, " must be", op); return;
    case SCHEMA_OP_MINIMUM:
    case SCHEMA_OP_MAXIMUM:
        message_subject(message);
        message_range(message);
        return;
    case SCHEMA_OP_MULTIPLE_OF: message_multiple(message); return;
    case SCHEMA_OP_MIN_LENGTH:
    case SCHEMA_OP_MAX_LENGTH: message_characters(message); return;
    case SCHEMA_OP_MIN_ITEMS:
    case SCHEMA_OP_MAX_ITEMS:
        message_add(message, "number of items");
        message_range(message);
        return;
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
        message_add(message, "number of members");
        message_range(message);
        return;
    case SCHEMA_OP_PATTERN:
        message_subject(message);
        message_add(message, " must match pattern ");
        message_quoted(message, message->program->patterns[op->a].source);
        return;
    case SCHEMA_OP_FORMAT: message_format(message); return;
    case SCHEMA_OP_CONTENT: message_content(message); return;
    case SCHEMA_OP_NOT: message_not(message); return;
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
    case SCHEMA_OP_UNIQUE_ITEMS:
    case SCHEMA_OP_DEPENDENT_REQUIRED:
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_CONTAINS:
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_DEPENDENT_SCHEMA:
    case SCHEMA_OP_REF:
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF:
    case SCHEMA_OP_IF: break;
    }
    message_add(message, "value must conform to the schema");
}

static void message_member(struct message *message, const char *before, const char *after)
{
    message_add(message, before);
    message_quoted(message, message->fault->name);
    message_add(message, after);
}

/* The values that the alternatives list together. */
static void message_no_value(struct message *message)
{
    const struct schema_program *program = message->program;
    const struct fault *fault = message->fault;
    uint32_t total = 0;
    bool is_first = true;
    for (unsigned pass = 0; pass < 2; pass++) {
        for (uint32_t i = fault->op->a; i < fault->op->a + fault->op->b; i++) {
            struct schema_tag tag = program->internal->tags[i];
            uint32_t child = program->internal->alias[program->children[i]];
            const struct schema_op *op = schema_node_find(program, child, SCHEMA_OP_ENUM);
            if (fault->name.len == 0 && op != NULL) {
                tag.first = op->a;
                tag.count = op->b;
            }
            for (uint32_t k = 0; pass == 1 && k < tag.count; k++)
                message_value(message, tag.first + k, &is_first);
            total += pass == 0 ? tag.count : 0;
        }
        if (pass == 0) {
            message_add(message, "value must be one of ");
            if (total <= MESSAGE_VALUES_MAX)
                continue;
            buffer_append_uint(message->buffer, total);
            message_add(message, " listed values");
            return;
        }
    }
}

static void message_no_branch(struct message *message)
{
    const struct schema_op *op = message->fault->op;
    if (op == NULL) {
        message_add(message, "value must conform to the schema");
        return;
    }
    message_add(message, op->opcode == SCHEMA_OP_ONE_OF ? "value must match exactly one of "
                                                        : "value must match at least one of ");
    buffer_append_uint(message->buffer, op->b);
    message_add(message, " alternatives");
}

static void message_branch(struct message *message, uint32_t index)
{
    uint32_t child = message->program->children[message->fault->op->a + index];
    struct str title = schema_title(message->program, child);
    buffer_append_uint(message->buffer, (uint64_t)index + 1);
    if (title.len == 0)
        return;
    message_add(message, " (");
    message_quoted(message, title);
    message_add(message, ")");
}

static void message_two_branches(struct message *message)
{
    message_no_branch(message);
    message_add(message, " but matches number ");
    message_branch(message, message->fault->first);
    message_add(message, " and number ");
    message_branch(message, message->fault->second);
}

static void message_twins(struct message *message)
{
    message_add(message, "items must differ, but number ");
    buffer_append_uint(message->buffer, (uint64_t)message->fault->first + 1);
    message_add(message, " and number ");
    buffer_append_uint(message->buffer, (uint64_t)message->fault->second + 1);
    message_add(message, " are equal");
}

static void message_sentence(struct message *message)
{
    const struct fault *fault = message->fault;
    switch ((enum fault_kind)fault->kind) {
    case FAULT_OP: message_op(message); return;
    case FAULT_FALSE: message_add(message, "no value is allowed here"); return;
    case FAULT_TYPE:
    case FAULT_NO_TYPE:
        message_add(message, "value must be ");
        message_types(message, fault->types);
        return;
    case FAULT_MISSING: message_member(message, "required member ", " is missing"); return;
    case FAULT_DEPENDENT:
        message_member(message, "member ", " is missing, which ");
        message_quoted(message, fault->other);
        message_add(message, " requires");
        return;
    case FAULT_UNKNOWN: message_member(message, "member ", " is not allowed"); return;
    case FAULT_LEFT_ITEM:
        message_add(message, "item number ");
        buffer_append_uint(message->buffer, (uint64_t)fault->first + 1);
        message_add(message, " is not allowed");
        return;
    case FAULT_EXTRA_ITEM:
        message_count(message, "number of items", " must be ≤ ", fault->first);
        return;
    case FAULT_TOO_FEW:
        message_count(message, "number of items that match \"contains\"", " must be ≥ ",
                      fault->first);
        return;
    case FAULT_TOO_MANY:
        message_count(message, "number of items that match \"contains\"", " must be ≤ ",
                      fault->first);
        return;
    case FAULT_TWINS: message_twins(message); return;
    case FAULT_NO_VALUE: message_no_value(message); return;
    case FAULT_NO_BRANCH: message_no_branch(message); return;
    case FAULT_TWO_BRANCHES: message_two_branches(message); return;
    }
}

/* ---- the violation --------------------------------------------------------------------------- */

/* The keyword's name and value; for counts of `contains` the one that set the bound. */
static struct str message_keyword(const struct message *message)
{
    const struct fault *fault = message->fault;
    struct json schema = message->program->nodes[fault->node].schema;
    if (fault->op == NULL)
        return fault->kind == FAULT_TYPE ? STR("type") : STR("false");
    if (fault->kind == FAULT_TOO_FEW && json_exists(json_get(schema, STR("minContains"))))
        return STR("minContains");
    if (fault->kind == FAULT_TOO_MANY)
        return STR("maxContains");
    return schema_op_keyword(message->program, fault->node, fault->op);
}

static struct str message_schema_title(struct json schema)
{
    static const char *const keywords[] = { "title", "description" };
    for (unsigned i = 0; i < 2 && json_type(schema) == JSON_OBJECT; i++) {
        struct json value = json_get(schema, str_from(keywords[i]));
        if (!json_exists(value) || json_type(value) != JSON_STRING)
            continue;
        struct str line = utf8_prefix(json_string(value), MESSAGE_TITLE_BYTES_MAX);
        const char *end = line.len == 0 ? NULL : memchr(line.ptr, '\n', line.len);
        return end == NULL ? line : str_of(line.ptr, (size_t)(end - line.ptr));
    }
    return str_of("", 0);
}

struct str schema_title(const struct schema_program *program, uint32_t node)
{
    struct str title = message_schema_title(program->nodes[node].schema);
    if (title.len > 0)
        return title;
    return message_schema_title(program->nodes[program->internal->alias[node]].schema);
}

static struct str message_take(struct message *message, struct arena *arena, enum status *status)
{
    if (buffer_status(message->buffer) == STATUS_NO_MEMORY)
        *status = STATUS_NO_MEMORY;
    struct str copy = arena_copy(arena, buffer_view(message->buffer));
    if (copy.ptr == NULL)
        *status = STATUS_NO_MEMORY;
    buffer_clear(message->buffer);
    return copy;
}

static void message_write_pointer(struct message *message)
{
    struct json value = message->fault->value;
    if (message_is_name(message))
        value.node++;
    json_pointer_of(value, message->buffer);
}

/* What a member is called is at fault where the name is no name for a member, not what it holds. */
static void message_locate(const struct fault *fault, struct schema_violation *violation)
{
    struct json place = json_exists(fault->place) ? fault->place : fault->value;
    bool is_name = json_node_type(place.node) == JSON_NODE_NAME;
    if (fault->kind == FAULT_UNKNOWN) {
        place.node--;
        is_name = true;
    }
    size_t offset = is_name ? place.node->offset - 1 : json_offset(place);
    violation->place = place;
    violation->at_name = is_name;
    json_position(json_doc_source(place.doc), offset, &violation->line, &violation->column);
}

/* The keyword's value, unless it is made of schemas: those are no limit that a reader could use. */
static void message_limit(struct message *message, struct json limit)
{
    const struct schema_op *op = message->fault->op;
    message->buffer->max = MESSAGE_LIMIT_BYTES_MAX;
    bool is_schemas =
        op != NULL && (op->opcode == SCHEMA_OP_ANY_OF || op->opcode == SCHEMA_OP_ONE_OF ||
                       op->opcode == SCHEMA_OP_NOT || op->opcode == SCHEMA_OP_PROPERTIES ||
                       (op->opcode == SCHEMA_OP_CONTAINS && json_exists(limit) &&
                        json_type(limit) != JSON_NUMBER));
    if (json_exists(limit) && !is_schemas)
        json_write(limit, 0, message->buffer);
    if (buffer_status(message->buffer) == STATUS_REJECTED)
        buffer_clear(message->buffer);
}

/* "alternative 2 of 3 (Dog), by member "kind"": which one the fault is told for, and why. */
static void message_context(struct message *message)
{
    const struct schema_program *program = message->program;
    const struct fault_choice *choice = &message->fault->choice;
    if (choice->op == NULL)
        return;
    if (choice->op->opcode == SCHEMA_OP_IF) {
        message_add(message, choice->index == 0 ? "the case where \"if\" holds"
                                                : "the case where \"if\" does not hold");
        return;
    }
    if (choice->op->opcode == SCHEMA_OP_DEPENDENT_SCHEMA) {
        message_add(message, "an object with member ");
        message_quoted(message, program->names[choice->op->a]);
        return;
    }
    uint32_t child = choice->op->a + choice->index;
    struct str title = schema_title(program, program->children[child]);
    message_add(message, "alternative ");
    buffer_append_uint(message->buffer, (uint64_t)choice->index + 1);
    message_add(message, " of ");
    buffer_append_uint(message->buffer, choice->op->b);
    if (title.len > 0) {
        message_add(message, ", ");
        message_quoted(message, title);
    }
    const struct schema_tag *tag = &program->internal->tags[child];
    if (tag->count > 0 && tag->required) {
        message_add(message, ", chosen by member ");
        message_quoted(message, tag->name);
    }
}

void schema_fault_message(const struct schema_program *program, const struct fault *fault,
                          struct buffer *out)
{
    struct message message = { .buffer = out, .program = program, .fault = fault };
    message_sentence(&message);
}

enum status schema_fault_write(const struct schema_program *program, const struct fault *fault,
                               const struct alloc *alloc, struct arena *arena,
                               struct schema_violation *out_violation)
{
    struct buffer buffer;
    struct message message = { .buffer = &buffer, .program = program, .fault = fault };
    enum status status = STATUS_OK;
    struct str keyword = message_keyword(&message);
    struct json schema = program->nodes[fault->node].schema;
    struct json limit = { schema.doc, NULL };
    if (json_type(schema) == JSON_OBJECT)
        limit = json_get(schema, keyword);
    *out_violation = (struct schema_violation){ .keyword = keyword, .value = fault->value };
    if (fault->kind == FAULT_MISSING)
        out_violation->member = fault->name;
    buffer_init(&buffer, alloc, MESSAGE_BYTES_MAX);
    message_sentence(&message);
    out_violation->message = message_take(&message, arena, &status);
    message.is_brief = true;
    message_sentence(&message);
    out_violation->brief = message_take(&message, arena, &status);
    schema_fault_hint(fault, &buffer);
    out_violation->hint = message_take(&message, arena, &status);
    if (out_violation->hint.len == 0)
        schema_fault_note(program, fault, &buffer);
    out_violation->note = message_take(&message, arena, &status);
    message_context(&message);
    out_violation->context = message_take(&message, arena, &status);
    buffer_append_str(&buffer, schema_title(program, fault->node));
    out_violation->title = message_take(&message, arena, &status);
    message_limit(&message, limit);
    out_violation->limit = message_take(&message, arena, &status);
    buffer.max = MESSAGE_POINTER_BYTES_MAX;
    message_write_pointer(&message);
    out_violation->pointer = message_take(&message, arena, &status);
    json_pointer_of(json_exists(limit) ? limit : schema, &buffer);
    out_violation->schema_pointer = message_take(&message, arena, &status);
    if (program->resource_count > 0)
        out_violation->schema_uri = program->resources[program->nodes[fault->node].resource].uri;
    buffer_release(&buffer);
    message_locate(fault, out_violation);
    return status;
}
