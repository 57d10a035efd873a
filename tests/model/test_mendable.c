/* test_mendable.c - faults for which a stream must not be stopped. */
#include "base/features.h"

#include "test.h"

#include "model/mendable.h"

static void test_table(void **state)
{
    (void)state;
    static const struct {
        const char *text, *pointer;
        enum model_mendable mendable;
    } table[] = {
        /* values that no reading mends */
        { "{\"a\":1,\"n\":3,", "/n", MODEL_MENDABLE_NO },
        { "{\"a\":1,\"n\":true", "/n", MODEL_MENDABLE_NO },
        { "{\"a\":1,\"n\":{", "/n", MODEL_MENDABLE_NO },
        { "{\"a\":1,\"s\":\"abc", "/s", MODEL_MENDABLE_NO },
        { "{\"a\":1,\"s\":\"\",", "/s", MODEL_MENDABLE_NO },
        { "{\"a\":1,\"l\":[1,2", "/l", MODEL_MENDABLE_NO },
        { "{\"a\":1,\"l\":[],", "/l", MODEL_MENDABLE_NO },
        { "{\"data\":{\"a\":1,\"n\":3", "/data/n", MODEL_MENDABLE_NO },

        /* null, JSON in strings, pairs */
        { "{\"a\":1,\"n\":null", "/n", MODEL_MENDABLE_YES },
        { "{\"a\":1,\"s\":\" {\\\"", "/s", MODEL_MENDABLE_YES },
        { "{\"a\":1,\"s\":\"[", "/s", MODEL_MENDABLE_YES },
        { "{\"a\":1,\"s\":\"", "/s", MODEL_MENDABLE_LATER },
        { "{\"a\":1,\"s\":\"  ", "/s", MODEL_MENDABLE_LATER },
        { "{\"a\":1,\"l\":[", "/l", MODEL_MENDABLE_LATER },
        { "{\"a\":1,\"l\":[{\"ke", "/l", MODEL_MENDABLE_LATER },
        { "{\"a\":1,\"l\":[{\"key\":\"x", "/l", MODEL_MENDABLE_YES },
        { "{\"a\":1,\"l\":[{\"x\":", "/l", MODEL_MENDABLE_NO },

        /* one member around the value, as long as there is one */
        { "{\"result\":{\"a\":1", "/result", MODEL_MENDABLE_LATER },
        { "{\"result\":{\"a\":1}}", "/result", MODEL_MENDABLE_YES },
        { "{\"result\":{\"a\":1},\"b\":2", "/result", MODEL_MENDABLE_NO },

        /* in doubt it goes on */
        { "", "", MODEL_MENDABLE_YES },
        { "{\"a\" 1", "/a", MODEL_MENDABLE_YES },
        { "{\"a\":1", "/b", MODEL_MENDABLE_YES },
    };
    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        enum model_mendable mendable = model_mendable_fault(
            str_from(table[i].text), str_from(table[i].pointer), alloc_default());
        if (mendable != table[i].mendable)
            print_error("%s at %s: %d\n", table[i].text, table[i].pointer, mendable);
        assert_int_equal(mendable, table[i].mendable);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_table) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
