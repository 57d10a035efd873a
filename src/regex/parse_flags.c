/* parse_flags.c - the modifiers of groups, and the assertions that depend on them.
 *
 * Owns: which modifiers ECMA-262 2025 allows; what `^`, `$` and `\b` become under them: lookaround
 * for sets that are not built into the automaton.
 */
#include "base/features.h"

#include "regex/parse.h"

static bool *flag_of(struct parse_flags *flags, char letter)
{
    switch (letter) {
    case 'i': return &flags->ignore_case;
    case 'm': return &flags->multiline;
    case 's': return &flags->dot_all;
    default: return NULL;
    }
}

struct parse_flags parse_modifiers(struct parser *parser)
{
    struct parse_flags flags = parser->flags;
    struct parse_flags seen = { 0 };
    bool value = true;
    bool is_empty = true;
    while (!parse_skip(parser, ':')) {
        char letter = parse_peek(parser, 0);
        bool *known = flag_of(&seen, letter);
        bool is_minus = letter == '-' && value;
        if ((known == NULL || *known) && !is_minus) {
            parse_fail(parser, "\"(?\" begins no group of ECMA-262");
            return flags;
        }
        parser->at++;
        if (is_minus) {
            value = false;
            continue;
        }
        is_empty = false;
        *known = true;
        *flag_of(&flags, letter) = value;
    }
    if (is_empty)
        parse_fail(parser, "\"(?-:\" names no flag");
    return flags;
}

/* A lookaround of what parser->set holds. */
static uint32_t look_at_set(struct parser *parser, bool is_behind, bool is_negative)
{
    struct tree *tree = parser->tree;
    charset_normalise(&parser->set);
    uint32_t look = tree_add(tree, TREE_LOOK);
    tree_append(tree, look, tree_add_set(tree, &parser->set));
    tree->has_look = true;
    tree->has_lookbehind = tree->has_lookbehind || is_behind;
    if (look != 0) {
        tree->nodes[look].is_behind = is_behind;
        tree->nodes[look].is_negative = is_negative;
    }
    return look;
}

/* Adds to the alternatives a sequence of one or two nodes. */
static void add_branch(struct tree *tree, uint32_t alternatives, uint32_t a, uint32_t b)
{
    uint32_t sequence = tree_add(tree, TREE_SEQUENCE);
    tree_append(tree, alternatives, sequence);
    tree_append(tree, sequence, a);
    if (b != 0)
        tree_append(tree, sequence, b);
}

uint32_t parse_line_edge(struct parser *parser, bool at_start)
{
    struct tree *tree = parser->tree;
    uint32_t edge = tree_add(tree, at_start ? TREE_START : TREE_END);
    if (!parser->flags.multiline)
        return edge;
    uint32_t either = tree_add(tree, TREE_ALTERNATIVES);
    charset_clear(&parser->set);
    charset_add_line_ends(&parser->set, false);
    uint32_t look = look_at_set(parser, at_start, false);
    add_branch(tree, either, edge, 0);
    add_branch(tree, either, look, 0);
    return either;
}

static uint32_t look_at_word(struct parser *parser, bool is_behind, bool is_negative)
{
    charset_clear(&parser->set);
    charset_add_escape(&parser->set, 'w', true);
    return look_at_set(parser, is_behind, is_negative);
}

uint32_t parse_word_edge(struct parser *parser, bool negated)
{
    struct tree *tree = parser->tree;
    if (!parser->flags.ignore_case) {
        tree->has_word = true;
        return tree_add(tree, negated ? TREE_NOT_WORD : TREE_WORD);
    }
    uint32_t either = tree_add(tree, TREE_ALTERNATIVES);
    for (int before = 0; before < 2; before++) {
        uint32_t behind = look_at_word(parser, true, before == 0);
        uint32_t ahead = look_at_word(parser, false, (before == 0) == negated);
        add_branch(tree, either, behind, ahead);
    }
    return either;
}
