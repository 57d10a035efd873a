/* typescript.c - a program as a TypeScript-like type.
 *
 * Owns: the text form and its bounds. Leaves to others: where it stands in a prompt (engine). Not
 * recursive: pending pieces lie on a stack. Nodes that contain themselves become named types, so
 * the text is finite; beyond a number of bytes nested types are written as "any".
 */
#include "base/features.h"

#include "schema/typescript.h"

#include "base/limits.h"
#include "schema/internal.h"
#include "schema/shorten.h"
#include "schema/format.h"
#include "schema/vector.h"

enum {
    TYPESCRIPT_BYTES_MAX = 48 * 1024, /* beyond, nothing is opened any more */
    TYPESCRIPT_VALUES_MAX = 64,       /* enum members that are listed */
    TYPESCRIPT_COMMENT_CODE_POINTS = 200,
    TYPESCRIPT_INDENT = 2
};

enum piece_kind { PIECE_TEXT, PIECE_TYPE, PIECE_MEMBER, PIECE_LINE, PIECE_ANY_MEMBER };

struct piece {
    uint8_t kind;   /* enum piece_kind */
    bool in_parens; /* a type of several parts needs them */
    uint32_t node;
    uint32_t index; /* in properties[] */
    uint32_t indent;
    const char *text;
};

struct writer {
    const struct schema_program *program;
    struct buffer *out;
    size_t begin;
    struct vector stack; /* struct piece: the next one last */
    struct vector fresh; /* pieces of one node in order, before they go on the stack */
    uint8_t *colours;    /* of nodes */
    uint32_t *names;     /* of nodes: number of the named type, 0 for none */
    uint32_t name_count;
};

enum writer_colour { WRITER_WHITE, WRITER_GREY, WRITER_BLACK };

static void writer_add(struct writer *writer, struct piece piece)
{
    struct piece *slot = vector_push(&writer->fresh, writer->out->alloc);
    if (slot == NULL)
        writer->out->status = STATUS_NO_MEMORY;
    else
        *slot = piece;
}

static void writer_text(struct writer *writer, const char *text)
{
    writer_add(writer, (struct piece){ .kind = PIECE_TEXT, .text = text });
}

static void writer_type(struct writer *writer, uint32_t node, uint32_t indent, bool in_parens)
{
    writer_add(writer,
               (struct piece){
                   .kind = PIECE_TYPE, .node = node, .indent = indent, .in_parens = in_parens });
}

/* The pieces of one node go on the stack, the first one on top. */
static void writer_flush(struct writer *writer)
{
    for (uint32_t i = writer->fresh.count; i-- > 0;) {
        struct piece *slot = vector_push(&writer->stack, writer->out->alloc);
        if (slot == NULL)
            writer->out->status = STATUS_NO_MEMORY;
        else
            *slot = *(struct piece *)vector_at(&writer->fresh, i);
    }
    writer->fresh.count = 0;
}

static const struct schema_op *writer_find(const struct writer *writer, uint32_t node,
                                           enum schema_opcode opcode)
{
    return schema_node_find(writer->program, node, opcode);
}

/* ---- comments -------------------------------------------------------------------------------- */

/* One line of a description: runs of white space become one space. */
static void comment_text(struct buffer *out, struct str text)
{
    size_t code_points = 0;
    bool space = false;
    size_t begin = out->len;
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        bool is_continuation = ((unsigned char)byte & 0xC0) == 0x80;
        if ((unsigned char)byte <= ' ' || byte == 0x7F) {
            space = out->len > begin;
            continue;
        }
        if (!is_continuation && code_points++ == TYPESCRIPT_COMMENT_CODE_POINTS) {
            buffer_append_str(out, STR("…"));
            return;
        }
        if (space)
            buffer_append_byte(out, ' ');
        space = false;
        buffer_append_byte(out, byte);
    }
}

static void comment_limit(const struct writer *writer, uint32_t node, const struct schema_op *op,
                          const char *before, const char *after)
{
    struct str keyword = schema_op_keyword(writer->program, node, op);
    struct json limit = json_get(writer->program->nodes[node].schema, keyword);
    buffer_append_str(writer->out, str_from(before));
    if (json_exists(limit))
        schema_append_short(limit, writer->out);
    buffer_append_str(writer->out, str_from(after));
}

static const char *comment_format(enum schema_format format)
{
    if (format == SCHEMA_FORMAT_DATE)
        return "YYYY-MM-DD";
    if (format == SCHEMA_FORMAT_DATE_TIME)
        return "YYYY-MM-DDThh:mm:ssZ";
    if (format == SCHEMA_FORMAT_TIME)
        return "hh:mm:ssZ";
    return schema_format_name(format);
}

/* What an instruction adds to the comment of a member; false for nothing. */
static bool comment_op(const struct writer *writer, uint32_t node, const struct schema_op *op)
{
    bool exclusive = (op->flags & SCHEMA_OP_EXCLUSIVE) != 0;
    switch ((enum schema_opcode)op->opcode) {
    case SCHEMA_OP_MINIMUM:
        comment_limit(writer, node, op, exclusive ? "> " : "≥ ", "");
        return true;
    case SCHEMA_OP_MAXIMUM:
        comment_limit(writer, node, op, exclusive ? "< " : "≤ ", "");
        return true;
    case SCHEMA_OP_MULTIPLE_OF: comment_limit(writer, node, op, "multiple of ", ""); return true;
    case SCHEMA_OP_MIN_LENGTH: comment_limit(writer, node, op, "≥ ", " characters"); return true;
    case SCHEMA_OP_MAX_LENGTH: comment_limit(writer, node, op, "≤ ", " characters"); return true;
    case SCHEMA_OP_MIN_ITEMS: comment_limit(writer, node, op, "≥ ", " items"); return true;
    case SCHEMA_OP_MAX_ITEMS: comment_limit(writer, node, op, "≤ ", " items"); return true;
    case SCHEMA_OP_PATTERN: comment_limit(writer, node, op, "pattern ", ""); return true;
    case SCHEMA_OP_FORMAT:
        buffer_append_str(writer->out, str_from(comment_format((enum schema_format)op->a)));
        return true;
    case SCHEMA_OP_TYPE:
    case SCHEMA_OP_ENUM:
    case SCHEMA_OP_PREFIX_ITEMS:
    case SCHEMA_OP_ITEMS:
    case SCHEMA_OP_CONTAINS:
    case SCHEMA_OP_UNIQUE_ITEMS:
    case SCHEMA_OP_PROPERTIES:
    case SCHEMA_OP_PATTERN_PROPERTIES:
    case SCHEMA_OP_ADDITIONAL:
    case SCHEMA_OP_PROPERTY_NAMES:
    case SCHEMA_OP_REQUIRED:
    case SCHEMA_OP_MIN_PROPERTIES:
    case SCHEMA_OP_MAX_PROPERTIES:
    case SCHEMA_OP_DEPENDENT_REQUIRED:
    case SCHEMA_OP_DEPENDENT_SCHEMA:
    case SCHEMA_OP_REF:
    case SCHEMA_OP_ALL_OF:
    case SCHEMA_OP_ANY_OF:
    case SCHEMA_OP_ONE_OF:
    case SCHEMA_OP_CONTENT:
    case SCHEMA_OP_DYNAMIC_REF:
    case SCHEMA_OP_UNEVALUATED_ITEMS:
    case SCHEMA_OP_UNEVALUATED_PROPERTIES:
    case SCHEMA_OP_NOT:
    case SCHEMA_OP_IF: return false;
    }
    return false;
}

static struct str comment_description(const struct writer *writer, uint32_t node)
{
    struct json schema = writer->program->nodes[node].schema;
    if (json_type(schema) == JSON_OBJECT) {
        struct json value = json_get(schema, STR("description"));
        if (json_exists(value) && json_type(value) == JSON_STRING)
            return json_string(value);
    }
    return str_of(NULL, 0);
}

static void writer_indent(const struct writer *writer, uint32_t indent)
{
    for (uint32_t i = 0; i < indent * TYPESCRIPT_INDENT; i++)
        buffer_append_byte(writer->out, ' ');
}

/* The comment line of a node, if there is anything to say: description, then bounds. */
static void writer_comment(const struct writer *writer, uint32_t node, uint32_t indent)
{
    struct buffer *out = writer->out;
    size_t line = out->len;
    writer_indent(writer, indent);
    buffer_append_str(out, STR("// "));
    size_t begin = out->len;
    uint32_t target = writer->program->internal->alias[node];
    struct str description = comment_description(writer, node);
    comment_text(out, description.len > 0 ? description : comment_description(writer, target));
    const struct schema_op *ops = schema_node_ops(writer->program, target);
    for (uint32_t i = 0; i < writer->program->nodes[target].op_count; i++) {
        size_t before = out->len;
        if (before > begin)
            buffer_append_str(out, STR("; "));
        if (!comment_op(writer, target, &ops[i]))
            buffer_truncate(out, before);
    }
    if (out->len > begin)
        buffer_append_byte(out, '\n');
    else
        buffer_truncate(out, line);
}

/* ---- names ----------------------------------------------------------------------------------- */

/* Appends the name of a type that contains itself: the last token of its pointer, made a plain
 * word, and a number where a word alone could repeat. */
static void writer_name(const struct writer *writer, uint32_t node)
{
    struct buffer *out = writer->out;
    struct buffer pointer;
    buffer_init(&pointer, out->alloc, 4096);
    json_pointer_of(writer->program->nodes[node].schema, &pointer);
    size_t at = pointer.len;
    while (at > 0 && pointer.ptr[at - 1] != '/')
        at--;
    size_t begin = out->len;
    for (; at < pointer.len; at++) {
        char byte = pointer.ptr[at];
        bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        if (!letter && !(byte >= '0' && byte <= '9'))
            continue;
        bool first = out->len == begin;
        if (first && !letter)
            continue;
        buffer_append_byte(out, first && byte >= 'a' ? (char)(byte - ('a' - 'A')) : byte);
    }
    if (out->len == begin)
        buffer_append_str(out, STR("Type"));
    if (writer->name_count > 1)
        buffer_append_uint(out, writer->names[node]);
    if (buffer_status(&pointer) == STATUS_NO_MEMORY)
        out->status = STATUS_NO_MEMORY;
    buffer_release(&pointer);
}

struct writer_visit {
    uint32_t node;
    uint32_t op;
    uint32_t child;
};

/* The next child that is not a mere check, or SCHEMA_NONE. */
static uint32_t writer_next_child(const struct writer *writer, struct writer_visit *visit)
{
    const struct schema_node *row = &writer->program->nodes[visit->node];
    const struct schema_op *ops = schema_node_ops(writer->program, visit->node);
    while (visit->op < row->op_count) {
        uint32_t child;
        bool in_place;
        if (schema_op_child(writer->program, &ops[visit->op], visit->child++, &child, &in_place)) {
            if (child != SCHEMA_NONE)
                return writer->program->internal->alias[child];
        } else {
            visit->op++;
            visit->child = 0;
        }
    }
    return SCHEMA_NONE;
}

/* Numbers every node that is reached again from within itself. */
static void writer_find_names(struct writer *writer, struct writer_visit *stack)
{
    uint32_t depth = 0;
    uint32_t root = writer->program->internal->alias[0];
    stack[depth++] = (struct writer_visit){ .node = root };
    writer->colours[root] = WRITER_GREY;
    while (depth > 0) {
        uint32_t child = writer_next_child(writer, &stack[depth - 1]);
        if (child == SCHEMA_NONE) {
            writer->colours[stack[--depth].node] = WRITER_BLACK;
        } else if (writer->colours[child] == WRITER_WHITE) {
            writer->colours[child] = WRITER_GREY;
            stack[depth++] = (struct writer_visit){ .node = child };
        } else if (writer->colours[child] == WRITER_GREY && writer->names[child] == 0) {
            writer->names[child] = ++writer->name_count;
        }
    }
}

/* ---- types ----------------------------------------------------------------------------------- */

static void writer_enum(struct writer *writer, const struct schema_op *op, bool in_parens)
{
    struct buffer *out = writer->out;
    bool parens = in_parens && op->b > 1;
    if (parens)
        buffer_append_byte(out, '(');
    for (uint32_t i = 0; i < op->b; i++) {
        if (i > 0)
            buffer_append_str(out, STR(" | "));
        if (i == TYPESCRIPT_VALUES_MAX) {
            buffer_append_str(out, STR("…"));
            break;
        }
        schema_append_short(writer->program->values[op->a + i], out);
    }
    if (op->b == 0)
        buffer_append_str(out, STR("never"));
    if (parens)
        buffer_append_byte(out, ')');
}

static void writer_object(struct writer *writer, uint32_t node, uint32_t indent)
{
    const struct schema_op *op = writer_find(writer, node, SCHEMA_OP_PROPERTIES);
    const struct schema_op *rest = writer_find(writer, node, SCHEMA_OP_ADDITIONAL);
    bool has_rest = rest != NULL && writer->program->nodes[rest->a].op_count > 0;
    if ((op == NULL || op->b == 0) && !has_rest) {
        writer_text(writer, op == NULL ? "object" : "{}");
        return;
    }
    writer_text(writer, "{\n");
    for (uint32_t i = 0; op != NULL && i < op->b; i++) {
        uint32_t index = op->a + i;
        if (writer->program->nodes[writer->program->properties[index].node].types == 0)
            continue;
        writer_add(writer,
                   (struct piece){ .kind = PIECE_MEMBER, .index = index, .indent = indent + 1 });
        writer_type(writer, writer->program->properties[index].node, indent + 1, false);
        writer_text(writer, ",\n");
    }
    if (has_rest) {
        writer_add(writer, (struct piece){
                               .kind = PIECE_ANY_MEMBER, .node = rest->a, .indent = indent + 1 });
        writer_type(writer, rest->a, indent + 1, false);
        writer_text(writer, ",\n");
    }
    writer_add(writer, (struct piece){ .kind = PIECE_LINE, .indent = indent });
    writer_text(writer, "}");
}

static void writer_array(struct writer *writer, uint32_t node, uint32_t indent)
{
    const struct schema_op *prefix = writer_find(writer, node, SCHEMA_OP_PREFIX_ITEMS);
    const struct schema_op *items = writer_find(writer, node, SCHEMA_OP_ITEMS);
    bool has_items = items != NULL && writer->program->nodes[items->a].types != 0;
    if (prefix == NULL) {
        if (has_items)
            writer_type(writer, items->a, indent, true);
        else
            writer_text(writer, "any");
        writer_text(writer, "[]");
        return;
    }
    writer_text(writer, "[");
    for (uint32_t i = 0; i < prefix->b; i++) {
        if (i > 0)
            writer_text(writer, ", ");
        writer_type(writer, writer->program->children[prefix->a + i], indent, false);
    }
    if (has_items) {
        writer_text(writer, ", ...");
        writer_type(writer, items->a, indent, true);
        writer_text(writer, "[]");
    }
    writer_text(writer, "]");
}

/* The types that the node itself tells, from `type` or from keywords that speak of one type
 * only. */
static uint8_t writer_own_types(const struct writer *writer, uint32_t node)
{
    if (writer->program->nodes[node].types != SCHEMA_ANY)
        return writer->program->nodes[node].types;
    uint8_t types = 0;
    const struct schema_op *ops = schema_node_ops(writer->program, node);
    for (uint32_t i = 0; i < writer->program->nodes[node].op_count; i++)
        if (ops[i].types != SCHEMA_ANY)
            types |= ops[i].types;
    return types;
}

static const struct writer_scalar {
    uint8_t bits;
    const char *name;
} writer_scalars[] = {
    { SCHEMA_STRING, "string" },   { SCHEMA_NUMBER, "number" },   { SCHEMA_INTEGER, "integer" },
    { SCHEMA_FRACTION, "number" }, { SCHEMA_BOOLEAN, "boolean" }, { SCHEMA_NULL, "null" },
};

/* One part for each type, "A | B | null". */
static void writer_own(struct writer *writer, uint32_t node, uint8_t types, uint32_t indent)
{
    bool is_first = true;
    if ((types & SCHEMA_OBJECT) != 0) {
        writer_object(writer, node, indent);
        is_first = false;
    }
    if ((types & SCHEMA_ARRAY) != 0) {
        if (!is_first)
            writer_text(writer, " | ");
        writer_array(writer, node, indent);
        is_first = false;
    }
    for (size_t i = 0; i < sizeof(writer_scalars) / sizeof(writer_scalars[0]); i++) {
        if ((types & writer_scalars[i].bits) != writer_scalars[i].bits)
            continue;
        types &= (uint8_t)~writer_scalars[i].bits;
        if (!is_first)
            writer_text(writer, " | ");
        writer_text(writer, writer_scalars[i].name);
        is_first = false;
    }
}

static void writer_list(struct writer *writer, const struct schema_op *op, const char *separator,
                        uint32_t indent)
{
    for (uint32_t i = 0; i < op->b; i++) {
        if (i > 0)
            writer_text(writer, separator);
        writer_type(writer, writer->program->children[op->a + i], indent, true);
    }
}

/* Everything that must hold together, joined by " & ": own members or items, references,
 * alternatives. Returns the number of parts. */
static unsigned writer_parts(struct writer *writer, uint32_t node, uint8_t types, uint32_t indent)
{
    static const struct {
        enum schema_opcode opcode;
        const char *separator;
    } rows[] = {
        { SCHEMA_OP_ALL_OF, " & " },
        { SCHEMA_OP_ANY_OF, " | " },
        { SCHEMA_OP_ONE_OF, " | " },
    };
    const struct schema_op *reference = writer_find(writer, node, SCHEMA_OP_REF);
    bool has_own = writer_find(writer, node, SCHEMA_OP_PROPERTIES) != NULL ||
                   writer_find(writer, node, SCHEMA_OP_ITEMS) != NULL;
    unsigned count = 0;
    if (has_own) {
        writer_own(writer, node, types, indent);
        count++;
    }
    if (reference != NULL) {
        if (count++ > 0)
            writer_text(writer, " & ");
        writer_type(writer, reference->a, indent, true);
    }
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        const struct schema_op *op = writer_find(writer, node, rows[i].opcode);
        /* Alternatives beside members usually only say which of them are required. */
        if (op == NULL || (has_own && op->opcode != SCHEMA_OP_ALL_OF))
            continue;
        if (count++ > 0)
            writer_text(writer, " & ");
        writer_list(writer, op, rows[i].separator, indent);
    }
    return count;
}

static bool writer_is_full(const struct writer *writer)
{
    return writer->out->len - writer->begin > TYPESCRIPT_BYTES_MAX;
}

static bool writer_has_parts(const struct writer *writer, uint32_t node, uint8_t types)
{
    unsigned bits = 0;
    if (types == SCHEMA_NUMBER)
        return false;
    for (unsigned bit = 1; bit < SCHEMA_ANY; bit <<= 1)
        bits += (types & bit) != 0;
    return bits > 1 || writer_find(writer, node, SCHEMA_OP_ALL_OF) != NULL ||
           writer_find(writer, node, SCHEMA_OP_ANY_OF) != NULL ||
           writer_find(writer, node, SCHEMA_OP_ONE_OF) != NULL;
}

/* The body of a type, with its parts pushed for later. */
static void writer_body(struct writer *writer, uint32_t node, uint32_t indent, bool in_parens)
{
    const struct schema_op *values = writer_find(writer, node, SCHEMA_OP_ENUM);
    uint8_t types = writer_own_types(writer, node);
    if (values != NULL) {
        writer_enum(writer, values, in_parens);
        return;
    }
    if (writer_is_full(writer) || (types == 0 && writer->program->nodes[node].op_count == 0)) {
        buffer_append_str(writer->out, STR("any"));
        return;
    }
    bool parens = in_parens && writer_has_parts(writer, node, types);
    if (parens)
        writer_text(writer, "(");
    if (writer_parts(writer, node, types, indent) == 0) {
        if (types == 0)
            writer_text(writer, "any");
        else
            writer_own(writer, node, types, indent);
    }
    if (parens)
        writer_text(writer, ")");
    writer_flush(writer);
}

/* ---- the text -------------------------------------------------------------------------------- */

static bool writer_is_plain_name(struct str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char byte = name.ptr[i];
        bool digit = byte >= '0' && byte <= '9';
        bool word = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || byte == '_' ||
                    byte == '$';
        if (!word && (i == 0 || !digit))
            return false;
    }
    return name.len > 0;
}

static void writer_member(const struct writer *writer, const struct piece *piece)
{
    const struct schema_property *property = &writer->program->properties[piece->index];
    writer_comment(writer, property->node, piece->indent);
    writer_indent(writer, piece->indent);
    if (writer_is_plain_name(property->name))
        buffer_append_str(writer->out, property->name);
    else
        json_write_string(property->name, writer->out);
    buffer_append_str(writer->out, property->required ? STR(": ") : STR("?: "));
}

static void writer_piece(struct writer *writer, const struct piece *piece)
{
    uint32_t node = piece->node;
    switch ((enum piece_kind)piece->kind) {
    case PIECE_TEXT: buffer_append_str(writer->out, str_from(piece->text)); return;
    case PIECE_LINE: writer_indent(writer, piece->indent); return;
    case PIECE_MEMBER: writer_member(writer, piece); return;
    case PIECE_ANY_MEMBER:
        writer_comment(writer, node, piece->indent);
        writer_indent(writer, piece->indent);
        buffer_append_str(writer->out, STR("[name: string]: "));
        return;
    case PIECE_TYPE:
        node = writer->program->internal->alias[node];
        if (writer->names[node] != 0)
            writer_name(writer, node);
        else
            writer_body(writer, node, piece->indent, piece->in_parens);
        return;
    }
}

static void writer_run(struct writer *writer)
{
    while (writer->stack.count > 0 && buffer_status(writer->out) == STATUS_OK) {
        if (writer->out->len - writer->begin > 2 * TYPESCRIPT_BYTES_MAX) {
            writer->stack.count = 0;
            buffer_append_str(writer->out, STR("…"));
            return;
        }
        struct piece piece = *(struct piece *)vector_at(&writer->stack, --writer->stack.count);
        writer_piece(writer, &piece);
    }
}

/* The root, and before it the named types. */
static void writer_document(struct writer *writer)
{
    uint32_t root = writer->program->internal->alias[0];
    for (uint32_t i = 0; i < writer->program->node_count && writer->name_count > 0; i++) {
        if (writer->names[i] == 0)
            continue;
        buffer_append_str(writer->out, STR("type "));
        writer_name(writer, i);
        buffer_append_str(writer->out, STR(" = "));
        writer_body(writer, i, 0, false);
        writer_run(writer);
        buffer_append_str(writer->out, STR(";\n"));
    }
    if (writer->names[root] != 0)
        writer_name(writer, root);
    else
        writer_body(writer, root, 0, false);
    writer_run(writer);
}

void schema_write_typescript(const struct schema_program *program, struct buffer *out)
{
    struct writer writer = {
        .program = program,
        .out = out,
        .begin = out->len,
        .stack = { .item_size = sizeof(struct piece) },
        .fresh = { .item_size = sizeof(struct piece) },
    };
    uint32_t count = program->node_count;
    struct writer_visit *visits = alloc_get(out->alloc, count * sizeof(*visits));
    writer.colours = alloc_get(out->alloc, count);
    writer.names = alloc_get(out->alloc, count * sizeof(*writer.names));
    if (visits == NULL || writer.colours == NULL || writer.names == NULL) {
        out->status = STATUS_NO_MEMORY;
        goto out;
    }
    memset(writer.colours, WRITER_WHITE, count);
    memset(writer.names, 0, count * sizeof(*writer.names));
    writer_find_names(&writer, visits);
    writer_document(&writer);
out:
    alloc_free(out->alloc, visits, count * sizeof(*visits));
    alloc_free(out->alloc, writer.colours, count);
    alloc_free(out->alloc, writer.names, count * sizeof(*writer.names));
    vector_release(&writer.stack, out->alloc);
    vector_release(&writer.fresh, out->alloc);
}
