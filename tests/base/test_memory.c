/* test_memory.c - arena and buffer: limits, alignment, sticky failure, and every failed
 * allocation. */
#include "base/features.h"

#include "test.h"

#include <stdalign.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "test_alloc.h"

static void arena_scenario(struct test_alloc *test, void *context)
{
    (void)context;
    struct arena arena;
    unsigned char *pieces[64];
    size_t taken = 0;
    arena_init(&arena, &test->alloc, 1 << 20);
    for (size_t i = 0; i < 64; i++) {
        size_t size = i * 37;
        unsigned char *piece = arena_take(&arena, size);
        if (piece == NULL)
            continue;
        assert_int_equal((uintptr_t)piece % alignof(max_align_t), 0);
        memset(piece, (int)i, size);
        pieces[taken++] = piece;
    }
    for (size_t i = 0; test->failures == 0 && i < 64; i++) {
        for (size_t j = 0; j < i * 37; j++)
            assert_int_equal(pieces[i][j], i);
    }
    arena_reset(&arena);
    struct str copy = arena_copy(&arena, STR("kept"));
    if (copy.ptr != NULL) {
        assert_true(str_equal(copy, STR("kept")));
        assert_int_equal(copy.ptr[4], '\0');
    }
    assert_true(copy.ptr != NULL || test->failures > 0);
    arena_release(&arena);
    arena_release(&arena);
}

static void test_arena_failures(void **state)
{
    (void)state;
    test_alloc_failures(arena_scenario, NULL);
}

static void test_arena_maximum(void **state)
{
    (void)state;
    struct test_alloc test;
    struct arena arena;
    test_alloc_init(&test);
    arena_init(&arena, &test.alloc, 10000);
    assert_non_null(arena_take(&arena, 5000));
    assert_null(arena_take(&arena, 6000));
    assert_non_null(arena_take(&arena, 100));
    assert_null(arena_take(&arena, SIZE_MAX));
    assert_null(arena_take(&arena, SIZE_MAX - 20));
    assert_null(arena_take_array(&arena, SIZE_MAX / 2, 3));
    assert_true(test.bytes_peak <= 10000);
    assert_true(arena.bytes_taken <= 10000);
    void *first = arena_take(&arena, 0);
    void *second = arena_take(&arena, 0);
    assert_true(first != NULL && second != NULL && first != second);
    arena_release(&arena);
    assert_int_equal(arena.bytes_taken, 0);
    test_alloc_assert_empty(&test);

    struct arena zeroed = { 0 };
    arena_release(&zeroed);
}

static void buffer_scenario(struct test_alloc *test, void *context)
{
    (void)context;
    struct buffer buffer;
    buffer_init(&buffer, &test->alloc, 1000);
    for (unsigned i = 0; i < 20; i++) {
        buffer_append_str(&buffer, STR("item "));
        buffer_append_uint(&buffer, i);
        buffer_append_byte(&buffer, ';');
        buffer_printf(&buffer, "%s", "tail\n");
    }
    if (test->failures == 0) {
        assert_int_equal(buffer_status(&buffer), STATUS_OK);
        assert_int_equal(buffer.len, 20 * 11 + 30);
        assert_memory_equal(buffer.ptr + buffer.len - 14, "\nitem 19;tail\n", 14);
    } else {
        assert_int_equal(buffer_status(&buffer), STATUS_NO_MEMORY);
    }
    if (buffer.ptr != NULL)
        assert_int_equal(buffer.ptr[buffer.len], '\0');
    buffer_release(&buffer);
    buffer_release(&buffer);
}

static void test_buffer_failures(void **state)
{
    (void)state;
    test_alloc_failures(buffer_scenario, NULL);
}

static void test_buffer_maximum(void **state)
{
    (void)state;
    struct test_alloc test;
    struct buffer buffer;
    test_alloc_init(&test);
    buffer_init(&buffer, &test.alloc, 100);
    for (unsigned i = 0; i < 10; i++)
        buffer_append_str(&buffer, STR("0123456789"));
    assert_int_equal(buffer_status(&buffer), STATUS_OK);
    assert_int_equal(buffer.len, 100);
    buffer_append_byte(&buffer, 'x');
    assert_int_equal(buffer_status(&buffer), STATUS_REJECTED);
    buffer_truncate(&buffer, 10);
    buffer_append_byte(&buffer, 'x'); /* sticky */
    assert_int_equal(buffer.len, 10);
    assert_true(test.bytes_peak <= 101);
    buffer_clear(&buffer);
    assert_non_null(buffer_reserve(&buffer, 100));
    assert_null(buffer_reserve(&buffer, SIZE_MAX));
    assert_int_equal(buffer_status(&buffer), STATUS_REJECTED);
    buffer_clear(&buffer);
    buffer_append_uint(&buffer, UINT64_MAX);
    buffer_append(&buffer, NULL, 0);
    assert_string_equal(buffer.ptr, "18446744073709551615");
    buffer_release(&buffer);
    test_alloc_assert_empty(&test);

    struct buffer zeroed = { 0 };
    buffer_release(&zeroed);
    assert_int_equal(buffer_view(&zeroed).len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arena_failures),
        cmocka_unit_test(test_arena_maximum),
        cmocka_unit_test(test_buffer_failures),
        cmocka_unit_test(test_buffer_maximum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
