/* test_data.c - reading of test data with stdio and POSIX directories. */
#include "base/features.h"

#include "test.h"

#include "test_data.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
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

void test_skip(const char *reason)
{
    print_message("skipped: %s\n", reason);
    skip();
}
