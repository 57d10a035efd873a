/* emitter.h - what the parts of the schema writer share. Private to src/projection.
 *
 * emit.c writes the tree of a schema, emit_keywords.c the keywords of one place and its words.
 */
#ifndef STRUCTURE_PROJECTION_EMITTER_H
#define STRUCTURE_PROJECTION_EMITTER_H

#include "projection/emit.h"

struct emit_task; /* emit.c */

struct emitter {
    struct shape *shape;
    const struct schema_program *program;
    const struct wire_rules *rules;
    struct buffer *out;
    struct buffer words; /* phrases of the place in progress */
    struct projection_move *moves;
    uint32_t move_count, move_capacity;
    unsigned char *told; /* one bit an instruction: its move is listed */
    struct emit_task *tasks;
    uint32_t task_count, task_capacity;
    bool has_notes;
    bool takes_direct;
    bool is_exact;
    bool failed; /* memory is used up */
    unsigned forms;
};

/* Appends "name": with a comma where one is due. */
void emit_key(struct emitter *emitter, struct str name);

/* A phrase for the description of the place in progress; false: there is no room, or descriptions
 * are not taken. */
bool emit_phrase_fits(struct emitter *emitter, size_t before);
void emit_move_fact(struct emitter *emitter, struct shape_fact fact, const char *reason);
void emit_move_node(struct emitter *emitter, const struct shape_node *node, const char *keyword,
                    const char *reason, bool in_words);

/* "type", with null. */
void emit_type(struct emitter *emitter, const char *name, bool with_null);
/* Keywords of a scalar or of counts, as far as the rules take them; the others become words. */
void emit_facts(struct emitter *emitter, const struct shape_node *node);
void emit_values(struct emitter *emitter, const struct shape_node *node, bool with_null);
/* A pattern that is taken, as a JSON string. */
void emit_pattern(struct emitter *emitter, struct str pattern);
/* Title, description with the words so far, default; ends the words. `source` SCHEMA_NONE: none. */
void emit_notes(struct emitter *emitter, const struct shape_node *node, uint32_t source,
                const struct shape_node *parent);

#endif
