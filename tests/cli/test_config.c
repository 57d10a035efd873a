/* test_config.c - configurations: the nearest one wins, faults name file, line and pointer, keys.
 */
#include "base/features.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "test.h"
#include "test_alloc.h"

#include "cli/config.h"
#include "cli/key_source.h"

enum { TEST_PATH_BYTES = 512 };

struct folders {
    char machine[TEST_PATH_BYTES];
    char person[TEST_PATH_BYTES];
};

static void write_file(const char *folder, const char *name, const char *text, unsigned mode)
{
    char path[2 * TEST_PATH_BYTES];
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    (void)close(fd);
}

/* Files named config.json with these texts; NULL: none. */
static void folders_make(struct folders *folders, const char *machine, const char *person)
{
    (void)snprintf(folders->machine, TEST_PATH_BYTES, "/tmp/structure-config-XXXXXX");
    (void)snprintf(folders->person, TEST_PATH_BYTES, "/tmp/structure-config-XXXXXX");
    assert_non_null(mkdtemp(folders->machine));
    assert_non_null(mkdtemp(folders->person));
    if (machine != NULL)
        write_file(folders->machine, "config.json", machine, 0644);
    if (person != NULL)
        write_file(folders->person, "config.json", person, 0644);
}

static void folders_remove(const struct folders *folders)
{
    static const char *const names[] = { "config.json", "key", NULL };
    const char *both[] = { folders->machine, folders->person };
    char path[2 * TEST_PATH_BYTES];
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; names[k] != NULL; k++) {
            (void)snprintf(path, sizeof(path), "%s/%s", both[i], names[k]);
            (void)unlink(path);
        }
        (void)rmdir(both[i]);
    }
}

static enum status config_open(const struct folders *folders, struct cli_config *config,
                               const char **source, struct error *error)
{
    const char *const both[] = { folders->machine, folders->person };
    return cli_config_open(both, alloc_default(), config, source, error);
}

static void assert_text(struct str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr == NULL ? "" : text.ptr, expected, text.len);
}

static void test_the_nearest_wins(void **state)
{
    (void)state;
    struct folders folders;
    struct cli_config config;
    const char *source = NULL;
    struct error error = { 0 };
    folders_make(&folders,
                 "{\"model\":\"corp/a\",\"aliases\":{\"x\":\"corp/a\",\"y\":\"corp/y\"},"
                 "\"providers\":{\"corp\":{\"baseUrl\":\"http://far/v1\",\"keyRequired\":true,"
                 "\"models\":[{\"pattern\":\"far*\",\"contextTokens\":1}]}}}",
                 "{\"model\":\"corp/b\",\"aliases\":{\"x\":\"corp/b\"},\"providers\":{\"corp\":{"
                 "\"baseUrl\":\"http://near/v1\"},\"own\":{\"baseUrl\":\"http://own/v1\"}}}");
    if (config_open(&folders, &config, &source, &error) != STATUS_OK)
        fail_msg("%s", error.message);
    assert_null(source);
    assert_text(config.model, "corp/b");
    assert_string_equal(config.model_origin, config.files[1].path);
    assert_text(catalogue_alias(config.catalogue, STR("x")), "corp/b");
    assert_text(catalogue_alias(config.catalogue, STR("y")), "corp/y");
    const struct provider_row *corp = catalogue_provider(config.catalogue, STR("corp"));
    assert_text(corp->base_url, "http://near/v1");
    assert_true(corp->key_required);
    assert_int_equal(catalogue_model(corp, STR("far1"), NULL)->context_tokens, 1);
    assert_non_null(catalogue_provider(config.catalogue, STR("own")));
    assert_string_equal(cli_config_origin(&config, STR("/providers/corp/baseUrl")),
                        config.files[1].path);
    assert_string_equal(cli_config_origin(&config, STR("/providers/corp/keyRequired")),
                        config.files[0].path);
    assert_null(cli_config_origin(&config, STR("/providers/openai/baseUrl")));
    cli_config_release(&config);
    folders_remove(&folders);
}

static void test_without_files(void **state)
{
    (void)state;
    static const char *const texts[] = { NULL, "", " \n# nothing\n", "{}" };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct folders folders;
        struct cli_config config;
        const char *source = NULL;
        struct error error = { 0 };
        folders_make(&folders, NULL, texts[i]);
        assert_int_equal(config_open(&folders, &config, &source, &error), STATUS_OK);
        assert_int_equal(config.model.len, 0);
        assert_text(catalogue_alias(config.catalogue, STR("default")), "local");
        cli_config_release(&config);
        folders_remove(&folders);
    }
}

struct place_case {
    const char *machine, *person;
    bool is_persons; /* the file that is named */
    unsigned line;
    const char *pointer;
};

static void test_faults_have_a_place(void **state)
{
    (void)state;
    static const struct place_case cases[] = {
        { NULL, "{\n\"model\":\n7}", true, 3, "/model" },
        { "{\"nonsense\":1}", NULL, false, 1, "/nonsense" },
        { "{\"providers\":{\n\"corp\":{\n\"keyy\":1}}}", "{\"providers\":{\"corp\":{}}}", false, 3,
          "/providers/corp/keyy" },
        { "{\"providers\":{\"corp\":{\"baseUrl\":\"http://a\"}}}",
          "{\"providers\":{\n\"corp\":{\"baseUrl\":5}}}", true, 2, "/providers/corp/baseUrl" },
        { NULL, "{\"aliases\":\n[]}", true, 2, "/aliases" },
        { NULL, "[]", true, 1, "" },
        { NULL, "{\n\n", true, 3, NULL },
        { NULL, "{\"model\":\"a\",\"model\":\"b\"}", true, 1, NULL },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct folders folders;
        struct cli_config config;
        const char *source = NULL;
        struct error error = { 0 };
        folders_make(&folders, cases[i].machine, cases[i].person);
        assert_int_equal(config_open(&folders, &config, &source, &error), STATUS_INVALID_REQUEST);
        assert_string_equal(source, config.files[cases[i].is_persons ? 1 : 0].path);
        assert_int_equal(error.line, cases[i].line);
        if (cases[i].pointer != NULL)
            assert_string_equal(error.pointer, cases[i].pointer);
        cli_config_release(&config);
        folders_remove(&folders);
    }
}

/* ---- keys ---- */

struct key_case {
    const char *source;
    enum status status;
    const char *key;
};

static void test_keys(void **state)
{
    (void)state;
    static const struct key_case cases[] = {
        { "env:STRUCTURE_TEST_KEY", STATUS_OK, "from-env" },
        { "cmd:echo from-cmd", STATUS_OK, "from-cmd" },
        { "cmd:echo a; sleep 0; echo b", STATUS_INVALID_REQUEST, NULL },
        { "cmd:false", STATUS_NOT_CONFIGURED, NULL },
        { "cmd:true", STATUS_NOT_CONFIGURED, NULL },
        { "env:STRUCTURE_TEST_NONE", STATUS_NOT_CONFIGURED, NULL },
        { "file:/nonexistent/key", STATUS_NOT_CONFIGURED, NULL },
        { "file:/dev/zero", STATUS_INVALID_REQUEST, NULL },
        { "cmd:printf 'k\\303\\244y'", STATUS_INVALID_REQUEST, NULL },
    };
    (void)setenv("STRUCTURE_TEST_KEY", "from-env", 1);
    (void)unsetenv("STRUCTURE_TEST_NONE");
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct provider_row row = { .id = STR("p"), .key_source = str_from(cases[i].source) };
        struct buffer key;
        struct error error = { 0 };
        buffer_init(&key, alloc_default(), CLI_KEY_BYTES);
        enum status status = cli_key_read(&row, NULL, &key, &error);
        if (status != cases[i].status)
            fail_msg("%s: %s", cases[i].source, error.message);
        if (status == STATUS_OK)
            assert_text(buffer_view(&key), cases[i].key);
        else
            assert_null(strstr(error.message, "echo"));
        cli_key_release(&key);
    }
}

static void test_a_file_of_a_key(void **state)
{
    (void)state;
    static const struct {
        unsigned mode;
        enum status status;
    } cases[] = { { 0600, STATUS_OK },
                  { 0400, STATUS_OK },
                  { 0640, STATUS_INVALID_REQUEST },
                  { 0604, STATUS_INVALID_REQUEST },
                  { 0620, STATUS_INVALID_REQUEST } };
    struct folders folders;
    char source[2 * TEST_PATH_BYTES];
    folders_make(&folders, NULL, NULL);
    (void)snprintf(source, sizeof(source), "file:%s/key", folders.person);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct provider_row row = { .id = STR("p"), .key_source = str_from(source) };
        struct buffer key;
        struct error error = { 0 };
        write_file(folders.person, "key", "secret\r\n", 0600);
        write_file(folders.person, "key", "secret\r\n", cases[i].mode);
        buffer_init(&key, alloc_default(), CLI_KEY_BYTES);
        assert_int_equal(cli_key_read(&row, NULL, &key, &error), cases[i].status);
        if (cases[i].status == STATUS_OK)
            assert_text(buffer_view(&key), "secret");
        assert_null(strstr(error.message, "secret"));
        cli_key_release(&key);
        folders_remove(&folders);
        assert_int_equal(mkdir(folders.machine, 0700), 0);
        assert_int_equal(mkdir(folders.person, 0700), 0);
    }
    folders_remove(&folders);
}

static void test_the_variable_of_a_provider(void **state)
{
    (void)state;
    struct provider_row row = { .id = STR("p"), .key_variable = STR("STRUCTURE_TEST_KEY") };
    struct buffer key, source;
    struct error error = { 0 };
    (void)unsetenv("STRUCTURE_TEST_KEY");
    buffer_init(&key, alloc_default(), CLI_KEY_BYTES);
    buffer_init(&source, alloc_default(), 100);
    assert_false(cli_key_is_present(&row));
    assert_int_equal(cli_key_read(&row, NULL, &key, &error), STATUS_OK);
    assert_int_equal(key.len, 0);
    cli_key_release(&key);
    (void)setenv("STRUCTURE_TEST_KEY", "k", 1);
    buffer_init(&key, alloc_default(), CLI_KEY_BYTES);
    assert_true(cli_key_is_present(&row));
    assert_int_equal(cli_key_read(&row, NULL, &key, &error), STATUS_OK);
    assert_text(buffer_view(&key), "k");
    cli_key_source_append(&source, &row);
    assert_text(buffer_view(&source), "env:STRUCTURE_TEST_KEY");
    /* What is configured comes before the variable. */
    row.key_source = STR("cmd:echo other");
    buffer_truncate(&key, 0);
    assert_int_equal(cli_key_read(&row, NULL, &key, &error), STATUS_OK);
    assert_text(buffer_view(&key), "other");
    cli_key_release(&key);
    buffer_release(&source);
}

static void test_a_command_is_stopped(void **state)
{
    (void)state;
    struct cancel cancel;
    struct provider_row row = { .id = STR("p"), .key_source = STR("cmd:exec sleep 1000") };
    struct buffer key;
    struct error error = { 0 };
    atomic_init(&cancel.requested, true);
    buffer_init(&key, alloc_default(), CLI_KEY_BYTES);
    assert_int_equal(cli_key_read(&row, &cancel, &key, &error), STATUS_CANCELLED);
    cli_key_release(&key);
}

static void open_config(struct test_alloc *test, void *context)
{
    const struct folders *folders = context;
    const char *const both[] = { folders->machine, folders->person };
    struct cli_config config;
    const char *source = NULL;
    struct error error = { 0 };
    enum status status = cli_config_open(both, &test->alloc, &config, &source, &error);
    if (test->failures == 0)
        assert_int_equal(status, STATUS_OK);
    else if (status != STATUS_OK)
        assert_int_equal(status, STATUS_NO_MEMORY);
    cli_config_release(&config);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    struct folders folders;
    folders_make(&folders, "{\"aliases\":{\"a\":\"local\"}}",
                 "{\"providers\":{\"p\":{\"baseUrl\":\"http://h\"}}}");
    test_alloc_failures(open_config, &folders);
    folders_remove(&folders);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_nearest_wins),
        cmocka_unit_test(test_without_files),
        cmocka_unit_test(test_faults_have_a_place),
        cmocka_unit_test(test_keys),
        cmocka_unit_test(test_a_file_of_a_key),
        cmocka_unit_test(test_the_variable_of_a_provider),
        cmocka_unit_test(test_a_command_is_stopped),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
