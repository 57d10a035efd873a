/* test_local_files.c - files that are no model: each is refused by a clear error. */
#include "base/features.h"

#include "model/local.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "test_alloc.h"
#include "test_data.h"

static char folder[] = "/tmp/structure-test-XXXXXX";

static void path_in_folder(char out[TEST_PATH_BYTES], const char *name)
{
    (void)snprintf(out, TEST_PATH_BYTES, "%s/%s", folder, name);
}

static void write_file(const char *name, const void *bytes, size_t len)
{
    char path[TEST_PATH_BYTES];
    path_in_folder(path, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

static enum status open_path(const char *path, struct error *error)
{
    struct model model = { NULL, NULL };
    struct model_local_options options = { .path = str_from(path), .threads = 1 };
    error_clear(error);
    enum status status = model_local_open(&options, alloc_default(), NULL, &model, error);
    model_free(&model);
    return status;
}

static void need_library(void)
{
    if (model_local_library_version() == NULL)
        test_skip("built without libllama");
}

static void test_foreign_files(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *bytes;
        size_t len;
        const char *message;
    } cases[] = {
        { "empty.gguf", "", 0, "is empty" },
        { "short.gguf", "GGU", 3, "is not a GGUF model file" },
        { "text.gguf", "once upon a time", 16, "is not a GGUF model file" },
        { "magic.gguf", "GGUF", 4, "cannot be loaded" },
        { "garbage.gguf", "GGUF\3\0\0\0\xff\xff\xff\xff\xff\xff\xff\x7f\1\2\3\4", 20,
          "cannot be loaded" },
        { "version.gguf", "GGUF\xff\xff\xff\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24,
          "cannot be loaded" },
        { "nothing.gguf", "GGUF\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 24, "cannot be loaded" },
    };
    need_library();
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char path[TEST_PATH_BYTES];
        struct error error;
        write_file(cases[i].name, cases[i].bytes, cases[i].len);
        path_in_folder(path, cases[i].name);
        assert_int_equal(open_path(path, &error), STATUS_INVALID_REQUEST);
        assert_non_null(strstr(error.message, cases[i].message));
        assert_non_null(strstr(error.message, path));
    }
}

static void test_other_kinds_of_file(void **state)
{
    (void)state;
    char path[TEST_PATH_BYTES];
    struct error error;
    need_library();
    assert_int_equal(open_path(folder, &error), STATUS_INVALID_REQUEST);
    assert_non_null(strstr(error.message, "is a directory"));
    assert_int_equal(open_path("/dev/null", &error), STATUS_INVALID_REQUEST);
    assert_non_null(strstr(error.message, "not a regular file"));
    path_in_folder(path, "absent.gguf");
    assert_int_equal(open_path(path, &error), STATUS_INVALID_REQUEST);
    assert_non_null(strstr(error.message, "cannot open"));
    struct model_local_options options = { .path = str_of("a\0b", 3) };
    struct model model = { NULL, NULL };
    error_clear(&error);
    assert_int_equal(model_local_open(&options, alloc_default(), NULL, &model, &error),
                     STATUS_INVALID_REQUEST);
    static char long_path[8000];
    memset(long_path, 'x', sizeof(long_path) - 1);
    assert_int_equal(open_path(long_path, &error), STATUS_INVALID_REQUEST);
}

/* The beginning of a real model: its header is right, its tensors are cut. */
static void test_truncated_model(void **state)
{
    (void)state;
    static const size_t lengths[] = { 64, 4096, 1000000, 4000000 };
    struct buffer source;
    char path[TEST_PATH_BYTES];
    struct error error;
    need_library();
    buffer_init(&source, alloc_default(), TEST_PATH_BYTES);
    assert_int_equal(model_local_default_path(&source, NULL), STATUS_OK);
    FILE *file = fopen(source.ptr, "rb");
    buffer_release(&source);
    if (file == NULL)
        test_skip("the default model is not installed");
    char *bytes = malloc(4000000);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, 4000000, file), 4000000);
    (void)fclose(file);
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        write_file("cut.gguf", bytes, lengths[i]);
        path_in_folder(path, "cut.gguf");
        assert_int_equal(open_path(path, &error), STATUS_INVALID_REQUEST);
        assert_non_null(strstr(error.message, "cannot be loaded"));
        assert_string_not_equal(error.hint, "");
    }
    free(bytes);
}

static void set_home(const char *model_file, const char *data, const char *home)
{
    const char *names[] = { "STRUCTURE_MODEL_FILE", "XDG_DATA_HOME", "HOME" };
    const char *values[] = { model_file, data, home };
    for (size_t i = 0; i < 3; i++) {
        if (values[i] == NULL)
            (void)unsetenv(names[i]);
        else
            assert_int_equal(setenv(names[i], values[i], 1), 0);
    }
}

static void test_default_path(void **state)
{
    (void)state;
    static const struct {
        const char *model_file, *data, *home;
        const char *path; /* NULL: there is none */
    } cases[] = {
        { "/m/x.gguf", "/d", "/h", "/m/x.gguf" },
        { NULL, "/d", "/h", "/d/structure/models/SmolLM2-135M-Instruct.Q4_1.gguf" },
        { "", "", "/h", "/h/.local/share/structure/models/SmolLM2-135M-Instruct.Q4_1.gguf" },
        { NULL, "relative", "/h",
          "/h/.local/share/structure/models/SmolLM2-135M-Instruct.Q4_1.gguf" },
        { NULL, NULL, NULL, NULL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct buffer path;
        struct error error;
        error_clear(&error);
        set_home(cases[i].model_file, cases[i].data, cases[i].home);
        buffer_init(&path, alloc_default(), TEST_PATH_BYTES);
        enum status status = model_local_default_path(&path, &error);
        assert_int_equal(status, cases[i].path == NULL ? STATUS_NOT_CONFIGURED : STATUS_OK);
        if (cases[i].path != NULL)
            assert_string_equal(path.ptr, cases[i].path);
        buffer_release(&path);
    }
    struct buffer path;
    buffer_init(&path, alloc_default(), 8);
    set_home(NULL, "/data", NULL);
    assert_int_equal(model_local_default_path(&path, NULL), STATUS_REJECTED);
    buffer_release(&path);
}

/* Whether or not libllama is there, a program without a model says what to do next. */
static void test_default_model_absent(void **state)
{
    (void)state;
    struct error error;
    set_home(NULL, folder, folder);
    assert_int_equal(open_path("", &error), STATUS_NOT_CONFIGURED);
    assert_non_null(strstr(error.hint, "./setup"));
    set_home("/absent/x.gguf", NULL, NULL);
    assert_int_equal(open_path("", &error), STATUS_NOT_CONFIGURED);
}

static void scenario_open(struct test_alloc *test, void *context)
{
    (void)context;
    char path[TEST_PATH_BYTES];
    struct model model = { NULL, NULL };
    struct error error;
    error_clear(&error);
    path_in_folder(path, "magic.gguf");
    struct model_local_options options = { .path = str_from(path) };
    enum status status = model_local_open(&options, &test->alloc, NULL, &model, &error);
    assert_int_equal(status, test->failures == 0 ? STATUS_INVALID_REQUEST : STATUS_NO_MEMORY);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    need_library();
    write_file("magic.gguf", "GGUF", 4);
    test_alloc_failures(scenario_open, NULL);
}

int main(void)
{
    /* The tests that change the environment come last. */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_other_kinds_of_file),
        cmocka_unit_test(test_truncated_model),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_default_model_absent),
        cmocka_unit_test(test_default_path),
    };
    if (mkdtemp(folder) == NULL)
        return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    static const char *names[] = { "empty.gguf",   "short.gguf",   "text.gguf", "magic.gguf",
                                   "garbage.gguf", "version.gguf", "nothing.gguf", "cut.gguf" };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char path[TEST_PATH_BYTES];
        path_in_folder(path, names[i]);
        (void)unlink(path);
    }
    (void)rmdir(folder);
    return failed;
}
