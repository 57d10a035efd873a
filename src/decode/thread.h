/* thread.h - one reading of the text so far: a stack of frames, and the steps between them.
 *
 * A state holds a few threads, one for each way in which the schema's alternatives can still
 * explain the text. Frames are plain memory. Private to src/decode.
 */
#ifndef STRUCTURE_DECODE_THREAD_H
#define STRUCTURE_DECODE_THREAD_H

#include "decode/grammar.h"
#include "decode/ground_index.h"

enum frame_kind {
    FRAME_VALUE,
    FRAME_LITERAL,
    FRAME_STRING,
    FRAME_NUMBER,
    FRAME_ARRAY,
    FRAME_OBJECT
};

struct literal_at {
    uint32_t lo, hi; /* literals that begin with the text so far */
    uint32_t depth;  /* bytes */
};

enum string_mode { STRING_FREE, STRING_FORMAT, STRING_GROUNDED };

struct ground_at {
    uint32_t lo, hi, depth;
    uint32_t start, bytes; /* a run that is known to end well: the witness that closing follows */
};

struct string_at {
    uint8_t mode;      /* enum string_mode */
    uint8_t due;       /* continuation bytes of the code point being written */
    uint8_t low, high; /* admissible values of the next one */
    uint8_t escape;    /* 0: none, 1: after the backslash, 2..5: hexadecimal digits of \u */
    uint8_t white_run;
    bool has_black;  /* something that is not white space */
    uint8_t code;    /* value of \u so far */
    uint32_t length; /* code points begun */
    union {
        struct format_at format;
        struct ground_at ground;
    } of;
};

enum container_phase {
    CONTAINER_OPEN,      /* its bracket comes next */
    CONTAINER_BEGIN,     /* nothing written in it */
    CONTAINER_NEXT,      /* after a comma */
    CONTAINER_INSIDE,    /* an item or a member's value is on top */
    CONTAINER_AFTER,     /* that is complete */
    CONTAINER_KEY,       /* the name of a member of the schema */
    CONTAINER_EXTRA_KEY, /* a free name is on top */
    CONTAINER_COLON      /* after a free name */
};

struct array_at {
    uint32_t count;      /* items begun */
    uint16_t seen_begin; /* of its items in the thread's list */
    bool exclude;        /* the item being written must differ from those before */
    bool stop;           /* no further items: the last one said nothing new */
};

struct object_at {
    uint32_t next; /* first member that may still be written */
    uint32_t written;
    uint32_t member; /* KEY: the first member whose key begins with the text so far */
    uint32_t depth;  /* KEY: bytes of the key */
    uint32_t extra;  /* free members begun */
    uint16_t seen_begin;
};

struct frame {
    uint8_t kind;   /* enum frame_kind */
    uint8_t phase;  /* enum container_phase */
    uint32_t index; /* FRAME_VALUE: rule, else alternative */
    uint32_t after; /* bytes that close everything below once this value is complete */
    uint64_t hash;  /* of the value so far */
    union {
        struct literal_at literal;
        struct string_at string;
        struct number_at number;
        struct array_at array;
        struct object_at object;
    } of;
};

struct thread {
    uint16_t depth;
    uint16_t seen_count;
    struct frame frames[DECODE_DEPTH_MAX + 1];
    uint64_t seen[DECODE_SEEN_MAX];
};

/* Where a step may put further readings. */
struct thread_set {
    const struct decode_language *language;
    struct thread *threads; /* DECODE_THREADS_MAX */
    uint32_t count;
};

void thread_start(const struct decode_language *language, struct thread *thread);
void thread_copy(struct thread *to, const struct thread *from);
bool thread_equal(const struct thread *a, const struct thread *b);

/* Offers a byte to set->threads[index]. False: the thread is dead. Further readings are appended to
 * the set. */
bool thread_step(struct thread_set *set, uint32_t index, unsigned char byte);

/* The text so far is a whole value in this reading. */
bool thread_is_complete(const struct decode_language *language, const struct thread *thread);

static inline struct frame *thread_top(struct thread *thread)
{
    return &thread->frames[thread->depth - 1];
}

static inline const struct frame *thread_top_const(const struct thread *thread)
{
    return &thread->frames[thread->depth - 1];
}

/* ---- shared by stepping and closing
 * ---------------------------------------------------------------- */

static inline const struct alt *frame_alt(const struct decode_language *language,
                                          const struct frame *frame)
{
    return &language->alts[frame->index];
}

/* The value with that hash may not be written here: an earlier item or name is the same. */
struct taken {
    const struct decode_language *language;
    const struct thread *thread;
};
bool thread_is_taken(const void *taken, uint64_t hash);
/* Whether anything can be taken at all for the top frame. */
bool thread_top_excludes(const struct decode_language *language, const struct thread *thread);

/* Makes the top FRAME_VALUE a frame of the alternative, before its first byte. False: not possible
 * here. */
bool thread_open(const struct decode_language *language, struct thread *thread, uint32_t alt);
/* The top frame's value is complete. */
void thread_pop(const struct decode_language *language, struct thread *thread);
void thread_push_value(const struct decode_language *language, struct thread *thread,
                       uint32_t rule);

/* Pushes the next item of the array on top. False: there may be no other. */
bool thread_push_item(const struct decode_language *language, struct thread *thread);
/* Pushes the value of member `member` of the object on top, whose key was written. */
void thread_push_member(const struct decode_language *language, struct thread *thread,
                        uint32_t member);
void thread_push_extra_key(const struct decode_language *language, struct thread *thread);
void thread_push_extra_value(const struct decode_language *language, struct thread *thread);

bool array_may_end(const struct array_alt *array, const struct frame *frame);
bool object_may_end(const struct object_alt *object, const struct frame *frame);
bool object_may_write(const struct decode_language *language, const struct thread *thread,
                      uint32_t member);
bool object_may_extra(const struct decode_language *language, const struct thread *thread);
uint32_t object_last_candidate(const struct object_alt *object, const struct frame *frame);

/* ---- strings (string.c)
 * ---------------------------------------------------------------------------- */

enum string_step { STRING_REFUSED, STRING_MORE, STRING_DONE };
bool string_begin(const struct decode_language *language, struct thread *thread,
                  const struct string_alt *string);
enum string_step string_step(const struct decode_language *language, struct thread *thread,
                             unsigned char byte);
/* Bytes that close the string on top of the thread, its quote included; appended to out unless
 * NULL. SIZE_MAX: there is no way that the list of taken values leaves open. */
size_t string_close(const struct decode_language *language, const struct thread *thread,
                    struct buffer *out, uint64_t *out_hash);

/* ---- closing (closing.c)
 * --------------------------------------------------------------------------- */

/* Bytes that complete the thread's text; exact, or an upper bound where minProperties asks for free
 * members. */
size_t thread_closing_bytes(const struct decode_language *language, const struct thread *thread);
void thread_closing(const struct decode_language *language, const struct thread *thread,
                    struct buffer *out);
/* The value of the FRAME_VALUE on top can be written at all, given what is taken. */
bool thread_value_exists(const struct decode_language *language, const struct thread *thread);
/* Shortest literal of [lo, hi) that is not taken, or RULE_NONE. */
uint32_t literal_shortest(const struct decode_language *language, const struct thread *thread,
                          const struct literals_alt *literals, uint32_t lo, uint32_t hi);

#endif
