/* validate.c - a small validator with libstructure: is this file valid for that schema, and if not,
 * why not. Resources are documents that the schema refers to by their `$id`.
 *
 * Build:  cc validate.c $(pkg-config --cflags --libs structure) -o validate
 * Run:    ./validate SCHEMA INSTANCE [RESOURCE...]
 */
#include <stdio.h>
#include <stdlib.h>

#include <structure.h>

/* The whole file, which the caller frees, or NULL. */
static char *read_file(const char *path, size_t *out_len)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    size_t len = 0;
    size_t room = 0;
    while (file != NULL && !ferror(file)) {
        if (len == room) {
            char *grown = realloc(text, room = room == 0 ? 65536 : room * 2);
            if (grown == NULL)
                break;
            text = grown;
        }
        size_t count = fread(text + len, 1, room - len, file);
        len += count;
        if (count == 0)
            break;
    }
    if (file == NULL || ferror(file)) {
        free(text);
        text = NULL;
    }
    if (file != NULL)
        fclose(file);
    *out_len = len;
    return text;
}

/* The kind of failure is the exit code, as with the command-line program. */
static int fail(const char *path, enum structure_kind kind, structure_error *error)
{
    fprintf(stderr, "validate: %s: %s", structure_kind_name(kind), path);
    if (error != NULL && structure_error_pointer(error) != NULL)
        fprintf(stderr, ":%u:%u %s", (unsigned)structure_error_line(error),
                (unsigned)structure_error_column(error), structure_error_pointer(error));
    fprintf(stderr, ": %s\n", error != NULL ? structure_error_message(error) : "cannot be read");
    structure_error_free(error);
    return (int)kind;
}

static enum structure_kind parse_file(const char *path, structure_document **out_document,
                                      structure_error **out_error)
{
    size_t len;
    char *text = read_file(path, &len);
    if (text == NULL)
        return STRUCTURE_INVALID_REQUEST;
    enum structure_kind kind =
        structure_document_new(text, len, NULL, NULL, out_document, out_error);
    free(text);
    return kind;
}

/* Compiles the schema of argv[1] with the resources of argv[3] and so on. *out_path is the file to
 * name in case of failure. */
static enum structure_kind compile(int argc, char **argv, structure_schema **out_schema,
                                   const char **out_path, structure_error **out_error)
{
    structure_document *document = NULL;
    enum structure_kind kind = STRUCTURE_OK;
    structure_resources *resources = structure_resources_new(NULL);
    structure_schema_options *options = structure_schema_options_new();
    if (resources == NULL || options == NULL)
        kind = STRUCTURE_INTERNAL;
    for (int i = 3; i < argc && kind == STRUCTURE_OK; i++) {
        *out_path = argv[i];
        kind = parse_file(argv[i], &document, out_error);
        if (kind == STRUCTURE_OK)
            kind = structure_resources_add(resources, NULL, document, out_error);
        if (kind == STRUCTURE_OK)
            document = NULL; /* the resources own it */
    }
    if (kind == STRUCTURE_OK) {
        *out_path = argv[1];
        structure_schema_options_set_unknown_keywords(options, STRUCTURE_UNKNOWN_ALLOW);
        structure_schema_options_set_resources(options, resources);
        kind = parse_file(argv[1], &document, out_error);
    }
    if (kind == STRUCTURE_OK)
        kind = structure_schema_from_document(document, options, NULL, out_schema, out_error);
    if (kind == STRUCTURE_OK)
        document = NULL; /* the schema owns it */
    structure_document_free(document);
    structure_schema_options_free(options);
    structure_resources_free(resources);
    return kind;
}

static int show(const char *path, const structure_report *report)
{
    for (uint32_t i = 0; i < structure_report_count(report); i++) {
        printf("%s:%u:%u %s: %s\n", path, (unsigned)structure_report_line(report, i),
               (unsigned)structure_report_column(report, i), structure_report_pointer(report, i),
               structure_report_message(report, i));
        if (structure_report_hint(report, i)[0] != '\0')
            printf("  %s\n", structure_report_hint(report, i));
    }
    return structure_report_is_valid(report) ? 0 : 1;
}

int main(int argc, char **argv)
{
    structure_error *error = NULL;
    structure_schema *schema = NULL;
    structure_document *instance = NULL;
    structure_report *report = NULL;
    const char *path = NULL;
    if (argc < 3) {
        fprintf(stderr, "usage: validate SCHEMA INSTANCE [RESOURCE...]\n");
        return (int)STRUCTURE_INVALID_REQUEST;
    }
    enum structure_kind kind = compile(argc, argv, &schema, &path, &error);
    if (kind == STRUCTURE_OK) {
        path = argv[2];
        kind = parse_file(path, &instance, &error);
    }
    if (kind == STRUCTURE_OK)
        kind = structure_document_validate(schema, instance, NULL, &report, &error);
    int code = kind == STRUCTURE_OK ? show(path, report) : fail(path, kind, error);
    structure_report_free(report);
    structure_document_free(instance);
    structure_schema_free(schema);
    return code;
}
