/* fuzz_regex.c - laws of patterns: the input is a pattern, a newline, and a text. The table of
 * states and the simulation agree, and what compiles without tolerance passes the strict check.
 */
#include "base/features.h"

#include <assert.h>
#include <stdint.h>

#include "regex/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* 1 or 0, -1 beyond a limit. */
static int search(struct str pattern, struct str text, uint64_t build_steps, bool *out_tolerated)
{
    struct regex_budget budget = { .ops = 100000, .build_steps = build_steps };
    struct regex_notes notes = { 0 };
    struct regex *regex = NULL;
    uint64_t steps = 1000000;
    bool matches = false;
    if (regex_compile(pattern, alloc_default(), &budget, &regex, &notes, NULL) != STATUS_OK)
        return -1;
    enum status status = regex_matches(regex, text, alloc_default(), &steps, &matches);
    regex_free(regex, alloc_default());
    *out_tolerated = notes.tolerated_escapes;
    return status != STATUS_OK ? -1 : matches;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *begin = (const char *)data;
    const char *line = size == 0 ? NULL : memchr(begin, '\n', size);
    size_t len = line == NULL ? size : (size_t)(line - begin);
    struct str pattern = str_of(begin, len);
    struct str text = line == NULL ? str_of(NULL, 0) : str_of(line + 1, size - len - 1);
    bool tolerated = false;
    enum status strict = regex_check(pattern, alloc_default(), NULL);
    int table = search(pattern, text, 200000, &tolerated);
    int simulation = search(pattern, text, 0, &tolerated);
    if (table >= 0 && simulation >= 0)
        assert(table == simulation);
    if (table >= 0)
        assert((strict == STATUS_OK) == !tolerated);
    return 0;
}
