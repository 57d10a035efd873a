/* fuzz_decode.c - laws of decoding on any schema, prompt and sequence of bytes.
 *
 * Input: schema text, a NUL, prompt, a NUL, then bytes that a model would like to write. A byte
 * that has no place is skipped; from time to time, and at the end, the value is closed, which must
 * work, take no more bytes than promised, and give a text that is valid unless a gap was listed.
 */
#include "base/features.h"

#include <assert.h>
#include <string.h>

#include "base/utf8.h"
#include "decode/state.h"
#include "schema/compile.h"
#include "schema/validate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { TEXT_MAX = 1 << 16, CLOSING_MAX = 1 << 16 };

static void check_valid(const struct schema_program *program,
                        const struct decode_language *language, struct str text)
{
    struct json_doc *doc = NULL;
    bool valid = true;
    assert(json_parse(text, NULL, alloc_default(), &doc, NULL) == STATUS_OK);
    enum status status =
        schema_is_valid(program, json_doc_root(doc), 1000000, alloc_default(), &valid, NULL);
    assert(status != STATUS_OK || valid || decode_language_gaps(language).len > 0);
    json_doc_free(doc);
}

static void check_closing(const struct schema_program *program,
                          const struct decode_language *language, const struct decode_state *state,
                          struct decode_state *scratch, struct buffer *text)
{
    size_t promised = decode_state_closing_bytes(state), len = text->len;
    if (promised > CLOSING_MAX)
        return;
    decode_state_closing(state, text);
    assert(text->len - len <= promised);
    decode_state_copy(scratch, state);
    assert(decode_state_feed(scratch, str_of(text->ptr + len, text->len - len)));
    assert(decode_state_is_complete(scratch));
    check_valid(program, language, buffer_view(text));
    buffer_truncate(text, len);
}

static void run(const struct schema_program *program, const struct decode_language *language,
                struct str bytes)
{
    struct decode_state *state, *scratch;
    struct buffer text;
    buffer_init(&text, alloc_default(), TEXT_MAX + CLOSING_MAX);
    assert(decode_state_new(language, alloc_default(), &state) == STATUS_OK);
    assert(decode_state_new(language, alloc_default(), &scratch) == STATUS_OK);
    for (size_t i = 0; i < bytes.len && text.len < TEXT_MAX; i++) {
        struct str byte = { bytes.ptr + i, 1 };
        if (!decode_state_admits(state, byte, SIZE_MAX, scratch))
            continue;
        decode_state_copy(state, scratch);
        buffer_append_str(&text, byte);
        if (text.len % 16 == 0)
            check_closing(program, language, state, scratch, &text);
    }
    check_closing(program, language, state, scratch, &text);
    decode_state_free(state);
    decode_state_free(scratch);
    buffer_release(&text);
}

static struct str cut(struct str *rest)
{
    const char *end = rest->len == 0 ? NULL : memchr(rest->ptr, '\0', rest->len);
    struct str part = { rest->ptr, end == NULL ? rest->len : (size_t)(end - rest->ptr) };
    *rest = end == NULL ? (struct str){ NULL, 0 } : str_of(end + 1, rest->len - part.len - 1);
    return part;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str rest = { (const char *)data, size };
    struct str schema = cut(&rest), prompt = cut(&rest);
    struct schema_program *program = NULL;
    struct decode_language *language = NULL;
    struct ground *ground = NULL;
    struct error error;
    error_clear(&error);
    if (schema_compile_text(schema, NULL, alloc_default(), &program, &error) != STATUS_OK)
        return 0;
    if (prompt.len > 0 && utf8_check(prompt) == prompt.len)
        assert(ground_new(prompt, alloc_default(), &ground, &error) == STATUS_OK);
    struct decode_options options = { .ground = ground, .string_max = 20, .items_max = 4 };
    if (decode_language_new(program, &options, alloc_default(), &language, &error) == STATUS_OK)
        run(program, language, rest);
    decode_language_free(language);
    ground_free(ground);
    schema_program_free(program);
    return 0;
}
