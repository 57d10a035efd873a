/* fuzz_regex.c - laws of patterns: the input is a pattern, a newline, and a text.
 *
 * Owns: the laws. The table of states, the simulation and the search that goes back agree; what
 * compiles without tolerance passes the strict check. Leaves to others: what is right
 * (tests/regex, tests/differential).
 */
#include "base/features.h"

#include <assert.h>
#include <stdint.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "regex/program.h"
#include "regex/regex.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATTERN_BYTES_MAX = 1 << 20 };

struct verdict {
    int matches; /* 1 or 0, -1 beyond a limit */
    bool tolerated;
    bool backtracks;
};

static struct verdict search(struct str pattern, struct str text, uint64_t build_steps)
{
    struct verdict verdict = { .matches = -1 };
    struct regex_budget budget = { .ops = 20000, .build_steps = build_steps };
    struct regex_notes notes = { 0 };
    struct regex *regex = NULL;
    uint64_t steps = 200000;
    bool matches = false;
    if (regex_compile(pattern, alloc_default(), &budget, &regex, &notes, NULL) != STATUS_OK)
        return verdict;
    if (regex_matches(regex, text, alloc_default(), &steps, &matches) == STATUS_OK)
        verdict.matches = matches;
    verdict.tolerated = notes.tolerated_escapes;
    verdict.backtracks = regex->shape == REGEX_SHAPE_BACKTRACKING;
    regex_free(regex, alloc_default());
    return verdict;
}

/* The pattern with an alternative that never matches, but has a back-reference. */
static struct verdict search_back(struct str pattern, struct str text)
{
    struct buffer longer;
    buffer_init(&longer, alloc_default(), PATTERN_BYTES_MAX);
    buffer_append_str(&longer, STR("(?:"));
    buffer_append_str(&longer, pattern);
    buffer_append_str(&longer, STR(")|(?!)()\\1"));
    struct verdict verdict = { .matches = -1 };
    if (buffer_status(&longer) == STATUS_OK)
        verdict = search(buffer_view(&longer), text, 0);
    buffer_release(&longer);
    return verdict;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *begin = (const char *)data;
    const char *line = size == 0 ? NULL : memchr(begin, '\n', size);
    size_t len = line == NULL ? size : (size_t)(line - begin);
    struct str pattern = str_of(begin, len);
    struct str text = line == NULL ? str_of(NULL, 0) : str_of(line + 1, size - len - 1);
    enum status strict = regex_check(pattern, alloc_default(), NULL);
    struct verdict table = search(pattern, text, 50000);
    if (table.matches < 0 || utf8_check(text) != text.len)
        return 0;
    assert((strict == STATUS_OK) == !table.tolerated);
    if (table.backtracks)
        return 0;
    struct verdict simulation = search(pattern, text, 0);
    struct verdict back = search_back(pattern, text);
    assert(simulation.matches < 0 || simulation.matches == table.matches);
    assert(back.matches < 0 || back.matches == table.matches);
    return 0;
}
