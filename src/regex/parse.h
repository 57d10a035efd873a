/* parse.h - the text of a pattern, instruction by instruction. Private to src/regex. */
#ifndef STRUCTURE_REGEX_PARSE_H
#define STRUCTURE_REGEX_PARSE_H

#include "regex/builder.h"

struct parse_name {
    struct str text; /* as written */
    bool is_reference;
};

/* What a pattern says, while it is read. */
struct parser {
    struct str text;
    size_t at;
    bool strict; /* no escapes are tolerated */
    bool tolerated;
    const char *unsupported; /* the first construct that is valid but not supported yet */
    struct builder *builder;
    struct charset set; /* scratch of a character class */
    struct parse_name *names;
    size_t name_count;
    size_t name_cap;
    uint64_t captures;
    uint64_t reference_max; /* of numbered references */
};

/* Writes the instructions of the whole pattern to the builder, whose status says what happened. */
void parse_pattern(struct parser *parser);

/* ---- among the files of the parser ----------------------------------------------------------- */

/* A syntax error at parser->at. */
void parse_fail(struct parser *parser, const char *reason);
bool parse_ok(const struct parser *parser);
void parse_unsupported(struct parser *parser, const char *what);

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
/* `[...]`, from behind the bracket on, as instructions. */
void parse_class(struct parser *parser);

/* `name>`, remembered (parse_name.c). */
void parse_group_name(struct parser *parser, bool is_reference);
/* At the end: each name once, each reference to a name that is there. */
void parse_check_names(struct parser *parser);

#endif
