/* test_status.c - the first cause stays, texts are cut at code points, stop requests are seen in
 * order. */
#include "base/features.h"

#include "test.h"

#include "base/control.h"
#include "base/utf8.h"

static void test_names(void **state)
{
    (void)state;
    static const struct {
        enum status status;
        const char *name;
    } names[] = {
        { STATUS_OK, "ok" },
        { STATUS_INVALID_REQUEST, "invalid-request" },
        { STATUS_INVALID_SCHEMA, "invalid-schema" },
        { STATUS_UNKNOWN_SCHEMA, "unknown-schema" },
        { STATUS_NOT_CONFIGURED, "not-configured" },
        { STATUS_UNSUPPORTED, "unsupported" },
        { STATUS_REJECTED, "rejected" },
        { STATUS_TRANSIENT, "transient" },
        { STATUS_TRANSPORT, "transport" },
        { STATUS_SCHEMA_VIOLATION, "schema-violation" },
        { STATUS_CANCELLED, "cancelled" },
        { STATUS_DEADLINE, "deadline" },
        { STATUS_STORE, "store" },
        { STATUS_NO_MEMORY, "internal" },
        { STATUS_INTERNAL, "internal" },
    };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        assert_string_equal(status_name(names[i].status), names[i].name);
}

static void test_first_cause_stays(void **state)
{
    (void)state;
    struct error error;
    error_clear(&error);
    assert_int_equal(error.retry_after_ms, -1);
    assert_int_equal(error_set(&error, STATUS_STORE, "file %s", "a"), STATUS_STORE);
    error_hint(&error, "try %d", 2);
    error_at_pointer(&error, STR("/a/b"));
    error_at_line(&error, 3, 4);
    assert_int_equal(error_set(&error, STATUS_INTERNAL, "later"), STATUS_INTERNAL);
    assert_int_equal(error.status, STATUS_STORE);
    assert_string_equal(error.message, "file a");
    assert_string_equal(error.hint, "try 2");
    assert_string_equal(error.pointer, "/a/b");
    assert_true(error.has_pointer && error.line == 3 && error.column == 4);
    assert_int_equal(error_set(NULL, STATUS_DEADLINE, "nobody listens"), STATUS_DEADLINE);
    error_hint(NULL, "nobody");
    error_at_pointer(NULL, STR(""));
    error_at_line(NULL, 1, 1);
    error_clear(NULL);
}

static void test_cut_at_code_point(void **state)
{
    (void)state;
    char text[3 * 1000 + 1];
    for (size_t i = 0; i < 1000; i++)
        memcpy(text + 3 * i, "\xe2\x82\xac", 3);
    text[3000] = '\0';
    for (size_t shift = 0; shift < 3; shift++) {
        struct error error;
        error_clear(&error);
        error_set(&error, STATUS_INTERNAL, "%.*s%s", (int)shift, "xxx", text);
        error_at_pointer(&error, str_of(text, 3000));
        struct str message = str_from(error.message);
        assert_int_equal(utf8_check(message), message.len);
        assert_in_range(message.len, ERROR_MESSAGE_BYTES - 3, ERROR_MESSAGE_BYTES - 1);
        assert_int_equal(strlen(error.pointer), 255);
    }
}

static int64_t fixed_now(void *state)
{
    return *(const int64_t *)state;
}

static void test_control(void **state)
{
    (void)state;
    int64_t now = 100;
    struct clock clock = { fixed_now, &now };
    struct cancel cancel = { false };
    struct control control = { &clock, INT64_MAX, NULL };
    assert_int_equal(control_check(&control), STATUS_OK);
    control.deadline_ms = 101;
    control.cancel = &cancel;
    assert_int_equal(control_check(&control), STATUS_OK);
    now = 101;
    assert_int_equal(control_check(&control), STATUS_DEADLINE);
    atomic_store(&cancel.requested, true);
    assert_int_equal(control_check(&control), STATUS_CANCELLED);
    int64_t first = clock_system()->now_ms(clock_system()->state);
    assert_true(clock_system()->now_ms(clock_system()->state) >= first);
}

/* First words of SplitMix64 for the seed 0, as published with the generator. */
static void test_rng(void **state)
{
    (void)state;
    struct rng_seeded seeded;
    struct rng rng = rng_from_seed(&seeded, 0);
    assert_true(rng.next(rng.state) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(rng.next(rng.state) == UINT64_C(0x6e789e6aa1b965f4));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_first_cause_stays),
        cmocka_unit_test(test_cut_at_code_point),
        cmocka_unit_test(test_control),
        cmocka_unit_test(test_rng),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
