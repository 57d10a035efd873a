/* bench_schema.c - the speed of compiling and judging: the data sets of the shared suite
 * jsonschema-benchmark, then single cases that are hard for validators.
 *
 * A line of the first table is a data set: compile time; per document the time of a verdict over
 * parsed documents (formats not asserted, as its authors measure), of parsing, of parsing and
 * verdict together, and of yyjson's parsing in the same run; the verdict of a peer and the ratio to
 * it where STRUCTURE_BENCH_PEERS names a file with lines "data set, tab, ns per document". The
 * single cases are generated, or lie in the folder STRUCTURE_BENCH_DATA.
 *
 * Documents are timed in batches within passes over the whole set: the caches are those of a pass,
 * and each batch contributes its undisturbed best. An argument chooses the data sets by pattern;
 * one with a slash is a pattern of folders elsewhere.
 */
#include "base/features.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/buffer.h"
#include "schema/compile.h"
#include "schema/validate.h"

#ifdef BENCH_YYJSON
#include <yyjson.h>
#endif

#ifndef BENCH_YYJSON
#define BENCH_YYJSON 0
#endif

enum {
    BENCH_ROUNDS = 40,
    BENCH_ROUNDS_COMPILE = 7,
    BENCH_BATCH = 128,
    BENCH_PATH_BYTES = 1024,
    BENCH_FILE_BYTES_MAX = 64 << 20
};

struct data_set {
    char name[BENCH_PATH_BYTES];
    struct str schema;
    struct str instances; /* one a line */
    struct schema_program *program;
    struct json_doc **docs;
    struct str *lines;
    size_t count;
};

/* What a pass does with each document. */
enum work { WORK_VERDICT, WORK_PARSE, WORK_BOTH, WORK_YYJSON, WORK_COUNT };

struct totals {
    double ns[WORK_COUNT];
    double compile_ns;
    double peer_ns;
};

static const struct schema_options bench_options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW };

static const struct json_options bench_json_options = { SIZE_MAX, 10000, UINT32_MAX, UINT32_MAX,
                                                        JSON_DUPLICATES_REFUSE };

static double now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* ---- files ----------------------------------------------------------------------------------- */

static struct str read_file(const char *path)
{
    struct buffer bytes;
    char block[65536];
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return str_of(NULL, 0);
    buffer_init(&bytes, alloc_default(), BENCH_FILE_BYTES_MAX);
    for (size_t len; (len = fread(block, 1, sizeof(block), file)) > 0;)
        buffer_append(&bytes, block, len);
    (void)fclose(file);
    return buffer_view(&bytes); /* kept to the end of the program */
}

static struct json_doc *parse(struct str text)
{
    struct json_doc *doc = NULL;
    (void)json_parse(text, &bench_json_options, alloc_default(), &doc, NULL);
    return doc;
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
        set->docs[set->count] = parse(line);
        if (set->docs[set->count] != NULL)
            set->lines[set->count++] = line;
        at = end + 1;
    }
}

/* ---- one document ---------------------------------------------------------------------------- */

static inline bool is_valid(const struct schema_program *program, const struct json_doc *doc)
{
    bool valid = false;
    (void)schema_is_valid(program, json_doc_root(doc), 0, alloc_default(), &valid, NULL);
    return valid;
}

static bool yyjson_parse(struct str text)
{
#if BENCH_YYJSON
    yyjson_doc *doc = yyjson_read(text.ptr, text.len, 0);
    yyjson_doc_free(doc);
    return doc != NULL;
#else
    (void)text;
    return true;
#endif
}

/* Inlined with a constant work, so that the loop around it adds nothing. */
static inline size_t run_batch(const struct data_set *set, enum work work, size_t begin, size_t end)
{
    size_t done = 0;
    for (size_t i = begin; i < end; i++) {
        if (work == WORK_VERDICT) {
            done += is_valid(set->program, set->docs[i]);
        } else if (work == WORK_YYJSON) {
            done += yyjson_parse(set->lines[i]);
        } else {
            struct json_doc *doc = parse(set->lines[i]);
            done += work == WORK_PARSE ? doc != NULL : is_valid(set->program, doc);
            json_doc_free(doc);
        }
    }
    return done;
}

static size_t run_work(const struct data_set *set, enum work work, size_t begin, size_t end)
{
    switch (work) {
    case WORK_VERDICT: return run_batch(set, WORK_VERDICT, begin, end);
    case WORK_PARSE: return run_batch(set, WORK_PARSE, begin, end);
    case WORK_BOTH: return run_batch(set, WORK_BOTH, begin, end);
    case WORK_YYJSON: return run_batch(set, WORK_YYJSON, begin, end);
    case WORK_COUNT: break;
    }
    return 0;
}

/* Nanoseconds of a pass. */
static double time_pass(const struct data_set *set, enum work work, size_t *out_done)
{
    size_t batches = set->count / BENCH_BATCH + 1;
    double *best = malloc(batches * sizeof(*best));
    double total = 0;
    *out_done = 0;
    for (size_t i = 0; best != NULL && i < batches; i++)
        best[i] = 1e18;
    for (unsigned round = 0; best != NULL && round < BENCH_ROUNDS; round++) {
        *out_done = 0;
        for (size_t i = 0; i < batches; i++) {
            size_t end = (i + 1) * BENCH_BATCH;
            double start = now_ns();
            *out_done += run_work(set, work, i * BENCH_BATCH, end < set->count ? end : set->count);
            double ns = now_ns() - start;
            best[i] = ns < best[i] ? ns : best[i];
        }
    }
    for (size_t i = 0; best != NULL && i < batches; i++)
        total += best[i];
    free(best);
    return total;
}

static double time_compile(struct str schema)
{
    double best = 1e18;
    for (unsigned i = 0; i < BENCH_ROUNDS_COMPILE; i++) {
        struct schema_program *program = NULL;
        double begin = now_ns();
        if (schema_compile_text(schema, &bench_options, alloc_default(), &program, NULL) !=
            STATUS_OK)
            return 0;
        double ns = now_ns() - begin;
        schema_program_free(program);
        best = ns < best ? ns : best;
    }
    return best;
}

/* ---- data sets ------------------------------------------------------------------------------- */

/* Nanoseconds per document of the peer, 0 when they are not known. */
static double peer_ns(const char *name)
{
    static struct str peers = { NULL, 0 };
    const char *path = getenv("STRUCTURE_BENCH_PEERS");
    size_t name_len = strlen(name);
    if (path == NULL)
        return 0;
    if (peers.ptr == NULL)
        peers = read_file(path);
    for (size_t at = 0; at < peers.len;) {
        const char *line = peers.ptr + at;
        const char *end = memchr(line, '\n', peers.len - at);
        if (end == NULL)
            break;
        if ((size_t)(end - line) > name_len && memcmp(line, name, name_len) == 0 &&
            line[name_len] == '\t')
            return strtod(line + name_len + 1, NULL);
        at = (size_t)(end + 1 - peers.ptr);
    }
    return 0;
}

static void bench_data_set(struct data_set *set, struct totals *totals)
{
    struct error error;
    double ns[WORK_COUNT] = { 0 };
    size_t done = 0;
    error_clear(&error);
    if (schema_compile_text(set->schema, &bench_options, alloc_default(), &set->program, &error) !=
        STATUS_OK) {
        printf("%-24s refused: %s at %s\n", set->name, error.message, error.pointer);
        return;
    }
    for (unsigned work = 0; work < WORK_COUNT; work++)
        if (work != WORK_YYJSON || BENCH_YYJSON)
            ns[work] = time_pass(set, (enum work)work, &done);
    (void)time_pass(set, WORK_VERDICT, &done);
    double compile = time_compile(set->schema);
    double peer = peer_ns(set->name) * (double)set->count;
    printf("%-24s %6zu %8.2f %10.1f %10.1f %10.1f %10.1f", set->name, set->count, compile / 1e6,
           ns[WORK_VERDICT] / (double)set->count, ns[WORK_PARSE] / (double)set->count,
           ns[WORK_BOTH] / (double)set->count, ns[WORK_YYJSON] / (double)set->count);
    if (peer > 0)
        printf(" %10.1f %6.2f", peer / (double)set->count, ns[WORK_VERDICT] / peer);
    printf("%s\n", done == set->count ? "" : "  INVALID documents");
    for (unsigned work = 0; work < WORK_COUNT; work++)
        totals->ns[work] += ns[work];
    totals->compile_ns += compile;
    totals->peer_ns += peer;
    schema_program_free(set->program);
}

static void base_name(const char *path, char out[BENCH_PATH_BYTES])
{
    const char *slash = strrchr(path, '/');
    (void)snprintf(out, BENCH_PATH_BYTES, "%s", slash == NULL ? path : slash + 1);
}

static void data_set_run(const char *folder, struct totals *totals)
{
    struct data_set set = { .count = 0 };
    char path[BENCH_PATH_BYTES + 32];
    base_name(folder, set.name);
    (void)snprintf(path, sizeof(path), "%s/schema.json", folder);
    set.schema = read_file(path);
    (void)snprintf(path, sizeof(path), "%s/instances.jsonl", folder);
    set.instances = read_file(path);
    parse_lines(&set);
    if (set.count > 0)
        bench_data_set(&set, totals);
    for (size_t i = 0; i < set.count; i++)
        json_doc_free(set.docs[i]);
    free(set.docs);
    free(set.lines);
}

static void print_totals(const struct totals *totals)
{
    printf("%-24s %6s %8.2f %10.2f %10.2f %10.2f %10.2f %10.2f  (ms)\n", "all data sets", "",
           totals->compile_ns / 1e6, totals->ns[WORK_VERDICT] / 1e6, totals->ns[WORK_PARSE] / 1e6,
           totals->ns[WORK_BOTH] / 1e6, totals->ns[WORK_YYJSON] / 1e6, totals->peer_ns / 1e6);
    if (BENCH_YYJSON)
        printf("parse and verdict together take %.2f times yyjson's parsing\n",
               totals->ns[WORK_BOTH] / totals->ns[WORK_YYJSON]);
    if (totals->peer_ns > 0)
        printf("a verdict takes %.2f times the peer's\n",
               totals->ns[WORK_VERDICT] / totals->peer_ns);
}

static void bench_data_sets(const char *chosen)
{
    const char *shared = getenv("STRUCTURE_SHARED");
    char pattern[BENCH_PATH_BYTES];
    struct totals totals = { .compile_ns = 0 };
    glob_t found;
    if (strchr(chosen, '/') != NULL)
        (void)snprintf(pattern, sizeof(pattern), "%s", chosen);
    else
        (void)snprintf(pattern, sizeof(pattern), "%s/suites/jsonschema-benchmark/schemas/%s",
                       shared != NULL ? shared : STRUCTURE_SOURCE_DIR "/../shared", chosen);
    if (glob(pattern, 0, NULL, &found) != 0) {
        printf("skipped: no such data set of the shared suite jsonschema-benchmark\n");
        return;
    }
    printf("%-24s %6s %8s %10s %10s %10s %10s %10s %6s\n", "data set", "docs", "compile", "verdict",
           "parse", "both", "yyjson", "peer", "ratio");
    printf("%-24s %6s %8s %10s\n", "", "", "ms", "ns/doc ...");
    for (size_t i = 0; i < found.gl_pathc; i++)
        data_set_run(found.gl_pathv[i], &totals);
    print_totals(&totals);
    globfree(&found);
}

/* ---- single cases ---------------------------------------------------------------------------- */

static void bench_case(const char *name, struct str schema, struct str instance)
{
    struct schema_program *program = NULL;
    struct error error;
    double best = 1e18;
    bool valid = false;
    error_clear(&error);
    if (schema.len == 0 || instance.len == 0) {
        printf("%-34s skipped: STRUCTURE_BENCH_DATA has no such files\n", name);
        return;
    }
    if (schema_compile_text(schema, &bench_options, alloc_default(), &program, &error) !=
        STATUS_OK) {
        printf("%-34s refused: %s at %s\n", name, error.message, error.pointer);
        return;
    }
    struct json_doc *doc = parse(instance);
    unsigned repeat = instance.len < 10000 ? 100 : 1;
    for (unsigned round = 0; doc != NULL && round < BENCH_ROUNDS; round++) {
        double begin = now_ns();
        for (unsigned i = 0; i < repeat; i++)
            valid = is_valid(program, doc);
        double ns = (now_ns() - begin) / repeat;
        best = ns < best ? ns : best;
    }
    printf("%-34s %10zu %8.2f %12.3f %9s\n", name, instance.len, time_compile(schema) / 1e6,
           best / 1e3, valid ? "valid" : "invalid");
    json_doc_free(doc);
    schema_program_free(program);
}

static void bench_files(const char *name, const char *schema, const char *instance)
{
    const char *folder = getenv("STRUCTURE_BENCH_DATA");
    char path[BENCH_PATH_BYTES];
    if (folder == NULL)
        folder = "";
    (void)snprintf(path, sizeof(path), "%s/%s", folder, schema);
    struct str schema_text = read_file(path);
    (void)snprintf(path, sizeof(path), "%s/%s", folder, instance);
    bench_case(name, schema_text, read_file(path));
}

/* A closed object of that many members, each of a type. */
static void bench_closed(unsigned count)
{
    struct buffer schema;
    struct buffer instance;
    char name[64];
    buffer_init(&schema, alloc_default(), BENCH_FILE_BYTES_MAX);
    buffer_init(&instance, alloc_default(), BENCH_FILE_BYTES_MAX);
    buffer_append_str(&schema, STR("{\"additionalProperties\":false,\"properties\":{"));
    buffer_append_byte(&instance, '{');
    for (unsigned i = 0; i < count; i++) {
        const char *comma = i == 0 ? "" : ",";
        buffer_printf(&schema, "%s\"property_%u\":{\"type\":\"integer\"}", comma, i);
        buffer_printf(&instance, "%s\"property_%u\":%u", comma, i, i);
    }
    buffer_append_str(&schema, STR("}}"));
    buffer_append_byte(&instance, '}');
    (void)snprintf(name, sizeof(name), "closed object of %u", count);
    bench_case(name, buffer_view(&schema), buffer_view(&instance));
    buffer_release(&schema);
    buffer_release(&instance);
}

static void bench_unique(unsigned count, const char *what, const char *form)
{
    struct buffer instance;
    char name[64];
    buffer_init(&instance, alloc_default(), BENCH_FILE_BYTES_MAX);
    for (unsigned i = 0; i < count; i++) {
        buffer_append_byte(&instance, i == 0 ? '[' : ',');
        buffer_printf(&instance, form, i);
    }
    buffer_append_byte(&instance, ']');
    (void)snprintf(name, sizeof(name), "uniqueItems of %u %s", count, what);
    bench_case(name, STR("{\"uniqueItems\":true}"), buffer_view(&instance));
    buffer_release(&instance);
}

static void bench_cases(void)
{
    printf("\n%-34s %10s %8s %12s\n", "single case", "bytes", "compile", "verdict");
    printf("%-34s %10s %8s %12s\n", "", "", "ms", "us");
    for (unsigned count = 250; count <= 4000; count *= 2)
        bench_closed(count);
    for (unsigned count = 5000; count <= 20000; count *= 2)
        bench_unique(count, "strings", "\"item %u\"");
    bench_unique(20000, "integers", "%u");
    bench_unique(20000, "objects", "{\"id\":%u}");
    bench_files("GeoJSON, canada", "geojson.json", "canada.json");
    bench_files("CITM", "citm_catalog_schema.json", "citm_catalog.json");
    bench_files("recursive oneOf", "recursive_schema.json", "recursive_instance.json");
    bench_files("small, valid", "fast_schema.json", "fast_valid.json");
    bench_files("small, invalid", "fast_schema.json", "fast_invalid.json");
    bench_files("Swagger, kubernetes", "swagger.json", "kubernetes.json");
    bench_files("FHIR, patient", "fhir.schema.json", "patient-example-d.json");
}

int main(int argc, char **argv)
{
    bench_data_sets(argc > 1 ? argv[1] : "*");
    if (argc == 1)
        bench_cases();
    return 0;
}
