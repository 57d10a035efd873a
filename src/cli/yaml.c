/* yaml.c - a YAML document, event by event, as a JSON text. See yaml.h.
 *
 * Owns: what becomes of libyaml's events, and where the parts of the JSON text stand. Leaves to
 * others: plain scalars (yaml_plain.c). Invariant: after every event the text is the beginning of a
 * JSON text. The memory of libyaml itself comes from malloc; it holds one scalar and a queue of
 * tokens whose length the lookahead for simple keys bounds (1,024 characters).
 */
#include "base/features.h"

#include <yaml.h>

#include "cli/yaml.h"
#include "json/json.h"

enum {
    YAML_DEPTH_MAX = 1000, /* deeper than the JSON parser goes by default */
    YAML_ANCHORS_MAX = 256,
    YAML_ANCHOR_NAMES_BYTES_MAX = 64 * 1024,
    YAML_NO_ANCHOR = -1
};

struct yaml_frame {
    bool is_mapping;
    bool awaits_value; /* a name was written */
    bool has_entries;
    int anchor;
};

/* What an anchor stands for: a part of the JSON text. end 0: not complete yet. */
struct yaml_anchor {
    size_t name_begin, name_len; /* in anchor_names */
    size_t begin, end;
};

struct yaml_reader {
    yaml_parser_t parser;
    struct buffer *out;
    size_t line, column; /* of the end of *out, from 0, columns in code points */
    size_t counted;      /* bytes of *out that line and column account for */
    struct yaml_frame frames[YAML_DEPTH_MAX];
    unsigned depth;
    struct yaml_anchor anchors[YAML_ANCHORS_MAX];
    int anchor_count;
    struct buffer anchor_names;
    unsigned documents;
    enum status fault;
    struct error *error;
};

static enum status yaml_refuse(struct yaml_reader *reader, const yaml_mark_t *mark,
                               const char *problem)
{
    (void)error_set(reader->error, reader->fault, "YAML: %s", problem);
    if (reader->error != NULL)
        error_at_line(reader->error, (uint32_t)mark->line + 1, (uint32_t)mark->column + 1);
    return reader->fault;
}

/* ---- where things stand ---------------------------------------------------------------------- */

static void yaml_count_columns(struct yaml_reader *reader)
{
    for (; reader->counted < reader->out->len; reader->counted++)
        reader->column += (reader->out->ptr[reader->counted] & 0xC0) != 0x80;
}

/* Goes on to the line of mark, and to `before` columns before its column, unless the text is there
 * or beyond already. */
static void yaml_place(struct yaml_reader *reader, const yaml_mark_t *mark, size_t before)
{
    yaml_count_columns(reader);
    for (; reader->line < mark->line; reader->line++) {
        buffer_append_byte(reader->out, '\n');
        reader->column = 0;
    }
    for (; reader->column + before < mark->column; reader->column++)
        buffer_append_byte(reader->out, ' ');
    reader->counted = reader->out->len;
}

/* ---- anchors --------------------------------------------------------------------------------- */

static struct str yaml_anchor_name(const struct yaml_reader *reader, int anchor)
{
    return str_of(reader->anchor_names.ptr + reader->anchors[anchor].name_begin,
                  reader->anchors[anchor].name_len);
}

/* Begins the part of the text that the anchor, if there is one, stands for. */
static enum status yaml_anchor_begin(struct yaml_reader *reader, const yaml_char_t *name,
                                     const yaml_mark_t *mark, int *out_anchor)
{
    *out_anchor = YAML_NO_ANCHOR;
    if (name == NULL)
        return STATUS_OK;
    struct str text = str_from((const char *)name);
    if (reader->anchor_count == YAML_ANCHORS_MAX)
        return yaml_refuse(reader, mark, "more than 256 anchors");
    struct yaml_anchor anchor = { .name_begin = reader->anchor_names.len,
                                  .name_len = text.len,
                                  .begin = reader->out->len };
    buffer_append_str(&reader->anchor_names, text);
    if (buffer_status(&reader->anchor_names) == STATUS_REJECTED)
        return yaml_refuse(reader, mark, "the names of the anchors are too long");
    *out_anchor = reader->anchor_count++;
    reader->anchors[*out_anchor] = anchor;
    return buffer_status(&reader->anchor_names);
}

static void yaml_anchor_end(struct yaml_reader *reader, int anchor)
{
    if (anchor != YAML_NO_ANCHOR)
        reader->anchors[anchor].end = reader->out->len;
}

/* Appends a part of the text again, without its white space. */
static void yaml_repeat(struct buffer *out, size_t begin, size_t end)
{
    char *to = buffer_reserve(out, end - begin);
    bool is_string = false;
    if (to == NULL)
        return;
    const char *from = out->ptr;
    for (size_t i = begin; i < end; i++) {
        if (from[i] == '\\')
            *to++ = from[i++];
        else if (from[i] == '"')
            is_string = !is_string;
        if (is_string || (from[i] != ' ' && from[i] != '\n'))
            *to++ = from[i];
    }
    *to = '\0';
    out->len = (size_t)(to - out->ptr);
}

/* ---- values ---------------------------------------------------------------------------------- */

static struct yaml_frame *yaml_top(struct yaml_reader *reader)
{
    return reader->depth > 0 ? &reader->frames[reader->depth - 1] : NULL;
}

static bool yaml_awaits_name(struct yaml_reader *reader)
{
    const struct yaml_frame *top = yaml_top(reader);
    return top != NULL && top->is_mapping && !top->awaits_value;
}

/* What stands before a value or a name. */
static void yaml_separate(struct yaml_reader *reader)
{
    struct yaml_frame *top = yaml_top(reader);
    if (top == NULL)
        return;
    if (top->awaits_value)
        buffer_append_byte(reader->out, ':');
    else if (top->has_entries)
        buffer_append_byte(reader->out, ',');
    top->has_entries = true;
    top->awaits_value = top->is_mapping && !top->awaits_value;
}

static enum status yaml_alias(struct yaml_reader *reader, const yaml_event_t *event)
{
    struct str name = str_from((const char *)event->data.alias.anchor);
    int anchor = reader->anchor_count - 1;
    while (anchor >= 0 && !str_equal(yaml_anchor_name(reader, anchor), name))
        anchor--;
    if (yaml_awaits_name(reader))
        return yaml_refuse(reader, &event->start_mark, "an alias as the name of a member");
    if (anchor < 0)
        return yaml_refuse(reader, &event->start_mark, "an alias without its anchor");
    if (reader->anchors[anchor].end == 0)
        return yaml_refuse(reader, &event->start_mark, "an alias inside its own anchor");
    yaml_separate(reader);
    yaml_place(reader, &event->start_mark, 0);
    yaml_repeat(reader->out, reader->anchors[anchor].begin, reader->anchors[anchor].end);
    return STATUS_OK;
}

static enum status yaml_scalar(struct yaml_reader *reader, const yaml_event_t *event)
{
    struct str text = str_of((const char *)event->data.scalar.value, event->data.scalar.length);
    bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    bool is_name = yaml_awaits_name(reader);
    const char *problem = NULL;
    int anchor;
    if (event->data.scalar.tag != NULL)
        return yaml_refuse(reader, &event->start_mark, "tags are not read");
    if (is_name && is_plain && text.len == 0)
        return yaml_refuse(reader, &event->start_mark, "a member without a name");
    if (is_name && is_plain && str_equal(text, STR("<<")))
        return yaml_refuse(reader, &event->start_mark, "merge keys (\"<<\") are not read");
    yaml_separate(reader);
    yaml_place(reader, &event->start_mark, is_name ? 1 : 0);
    enum status status =
        yaml_anchor_begin(reader, event->data.scalar.anchor, &event->start_mark, &anchor);
    if (status != STATUS_OK)
        return status;
    if (is_plain && !is_name)
        problem = cli_yaml_plain(text, reader->out);
    else
        json_write_string(text, reader->out);
    yaml_anchor_end(reader, anchor);
    return problem != NULL ? yaml_refuse(reader, &event->start_mark, problem) : STATUS_OK;
}

/* before: columns that the opening bracket needs before the first entry. */
static enum status yaml_open(struct yaml_reader *reader, const yaml_mark_t *mark, bool is_mapping,
                             size_t before, const yaml_char_t *tag, const yaml_char_t *name)
{
    int anchor;
    if (tag != NULL)
        return yaml_refuse(reader, mark, "tags are not read");
    if (yaml_awaits_name(reader))
        return yaml_refuse(reader, mark, "the name of a member must be a scalar");
    if (reader->depth == YAML_DEPTH_MAX)
        return yaml_refuse(reader, mark, "nesting deeper than 1000 levels");
    yaml_separate(reader);
    yaml_place(reader, mark, before);
    enum status status = yaml_anchor_begin(reader, name, mark, &anchor);
    if (status != STATUS_OK)
        return status;
    buffer_append_byte(reader->out, is_mapping ? '{' : '[');
    reader->frames[reader->depth++] =
        (struct yaml_frame){ .is_mapping = is_mapping, .anchor = anchor };
    return STATUS_OK;
}

static void yaml_close(struct yaml_reader *reader)
{
    const struct yaml_frame *frame = &reader->frames[--reader->depth];
    buffer_append_byte(reader->out, frame->is_mapping ? '}' : ']');
    yaml_anchor_end(reader, frame->anchor);
}

/* ---- the document ---------------------------------------------------------------------------- */

static enum status yaml_apply(struct yaml_reader *reader, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT: return STATUS_OK;
    case YAML_DOCUMENT_START_EVENT:
        if (reader->documents++ > 0)
            return yaml_refuse(reader, &event->start_mark, "more than one document");
        return STATUS_OK;
    case YAML_ALIAS_EVENT: return yaml_alias(reader, event);
    case YAML_SCALAR_EVENT: return yaml_scalar(reader, event);
    case YAML_SEQUENCE_START_EVENT:
        return yaml_open(reader, &event->start_mark, false, 0, event->data.sequence_start.tag,
                         event->data.sequence_start.anchor);
    case YAML_MAPPING_START_EVENT:
        return yaml_open(reader, &event->start_mark, true,
                         event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE ? 0 : 2,
                         event->data.mapping_start.tag, event->data.mapping_start.anchor);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT: yaml_close(reader); return STATUS_OK;
    }
    return STATUS_OK;
}

static enum status yaml_syntax_fault(struct yaml_reader *reader)
{
    const yaml_parser_t *parser = &reader->parser;
    if (parser->error == YAML_MEMORY_ERROR)
        return error_set(reader->error, STATUS_NO_MEMORY, "out of memory");
    const yaml_mark_t *mark =
        parser->error == YAML_READER_ERROR ? &parser->mark : &parser->problem_mark;
    return yaml_refuse(reader, mark, parser->problem != NULL ? parser->problem : "not readable");
}

static enum status yaml_run(struct yaml_reader *reader)
{
    enum status status = STATUS_OK;
    bool is_end = false;
    while (status == STATUS_OK && !is_end) {
        yaml_event_t event;
        if (!yaml_parser_parse(&reader->parser, &event))
            return yaml_syntax_fault(reader);
        is_end = event.type == YAML_STREAM_END_EVENT;
        status = yaml_apply(reader, &event);
        if (status == STATUS_OK)
            status = buffer_status(reader->out);
        yaml_event_delete(&event);
    }
    if (status == STATUS_OK && reader->documents == 0)
        return yaml_refuse(reader, &reader->parser.mark, "the text has no document");
    return status;
}

enum status cli_yaml_to_json(struct str yaml, enum status fault, struct buffer *out,
                             struct error *error)
{
    const struct alloc *alloc = out->alloc;
    struct yaml_reader *reader = alloc_get(alloc, sizeof(*reader));
    if (reader == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    memset(reader, 0, sizeof(*reader));
    reader->out = out;
    reader->fault = fault;
    reader->error = error;
    buffer_init(&reader->anchor_names, alloc, YAML_ANCHOR_NAMES_BYTES_MAX);
    enum status status = STATUS_NO_MEMORY;
    if (yaml_parser_initialize(&reader->parser)) {
        yaml_parser_set_encoding(&reader->parser, YAML_UTF8_ENCODING);
        yaml_parser_set_input_string(&reader->parser, (const unsigned char *)yaml.ptr, yaml.len);
        status = yaml_run(reader);
        yaml_parser_delete(&reader->parser);
    }
    buffer_release(&reader->anchor_names);
    alloc_free(alloc, reader, sizeof(*reader));
    if (status == STATUS_NO_MEMORY)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    return status;
}
