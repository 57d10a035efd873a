/* project_schemas.c - real schemas projected for every set of rules: what share goes strict.
 *
 *     project_schemas FOLDER [RULES]
 *
 * Reads every *.json of a folder as a schema. For each set of rules of data/providers.json it tells
 * how many projections are exact (what conforms is valid), how many moved something (into words, or
 * out), which keywords, how many are not possible, and time and size. Wire schemas that this
 * product itself does not compile, or that break what the provider states, are told as faults.
 */
#include "base/features.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "projection/projection.h"
#include "schema/compile.h"
#include "wire_checker.h"

enum { PATH_BYTES = 1024, RULES_MAX = 32, FILES_MAX = 8192, KEYWORDS_MAX = 64, SHOWN_KEYWORDS = 6 };

struct keyword {
    char name[40];
    uint32_t files; /* in which it was moved */
};

struct sum {
    uint32_t projected, exact, in_words, lost, impossible, faults;
    uint64_t target_bytes, wire_bytes, ns, ns_max;
    struct keyword keywords[KEYWORDS_MAX];
    uint32_t keyword_count;
};

struct file {
    char name[256];
    struct schema_program *program;
    size_t bytes;
};

static struct file files[FILES_MAX];
static uint32_t file_count, refused_count;

static uint64_t now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static char *read_file(const char *path, size_t *out_len)
{
    FILE *file = fopen(path, "rb");
    char *text = NULL;
    if (file == NULL)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0) {
        long len = ftell(file);
        rewind(file);
        text = len < 0 ? NULL : malloc((size_t)len + 1);
        *out_len = text == NULL ? 0 : fread(text, 1, (size_t)len, file);
    }
    (void)fclose(file);
    return text;
}

static void add_file(const char *folder, const char *name)
{
    char path[PATH_BYTES];
    size_t len = 0;
    struct error error = { 0 };
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW };
    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    char *text = read_file(path, &len);
    struct file *file = &files[file_count];
    if (text == NULL || file_count == FILES_MAX)
        return;
    (void)snprintf(file->name, sizeof(file->name), "%s", name);
    file->bytes = len;
    if (schema_compile_text(str_of(text, len), &options, alloc_default(), &file->program, &error) ==
        STATUS_OK)
        file_count++;
    else
        refused_count++;
    free(text);
}

static void note_keyword(struct sum *sum, struct str keyword)
{
    for (uint32_t i = 0; i < sum->keyword_count; i++) {
        if (str_equal(str_from(sum->keywords[i].name), keyword)) {
            sum->keywords[i].files++;
            return;
        }
    }
    if (sum->keyword_count == KEYWORDS_MAX)
        return;
    struct keyword *row = &sum->keywords[sum->keyword_count++];
    (void)snprintf(row->name, sizeof(row->name), "%.*s", (int)keyword.len, keyword.ptr);
    row->files = 1;
}

static void note_moves(struct sum *sum, const struct projection *projection)
{
    uint32_t count;
    const struct projection_move *moves = projection_moves(projection, &count);
    bool all_in_words = true;
    for (uint32_t i = 0; i < count; i++) {
        bool is_first = true;
        for (uint32_t k = 0; k < i && is_first; k++)
            is_first = !str_equal(moves[k].keyword, moves[i].keyword);
        if (is_first)
            note_keyword(sum, moves[i].keyword);
        all_in_words = all_in_words && moves[i].in_words;
    }
    if (projection_is_exact(projection))
        sum->exact++;
    else if (all_in_words)
        sum->in_words++;
    else
        sum->lost++;
}

static bool compiles(struct str schema)
{
    struct schema_program *program = NULL;
    struct schema_options options = { .unknown_keywords = SCHEMA_UNKNOWN_ALLOW };
    enum status status = schema_compile_text(schema, &options, alloc_default(), &program, NULL);
    schema_program_free(program);
    return status == STATUS_OK;
}

/* What the provider states of the schemas that it takes. */
static void check_statements(struct sum *sum, const struct wire_rules *rules,
                             const struct file *file, struct str schema)
{
    char text[WIRE_CHECKER_TEXT];
    struct json_doc *doc = NULL;
    if (json_parse(schema, NULL, alloc_default(), &doc, NULL) != STATUS_OK)
        return;
    const char *fault = wire_checker_fault(rules->name, json_doc_root(doc), text);
    if (fault != NULL) {
        sum->faults++;
        printf("FAULT %.*s: %s: %s\n", (int)rules->name.len, rules->name.ptr, file->name, fault);
    }
    json_doc_free(doc);
}

static void project(struct sum *sum, const struct wire_rules *rules, const struct file *file)
{
    struct projection *projection = NULL;
    struct error error = { 0 };
    struct projection_options options = { .program = file->program, .rules = rules };
    uint64_t begin = now_ns();
    enum status status = projection_new(&options, alloc_default(), &projection, &error);
    uint64_t ns = now_ns() - begin;
    sum->ns += ns;
    sum->ns_max = ns > sum->ns_max ? ns : sum->ns_max;
    if (status != STATUS_OK) {
        sum->impossible++;
        return;
    }
    sum->projected++;
    sum->target_bytes += file->bytes;
    sum->wire_bytes += projection_schema(projection).len;
    note_moves(sum, projection);
    check_statements(sum, rules, file, projection_schema(projection));
    if (!rules->has_upper_types && !compiles(projection_schema(projection))) {
        sum->faults++;
        printf("FAULT %.*s: the wire schema of %s is none\n", (int)rules->name.len, rules->name.ptr,
               file->name);
    }
    projection_free(projection);
}

static int by_files(const void *a, const void *b)
{
    const struct keyword *left = a, *right = b;
    return left->files < right->files ? 1 : left->files > right->files ? -1 : 0;
}

static double percent(uint32_t part)
{
    return file_count == 0 ? 0 : 100.0 * part / file_count;
}

static void tell(const struct wire_rules *rules, struct sum *sum)
{
    qsort(sum->keywords, sum->keyword_count, sizeof(sum->keywords[0]), by_files);
    printf("| %.*s | %.0f %% | %.0f %% | %.0f %% | %.0f %% | %.2f | %.1f (%.0f) |",
           (int)rules->name.len, rules->name.ptr, percent(sum->exact), percent(sum->in_words),
           percent(sum->lost), percent(sum->impossible),
           sum->target_bytes == 0 ? 0 : (double)sum->wire_bytes / (double)sum->target_bytes,
           (double)sum->ns / 1e6 / (file_count == 0 ? 1 : file_count), (double)sum->ns_max / 1e6);
    for (uint32_t i = 0; i < sum->keyword_count && i < SHOWN_KEYWORDS; i++)
        printf("%s %s %.0f %%", i == 0 ? "" : ",", sum->keywords[i].name,
               percent(sum->keywords[i].files));
    printf(" |\n");
    (void)fflush(stdout);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct file *)a)->name, ((const struct file *)b)->name);
}

static bool read_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    if (dir == NULL)
        return false;
    while ((entry = readdir(dir)) != NULL) {
        size_t len = strlen(entry->d_name);
        if (len > 5 && strcmp(entry->d_name + len - 5, ".json") == 0)
            add_file(folder, entry->d_name);
    }
    (void)closedir(dir);
    qsort(files, file_count, sizeof(files[0]), by_name);
    return true;
}

int main(int argc, char **argv)
{
    struct arena arena;
    struct json_doc *doc = NULL;
    size_t len = 0;
    uint32_t faults = 0;
    char *text = read_file(STRUCTURE_SOURCE_DIR "/data/providers.json", &len);
    if (argc < 2 || text == NULL || !read_folder(argv[1])) {
        fprintf(stderr, "usage: project_schemas FOLDER [RULES]\n");
        return 2;
    }
    arena_init(&arena, alloc_default(), 1 << 22);
    if (json_parse(str_of(text, len), NULL, alloc_default(), &doc, NULL) != STATUS_OK)
        return 1;
    printf("%u schemas (%u more are refused by the compiler)\n\n", file_count, refused_count);
    printf("| rules | exact | moved, all in words | moved, not all | not possible | bytes: wire to "
           "target | ms (most) | moved most often, in %% of schemas "
           "|\n|---|---|---|---|---|---|---|---|\n");
    struct json all = json_get(json_doc_root(doc), STR("rules"));
    for (struct json at = json_first(all); json_exists(at); at = json_next(at, all)) {
        struct wire_rules rules;
        struct sum sum = { 0 };
        if ((argc > 2 && !str_equal(json_member_name(at), str_from(argv[2]))) ||
            wire_rules_read(json_member_name(at), at, &arena, &rules, NULL) != STATUS_OK)
            continue;
        for (uint32_t i = 0; i < file_count; i++)
            project(&sum, &rules, &files[i]);
        tell(&rules, &sum);
        faults += sum.faults;
    }
    json_doc_free(doc);
    arena_release(&arena);
    free(text);
    for (uint32_t i = 0; i < file_count; i++)
        schema_program_free(files[i].program);
    return faults == 0 ? 0 : 1;
}
