/* sarif.c - faults as a SARIF 2.1.0 log. See sarif.h. */
#include "base/features.h"

#include "cli/sarif.h"

#include <inttypes.h>

#include "base/utf8.h"
#include "cli/fault.h"
#include "cli/report.h"
#include "structure.h"

void cli_sarif_begin(struct buffer *out)
{
    buffer_append_str(out, STR("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\","
                               "\"version\":\"2.1.0\",\"runs\":[{\"tool\":{\"driver\":"
                               "{\"name\":\"structure\",\"version\":"));
    json_write_string(str_from(structure_version()), out);
    buffer_append_str(out, STR("}},\"columnKind\":\"unicodeCodePoints\",\"results\":["));
}

void cli_sarif_end(struct buffer *out)
{
    buffer_append_str(out, STR("]}]}\n"));
}

/* A path as a relative reference: what RFC 3986 does not allow in a path is percent-encoded, and so
 * is a colon, which would end a scheme. */
static void sarif_uri_append(struct buffer *out, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                "-._~/!$&'()*+,;=@";
    buffer_append_byte(out, '"');
    for (; *path != '\0'; path++) {
        if (strchr(plain, *path) != NULL)
            buffer_append_byte(out, *path);
        else
            buffer_printf(out, "%%%02X", (unsigned)(unsigned char)*path);
    }
    buffer_append_byte(out, '"');
}

/* Where a result is; length: code points, 0 when unknown. */
struct sarif_place {
    const char *name;
    struct str pointer;
    uint32_t line;
    uint32_t column;
    size_t length;
};

static void sarif_result_append(struct buffer *out, struct str rule, struct str message,
                                struct str hint, const struct sarif_place *place)
{
    struct buffer text;
    buffer_init(&text, out->alloc, out->max);
    buffer_append_str(&text, message);
    if (hint.len > 0) {
        buffer_append_str(&text, STR("; "));
        buffer_append_str(&text, hint);
    }
    buffer_append_str(out, STR("{\"ruleId\":"));
    json_write_string(rule, out);
    buffer_append_str(out, STR(",\"level\":\"error\",\"message\":{\"text\":"));
    json_write_string(buffer_view(&text), out);
    buffer_append_str(out, STR("},\"locations\":[{\"physicalLocation\":{\"artifactLocation\":"
                               "{\"uri\":"));
    sarif_uri_append(out, place->name);
    buffer_append_byte(out, '}');
    if (place->line != 0) {
        buffer_printf(out, ",\"region\":{\"startLine\":%" PRIu32 ",\"startColumn\":%" PRIu32,
                      place->line, place->column);
        if (place->length > 0)
            buffer_printf(out, ",\"endColumn\":%zu", place->column + place->length);
        buffer_append_byte(out, '}');
    }
    buffer_append_str(out, STR("},\"logicalLocations\":[{\"fullyQualifiedName\":"));
    json_write_string(place->pointer, out);
    buffer_append_str(out, STR("}]}]"));
    if (buffer_status(&text) != STATUS_OK && buffer_status(out) == STATUS_OK)
        out->status = buffer_status(&text);
    buffer_release(&text);
}

/* Code points of what is at fault, where that lies on one line for certain. */
static size_t sarif_length(const struct schema_violation *violation)
{
    if (!json_exists(violation->place))
        return 0;
    uint32_t type = json_node_type(violation->place.node);
    bool is_container = type == JSON_OBJECT || type == JSON_ARRAY;
    return is_container && !violation->at_name ? 0 : utf8_length(cli_fault_span(violation));
}

static void sarif_property_append(struct buffer *out, const char *name, struct str value)
{
    if (value.len == 0)
        return;
    buffer_printf(out, ",\"%s\":", name);
    json_write_string(value, out);
}

static void sarif_violation_append(struct buffer *out, const struct cli_judgement *judgement,
                                   const struct schema_violation *violation)
{
    const struct sarif_place place = { .name = judgement->name,
                                       .pointer = violation->pointer,
                                       .line = violation->line == 0
                                                   ? 0
                                                   : violation->line + judgement->lines_above,
                                       .column = violation->column,
                                       .length = sarif_length(violation) };
    sarif_result_append(out, violation->keyword, violation->message, violation->hint, &place);
    buffer_append_str(out, STR(",\"properties\":{\"schemaPointer\":"));
    json_write_string(violation->schema_pointer, out);
    sarif_property_append(out, "schemaUri", violation->schema_uri);
    sarif_property_append(out, "schemaTitle", violation->title);
    sarif_property_append(out, "alternative", violation->context);
    buffer_append_str(out, STR("}}"));
}

static void sarif_error_append(struct buffer *out, const struct cli_judgement *judgement)
{
    const struct error *error = judgement->error;
    const struct sarif_place place = {
        .name = judgement->name,
        .pointer = str_from(error->has_pointer ? error->pointer : ""),
        .line = error->line == 0 ? 0 : error->line + judgement->lines_above,
        .column = error->column
    };
    sarif_result_append(out, str_from(status_name(error->status)), cli_message(error),
                        str_from(error->hint), &place);
    buffer_append_byte(out, '}');
}

void cli_sarif_append(struct buffer *out, const struct cli_judgement *judgement, bool *is_first)
{
    const struct schema_violations *violations = judgement->violations;
    uint32_t count = judgement->error != NULL || violations == NULL ? 0 : violations->count;
    if (judgement->error != NULL) {
        buffer_append_str(out, *is_first ? STR("") : STR(","));
        sarif_error_append(out, judgement);
        *is_first = false;
    }
    for (uint32_t i = 0; i < count; i++) {
        buffer_append_str(out, *is_first ? STR("") : STR(","));
        sarif_violation_append(out, judgement, &violations->items[i]);
        *is_first = false;
    }
}
