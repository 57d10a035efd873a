/* regex_judge.c - verdicts of patterns for regex_node.mjs.
 *
 * Owns: the protocol. A line of the input is {"p": pattern, "s": [text...]}; a line of the output
 * is
 * "!" and the reason when the pattern does not compile, else a digit per text: 1, 0, or ? when a
 * limit was hit, and behind a space how the pattern is searched, with a + when an escape was
 * tolerated. Leaves to others: what the verdicts ought to be.
 */
#include "base/features.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "json/json.h"
#include "regex/program.h"
#include "regex/regex.h"

static const char *const shapes[] = {
    [REGEX_SHAPE_TABLE] = "table",
    [REGEX_SHAPE_SIMULATED] = "simulated",
    [REGEX_SHAPE_BACKTRACKING] = "backtracking",
    [REGEX_SHAPE_ALWAYS] = "always",
    [REGEX_SHAPE_NEVER] = "never",
    [REGEX_SHAPE_EQUAL] = "equal",
    [REGEX_SHAPE_PREFIX] = "prefix",
    [REGEX_SHAPE_SUFFIX] = "suffix",
    [REGEX_SHAPE_RUN] = "run",
};

static void judge(struct json line, uint64_t build_steps)
{
    struct regex_budget budget = regex_budget_default();
    struct regex_notes notes = { 0 };
    struct regex *regex = NULL;
    struct error error;
    struct str pattern = json_string(json_get(line, STR("p")));
    struct json texts = json_get(line, STR("s"));
    error_clear(&error);
    if (build_steps == 0)
        budget.build_steps = 0;
    if (regex_compile(pattern, alloc_default(), &budget, &regex, &notes, &error) != STATUS_OK) {
        printf("!%s\n", error.message);
        return;
    }
    for (struct json v = json_first(texts); json_exists(v); v = json_next(v, texts)) {
        uint64_t steps = UINT64_MAX;
        bool matches = false;
        enum status status =
            regex_matches(regex, json_string(v), alloc_default(), &steps, &matches);
        putchar(status != STATUS_OK ? '?' : matches ? '1' : '0');
    }
    printf(" %s%s %" PRIu64 "\n", shapes[regex->shape], notes.tolerated_escapes ? "+" : "",
           (uint64_t)regex->table.cell_count);
    regex_free(regex, alloc_default());
}

int main(int argc, char **argv)
{
    char *line = NULL;
    size_t cap = 0;
    (void)argv;
    for (ssize_t len; (len = getline(&line, &cap, stdin)) > 0;) {
        struct json_doc *doc = NULL;
        struct error error;
        error_clear(&error);
        if (json_parse(str_of(line, (size_t)len), NULL, alloc_default(), &doc, &error) !=
            STATUS_OK) {
            printf("?%s\n", error.message);
            continue;
        }
        judge(json_doc_root(doc), argc > 1 ? 0 : 1);
        json_doc_free(doc);
    }
    free(line);
    return 0;
}
