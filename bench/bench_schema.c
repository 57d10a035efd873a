/* bench_schema.c - the speed of compiling and judging on the shared suite jsonschema-benchmark.
 *
 * One line a data set: documents, compile time, time of a verdict per document over parsed
 * documents (formats not asserted, as its authors measure), and of parsing and verdict together.
 * Reported is the best of many rounds. A schema that is refused is named with the reason. Peers are
 * measured by their own programs; docs/schema.md says how.
 */
#include "base/features.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "schema/compile.h"
#include "schema/validate.h"

enum { BENCH_ROUNDS = 60, BENCH_PATH_BYTES = 1024, BENCH_FILE_BYTES_MAX = 64 << 20 };

struct data_set {
    char name[BENCH_PATH_BYTES];
    struct str schema;
    struct str instances; /* one a line */
    struct json_doc **docs;
    struct str *lines;
    size_t count;
};

static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static struct str read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return str_of(NULL, 0);
    char *bytes = malloc(BENCH_FILE_BYTES_MAX);
    size_t len = bytes == NULL ? 0 : fread(bytes, 1, BENCH_FILE_BYTES_MAX, file);
    (void)fclose(file);
    return str_of(bytes, len);
}

/* Every line that is JSON becomes a document. */
static void parse_lines(struct data_set *set)
{
    size_t capacity = 1;
    for (size_t i = 0; i < set->instances.len; i++)
        capacity += set->instances.ptr[i] == '\n';
    set->docs = calloc(capacity, sizeof(struct json_doc *));
    set->lines = calloc(capacity, sizeof(struct str));
    for (size_t at = 0; set->docs != NULL && set->lines != NULL && at < set->instances.len;) {
        size_t end = at;
        while (end < set->instances.len && set->instances.ptr[end] != '\n')
            end++;
        struct str line = str_of(set->instances.ptr + at, end - at);
        if (json_parse(line, NULL, alloc_default(), &set->docs[set->count], NULL) == STATUS_OK)
            set->lines[set->count++] = line;
        at = end + 1;
    }
}

static const struct schema_options bench_options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW };

static double time_compile(const struct data_set *set)
{
    double best = 1e18;
    for (unsigned i = 0; i < 5; i++) {
        struct schema_program *program = NULL;
        double begin = now_ns();
        if (schema_compile_text(set->schema, &bench_options, alloc_default(), &program, NULL) !=
            STATUS_OK)
            return 0;
        double end = now_ns();
        schema_program_free(program);
        best = end - begin < best ? end - begin : best;
    }
    return best;
}

/* Nanoseconds per document. */
static double time_verdicts(const struct data_set *set, const struct schema_program *program,
                            bool with_parse, size_t *out_valid)
{
    double best = 1e18;
    for (unsigned round = 0; round < BENCH_ROUNDS; round++) {
        size_t valid_count = 0;
        double begin = now_ns();
        for (size_t i = 0; i < set->count; i++) {
            struct json_doc *doc = set->docs[i];
            bool valid = false;
            if (with_parse &&
                json_parse(set->lines[i], NULL, alloc_default(), &doc, NULL) != STATUS_OK)
                continue;
            (void)schema_is_valid(program, json_doc_root(doc), 0, alloc_default(), &valid, NULL);
            valid_count += valid;
            if (with_parse)
                json_doc_free(doc);
        }
        double end = now_ns();
        best = end - begin < best ? end - begin : best;
        *out_valid = valid_count;
    }
    return best / (double)set->count;
}

static double bench_data_set(struct data_set *set)
{
    struct schema_program *program = NULL;
    struct error error;
    size_t valid = 0;
    error_clear(&error);
    if (schema_compile_text(set->schema, &bench_options, alloc_default(), &program, &error) !=
        STATUS_OK) {
        printf("%-24s refused: %s at %s\n", set->name, error.message, error.pointer);
        return 0;
    }
    double judged = time_verdicts(set, program, false, &valid);
    double both = time_verdicts(set, program, true, &valid);
    printf("%-24s %6zu %9.2f %11.1f %13.1f %8zu\n", set->name, set->count, time_compile(set) / 1e6,
           judged, both, set->count - valid);
    schema_program_free(program);
    return judged * (double)set->count;
}

static void release(struct data_set *set)
{
    for (size_t i = 0; i < set->count; i++)
        json_doc_free(set->docs[i]);
    free(set->docs);
    free(set->lines);
    free((void *)(uintptr_t)set->schema.ptr);
    free((void *)(uintptr_t)set->instances.ptr);
}

static void base_name(const char *path, char out[BENCH_PATH_BYTES])
{
    const char *end = path + strlen(path);
    const char *begin = end;
    while (begin > path && begin[-1] != '/')
        begin--;
    (void)snprintf(out, BENCH_PATH_BYTES, "%s", begin);
}

int main(int argc, char **argv)
{
    const char *shared = getenv("STRUCTURE_SHARED");
    char pattern[BENCH_PATH_BYTES];
    glob_t found;
    double total = 0;
    (void)snprintf(pattern, sizeof(pattern), "%s/suites/jsonschema-benchmark/schemas/%s",
                   shared != NULL ? shared : STRUCTURE_SOURCE_DIR "/../shared",
                   argc > 1 ? argv[1] : "*");
    if (glob(pattern, 0, NULL, &found) != 0) {
        printf("skipped: the shared suite jsonschema-benchmark is not there\n");
        return 0;
    }
    printf("%-24s %6s %9s %11s %13s %8s\n", "data set", "docs", "compile", "verdict",
           "parse+verdict", "invalid");
    printf("%-24s %6s %9s %11s %13s %8s\n", "", "", "ms", "ns/doc", "ns/doc", "");
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct data_set set = { .count = 0 };
        char path[BENCH_PATH_BYTES + 32];
        base_name(found.gl_pathv[i], set.name);
        (void)snprintf(path, sizeof(path), "%s/schema.json", found.gl_pathv[i]);
        set.schema = read_file(path);
        (void)snprintf(path, sizeof(path), "%s/instances.jsonl", found.gl_pathv[i]);
        set.instances = read_file(path);
        parse_lines(&set);
        if (set.count > 0)
            total += bench_data_set(&set);
        release(&set);
    }
    printf("verdicts of all data sets: %.2f ms\n", total / 1e6);
    globfree(&found);
    return 0;
}
