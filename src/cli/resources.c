/* resources.c - the documents that --resource names. See resources.h.
 *
 * Owns: telling URI=FILE from FILE. Leaves to others: reading (input.h), what a URI or an `$id`
 * must be (schema/library.h).
 */
#include "base/features.h"

#include "cli/resources.h"

#include "base/limits.h"
#include "cli/input.h"

/* The file of "URI=FILE", which is told from a file by the scheme that it begins with; *out_uri is
 * empty when argument names a file alone. */
static const char *resource_split(const char *argument, struct str *out_uri)
{
    static const char scheme[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.";
    size_t len = strspn(argument, scheme);
    const char *equals = len > 0 && argument[len] == ':' ? strchr(argument, '=') : NULL;
    if (equals == NULL) {
        *out_uri = STR("");
        return argument;
    }
    *out_uri = str_of(argument, (size_t)(equals - argument));
    return equals + 1;
}

static enum status resource_add(const struct cli *cli, const char *argument,
                                struct schema_library *library, const char **out_name,
                                struct error *error)
{
    static const struct cli_input_limit limit = { LIMIT_SCHEMA_BYTES, NULL, STATUS_INVALID_SCHEMA };
    const struct json_options options = { LIMIT_SCHEMA_BYTES, LIMIT_JSON_DEPTH, LIMIT_JSON_NODES,
                                          LIMIT_JSON_DIGITS, JSON_DUPLICATES_REFUSE };
    struct cli_text text = { 0 };
    struct json_doc *document = NULL;
    struct str uri;
    const char *path = resource_split(argument, &uri);
    enum status status = cli_input_document(path, &limit, cli->alloc, &text, error);
    if (status != STATUS_OK)
        return status;
    *out_name = text.name;
    status = json_parse(buffer_view(&text.bytes), &options, cli->alloc, &document, error);
    if (status == STATUS_OK)
        status = schema_library_add(library, uri, document, error);
    if (status == STATUS_OK)
        document = NULL; /* the library's now */
    else if (status == STATUS_INVALID_REQUEST)
        status = error->status = STATUS_INVALID_SCHEMA;
    json_doc_free(document);
    cli_text_release(&text);
    return status;
}

enum status cli_resources_load(const struct cli *cli, const char *const *arguments, size_t count,
                               struct schema_library **out_library, const char **out_name,
                               struct error *error)
{
    struct schema_library *library = NULL;
    enum status status = STATUS_OK;
    *out_name = NULL;
    if (count > 0)
        status = schema_library_new(cli->alloc, &library);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        *out_name = NULL;
        status = resource_add(cli, arguments[i], library, out_name, error);
    }
    if (status != STATUS_OK) {
        schema_library_unref(library);
        return error_set(error, status, "out of memory"); /* unless the cause was told */
    }
    *out_library = library;
    return STATUS_OK;
}
