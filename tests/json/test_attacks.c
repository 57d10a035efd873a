/* test_attacks.c - the hostile instances of the shared cases that are about JSON itself: right
 * verdict, and time far below what quadratic work would take.
 */
#include "base/features.h"

#include "json_test.h"

#include <stdlib.h>
#include <time.h>

#include "test_data.h"

/* Sanitizers and a busy machine are slow; what these cases are about is slower by orders of
 * magnitude. */
enum { MS_FACTOR = 20, MS_EXTRA = 1000 };

static uint64_t to_uint(struct json value)
{
    struct decimal number = json_number(value);
    return decimal_to_uint64_saturated(&number);
}

/* { "cat": [[text, count], ...] } */
static void append_repeated(struct json cat, struct buffer *out)
{
    for (struct json part = json_first(cat); json_exists(part); part = json_next(part, cat)) {
        struct str text = json_string(json_at(part, 0));
        for (uint64_t count = to_uint(json_at(part, 1)); count > 0; count--)
            buffer_append_str(out, text);
    }
}

static void append_base64(struct str text, struct buffer *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t word = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < text.len && text.ptr[i] != '='; i++) {
        word = word << 6 | (uint32_t)(strchr(digits, text.ptr[i]) - digits);
        bits += 6;
        if (bits >= 8) {
            bits -= 8;
            buffer_append_byte(out, (char)(word >> bits & 0xFF));
        }
    }
}

/* count names of equal hash: each is a choice of one of two pairs of letters at every place. */
static void append_colliding(const char *const pairs[2], uint64_t count, struct buffer *out)
{
    for (uint64_t i = 0; i < count; i++) {
        buffer_append_str(out, i == 0 ? STR("{\"") : STR(",\""));
        for (unsigned bit = 0; bit < 16; bit++)
            buffer_append(out, pairs[i >> bit & 1], 2);
        buffer_append_str(out, STR("\":0"));
    }
    buffer_append_byte(out, '}');
}

static void append_wide(uint64_t objects, uint64_t keys, struct buffer *out)
{
    for (uint64_t i = 0; i < objects; i++) {
        for (uint64_t k = 0; k < keys; k++)
            buffer_printf(out, "%s\"key%u\":0", k > 0 ? "," : i == 0 ? "[{" : ",{", (unsigned)k);
        buffer_append_byte(out, '}');
    }
    buffer_append_byte(out, ']');
}

/* False when the input is not one of a JSON text alone. */
static bool append_input(struct json input, struct buffer *out)
{
    static const char *const java31[2] = { "Aa", "BB" };
    static const char *const djb2[2] = { "Ez", "FY" };
    if (json_type(input) == JSON_STRING) {
        buffer_append_str(out, json_string(input));
        return true;
    }
    struct json generator = json_get(input, STR("gen"));
    if (json_exists(json_get(input, STR("schema"))) ||
        json_exists(json_get(input, STR("schema_text"))) ||
        json_exists(json_get(input, STR("schema_gen"))) ||
        json_exists(json_get(input, STR("mode"))))
        return false;
    if (json_exists(json_get(input, STR("cat")))) {
        append_repeated(json_get(input, STR("cat")), out);
    } else if (json_exists(json_get(input, STR("b64")))) {
        append_base64(json_string(json_get(input, STR("b64"))), out);
    } else if (!json_exists(generator)) {
        return false;
    } else if (str_equal(json_string(generator), STR("wide"))) {
        append_wide(to_uint(json_get(input, STR("objects"))), to_uint(json_get(input, STR("keys"))),
                    out);
    } else if (str_equal(json_string(generator), STR("colliding_keys"))) {
        bool is_java = str_equal(json_string(json_get(input, STR("hash"))), STR("java31"));
        append_colliding(is_java ? java31 : djb2, to_uint(json_get(input, STR("count"))), out);
    } else {
        return false;
    }
    return true;
}

static int64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static void check_text(struct str id, struct str text, struct json expected)
{
    struct str verdict = json_string(json_get(expected, STR("verdict")));
    struct json limit = json_get(expected, STR("max_ms"));
    int64_t begin = now_ms();
    struct outcome outcome = parse_whole(text, NULL, alloc_default());
    int64_t took = now_ms() - begin;
    bool is_accepted = outcome.status == STATUS_OK;
    bool must_accept = str_equal(verdict, STR("accept"));
    /* "policy" is about lone surrogates, which are refused. */
    bool must_refuse = str_equal(verdict, STR("reject")) || str_equal(verdict, STR("policy"));
    if ((must_accept && !is_accepted) || (must_refuse && is_accepted))
        fail_msg("%.*s: %s", (int)id.len, id.ptr, outcome.error.message);
    if (json_exists(limit) && took > MS_EXTRA + MS_FACTOR * (int64_t)to_uint(limit))
        fail_msg("%.*s: took %d ms", (int)id.len, id.ptr, (int)took);
    if (is_accepted && text.len < 1000) {
        struct outcome bytes = parse_pieces(text, 1, 1, NULL, alloc_default());
        assert_same_outcome(&bytes, &outcome);
        outcome_release(&bytes);
    }
    outcome_release(&outcome);
}

static bool is_about_json(struct json expected)
{
    struct json kind = json_get(expected, STR("kind"));
    if (json_exists(json_get(expected, STR("mode"))))
        return false;
    return !json_exists(kind) || str_starts_with(json_string(kind), STR("json.")) ||
           str_starts_with(json_string(kind), STR("number."));
}

static unsigned check_case(struct str line)
{
    struct json_doc *doc = parse_ok(line);
    struct json root = json_doc_root(doc);
    struct json expected = json_get(root, STR("expected"));
    struct buffer text;
    unsigned checked = 0;
    buffer_init(&text, alloc_default(), SIZE_MAX);
    if (str_equal(json_string(json_get(root, STR("surface"))), STR("instance")) &&
        is_about_json(expected) && append_input(json_get(root, STR("input")), &text)) {
        assert_int_equal(buffer_status(&text), STATUS_OK);
        check_text(json_string(json_get(root, STR("id"))), buffer_view(&text), expected);
        checked = 1;
    }
    buffer_release(&text);
    json_doc_free(doc);
    return checked;
}

static void hostile_instances(void **state)
{
    (void)state;
    char path[TEST_PATH_BYTES];
    if (!test_shared_path(path, "cases/attacks.jsonl"))
        test_skip("the shared file cases/attacks.jsonl is not there");
    struct str content = test_file_read(path);
    unsigned checked = 0;
    for (size_t at = 0; at < content.len;) {
        const char *newline = memchr(content.ptr + at, '\n', content.len - at);
        size_t end = newline == NULL ? content.len : (size_t)(newline - content.ptr);
        if (end > at)
            checked += check_case(str_of(content.ptr + at, end - at));
        at = end + 1;
    }
    test_file_free(content);
    assert_true(checked >= 70);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(hostile_instances) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
