/* extractor.h - the state of one extraction, shared by the files that walk the target. Private to
 * src/model. */
#ifndef STRUCTURE_MODEL_EXTRACTOR_H
#define STRUCTURE_MODEL_EXTRACTOR_H

#include "evidence/prior.h"
#include "evidence/text.h"
#include "model/extract.h"
#include "model/target.h"

enum {
    EXTRACT_DEPTH_MAX =
        24, /* nesting of the target that is walked; the walk recurses to it at the most */
    EXTRACT_CHOICES_MAX = 64,  /* candidates weighed by the model for one leaf */
    EXTRACT_VALUES_MAX = 4096, /* begun, those taken back included; nothing is written beyond */
    EXTRACT_ITEMS_MAX = 32,    /* of one array */
    EXTRACT_FACTS_MAX = 1024,  /* looked at for one leaf */
    EXTRACT_RIVALS_MAX = 128,  /* members of the target whose names are known to all leaves */
    EXTRACT_NEED_BYTES_MAX = 190
};
#define EXTRACT_ARENA_BYTES_MAX (256u * 1024 * 1024)

/* An object that is being written, and the part of the text that its members are looked for in. */
struct open_object {
    const struct schema_op *properties;
    uint32_t begin, end;
};

struct extractor {
    const struct model_extraction *job;
    const struct schema_program *program;
    struct evidence_text *text;
    struct evidence_uses *uses;
    struct evidence_rivals rivals; /* the leaves of the target */
    struct evidence_scope scope;   /* where values are looked for */
    struct arena arena;            /* lives as long as the call */
    struct arena leaf_arena;       /* what one leaf takes to choose; emptied by the next one */
    struct buffer pointer;         /* of the value at hand */
    struct buffer opening; /* what the model sees before a leaf: the members that lead to it */
    struct buffer scratch;
    struct str path[LEAF_PATH_MAX];
    unsigned path_count;
    unsigned depth;
    struct open_object objects[EXTRACT_DEPTH_MAX]; /* that are being written, outermost first */
    unsigned object_count;
    unsigned values; /* begun, against EXTRACT_VALUES_MAX */
    struct decode_state *marks[EXTRACT_DEPTH_MAX];
    struct model_reply *reply;
    struct error *error;
    uint32_t tokens_allowed; /* of the whole reply */
    struct str missing;      /* name of the required member that nothing was found for */
    size_t shown;            /* bytes of the reply that progress has seen */
    enum status status;      /* sticky: memory, cancellation, deadline, the scorer */
};

/* How the writing of a value ended. */
enum extracted {
    EXTRACTED,        /* it is written */
    EXTRACTED_ABSENT, /* nothing in the text for it; nothing is written */
    EXTRACTED_STUCK   /* it cannot be written here; what is written may be a part */
};

/* Takes a piece of the reply if the language and the budget admit it. */
bool extractor_put(struct extractor *x, struct str text);
/* Hands what was written since to the sink. */
void extractor_show(struct extractor *x);
/* Would a whole value be taken here, with something behind it? */
bool extractor_admits(struct extractor *x, struct str value);

/* A place to return to: the state of the language and of the reply. */
struct extractor_mark {
    size_t reply_len, pointer_len, opening_len;
    uint32_t tokens_left;
    uint64_t output_tokens;
    unsigned uses;
};
bool extractor_mark(struct extractor *x, struct extractor_mark *out);
void extractor_return(struct extractor *x, const struct extractor_mark *mark);

/* A value that an earlier reply had at this pointer and that was refused. */
bool extractor_is_refused(const struct extractor *x, struct str value);

/* A candidate: what the model weighs, what is written, and what speaks for it. */
struct choice {
    struct str surface; /* as the text has it */
    struct str json;
    double prior;              /* everything but the model */
    double evidence;           /* of prior, what label and neighbourhood say */
    double score;              /* filled by extractor_weigh */
    struct evidence_span span; /* empty: none */
};

/* Orders choices by score, best first: prior plus weight times the model's log-probability of
 * surface and terminator behind the opening (and a quote, if quoted). Equal surfaces are merged; at
 * most EXTRACT_CHOICES_MAX are weighed. Returns how many are left. Failure is in x->status. */
unsigned extractor_weigh(struct extractor *x, struct choice *choices, unsigned count, double weight,
                         bool quoted);

/* extract_leaf.c: finds, writes and notes the value of a leaf. */
enum extracted extract_leaf(struct extractor *x, const struct target *target, bool required);
void extractor_view(struct extractor *x, const struct target *target,
                    struct evidence_leaf *out_leaf, struct evidence_view *out_view);
/* The same object is being written already, from the same part of the text: what that says was
 * said.
 */
bool extractor_repeats(const struct extractor *x, const struct target *target);
/* Writes a choice; false if it is refused, not admitted, or there was no memory. */
bool extractor_write_choice(struct extractor *x, const struct choice *choice);

/* Weighs the candidates of a typed leaf and writes the best one that its evidence allows. */
enum extracted extract_weighed(struct extractor *x, struct choice *choices, unsigned count,
                               bool required);

/* extract_pattern.c: a string with `pattern`. */
bool extract_has_pattern(const struct extractor *x, const struct target *target);
enum extracted extract_patterned(struct extractor *x, const struct target *target, bool required,
                                 const struct evidence_view *view);

/* extract_span.c: a free string. starts: words where it may begin, NULL for all. */
enum extracted extract_span(struct extractor *x, const struct target *target, bool required,
                            bool is_item, const uint32_t *start, struct evidence_span *out_span);

/* extract_derived.c: a leaf that the model writes by itself. */
enum extracted extract_derived(struct extractor *x);

/* extract_list.c: arrays. */
enum extracted extract_array(struct extractor *x, const struct target *target, bool required);

/* extract.c: any value. */
enum extracted extract_value(struct extractor *x, uint32_t node, bool required);

/* extract_need.c: what required typed leaves lack; appends to out, nothing when all have
 * candidates. */
void extract_missing(struct extractor *x, struct buffer *out);

/* Facts that a target takes, in the form in which it writes them. False: none of this kind are
 * looked for. */
bool extract_fact_kind(const struct target *target, const struct evidence_leaf *leaf,
                       enum evidence_kind *out_kind);

#endif
