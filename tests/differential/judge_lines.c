/* judge_lines.c - this side of the differential test: verdicts on lines of schema and instances.
 *
 * Reads lines {"dialect": URI, "schema": ..., "instances": [...]} and writes one line for each: a
 * digit an instance (1 valid, 0 invalid, ? not decided), or "!" and why the schema was refused. The
 * verdict is asked of the quick path and of the trace; where they differ the digit is X.
 */
#include "base/features.h"

#include <stdio.h>
#include <stdlib.h>

#include "schema/compile.h"
#include "schema/output.h"
#include "schema/validate.h"

enum { LINE_BYTES_MAX = 1 << 24 };

static char verdict_of(const struct schema_program *program, struct json instance)
{
    bool valid = false;
    struct schema_trace *trace = NULL;
    if (schema_is_valid(program, instance, 0, alloc_default(), &valid, NULL) != STATUS_OK ||
        schema_trace_new(program, instance, 0, alloc_default(), &trace, NULL) != STATUS_OK)
        return '?';
    bool same = schema_trace_is_valid(trace) == valid;
    schema_trace_free(trace);
    if (!same)
        return 'X';
    return valid ? '1' : '0';
}

static void judge_line(struct str line, struct buffer *out)
{
    struct json_doc *doc = NULL;
    struct schema_program *program = NULL;
    struct error error;
    struct buffer schema;
    error_clear(&error);
    buffer_clear(out);
    buffer_init(&schema, alloc_default(), LINE_BYTES_MAX);
    enum status status = json_parse(line, NULL, alloc_default(), &doc, &error);
    if (status == STATUS_OK) {
        struct json root = json_doc_root(doc);
        const struct schema_options options = {
            .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
            .dialect = json_string(json_get(root, STR("dialect"))),
        };
        json_write(json_get(root, STR("schema")), 0, &schema);
        status =
            schema_compile_text(buffer_view(&schema), &options, alloc_default(), &program, &error);
    }
    if (status == STATUS_OK) {
        struct json list = json_get(json_doc_root(doc), STR("instances"));
        for (struct json v = json_first(list); json_exists(v); v = json_next(v, list))
            buffer_append_byte(out, verdict_of(program, v));
    } else {
        buffer_printf(out, "!%s", error.message);
    }
    buffer_append_byte(out, '\n');
    schema_program_free(program);
    buffer_release(&schema);
    json_doc_free(doc);
}

int main(void)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t len;
    struct buffer out;
    buffer_init(&out, alloc_default(), LINE_BYTES_MAX);
    while ((len = getline(&line, &size, stdin)) > 0) {
        judge_line(str_of(line, (size_t)len), &out);
        (void)fwrite(out.ptr, 1, out.len, stdout);
        (void)fflush(stdout);
    }
    free(line);
    buffer_release(&out);
    return EXIT_SUCCESS;
}
