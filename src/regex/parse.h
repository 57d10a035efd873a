/* parse.h - the text of a pattern, read into a tree. Private to src/regex. */
#ifndef STRUCTURE_REGEX_PARSE_H
#define STRUCTURE_REGEX_PARSE_H

#include "regex/tree.h"

struct parse_name {
    struct str text;  /* as written */
    uint32_t capture; /* of a group, 0 for a reference */
    uint32_t node;    /* of a reference */
};

/* What `(?ims-ims:...)` switches. */
struct parse_flags {
    bool ignore_case;
    bool multiline;
    bool dot_all;
};

/* What a pattern says, while it is read. */
struct parser {
    struct str text;
    size_t at;
    bool strict; /* no escapes are tolerated */
    bool tolerated;
    struct parse_flags flags;
    const struct alloc *alloc;
    struct tree *tree;
    struct charset set;         /* scratch of a character class */
    struct charset name_begins; /* ID_Start and ID_Continue, once needed */
    struct charset name_goes_on;
    struct parse_name *names;
    size_t name_count;
    size_t name_cap;
    uint64_t reference_max; /* of numbered references */
    enum status status;
    struct error *error;
};

/* Reads parser->text. The result is the root of the tree; parser->status says what happened. */
uint32_t parse_pattern(struct parser *parser);

/* ---- among the files of the parser ----------------------------------------------------------- */

/* A syntax error at parser->at. */
void parse_fail(struct parser *parser, const char *reason);
void parse_limit(struct parser *parser, const char *what, unsigned limit);
void parse_no_memory(struct parser *parser);
bool parse_ok(const struct parser *parser);

/* The byte at `ahead` from here, 0 beyond the end (a NUL in the text is 0 too). */
char parse_peek(const struct parser *parser, size_t ahead);
bool parse_skip(struct parser *parser, char byte);
uint32_t parse_code_point(struct parser *parser);

/* A decimal number that saturates; false when there is no digit. */
bool parse_decimal(struct parser *parser, uint64_t *out_value);

/* Behind the backslash: a character escape that stands for one code point (parse_escape.c). */
uint32_t parse_character_escape(struct parser *parser);
/* `\u` and what follows, from the `u` on. */
uint32_t parse_unicode_escape(struct parser *parser);
/* `\d` and its like or `\p{...}`, added to parser->set. False when it is something else. */
bool parse_class_escape(struct parser *parser);
/* `[...]`, from behind the bracket on, into parser->set. */
void parse_class(struct parser *parser);
/* parser->set as a node, with what its members fold to when case is ignored. */
uint32_t parse_set_node(struct parser *parser);

/* `ims-ims:` from behind `(?` on: the flags of the group (parse_flags.c). */
struct parse_flags parse_modifiers(struct parser *parser);
/* `^`, `$`, `\b` and `\B` as nodes, which depend on the flags. */
uint32_t parse_line_edge(struct parser *parser, bool at_start);
uint32_t parse_word_edge(struct parser *parser, bool negated);

/* `name>`, remembered, of a group or of the reference that is a node (parse_name.c). */
void parse_group_name(struct parser *parser, uint32_t capture, uint32_t node);
/* At the end: each name once, each reference to a name that is there. */
void parse_check_names(struct parser *parser);

#endif
