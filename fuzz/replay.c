/* replay.c - feeds every file of a corpus folder to a fuzz target, without a fuzzer.
 *
 * Each input is given at its exact size in its own block, so that the sanitizers see every overrun,
 * and so are the empty input and each input cut in half.
 */
#include "base/features.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test_data.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void replay_input(const char *ptr, size_t len)
{
    uint8_t *exact = malloc(len == 0 ? 1 : len);
    if (exact == NULL)
        return;
    memcpy(exact, ptr, len);
    (void)LLVMFuzzerTestOneInput(exact, len);
    free(exact);
}

static void replay_file(const char *path, struct str content, void *context)
{
    (void)path;
    (void)context;
    replay_input(content.ptr, content.len);
    replay_input(content.ptr, content.len / 2);
}

int main(int argc, char **argv)
{
    size_t count = argc > 1 ? test_files_visit(argv[1], replay_file, NULL) : 0;
    replay_input("", 0);
    printf("%zu inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
