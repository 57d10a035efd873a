/* test_sse.c - server-sent events: the standard's rules, any split, limits, failing memory. */
#include "base/features.h"

#include "test.h"

#include "net/sse.h"
#include "test_alloc.h"

enum { EVENT_MAX = 64, LOG_MAX = 1 << 20 };

/* What came, as "name|data|id;" each. */
struct log {
    struct buffer text;
    uint32_t stop_after; /* events; 0: never */
    uint32_t count;
};

static bool on_event(void *state, const struct sse_event *event)
{
    struct log *log = state;
    buffer_append_str(&log->text, event->name);
    buffer_append_byte(&log->text, '|');
    buffer_append_str(&log->text, event->data);
    buffer_append_byte(&log->text, '|');
    buffer_append_str(&log->text, event->id);
    buffer_append_byte(&log->text, ';');
    return ++log->count != log->stop_after;
}

static enum status read_pieces(struct str stream, const size_t *cuts, size_t cut_count, size_t max,
                               const struct alloc *alloc, struct log *log, bool *out_at_rest)
{
    struct sse_parser parser;
    struct sse_sink sink = { on_event, log };
    struct error error = { 0 };
    enum status status = STATUS_OK;
    size_t at = 0;
    sse_init(&parser, &sink, max, alloc);
    for (size_t i = 0; i <= cut_count && status == STATUS_OK; i++) {
        size_t end = i < cut_count ? cuts[i] : stream.len;
        status = sse_feed(&parser, str_of(stream.ptr + at, end - at), &error);
        at = end;
    }
    *out_at_rest = sse_is_at_rest(&parser);
    sse_release(&parser);
    return status;
}

static const struct {
    const char *stream, *events;
    bool at_rest;
} table[] = {
    { "data: a\n\n", "|a|;", true },
    { "data:a\n\n", "|a|;", true },
    { "data:  a\n\n", "| a|;", true },
    { "data\n\n", "||;", true },
    { "data:\n\n", "||;", true },
    { "data: a\ndata: b\n\n", "|a\nb|;", true },
    { "data: a\r\ndata: b\r\n\r\n", "|a\nb|;", true },
    { "data: a\rdata: b\r\r", "|a\nb|;", true },
    { "data: a\n\rdata: b\n\n", "|a|;|b|;", true },
    { "event: x\ndata: a\n\ndata: b\n\n", "x|a|;|b|;", true },
    { "event: x\n\ndata: b\n\n", "|b|;", true },
    { "id: 7\ndata: a\n\ndata: b\n\n", "|a|7;|b|7;", true },
    { "id: 7\n\nid\ndata: b\n\n", "|b|;", true },
    { ": note\ndata: a\n:\n\n", "|a|;", true },
    { "retry: 10\nfoo: bar\nfoo\ndata: a\n\n", "|a|;", true },
    { "\xEF\xBB\xBF"
      "data: a\n\n",
      "|a|;", true },
    { "\xEF\xBB"
      "data: a\n\ndata: b\n\n",
      "|b|;", true },
    { "data: \xEF\xBB\xBF\n\n", "|\xEF\xBB\xBF|;", true },
    { "data: a:b: c\n\n", "|a:b: c|;", true },
    { "Data: a\ndata : b\n\n", "", true },
    { "\n\n\ndata: a\n\n\n\n", "|a|;", true },
    { "data: a\n", "", false },
    { "data: a", "", false },
    { "data: a\n\ndata: b\n", "|a|;", false },
    { "", "", true },
};

static void expect(struct str stream, const size_t *cuts, size_t cut_count, const char *events,
                   bool at_rest)
{
    struct log log = { .count = 0 };
    bool is_at_rest = false;
    buffer_init(&log.text, alloc_default(), LOG_MAX);
    assert_int_equal(
        read_pieces(stream, cuts, cut_count, EVENT_MAX, alloc_default(), &log, &is_at_rest),
        STATUS_OK);
    assert_true(str_equal(buffer_view(&log.text), str_from(events)));
    assert_int_equal(is_at_rest, at_rest);
    buffer_release(&log.text);
}

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct str stream = str_from(table[i].stream);
        expect(stream, NULL, 0, table[i].events, table[i].at_rest);
        for (size_t a = 0; a <= stream.len; a++) {
            for (size_t b = a; b <= stream.len; b++)
                expect(stream, (size_t[]){ a, b }, 2, table[i].events, table[i].at_rest);
        }
    }
}

static void test_nul_in_id_is_ignored(void **state)
{
    (void)state;
    expect(STR("id: 1\nid: a\0b\ndata: x\n\n"), NULL, 0, "|x|1;", true);
}

static void test_limits(void **state)
{
    static const char *const beyond[] = { "data: %s\n\n", "data: x\ndata: %s\n\n", "event: %s\n",
                                          "%s" };
    char filler[EVENT_MAX * 2];
    (void)state;
    memset(filler, 'a', sizeof(filler));
    filler[sizeof(filler) - 1] = '\0';
    for (size_t i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
        struct buffer stream;
        struct log log = { .count = 0 };
        bool at_rest = false;
        buffer_init(&stream, alloc_default(), LOG_MAX);
        buffer_init(&log.text, alloc_default(), LOG_MAX);
        for (const char *at = beyond[i]; *at != '\0'; at++) {
            if (at[0] == '%' && at[1] == 's')
                buffer_append_str(&stream, str_from(filler));
            else if (at == beyond[i] || at[-1] != '%')
                buffer_append_byte(&stream, *at);
        }
        assert_int_equal(
            read_pieces(buffer_view(&stream), NULL, 0, EVENT_MAX, alloc_default(), &log, &at_rest),
            STATUS_TRANSPORT);
        assert_int_equal(log.count, 0);
        buffer_release(&stream);
        buffer_release(&log.text);
    }
}

static void test_sink_stops(void **state)
{
    struct log log = { .stop_after = 2 };
    bool at_rest = false;
    (void)state;
    buffer_init(&log.text, alloc_default(), LOG_MAX);
    assert_int_equal(read_pieces(STR("data: a\n\ndata: b\n\ndata: c\n\n"), NULL, 0, EVENT_MAX,
                                 alloc_default(), &log, &at_rest),
                     STATUS_OK);
    assert_int_equal(log.count, 2);
    buffer_release(&log.text);
}

static void without_memory(struct test_alloc *test, void *context)
{
    struct log log = { .count = 0 };
    const struct str stream = STR("id: 1\nevent: x\ndata: abc\ndata: d\n\ndata: e\n\n");
    bool at_rest = false;
    (void)context;
    buffer_init(&log.text, alloc_default(), LOG_MAX);
    enum status status =
        read_pieces(stream, (size_t[]){ 3, 9, 20, 30 }, 4, EVENT_MAX, &test->alloc, &log, &at_rest);
    if (test->failures == 0) {
        assert_int_equal(status, STATUS_OK);
        assert_int_equal(log.count, 2);
    } else {
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
    }
    buffer_release(&log.text);
}

static void test_memory(void **state)
{
    (void)state;
    test_alloc_failures(without_memory, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),  cmocka_unit_test(test_nul_in_id_is_ignored),
        cmocka_unit_test(test_limits), cmocka_unit_test(test_sink_stops),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
