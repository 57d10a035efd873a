/* test_data.c - reading of test data with stdio and POSIX directories. */
#include "base/features.h"

#include "test.h"

#include "test_data.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool path_join(char out[TEST_PATH_BYTES], const char *folder, const char *relative)
{
    struct stat info;
    int len = snprintf(out, TEST_PATH_BYTES, "%s/%s", folder, relative);
    if (len < 0 || len >= TEST_PATH_BYTES)
        fail_msg("path too long: %s/%s", folder, relative);
    return stat(out, &info) == 0;
}

bool test_source_path(char out[TEST_PATH_BYTES], const char *relative)
{
    return path_join(out, STRUCTURE_SOURCE_DIR, relative);
}

bool test_shared_path(char out[TEST_PATH_BYTES], const char *relative)
{
    const char *folder = getenv("STRUCTURE_SHARED");
    return path_join(out, folder != NULL ? folder : STRUCTURE_SOURCE_DIR "/../shared", relative);
}

static struct str file_read_stream(FILE *stream)
{
    size_t cap = 4096;
    size_t len = 0;
    char *ptr = malloc(cap);
    while (ptr != NULL) {
        len += fread(ptr + len, 1, cap - len - 1, stream);
        if (len < cap - 1)
            break;
        char *grown = realloc(ptr, cap *= 2);
        if (grown == NULL)
            free(ptr);
        ptr = grown;
    }
    if (ptr == NULL || ferror(stream)) {
        free(ptr);
        return (struct str){ NULL, 0 };
    }
    ptr[len] = '\0';
    return (struct str){ ptr, len };
}

struct str test_file_read(const char *path)
{
    struct stat info;
    FILE *stream = stat(path, &info) == 0 && S_ISREG(info.st_mode) ? fopen(path, "rb") : NULL;
    if (stream == NULL)
        return (struct str){ NULL, 0 };
    struct str content = file_read_stream(stream);
    fclose(stream);
    return content;
}

void test_file_free(struct str content)
{
    union {
        const char *borrowed;
        char *owned;
    } ptr = { content.ptr };
    free(ptr.owned);
}

static int entry_is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

size_t test_files_visit(const char *folder, test_file_visit *visit, void *context)
{
    struct dirent **entries;
    size_t visited = 0;
    int count = scandir(folder, &entries, entry_is_visible, alphasort);
    for (int i = 0; i < count; i++) {
        char path[TEST_PATH_BYTES];
        struct str content = { NULL, 0 };
        if (path_join(path, folder, entries[i]->d_name))
            content = test_file_read(path);
        if (content.ptr != NULL) {
            visit(path, content, context);
            visited++;
        }
        test_file_free(content);
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    return visited;
}

size_t test_tree_visit(const char *folder, test_file_visit *visit, void *context)
{
    enum { FOLDERS_MAX = 256 };
    char(*folders)[TEST_PATH_BYTES] = calloc(FOLDERS_MAX, sizeof(*folders));
    size_t folder_count = 0;
    size_t visited = 0;
    if (folders != NULL && strlen(folder) < TEST_PATH_BYTES)
        memcpy(folders[folder_count++], folder, strlen(folder) + 1);
    for (size_t i = 0; i < folder_count; i++) {
        struct dirent **entries;
        visited += test_files_visit(folders[i], visit, context);
        int count = scandir(folders[i], &entries, entry_is_visible, alphasort);
        for (int k = 0; k < count; k++) {
            struct stat info;
            char path[TEST_PATH_BYTES];
            if (folder_count < FOLDERS_MAX && path_join(path, folders[i], entries[k]->d_name) &&
                stat(path, &info) == 0 && S_ISDIR(info.st_mode))
                memcpy(folders[folder_count++], path, sizeof(path));
            free(entries[k]);
        }
        if (count >= 0)
            free(entries);
    }
    free(folders);
    return visited;
}

bool test_suite_path(char out[TEST_PATH_BYTES], const char *relative)
{
    const char *suite = getenv("STRUCTURE_SUITE");
    char path[TEST_PATH_BYTES];
    if (suite != NULL)
        return path_join(out, suite, relative);
    (void)snprintf(path, sizeof(path), "suites/json-schema-test-suite/%s", relative);
    return test_shared_path(out, path);
}

void test_skip(const char *reason)
{
    print_message("skipped: %s\n", reason);
    skip();
}
