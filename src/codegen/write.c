/* write.c - the planned structs as one C file. See codegen.h.
 *
 * Owns: the text: enums, structs, tables, the schema as a constant, and the four functions.
 * Invariants: texts of the schema get into comments and literals only with what could end them made
 * harmless; no literal is longer than C99 promises; initialisers are positional, so that C++ reads
 * them too.
 */
#include "base/features.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "codegen/plan.h"

enum { COMMENT_BYTES_MAX = 400, COMMENT_COLUMN = 96, LITERAL_BYTES_MAX = 3500 };

struct writer {
    const struct plan *plan;
    struct buffer *out;
    struct str root;  /* name of the root struct */
    struct str upper; /* the same in capitals, for macros */
};

static void put(struct writer *writer, const char *text)
{
    buffer_append_str(writer->out, str_from(text));
}

static void put_str(struct writer *writer, struct str text)
{
    buffer_append_str(writer->out, text);
}

static void put_upper(struct writer *writer, struct str text)
{
    for (size_t i = 0; i < text.len; i++) {
        char byte = text.ptr[i];
        buffer_append_byte(writer->out,
                           byte >= 'a' && byte <= 'z' ? (char)(byte - ('a' - 'A')) : byte);
    }
}

/* ---- comments -------------------------------------------------------------------------------- */

static struct json note(const struct plan *plan, uint32_t node, const char *name)
{
    struct json schema = plan->program->nodes[node].schema;
    struct json none = { schema.doc, NULL };
    if (json_type(schema) != JSON_OBJECT)
        return none;
    struct json value = json_get(schema, str_from(name));
    return json_exists(value) && json_type(value) == JSON_STRING ? value : none;
}

/* One line or several, without anything that ends a comment, escapes a line end, or is no plain
 * text. */
static void put_comment(struct writer *writer, const char *indent, struct str text)
{
    struct str cut = utf8_prefix(text, COMMENT_BYTES_MAX);
    size_t column = strlen(indent) + 3;
    char before = '\0';
    buffer_printf(writer->out, "%s/* ", indent);
    for (size_t i = 0; i < cut.len; i++) {
        char byte = cut.ptr[i];
        bool is_space = (unsigned char)byte <= ' ' || byte == 0x7f;
        if (is_space && column > COMMENT_COLUMN) {
            buffer_printf(writer->out, "\n%s * ", indent);
            column = strlen(indent) + 3;
            before = ' ';
            continue;
        }
        if (is_space && before == ' ')
            continue;
        if ((before == '*' && byte == '/') || (before == '/' && byte == '*') ||
            (before == '?' && byte == '?'))
            buffer_append_byte(writer->out, ' ');
        before = is_space ? ' ' : byte == '\\' ? '/' : byte;
        buffer_append_byte(writer->out, before);
        column++;
    }
    put(writer, cut.len < text.len ? "... */\n" : " */\n");
}

static void put_note(struct writer *writer, const char *indent, uint32_t node)
{
    if (node == SCHEMA_NONE)
        return;
    struct json words = note(writer->plan, node, "description");
    if (!json_exists(words))
        words = note(writer->plan, node, "title");
    if (json_exists(words) && json_string(words).len > 0)
        put_comment(writer, indent, json_string(words));
}

/* ---- literals -------------------------------------------------------------------------------- */

/* A byte inside a string literal; three octal digits end by themselves. */
static void put_byte(struct writer *writer, char byte)
{
    if (byte == '"' || byte == '\\' || byte == '?')
        buffer_printf(writer->out, "\\%c", byte);
    else if ((unsigned char)byte < ' ' || (unsigned char)byte >= 0x7f)
        buffer_printf(writer->out, "\\%03o", (unsigned)(unsigned char)byte);
    else
        buffer_append_byte(writer->out, byte);
}

static void put_literal(struct writer *writer, struct str text)
{
    buffer_append_byte(writer->out, '"');
    for (size_t i = 0; i < text.len; i++)
        put_byte(writer, text.ptr[i]);
    buffer_append_byte(writer->out, '"');
}

/* ---- declarations ---------------------------------------------------------------------------- */

enum { CONSTANT_BYTES_MAX = 40 };

/* Capitals, digits and '_' of a value. */
static size_t constant_of(struct str value, char name[CONSTANT_BYTES_MAX])
{
    size_t len = 0;
    for (; len < value.len && len < CONSTANT_BYTES_MAX; len++) {
        char byte = value.ptr[len];
        bool is_small = byte >= 'a' && byte <= 'z';
        bool is_plain = (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9');
        name[len] = is_small ? (char)(byte - ('a' - 'A')) : is_plain ? byte : '_';
    }
    return len;
}

/* A value that has no letters of its own, or those of another one, is told apart by its place. */
static void put_enum_constant(struct writer *writer, const struct plan_field *field, uint32_t index)
{
    char name[CONSTANT_BYTES_MAX], other[CONSTANT_BYTES_MAX];
    size_t len = constant_of(json_string(field->values[index]), name);
    bool clashes = len == 0;
    for (uint32_t i = 0; i < field->value_count && !clashes; i++) {
        bool is_same = constant_of(json_string(field->values[i]), other) == len &&
                       memcmp(name, other, len) == 0;
        clashes = i != index && is_same;
    }
    put_upper(writer, field->enum_name);
    buffer_append_byte(writer->out, '_');
    buffer_append(writer->out, name, len);
    if (clashes)
        buffer_printf(writer->out, "_%u", (unsigned)index);
}

static void put_enum(struct writer *writer, const struct plan_field *field)
{
    put(writer, "enum ");
    put_str(writer, field->enum_name);
    put(writer, " {\n");
    for (uint32_t i = 0; i < field->value_count; i++) {
        put(writer, "    ");
        put_enum_constant(writer, field, i);
        buffer_printf(writer->out, " = %u%s\n", (unsigned)i, i + 1 < field->value_count ? "," : "");
    }
    put(writer, "};\n\n");
}

static void put_c_type(struct writer *writer, const struct plan_field *field)
{
    switch (field->kind) {
    case PLAN_BOOL: put(writer, "bool "); return;
    case PLAN_INT64: put(writer, "int64_t "); return;
    case PLAN_DOUBLE: put(writer, "double "); return;
    case PLAN_STRING:
    case PLAN_JSON: put(writer, "char *"); return;
    case PLAN_ENUM: put(writer, "int "); return;
    case PLAN_STRUCT:
        put(writer, "struct ");
        put_str(writer, writer->plan->types[field->type].c_name);
        buffer_append_byte(writer->out, ' ');
        return;
    }
}

static bool has_state(const struct plan_field *field)
{
    return (!field->is_required || field->is_nullable) && !field->is_further && !field->is_pointer;
}

static void put_field(struct writer *writer, const struct plan_field *field)
{
    put_note(writer, "    ", field->source);
    if (has_state(field)) {
        put(writer, "    unsigned char has_");
        put_str(writer, field->c_name);
        put(writer, field->is_nullable ? "; /* STRUCTURE_ABSENT, _PRESENT or _NULL */\n" : ";\n");
    }
    put(writer, "    ");
    put_c_type(writer, field);
    if (field->is_list || field->is_further || field->is_pointer)
        buffer_append_byte(writer->out, '*');
    put_str(writer, field->c_name);
    put(writer, ";");
    if (field->kind == PLAN_ENUM) {
        put(writer, " /* enum ");
        put_str(writer, field->enum_name);
        put(writer, " */");
    } else if (field->kind == PLAN_JSON) {
        put(writer, " /* JSON */");
    }
    buffer_append_byte(writer->out, '\n');
    if (field->is_list || field->is_further) {
        put(writer, "    size_t ");
        put_str(writer, field->c_name);
        put(writer, "_count;\n");
    }
}

static void put_struct(struct writer *writer, const struct plan_type *type)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].kind == PLAN_ENUM)
            put_enum(writer, &type->fields[i]);
    }
    put_note(writer, "", type->source);
    put(writer, "struct ");
    put_str(writer, type->c_name);
    put(writer, " {\n");
    for (uint32_t i = 0; i < type->field_count; i++)
        put_field(writer, &type->fields[i]);
    if (type->field_count == 0)
        put(writer, "    char empty; /* the object has no members */\n");
    put(writer, "};\n\n");
}

static void put_functions(struct writer *writer)
{
    int len = (int)writer->root.len;
    const char *name = writer->root.ptr;
    buffer_printf(
        writer->out,
        "/* JSON becomes a struct: structure_type_decode with malloc. Give back with %.*s_free. "
        "*/\n"
        "enum structure_kind %.*s_decode(const char *text, size_t len, struct %.*s *value,\n"
        "    structure_error **error);\n"
        "/* A struct becomes JSON, given back by structure_text_free. */\n"
        "enum structure_kind %.*s_encode(const struct %.*s *value, char **text, size_t *len,\n"
        "    structure_error **error);\n"
        "/* What the struct points to, not the struct. */\n"
        "void %.*s_free(struct %.*s *value);\n"
        "/* The schema, compiled; structure_schema_free. */\n"
        "enum structure_kind %.*s_schema(structure_schema **schema, structure_error **error);\n\n",
        len, name, len, name, len, name, len, name, len, name, len, name, len, name, len, name);
}

static void put_header(struct writer *writer)
{
    const struct plan *plan = writer->plan;
    put(writer, "/* Made by `structure codegen --lang c`. Include it where it is needed, and in "
                "one C file after\n"
                " * #define ");
    put_str(writer, writer->upper);
    put(writer, "_IMPLEMENTATION. Link with libstructure. */\n#ifndef ");
    put_str(writer, writer->upper);
    put(writer, "_STRUCTURE_H\n#define ");
    put_str(writer, writer->upper);
    put(writer, "_STRUCTURE_H\n\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n\n"
                "#include <structure.h>\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    for (int i = 0; i < plan->order_count; i++)
        put_struct(writer, &plan->types[plan->order[i]]);
    for (int i = 0; i < plan->type_count; i++) {
        put(writer, "extern const struct structure_type ");
        put_str(writer, plan->types[i].c_name);
        put(writer, "_type;\n");
    }
    buffer_append_byte(writer->out, '\n');
    put_functions(writer);
    put(writer, "#ifdef __cplusplus\n}\n#endif\n\n#endif\n\n");
}

/* ---- tables ---------------------------------------------------------------------------------- */

static const char *kind_name(enum plan_kind kind)
{
    switch (kind) {
    case PLAN_BOOL: return "STRUCTURE_FIELD_BOOL";
    case PLAN_INT64: return "STRUCTURE_FIELD_INT64";
    case PLAN_DOUBLE: return "STRUCTURE_FIELD_DOUBLE";
    case PLAN_STRING: return "STRUCTURE_FIELD_STRING";
    case PLAN_ENUM: return "STRUCTURE_FIELD_ENUM";
    case PLAN_JSON: return "STRUCTURE_FIELD_JSON";
    case PLAN_STRUCT: break;
    }
    return "STRUCTURE_FIELD_STRUCT";
}

static void put_flags(struct writer *writer, const struct plan_field *field)
{
    const struct {
        bool is_set;
        const char *name;
    } flags[] = { { field->is_required, "STRUCTURE_FIELD_REQUIRED" },
                  { field->is_nullable, "STRUCTURE_FIELD_NULLABLE" },
                  { field->is_list, "STRUCTURE_FIELD_ARRAY" },
                  { field->is_pointer, "STRUCTURE_FIELD_POINTER" },
                  { field->is_further, "STRUCTURE_FIELD_FURTHER" } };
    bool first = true;
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (!flags[i].is_set)
            continue;
        buffer_printf(writer->out, "%s%s", first ? "" : " | ", flags[i].name);
        first = false;
    }
    if (first)
        buffer_append_byte(writer->out, '0');
}

static void put_offset(struct writer *writer, const struct plan_type *type, const char *before,
                       struct str member, const char *after, bool exists)
{
    if (!exists) {
        put(writer, "0");
        return;
    }
    put(writer, "offsetof(struct ");
    put_str(writer, type->c_name);
    put(writer, ", ");
    put(writer, before);
    put_str(writer, member);
    put(writer, after);
    put(writer, ")");
}

static void put_values(struct writer *writer, const struct plan_field *field)
{
    put(writer, "static const char *const ");
    put_str(writer, field->enum_name);
    put(writer, "_values[] = {\n");
    for (uint32_t i = 0; i < field->value_count; i++) {
        put(writer, "    ");
        put_literal(writer, json_string(field->values[i]));
        put(writer, i + 1 < field->value_count ? ",\n" : "\n");
    }
    put(writer, "};\n\n");
}

static void put_row(struct writer *writer, const struct plan_type *type,
                    const struct plan_field *field)
{
    bool has_count = field->is_list || field->is_further;
    put(writer, "    { ");
    if (field->name.len == 0 && (type->is_bare || field->is_further))
        put(writer, "NULL");
    else
        put_literal(writer, field->name);
    buffer_printf(writer->out, ", %s, ", kind_name(field->kind));
    put_flags(writer, field);
    put(writer, ",\n      ");
    put_offset(writer, type, "", field->c_name, "", true);
    put(writer, ",\n      ");
    put_offset(writer, type, "", field->c_name, "_count", has_count);
    put(writer, ",\n      ");
    put_offset(writer, type, "has_", field->c_name, "", has_state(field));
    put(writer, ",\n      ");
    if (field->kind == PLAN_STRUCT) {
        put(writer, "&");
        put_str(writer, writer->plan->types[field->type].c_name);
        put(writer, "_type");
    } else {
        put(writer, "NULL");
    }
    if (field->kind == PLAN_ENUM) {
        put(writer, ", ");
        put_str(writer, field->enum_name);
        buffer_printf(writer->out, "_values, %u }", (unsigned)field->value_count);
    } else {
        put(writer, ", NULL, 0 }");
    }
}

static void put_table(struct writer *writer, const struct plan_type *type, bool is_root)
{
    for (uint32_t i = 0; i < type->field_count; i++) {
        if (type->fields[i].kind == PLAN_ENUM)
            put_values(writer, &type->fields[i]);
    }
    if (type->field_count > 0) {
        put(writer, "static const struct structure_field ");
        put_str(writer, type->c_name);
        put(writer, "_fields[] = {\n");
        for (uint32_t i = 0; i < type->field_count; i++) {
            put_row(writer, type, &type->fields[i]);
            put(writer, i + 1 < type->field_count ? ",\n" : "\n");
        }
        put(writer, "};\n\n");
    }
    put(writer, "const struct structure_type ");
    put_str(writer, type->c_name);
    put(writer, "_type = {\n    ");
    put_literal(writer, type->c_name);
    put(writer, ", sizeof(struct ");
    put_str(writer, type->c_name);
    put(writer, "), ");
    if (type->field_count > 0) {
        put_str(writer, type->c_name);
        buffer_printf(writer->out, "_fields, %u, ", (unsigned)type->field_count);
    } else {
        put(writer, "NULL, 0, ");
    }
    buffer_printf(writer->out, "%d, ", type->is_bare);
    if (is_root) {
        put_str(writer, type->c_name);
        put(writer, "_schema_text");
    } else {
        put(writer, "NULL");
    }
    put(writer, "\n};\n\n");
}

/* As a literal where C99 promises to take it, else byte by byte. */
static void put_schema(struct writer *writer, struct str schema)
{
    enum { LINE = 84, BYTES_A_LINE = 20 };
    put(writer, "static const char ");
    put_str(writer, writer->root);
    put(writer, "_schema_text[] =");
    if (schema.len > LITERAL_BYTES_MAX) {
        put(writer, " {");
        for (size_t i = 0; i < schema.len; i++) {
            /* A cast, for char may be signed. */
            buffer_printf(writer->out, "%s%s%d,", i % BYTES_A_LINE == 0 ? "\n    " : " ",
                          (unsigned char)schema.ptr[i] > 127 ? "(char)" : "",
                          (unsigned char)schema.ptr[i]);
        }
        put(writer, " 0\n};\n\n");
        return;
    }
    for (size_t i = 0; i < schema.len; i += LINE) {
        put(writer, "\n    ");
        put_literal(writer, str_of(schema.ptr + i, schema.len - i < LINE ? schema.len - i : LINE));
    }
    put(writer, ";\n\n");
}

static void put_implementation(struct writer *writer, struct str schema)
{
    const struct plan *plan = writer->plan;
    int len = (int)writer->root.len;
    const char *name = writer->root.ptr;
    put(writer, "#ifdef ");
    put_str(writer, writer->upper);
    put(writer, "_IMPLEMENTATION\n\n");
    put_schema(writer, schema);
    for (int i = 0; i < plan->type_count; i++)
        put_table(writer, &plan->types[i], i == 0);
    buffer_printf(
        writer->out,
        "enum structure_kind %.*s_decode(const char *text, size_t len, struct %.*s *value,\n"
        "    structure_error **error)\n{\n"
        "    return structure_type_decode(&%.*s_type, text, len, NULL, value, error);\n}\n\n"
        "enum structure_kind %.*s_encode(const struct %.*s *value, char **text, size_t *len,\n"
        "    structure_error **error)\n{\n"
        "    return structure_type_encode(&%.*s_type, value, text, len, error);\n}\n\n",
        len, name, len, name, len, name, len, name, len, name, len, name);
    buffer_printf(
        writer->out,
        "void %.*s_free(struct %.*s *value)\n{\n"
        "    structure_type_clear(&%.*s_type, NULL, value);\n}\n\n"
        "enum structure_kind %.*s_schema(structure_schema **schema, structure_error **error)\n{\n"
        "    return structure_type_schema(&%.*s_type, NULL, schema, error);\n}\n\n#endif\n",
        len, name, len, name, len, name, len, name, len, name);
}

/* ---- the whole ------------------------------------------------------------------------------- */

static struct str root_name(const struct codegen_options *options)
{
    struct json root = options->program->root;
    if (options->name.len > 0)
        return options->name;
    struct json title =
        json_type(root) == JSON_OBJECT ? json_get(root, STR("title")) : (struct json){ NULL, NULL };
    bool has_title =
        json_exists(title) && json_type(title) == JSON_STRING && json_string(title).len > 0;
    return has_title ? json_string(title) : STR("value");
}

static enum status write_all(const struct plan *plan, const struct alloc *alloc, struct buffer *out)
{
    struct buffer schema, upper;
    struct writer writer = { .plan = plan, .out = out, .root = plan->types[0].c_name };
    buffer_init(&schema, alloc, LIMIT_SCHEMA_BYTES);
    buffer_init(&upper, alloc, LIMIT_SCHEMA_BYTES);
    json_write(plan->program->root, 0, &schema);
    struct writer capitals = { .plan = plan, .out = &upper };
    put_upper(&capitals, writer.root);
    writer.upper = buffer_view(&upper);
    enum status status = buffer_status(&schema);
    if (status == STATUS_OK)
        status = buffer_status(&upper);
    if (status == STATUS_OK) {
        put_header(&writer);
        put_implementation(&writer, buffer_view(&schema));
        status = buffer_status(out);
    }
    buffer_release(&upper);
    buffer_release(&schema);
    return status;
}

enum status codegen_c(const struct codegen_options *options, const struct alloc *alloc,
                      struct buffer *out, struct error *error)
{
    struct arena arena;
    struct error ignored = { 0 };
    struct plan plan = { .program = options->program,
                         .alloc = alloc,
                         .arena = &arena,
                         .error = error == NULL ? &ignored : error };
    arena_init(&arena, alloc, LIMIT_SCHEMA_BYTES);
    enum status status = plan_build(&plan, root_name(options));
    if (status == STATUS_OK) {
        status = write_all(&plan, alloc, out);
        if (status != STATUS_OK)
            status = error_set(plan.error, STATUS_NO_MEMORY, "out of memory");
    }
    plan_release(&plan);
    arena_release(&arena);
    return status;
}
