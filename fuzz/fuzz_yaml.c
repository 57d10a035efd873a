/* fuzz_yaml.c - laws of YAML documents for any bytes: what is converted is JSON, no line of it
 * comes later than the last of the YAML text, and nothing grows beyond the maximum.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdlib.h>

#include "cli/yaml.h"
#include "json/json.h"

enum { FUZZ_BYTES_MAX = 256 * 1024 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* assert may be compiled out. */
static void require(bool condition)
{
    if (!condition)
        abort();
}

static size_t count_lines(struct str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '\n';
    return count;
}

/* Line ends of YAML as libyaml counts them: CR, NEL, LS and PS are some too. */
static size_t count_line_ends(struct str text)
{
    size_t count = 1;
    for (size_t i = 0; i < text.len; i++)
        count += text.ptr[i] == '\n' || text.ptr[i] == '\r' || text.ptr[i] == '\x85' ||
                 text.ptr[i] == '\xA8' || text.ptr[i] == '\xA9';
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct json_options options = { FUZZ_BYTES_MAX, 2000, UINT32_MAX, FUZZ_BYTES_MAX,
                                          JSON_DUPLICATES_LAST };
    struct str yaml = str_of((const char *)data, size);
    struct json_doc *document = NULL;
    struct error error = { 0 };
    struct buffer text;
    buffer_init(&text, alloc_default(), FUZZ_BYTES_MAX);
    enum status status = cli_yaml_to_json(yaml, STATUS_INVALID_REQUEST, &text, &error);
    require(text.len <= FUZZ_BYTES_MAX);
    require(count_lines(buffer_view(&text)) <= count_line_ends(yaml));
    if (status == STATUS_OK) {
        status = json_parse(buffer_view(&text), &options, alloc_default(), &document, &error);
        require(status == STATUS_OK);
    } else {
        require(status == STATUS_REJECTED || error.message[0] != '\0');
    }
    json_doc_free(document);
    buffer_release(&text);
    return 0;
}
