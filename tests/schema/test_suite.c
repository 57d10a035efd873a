/* test_suite.c - JSON-Schema-Test-Suite, all dialects, required and optional: every verdict is
 * right, but for what suite_expectations.txt lists with a reason; a surprise either way fails.
 */
#include "base/features.h"

#include "schema_test.h"

#include <stdlib.h>

#include "schema/library.h"
#include "test_data.h"

static const struct folder {
    const char *path;
    const char *dialect;
    bool format_asserts;
} folders[] = {
    { "draft2020-12", "https://json-schema.org/draft/2020-12/schema", false },
    { "draft2020-12/optional", "https://json-schema.org/draft/2020-12/schema", false },
    { "draft2020-12/optional/format", "https://json-schema.org/draft/2020-12/schema", true },
    { "draft2019-09", "https://json-schema.org/draft/2019-09/schema", false },
    { "draft2019-09/optional", "https://json-schema.org/draft/2019-09/schema", false },
    { "draft2019-09/optional/format", "https://json-schema.org/draft/2019-09/schema", true },
    { "draft7", "http://json-schema.org/draft-07/schema#", false },
    { "draft7/optional", "http://json-schema.org/draft-07/schema#", false },
    { "draft7/optional/format", "http://json-schema.org/draft-07/schema#", true },
    { "draft6", "http://json-schema.org/draft-06/schema#", false },
    { "draft6/optional", "http://json-schema.org/draft-06/schema#", false },
    { "draft6/optional/format", "http://json-schema.org/draft-06/schema#", true },
    { "draft4", "http://json-schema.org/draft-04/schema#", false },
    { "draft4/optional", "http://json-schema.org/draft-04/schema#", false },
    { "draft4/optional/format", "http://json-schema.org/draft-04/schema#", true },
};

struct run {
    const struct folder *folder;
    struct schema_library *library; /* the documents of remotes/ */
    size_t root_len;                /* of the path of remotes/ */
    const char *path;
    struct buffer found; /* one line a refused group or wrong verdict, sorted as the suite is */
    unsigned passed;
    unsigned refused;
};

static const char *file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

static void note(struct run *run, const char *what, struct str group, struct str test)
{
    buffer_printf(&run->found, "%s %s/%s: %.*s", what, run->folder->path, file_name(run->path),
                  (int)group.len, group.ptr);
    if (test.len > 0)
        buffer_printf(&run->found, ": %.*s", (int)test.len, test.ptr);
    buffer_append_byte(&run->found, '\n');
}

static struct str text_of(struct json object, struct str name)
{
    struct json value = json_get(object, name);
    return json_exists(value) ? json_string(value) : str_of("", 0);
}

static void run_group(struct run *run, struct json group)
{
    struct buffer schema;
    struct error error;
    struct schema_program *program = NULL;
    error_clear(&error);
    const struct schema_options options = {
        .unknown_keywords = SCHEMA_UNKNOWN_ALLOW,
        .format_asserts = run->folder->format_asserts,
        .dialect = str_from(run->folder->dialect),
        .library = run->library,
    };
    struct str description = text_of(group, STR("description"));
    struct json tests = json_get(group, STR("tests"));
    buffer_init(&schema, alloc_default(), TEST_TEXT_BYTES);
    json_write(json_get(group, STR("schema")), 0, &schema);
    enum status status =
        schema_compile_text(buffer_view(&schema), &options, alloc_default(), &program, &error);
    buffer_release(&schema);
    if (status != STATUS_OK) {
        run->refused += json_count(tests);
        note(run, "refused", description, str_from(error.message));
        return;
    }
    for (struct json t = json_first(tests); json_exists(t); t = json_next(t, tests)) {
        bool expected = json_type(json_get(t, STR("valid"))) == JSON_TRUE;
        if (judge_root(program, json_get(t, STR("data"))) == expected)
            run->passed++;
        else
            note(run, "wrong", description, text_of(t, STR("description")));
    }
    schema_program_free(program);
}

static void run_file(const char *path, struct str content, void *context)
{
    struct run *run = context;
    struct json_doc *doc = NULL;
    struct error error;
    run->path = path;
    error_clear(&error);
    if (json_parse(content, NULL, alloc_default(), &doc, &error) != STATUS_OK) {
        note(run, "unreadable", str_from(error.message), str_of(NULL, 0));
        return;
    }
    struct json root = json_doc_root(doc);
    for (struct json group = json_first(root); json_exists(group); group = json_next(group, root))
        run_group(run, group);
    json_doc_free(doc);
}

/* The lines of the file that are no comments. */
static void read_expectations(struct buffer *out)
{
    char path[TEST_PATH_BYTES];
    assert_true(test_source_path(path, "tests/schema/suite_expectations.txt"));
    struct str text = test_file_read(path);
    assert_non_null(text.ptr);
    for (size_t at = 0; at < text.len;) {
        size_t end = at;
        while (end < text.len && text.ptr[end] != '\n')
            end++;
        if (end > at && text.ptr[at] != '#')
            buffer_append(out, text.ptr + at, end - at + 1);
        at = end + 1;
    }
    test_file_free(text);
}

static size_t line_len(struct str text, size_t begin)
{
    size_t end = begin;
    while (end < text.len && text.ptr[end] != '\n')
        end++;
    return end - begin;
}

/* Says which line is the first to differ. */
static void assert_same_lines(struct str found, struct str expected)
{
    if (found.len == 0 && expected.len == 0)
        return;
    size_t at = 0;
    size_t line = 0;
    while (at < found.len && at < expected.len && found.ptr[at] == expected.ptr[at]) {
        at++;
        if (found.ptr[at - 1] == '\n')
            line = at;
    }
    if (at == found.len && at == expected.len)
        return;
    fail_msg("expected \"%.*s\", found \"%.*s\"", (int)line_len(expected, line),
             expected.ptr + line, (int)line_len(found, line), found.ptr + line);
}

/* remotes/a/b.json is what the suite knows as http://localhost:1234/a/b.json. */
static void register_remote(const char *path, struct str content, void *context)
{
    struct run *run = context;
    struct json_doc *doc = NULL;
    struct buffer uri;
    buffer_init(&uri, alloc_default(), TEST_TEXT_BYTES);
    buffer_append_str(&uri, STR("http://localhost:1234"));
    buffer_append_str(&uri, str_from(path + run->root_len));
    assert_int_equal(json_parse(content, NULL, alloc_default(), &doc, NULL), STATUS_OK);
    assert_int_equal(schema_library_add(run->library, buffer_view(&uri), doc, NULL), STATUS_OK);
    buffer_release(&uri);
}

static void register_remotes(struct run *run)
{
    char path[TEST_PATH_BYTES];
    assert_true(test_suite_path(path, "remotes"));
    run->root_len = strlen(path);
    assert_int_equal(schema_library_new(alloc_default(), &run->library), STATUS_OK);
    assert_int_not_equal(test_tree_visit(path, register_remote, run), 0);
}

static void judges_the_suite(void **state)
{
    (void)state;
    char path[TEST_PATH_BYTES];
    char relative[256];
    struct run run = { .passed = 0 };
    struct buffer expected;
    if (!test_suite_path(path, "tests"))
        test_skip("the suite json-schema-test-suite is not there");
    register_remotes(&run);
    buffer_init(&run.found, alloc_default(), TEST_TEXT_BYTES);
    buffer_init(&expected, alloc_default(), TEST_TEXT_BYTES);
    for (size_t i = 0; i < COUNT(folders); i++) {
        run.folder = &folders[i];
        (void)snprintf(relative, sizeof(relative), "tests/%s", folders[i].path);
        assert_true(test_suite_path(path, relative));
        assert_int_not_equal(test_files_visit(path, run_file, &run), 0);
    }
    assert_true(test_suite_path(path, ""));
    printf("%u verdicts right, %u refused; the suite is %s\n", run.passed, run.refused, path);
    /* SUITE_FOUND names a file that takes the list, to become suite_expectations.txt. */
    const char *out = getenv("SUITE_FOUND");
    if (out != NULL) {
        FILE *file = fopen(out, "wb");
        assert_non_null(file);
        if (run.found.len > 0)
            assert_int_equal(fwrite(run.found.ptr, 1, run.found.len, file), run.found.len);
        assert_int_equal(fclose(file), 0);
    }
    read_expectations(&expected);
    assert_int_equal(buffer_status(&run.found), STATUS_OK);
    assert_same_lines(buffer_view(&run.found), buffer_view(&expected));
    buffer_release(&run.found);
    buffer_release(&expected);
    schema_library_unref(run.library);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(judges_the_suite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
