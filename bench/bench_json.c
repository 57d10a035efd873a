/* bench_json.c - the speed of json_parse as a ratio to yyjson's default read, measured in one run.
 *
 * Both parse the same bytes into a complete document and free it; both are given a pool that is
 * warm, then the process heap. The files twitter.json, citm_catalog.json and canada.json are looked
 * for in the folder that STRUCTURE_BENCH_DATA names; without it texts of the same kind are
 * generated. Small documents are the lines of the shared suite jsonschema-benchmark, each parsed on
 * its own. Reported is the best of many rounds.
 */
#include "base/features.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/control.h"
#include "json/json.h"

#ifdef BENCH_YYJSON
#include <yyjson.h>
#endif

#ifndef BENCH_YYJSON
#define BENCH_YYJSON 0
#endif

enum {
    BENCH_ROUNDS_LARGE = 100,
    BENCH_ROUNDS_SMALL = 20,
    BENCH_BATCH = 256,
    BENCH_PATH_BYTES = 1024
};

/* Texts that are parsed one by one in a round. */
struct corpus {
    const char *name;
    char *bytes;
    size_t size;
    struct str *texts;
    size_t count;
};

/* ---- memory ---------------------------------------------------------------------------------- */

/* Bumps; the newest block grows and shrinks in place. Emptied before every text. */
struct pool {
    char *bytes;
    size_t size;
    size_t used;
    char *newest;
};

static void *pool_resize(void *state, void *ptr, size_t size_old, size_t size_new)
{
    struct pool *pool = state;
    if (size_new == 0)
        return NULL;
    size_t begin =
        ptr != NULL && ptr == pool->newest ? (size_t)(pool->newest - pool->bytes) : pool->used;
    if (size_new > pool->size - begin)
        return NULL;
    if (ptr != NULL && ptr != pool->newest)
        memcpy(pool->bytes + begin, ptr, size_old < size_new ? size_old : size_new);
    pool->newest = pool->bytes + begin;
    pool->used = (begin + size_new + 15) / 16 * 16;
    return pool->newest;
}

/* ---- what is compared ------------------------------------------------------------------------ */

struct bench {
    struct pool pool;
    bool is_pooled;
};

static bool ours_parse(struct bench *bench, struct str text)
{
    static const struct json_options options = { SIZE_MAX, 10000, UINT32_MAX, UINT32_MAX,
                                                 JSON_DUPLICATES_REFUSE };
    struct alloc alloc = { pool_resize, &bench->pool };
    struct json_doc *doc = NULL;
    bench->pool.used = 0;
    bench->pool.newest = NULL;
    if (json_parse(text, &options, bench->is_pooled ? &alloc : alloc_default(), &doc, NULL) !=
        STATUS_OK)
        return false;
    json_doc_free(doc);
    return true;
}

static bool theirs_parse(struct bench *bench, struct str text)
{
#if BENCH_YYJSON
    yyjson_alc alc;
    char *bytes;
    memcpy(&bytes, &text.ptr, sizeof(bytes)); /* it is not written to without the in-situ flag */
    if (bench->is_pooled && !yyjson_alc_pool_init(&alc, bench->pool.bytes, bench->pool.size))
        return false;
    yyjson_doc *doc = yyjson_read_opts(bytes, text.len, 0, bench->is_pooled ? &alc : NULL, NULL);
    yyjson_doc_free(doc);
    return doc != NULL;
#else
    (void)bench;
    (void)text;
    return true;
#endif
}

static double now_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

typedef bool bench_parse(struct bench *bench, struct str text);

static double batch_seconds(struct bench *bench, const struct corpus *corpus, size_t begin,
                            size_t end, bench_parse *parse)
{
    double start = now_seconds();
    for (size_t i = begin; i < end; i++) {
        if (!parse(bench, corpus->texts[i])) {
            (void)fprintf(stderr, "bench_json: %s: text %zu is refused\n", corpus->name, i);
            exit(1);
        }
    }
    return now_seconds() - start;
}

/* Small texts are timed in batches, so that the best round of each is short enough to be
 * undisturbed. Rounds of both parsers alternate, so that a change of the clock rate meets both. */
static void corpus_measure(struct bench *bench, const struct corpus *corpus)
{
    unsigned rounds = corpus->count == 1 ? BENCH_ROUNDS_LARGE : BENCH_ROUNDS_SMALL;
    double ours = 0;
    double theirs = 0;
    for (size_t begin = 0; begin < corpus->count; begin += BENCH_BATCH) {
        size_t end = begin + BENCH_BATCH < corpus->count ? begin + BENCH_BATCH : corpus->count;
        double best_ours = 1e9;
        double best_theirs = 1e9;
        for (unsigned i = 0; i < rounds; i++) {
            double seconds = batch_seconds(bench, corpus, begin, end, ours_parse);
            best_ours = seconds < best_ours ? seconds : best_ours;
            seconds = batch_seconds(bench, corpus, begin, end, theirs_parse);
            best_theirs = seconds < best_theirs ? seconds : best_theirs;
        }
        ours += best_ours;
        theirs += best_theirs;
    }
    double megabytes = (double)corpus->size / 1e6;
    (void)printf("%-22s %5s %10zu %8.0f", corpus->name, bench->is_pooled ? "pool" : "heap",
                 corpus->size, megabytes / ours);
    if (BENCH_YYJSON)
        (void)printf(" %8.0f %8.2f", megabytes / theirs, theirs / ours);
    (void)printf(" %10.0f\n", ours * 1e9 / (double)corpus->count);
}

/* ---- texts ----------------------------------------------------------------------------------- */

static void append_file(struct buffer *out, const char *path)
{
    FILE *file = fopen(path, "rb");
    char block[65536];
    if (file == NULL)
        return;
    for (size_t len; (len = fread(block, 1, sizeof(block), file)) > 0;)
        buffer_append(out, block, len);
    (void)fclose(file);
}

/* Objects with many short members and non-ASCII text, indented: the kind of twitter.json. */
static void append_messages(struct buffer *out, struct rng rng)
{
    buffer_append_str(out, STR("{\n  \"statuses\": ["));
    for (unsigned i = 0; i < 600; i++) {
        buffer_append_str(out, i == 0 ? STR("\n") : STR(",\n"));
        buffer_printf(
            out,
            "    {\n      \"created_at\": \"Sun Aug 31 00:29:%02u +0000 2014\",\n      \"id\": "
            "%u,\n"
            "      \"text\": \"\xE5\x90\x8D\xE5\x89\x8D\xE3\x81\xAE\xE3\x81\x82\xE3\x81\xA8 #%u\\n"
            "\xE4\xB8\x8A\xE5\x8F\xB8\xE3\x81\x8B\xE3\x82\x89\xE6\x8E\xA5\xE5\x90\xBB\",\n"
            "      \"user\": {\n        \"name\": \"AYUMI\",\n        \"url\": "
            "\"http:\\/\\/example.org\\/%u\",\n        \"verified\": false,\n        \"lang\": "
            "null\n"
            "      },\n      \"retweet_count\": %u,\n      \"indices\": [\n        3,\n        "
            "19\n      ]\n    }",
            i % 60, (unsigned)rng.next(rng.state), i, (unsigned)rng.next(rng.state) % 10000, i % 7);
    }
    buffer_append_str(out, STR("\n  ]\n}\n"));
}

/* Arrays of pairs of long decimal fractions: the kind of canada.json. */
static void append_coordinates(struct buffer *out, struct rng rng)
{
    for (unsigned i = 0; i < 55000; i++)
        buffer_printf(out, "%s[-%u.%09u%06u,%u.%09u%06u]", i == 0 ? "[" : ",", 50 + i % 90,
                      (unsigned)(rng.next(rng.state) % 1000000000), i, 40 + i % 40,
                      (unsigned)(rng.next(rng.state) % 1000000000), i);
    buffer_append_byte(out, ']');
}

/* Tables of small objects with numeric names, indented: the kind of citm_catalog.json. */
static void append_catalogue(struct buffer *out, struct rng rng)
{
    buffer_append_str(out, STR("{\n    \"events\": {"));
    for (unsigned i = 0; i < 4000; i++)
        buffer_printf(
            out,
            "%s\n        \"%u\": {\n            \"description\": null,\n            \"id\": %u,\n"
            "            \"name\": \"30th Anniversary Tour\",\n            \"subTopicIds\": [\n"
            "                %u,\n                %u\n            ],\n            \"topicIds\": "
            "[]\n        }",
            i == 0 ? "" : ",", 138586341 + i, 138586341 + i,
            (unsigned)rng.next(rng.state) % 1000000, 324846100 + i % 50);
    buffer_append_str(out, STR("\n    }\n}\n"));
}

static void corpus_take(struct corpus *corpus, const char *name, struct buffer *bytes)
{
    *corpus = (struct corpus){ .name = name, .bytes = bytes->ptr, .size = bytes->len };
}

static void corpus_of_one(struct corpus *corpus, const char *name, struct buffer *bytes)
{
    corpus_take(corpus, name, bytes);
    corpus->texts = malloc(sizeof(*corpus->texts));
    if (corpus->texts == NULL)
        exit(1);
    corpus->texts[0] = str_of(corpus->bytes, corpus->size);
    corpus->count = 1;
}

typedef void text_generator(struct buffer *out, struct rng rng);

static void corpus_load(struct corpus *corpus, const char *file, const char *like,
                        text_generator *generate)
{
    struct buffer bytes;
    struct rng_seeded state;
    const char *folder = getenv("STRUCTURE_BENCH_DATA");
    char path[BENCH_PATH_BYTES];
    buffer_init(&bytes, alloc_default(), SIZE_MAX);
    if (folder != NULL) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, file);
        append_file(&bytes, path);
    }
    bool is_found = bytes.len > 0;
    if (!is_found)
        generate(&bytes, rng_from_seed(&state, 1));
    corpus_of_one(corpus, is_found ? file : like, &bytes);
}

/* Every non-empty line of the instances of the suite; count 0 when it is not there. */
static void corpus_load_lines(struct corpus *corpus)
{
    struct buffer bytes;
    glob_t files;
    const char *shared = getenv("STRUCTURE_SHARED");
    char pattern[BENCH_PATH_BYTES];
    (void)snprintf(pattern, sizeof(pattern),
                   "%s/suites/jsonschema-benchmark/schemas/*/instances.jsonl",
                   shared != NULL ? shared : STRUCTURE_SOURCE_DIR "/../shared");
    buffer_init(&bytes, alloc_default(), SIZE_MAX);
    if (glob(pattern, 0, NULL, &files) == 0) {
        for (size_t i = 0; i < files.gl_pathc; i++)
            append_file(&bytes, files.gl_pathv[i]);
        globfree(&files);
    }
    corpus_take(corpus, "small documents", &bytes);
    size_t lines = 0;
    for (size_t i = 0; i < bytes.len; i++)
        lines += bytes.ptr[i] == '\n';
    corpus->texts = malloc((lines + 1) * sizeof(*corpus->texts));
    if (corpus->texts == NULL)
        exit(1);
    for (size_t at = 0; at < bytes.len;) {
        const char *newline = memchr(bytes.ptr + at, '\n', bytes.len - at);
        size_t end = newline == NULL ? bytes.len : (size_t)(newline - bytes.ptr);
        if (end > at)
            corpus->texts[corpus->count++] = str_of(bytes.ptr + at, end - at);
        at = end + 1;
    }
}

int main(void)
{
    struct bench bench = { .pool = { .size = 256u << 20 } };
    struct corpus corpora[4];
    bench.pool.bytes = malloc(bench.pool.size);
    if (bench.pool.bytes == NULL)
        return 1;
    memset(bench.pool.bytes, 1, bench.pool.size);
    corpus_load(&corpora[0], "twitter.json", "like twitter", append_messages);
    corpus_load(&corpora[1], "citm_catalog.json", "like citm_catalog", append_catalogue);
    corpus_load(&corpora[2], "canada.json", "like canada", append_coordinates);
    corpus_load_lines(&corpora[3]);
    if (!BENCH_YYJSON)
        (void)printf("skipped: yyjson not found, run bench/fetch-yyjson or set YYJSON_DIR\n");
    (void)printf("json_parse against yyjson_read: best of many rounds, MB/s; ratio above 1: ours "
                 "is faster\n");
    (void)printf("%-22s %5s %10s %8s %8s %8s %10s\n", "text", "mem", "bytes", "ours",
                 BENCH_YYJSON ? "yyjson" : "", BENCH_YYJSON ? "ratio" : "", "ns/text");
    for (size_t i = 0; i < sizeof(corpora) / sizeof(corpora[0]); i++) {
        if (corpora[i].count == 0) {
            (void)printf("%-22s skipped: the shared suite jsonschema-benchmark is not there\n",
                         corpora[i].name);
            continue;
        }
        for (int is_pooled = 1; is_pooled >= 0; is_pooled--) {
            bench.is_pooled = is_pooled != 0;
            corpus_measure(&bench, &corpora[i]);
        }
        free(corpora[i].texts);
        free(corpora[i].bytes);
    }
    free(bench.pool.bytes);
    return 0;
}
