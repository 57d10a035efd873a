/* extract.c - the shortest useful program with libstructure: text and schema in, one object out.
 *
 * Build:  cc extract.c $(pkg-config --cflags --libs structure) -o extract
 * Run:    ./extract [MODEL.gguf]
 */
#include <stdio.h>

#include <structure.h>

static const char schema_text[] =
    "{\"type\": \"object\","
    " \"properties\": {"
    "   \"hotel\": {\"type\": \"string\", \"description\": \"name of the hotel\"},"
    "   \"nights\": {\"type\": \"integer\", \"minimum\": 1},"
    "   \"price\": {\"type\": \"number\", \"description\": \"price per night\"}},"
    " \"required\": [\"hotel\", \"nights\", \"price\"],"
    " \"additionalProperties\": false}";

static const char prompt[] = "The Seaview Hotel offers you 3 nights from 14 May 2026, "
                             "129.50 EUR per night, breakfast included.";

/* The kind of failure is the exit code, as with the command-line program. */
static int fail(enum structure_kind kind, structure_error *error)
{
    fprintf(stderr, "extract: %s: %s\n", structure_kind_name(kind), structure_error_message(error));
    if (structure_error_hint(error)[0] != '\0')
        fprintf(stderr, "  %s\n", structure_error_hint(error));
    structure_error_free(error);
    return (int)kind;
}

static void show(const structure_result *result)
{
    switch (structure_result_status(result)) {
    case STRUCTURE_STATUS_OK: printf("%s\n", structure_result_data(result, NULL)); break;
    case STRUCTURE_STATUS_NEED_MORE_INPUT:
        fprintf(stderr, "extract: the text lacks something: %s\n", structure_result_need(result));
        break;
    case STRUCTURE_STATUS_STALE:
        fprintf(stderr, "extract: no reply conformed in %u iterations\n",
                (unsigned)structure_result_iterations(result));
        break;
    }
}

int main(int argc, char **argv)
{
    structure_error *error = NULL;
    structure_schema *schema = NULL;
    structure_model *model = NULL;
    structure_request *request = NULL;
    structure_result *result = NULL;
    enum structure_kind kind =
        structure_schema_new(schema_text, STRUCTURE_NUL, NULL, NULL, &schema, &error);
    if (kind == STRUCTURE_OK)
        kind = structure_model_open(argc > 1 ? argv[1] : NULL, NULL, NULL, &model, &error);
    if (kind == STRUCTURE_OK) {
        request = structure_request_new(schema, NULL);
        kind = request == NULL ? STRUCTURE_INTERNAL
                               : structure_request_set_prompt(request, prompt, STRUCTURE_NUL);
    }
    if (kind == STRUCTURE_OK)
        kind = structure_extract(model, request, NULL, &result, &error);
    int code = kind == STRUCTURE_OK ? 0 : error != NULL ? fail(kind, error) : (int)kind;
    if (result != NULL)
        show(result);
    structure_result_free(result);
    structure_request_free(request);
    structure_model_free(model);
    structure_schema_free(schema);
    return code;
}
