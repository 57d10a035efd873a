/* option.c - command-line options from a table. See option.h for the grammar.
 *
 * Owns: recognising options and the distance between names. Leaves to others: meanings. Invariant:
 * an argument is used once, as an option, as an option's value, or as an operand.
 */
#include "base/features.h"

#include "cli/option.h"

#include <stdint.h>
#include <string.h>

enum { NEAREST_NAME_BYTES_MAX = 40 };

struct option_parser {
    const struct cli_option_set *sets;
    size_t set_count;
    char **arguments;
    size_t count;
    size_t next;
    struct error *error;
};

static size_t size_min(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: insertions, deletions, substitutions and neighbours swapped, one each.
 */
static size_t nearest_distance(const char *a, const char *b)
{
    size_t rows[3][NEAREST_NAME_BYTES_MAX + 1];
    size_t a_len = strlen(a);
    size_t b_len = strlen(b);
    if (a_len > NEAREST_NAME_BYTES_MAX || b_len > NEAREST_NAME_BYTES_MAX)
        return SIZE_MAX;
    size_t *before = rows[0];
    size_t *above = rows[1];
    size_t *row = rows[2];
    for (size_t j = 0; j <= b_len; j++)
        above[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = size_min(change, size_min(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = size_min(row[j], before[j - 2] + 1);
        }
        size_t *oldest = before;
        before = above;
        above = row;
        row = oldest;
    }
    return above[b_len];
}

void cli_nearest_try(const char *word, const char *name, const char **best, size_t *distance)
{
    size_t word_len = strlen(word);
    size_t found = nearest_distance(word, name);
    /* The beginning of a name is meant, however much of it is missing. */
    if (word_len >= 3 && strncmp(word, name, word_len) == 0)
        found = 1;
    size_t admissible = word_len < 4 ? 1 : word_len < 8 ? 2 : 3;
    if (found <= admissible && found < *distance) {
        *best = name;
        *distance = found;
    }
}

const char *cli_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t distance = SIZE_MAX;
    for (; *names != NULL; names++)
        cli_nearest_try(word, *names, &best, &distance);
    return best;
}

static enum status option_unknown(const struct option_parser *parser, const char *name,
                                  size_t name_len)
{
    char word[NEAREST_NAME_BYTES_MAX + 1];
    enum status status = error_set(parser->error, STATUS_INVALID_REQUEST, "unknown option --%.*s",
                                   (int)size_min(name_len, 80), name);
    if (name_len >= sizeof(word))
        return status;
    memcpy(word, name, name_len);
    word[name_len] = '\0';
    const char *best = NULL;
    size_t distance = SIZE_MAX;
    for (size_t s = 0; s < parser->set_count; s++) {
        for (size_t i = 0; i < parser->sets[s].count; i++) {
            if (parser->sets[s].options[i].name != NULL)
                cli_nearest_try(word, parser->sets[s].options[i].name, &best, &distance);
        }
    }
    if (best != NULL)
        error_hint(parser->error, "did you mean --%s?", best);
    return status;
}

static const struct cli_option *option_find_name(const struct option_parser *parser,
                                                 const char *name, size_t name_len,
                                                 const struct cli_option_set **out_set)
{
    for (size_t s = 0; s < parser->set_count; s++) {
        for (size_t i = 0; i < parser->sets[s].count; i++) {
            const struct cli_option *option = &parser->sets[s].options[i];
            if (option->name != NULL && strlen(option->name) == name_len &&
                memcmp(option->name, name, name_len) == 0) {
                *out_set = &parser->sets[s];
                return option;
            }
        }
    }
    return NULL;
}

static const struct cli_option *option_find_letter(const struct option_parser *parser, char letter,
                                                   const struct cli_option_set **out_set)
{
    for (size_t s = 0; s < parser->set_count; s++) {
        for (size_t i = 0; i < parser->sets[s].count; i++) {
            if (parser->sets[s].options[i].letter == letter) {
                *out_set = &parser->sets[s];
                return &parser->sets[s].options[i];
            }
        }
    }
    return NULL;
}

/* The value of an option whose own argument holds none: the next argument, whatever it looks like.
 */
static enum status option_value(struct option_parser *parser, const struct cli_option *option,
                                const char *spelling, size_t spelling_len, const char **out_value)
{
    if (parser->next >= parser->count) {
        return error_set(parser->error, STATUS_INVALID_REQUEST, "option %.*s needs an argument: %s",
                         (int)size_min(spelling_len, 80), spelling, option->argument);
    }
    *out_value = parser->arguments[parser->next++];
    return STATUS_OK;
}

static enum status option_parse_long(struct option_parser *parser, const char *argument)
{
    const char *name = argument + 2;
    const char *equals = strchr(name, '=');
    size_t name_len = equals == NULL ? strlen(name) : (size_t)(equals - name);
    const struct cli_option_set *set;
    const struct cli_option *option = option_find_name(parser, name, name_len, &set);
    if (option == NULL)
        return option_unknown(parser, name, name_len);
    const char *value = NULL;
    if (option->argument == NULL && equals != NULL) {
        return error_set(parser->error, STATUS_INVALID_REQUEST, "option --%s takes no argument",
                         option->name);
    }
    if (equals != NULL) {
        value = equals + 1;
    } else if (option->argument != NULL) {
        enum status status = option_value(parser, option, argument, name_len + 2, &value);
        if (status != STATUS_OK)
            return status;
    }
    return set->apply(set->state, option->id, value, parser->error);
}

/* "-v", "-qv", "-sFILE", "-s FILE". */
static enum status option_parse_letters(struct option_parser *parser, const char *argument)
{
    for (const char *letter = argument + 1; *letter != '\0'; letter++) {
        const struct cli_option_set *set;
        const struct cli_option *option = option_find_letter(parser, *letter, &set);
        if (option == NULL) {
            (void)error_set(parser->error, STATUS_INVALID_REQUEST, "unknown option -%c",
                            *letter > ' ' && *letter < 127 ? *letter : '?');
            error_hint(parser->error, "text that begins with a dash comes after --");
            return STATUS_INVALID_REQUEST;
        }
        const char *value = NULL;
        if (option->argument != NULL) {
            value = letter + 1;
            char spelling[2] = { '-', *letter };
            enum status status =
                *value != '\0' ? STATUS_OK : option_value(parser, option, spelling, 2, &value);
            if (status != STATUS_OK)
                return status;
        }
        enum status status = set->apply(set->state, option->id, value, parser->error);
        if (status != STATUS_OK || option->argument != NULL)
            return status;
    }
    return STATUS_OK;
}

enum status cli_option_parse(const struct cli_option_set *sets, size_t set_count, char **arguments,
                             size_t count, bool stop_at_operand, struct cli_operands *operands,
                             size_t *out_used, struct error *error)
{
    struct option_parser parser = { sets, set_count, arguments, count, 0, error };
    bool options_ended = false;
    enum status status = STATUS_OK;
    operands->count = 0;
    while (parser.next < count && status == STATUS_OK) {
        char *argument = arguments[parser.next];
        bool is_operand = options_ended || argument[0] != '-' || argument[1] == '\0';
        if (is_operand && stop_at_operand)
            break;
        parser.next++;
        if (is_operand)
            operands->items[operands->count++] = argument;
        else if (strcmp(argument, "--") == 0)
            options_ended = true;
        else if (argument[1] == '-')
            status = option_parse_long(&parser, argument);
        else
            status = option_parse_letters(&parser, argument);
    }
    *out_used = parser.next;
    return status;
}

enum status cli_option_choice(const char *option, const char *value, const char *const *choices,
                              unsigned *out, struct error *error)
{
    char list[160] = "";
    size_t len = 0;
    for (unsigned i = 0; choices[i] != NULL; i++) {
        if (strcmp(choices[i], value) == 0) {
            *out = i;
            return STATUS_OK;
        }
        size_t choice_len = strlen(choices[i]);
        if (len + choice_len + 3 < sizeof(list)) {
            memcpy(list + len, i == 0 ? "" : ", ", i == 0 ? 0 : 2);
            len += i == 0 ? 0 : 2;
            memcpy(list + len, choices[i], choice_len + 1);
            len += choice_len;
        }
    }
    (void)error_set(error, STATUS_INVALID_REQUEST, "option --%s does not take \"%.40s\"", option,
                    value);
    const char *nearest = cli_nearest(value, choices);
    if (nearest != NULL)
        error_hint(error, "one of: %s; did you mean %s?", list, nearest);
    else
        error_hint(error, "one of: %s", list);
    return STATUS_INVALID_REQUEST;
}
