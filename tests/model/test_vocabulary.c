/* test_vocabulary.c - token bytes, kinds and the index by first byte; lists of tokens. */
#include "base/features.h"

#include "model/tokens.h"
#include "model/vocabulary.h"

#include "test.h"
#include "test_alloc.h"

static const struct {
    enum model_token_kind kind;
    struct str bytes;
    enum model_token_kind kept_as;
} tokens[] = {
    { MODEL_TOKEN_RESERVED, { "<s>", 3 }, MODEL_TOKEN_RESERVED },
    { MODEL_TOKEN_END, { "", 0 }, MODEL_TOKEN_END },
    { MODEL_TOKEN_TEXT, { "b", 1 }, MODEL_TOKEN_TEXT },
    { MODEL_TOKEN_TEXT, { "", 0 }, MODEL_TOKEN_RESERVED }, /* writes nothing: never chosen */
    { MODEL_TOKEN_TEXT, { "abc", 3 }, MODEL_TOKEN_TEXT },
    { MODEL_TOKEN_TEXT, { "\xff", 1 }, MODEL_TOKEN_TEXT },
    { MODEL_TOKEN_TEXT, { "a\0b", 3 }, MODEL_TOKEN_TEXT },
    { MODEL_TOKEN_END, { "ignored", 7 }, MODEL_TOKEN_END },
};
enum { TOKEN_COUNT = sizeof(tokens) / sizeof(tokens[0]) };

static enum status build(struct model_vocabulary *vocabulary, const struct alloc *alloc,
                         struct error *error)
{
    enum status status = model_vocabulary_init(vocabulary, TOKEN_COUNT, alloc, error);
    if (status != STATUS_OK)
        return status;
    for (uint32_t i = 0; i < TOKEN_COUNT; i++)
        model_vocabulary_add(vocabulary, tokens[i].kind, tokens[i].bytes);
    return model_vocabulary_finish(vocabulary, error);
}

static void test_kinds_and_index(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    assert_int_equal(build(&vocabulary, alloc_default(), NULL), STATUS_OK);
    for (uint32_t i = 0; i < TOKEN_COUNT; i++)
        assert_int_equal(model_vocabulary_kind(&vocabulary, i), tokens[i].kept_as);
    assert_true(str_equal(model_vocabulary_text(&vocabulary, 6), str_of("a\0b", 3)));
    assert_int_equal(model_vocabulary_text(&vocabulary, 0).len, 0);
    assert_int_equal(vocabulary.bytes_longest, 3);
    assert_int_equal(vocabulary.end_count, 2);
    assert_int_equal(vocabulary.ends[0], 1);
    assert_int_equal(vocabulary.ends[1], 7);
    assert_int_equal(vocabulary.by_byte_first['a'], 0);
    assert_int_equal(vocabulary.by_byte[0], 4);
    assert_int_equal(vocabulary.by_byte[1], 6);
    assert_int_equal(vocabulary.by_byte[2], 2);
    assert_int_equal(vocabulary.by_byte[3], 5);
    assert_int_equal(vocabulary.by_byte_first[256], 4);
    model_vocabulary_release(&vocabulary);
    model_vocabulary_release(&vocabulary);
}

static void test_refused(void **state)
{
    (void)state;
    struct model_vocabulary vocabulary;
    struct error error;
    error_clear(&error);
    assert_int_equal(model_vocabulary_init(&vocabulary, 0, alloc_default(), &error),
                     STATUS_INVALID_REQUEST);
    error_clear(&error);
    assert_int_equal(
        model_vocabulary_init(&vocabulary, MODEL_VOCABULARY_MAX + 1, alloc_default(), &error),
        STATUS_INVALID_REQUEST);
    error_clear(&error);
    assert_int_equal(model_vocabulary_init(&vocabulary, 2, alloc_default(), &error), STATUS_OK);
    model_vocabulary_add(&vocabulary, MODEL_TOKEN_TEXT, STR("a"));
    assert_int_equal(model_vocabulary_finish(&vocabulary, &error), STATUS_INTERNAL);
    model_vocabulary_release(&vocabulary);
}

static void scenario_vocabulary(struct test_alloc *test, void *context)
{
    (void)context;
    struct model_vocabulary vocabulary;
    struct error error;
    error_clear(&error);
    enum status status = build(&vocabulary, &test->alloc, &error);
    if (test->failures == 0)
        assert_int_equal(status, STATUS_OK);
    else
        assert_int_equal(status, STATUS_NO_MEMORY);
    model_vocabulary_release(&vocabulary);
}

static void scenario_tokens(struct test_alloc *test, void *context)
{
    (void)context;
    struct model_tokens list;
    model_tokens_init(&list, &test->alloc);
    bool all = true;
    for (int32_t i = 0; i < 300; i++)
        all = model_tokens_append(&list, i) && all;
    if (test->failures == 0) {
        assert_true(all);
        assert_int_equal(list.count, 300);
        assert_int_equal(list.items[299], 299);
    }
    model_tokens_release(&list);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    test_alloc_failures(scenario_vocabulary, NULL);
    test_alloc_failures(scenario_tokens, NULL);
}

static void test_common(void **state)
{
    (void)state;
    int32_t one[] = { 1, 2, 3 }, two[] = { 1, 2, 4, 5 };
    struct model_tokens a = { one, 3, 3, alloc_default() }, b = { two, 4, 4, alloc_default() };
    struct model_tokens none = { NULL, 0, 0, alloc_default() };
    assert_int_equal(model_tokens_common(&a, &b), 2);
    assert_int_equal(model_tokens_common(&a, &a), 3);
    assert_int_equal(model_tokens_common(&a, &none), 0);
    model_tokens_truncate(&b, 9);
    assert_int_equal(b.count, 4);
    model_tokens_truncate(&b, 1);
    assert_int_equal(model_tokens_common(&a, &b), 1);
    assert_false(model_tokens_reserve(&none, SIZE_MAX / 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds_and_index),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_common),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
