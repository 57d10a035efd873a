/* string.c - the string leaf: bytes of a JSON string under lengths, a format or the prompt's words.
 *
 * Owns UTF-8 across token borders, escapes, the white space policy and the three modes of a string
 * (free, format, grounded). Invariant: after every accepted byte string_close finds a way to the
 * closing quote.
 */
#include "base/features.h"

#include "decode/thread.h"

enum { STRING_BEFORE_QUOTE, STRING_INSIDE }; /* frame phases */

static const struct string_alt *string_alt_of(const struct decode_language *language,
                                              const struct frame *frame)
{
    return &frame_alt(language, frame)->of.string;
}

/* ---- beginning
 * ------------------------------------------------------------------------------------- */

static struct ground_wish ground_wish_of(const struct string_alt *string, const struct frame *frame,
                                         const struct taken *taken)
{
    const struct ground_at *at = &frame->of.string.of.ground;
    return (struct ground_wish){ .lo = at->lo,
                                 .hi = at->hi,
                                 .depth = at->depth,
                                 .hash = frame->hash,
                                 .length = frame->of.string.length,
                                 .min_length = string->min_length,
                                 .max_length = string->max_length,
                                 .escaped = frame->of.string.escape == 1,
                                 .is_taken = taken == NULL ? NULL : thread_is_taken,
                                 .context = taken };
}

/* When the prompt has nothing that is not taken, the list ends here; a free text would only make
 * something up. */
static bool list_may_end(const struct decode_language *language, const struct thread *thread)
{
    const struct frame *list = &thread->frames[thread->depth - 2];
    if (list->kind != FRAME_ARRAY)
        return true;
    return list->of.array.count > frame_alt(language, list)->of.array.min_items;
}

bool string_begin(const struct decode_language *language, struct thread *thread,
                  const struct string_alt *string)
{
    struct frame *frame = thread_top(thread);
    struct string_at *at = &frame->of.string;
    bool excludes = thread_top_excludes(language, thread);
    frame->phase = STRING_BEFORE_QUOTE;
    frame->hash = VALUE_HASH_STRING;
    at->low = 0x80;
    at->high = 0xBF;
    at->mode = string->format == SCHEMA_FORMAT_UNKNOWN ? STRING_FREE : STRING_FORMAT;
    if (string->grounded) {
        struct taken taken = { language, thread };
        at->of.ground.hi = language->options.ground->start_count;
        struct ground_wish wish = ground_wish_of(string, frame, excludes ? &taken : NULL);
        uint32_t start, bytes;
        if (ground_find(language->options.ground, &wish, language->options.ground->shortest, &start,
                        &bytes)) {
            at->mode = STRING_GROUNDED;
            at->of.ground.start = start;
            at->of.ground.bytes = bytes;
            return true;
        }
        memset(&at->of, 0, sizeof at->of);
        if (excludes && list_may_end(language, thread))
            return false;
    }
    return !excludes || string_close(language, thread, NULL, NULL) != SIZE_MAX;
}

/* ---- free text
 * ------------------------------------------------------------------------------------- */

static bool string_has_room(const struct string_alt *string, const struct string_at *at)
{
    return at->length < string->max_length;
}

/* White space may come only if something else can follow or came already. */
static bool white_fits(const struct string_alt *string, const struct string_at *at,
                       uint32_t length_after)
{
    return at->white_run < DECODE_WHITE_RUN_MAX &&
           (at->has_black || length_after < string->max_length);
}

static void string_add(struct string_at *at, bool white)
{
    at->white_run = white ? (uint8_t)(at->white_run + 1) : 0;
    at->has_black |= !white;
}

static bool lead_byte(struct string_at *at, unsigned char byte)
{
    at->low = 0x80;
    at->high = 0xBF;
    if (byte >= 0xC2 && byte <= 0xDF) {
        at->due = 1;
    } else if (byte >= 0xE0 && byte <= 0xEF) {
        at->due = 2;
        at->low = byte == 0xE0 ? 0xA0 : 0x80;
        at->high = byte == 0xED ? 0x9F : 0xBF;
    } else if (byte >= 0xF0 && byte <= 0xF4) {
        at->due = 3;
        at->low = byte == 0xF0 ? 0x90 : 0x80;
        at->high = byte == 0xF4 ? 0x8F : 0xBF;
    } else {
        return false;
    }
    return true;
}

static bool step_continuation(struct frame *frame, unsigned char byte)
{
    struct string_at *at = &frame->of.string;
    if (byte < at->low || byte > at->high)
        return false;
    at->due--;
    at->low = 0x80;
    at->high = 0xBF;
    frame->hash = value_hash_add(frame->hash, byte);
    return true;
}

static int escape_value(unsigned char byte)
{
    switch (byte) {
    case '"':
    case '\\':
    case '/': return byte;
    case 'b': return '\b';
    case 'f': return '\f';
    case 'n': return '\n';
    case 'r': return '\r';
    case 't': return '\t';
    default: return -1;
    }
}

static int hex_value(unsigned char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    if (byte >= 'a' && byte <= 'f')
        return byte - 'a' + 10;
    return byte >= 'A' && byte <= 'F' ? byte - 'A' + 10 : -1;
}

/* After a backslash. \u is for control characters only; those count as white space. */
static bool step_escape(const struct string_alt *string, struct frame *frame, unsigned char byte)
{
    struct string_at *at = &frame->of.string;
    if (at->escape > 1) {
        int digit = hex_value(byte);
        int digit_max = at->escape < 4 ? 0 : at->escape == 4 ? 1 : 15;
        if (digit < 0 || digit > digit_max)
            return false;
        at->code = (uint8_t)(at->code * 16 + digit);
        if (at->escape++ < 5)
            return true;
        frame->hash = value_hash_add(frame->hash, at->code);
        at->escape = 0;
        string_add(at, true);
        return true;
    }
    int value = escape_value(byte);
    bool white = byte == 'u' || (value >= 0 && value < 0x20);
    if ((byte != 'u' && value < 0) || (white && !white_fits(string, at, at->length)))
        return false;
    if (byte == 'u') {
        at->escape = 2;
        at->code = 0;
        return true;
    }
    frame->hash = value_hash_add(frame->hash, (unsigned)value);
    at->escape = 0;
    string_add(at, white);
    return true;
}

static bool step_free(const struct string_alt *string, struct frame *frame, unsigned char byte)
{
    struct string_at *at = &frame->of.string;
    if (at->escape != 0)
        return step_escape(string, frame, byte);
    if (at->due > 0)
        return step_continuation(frame, byte);
    if (byte < 0x20 || !string_has_room(string, at))
        return false;
    if (byte == '\\') {
        at->escape = 1;
        at->length++;
        return true;
    }
    if (byte == ' ' && !white_fits(string, at, at->length + 1))
        return false;
    if (byte >= 0x80 && !lead_byte(at, byte))
        return false;
    string_add(at, byte == ' ');
    at->length++;
    frame->hash = value_hash_add(frame->hash, byte);
    return true;
}

/* ---- grounded text
 * --------------------------------------------------------------------------------- */

/* The witness still fits, or another run is found that does. */
static bool ground_follow(const struct ground *ground, const struct string_alt *string,
                          struct frame *frame, const struct taken *taken)
{
    struct ground_at *at = &frame->of.string.of.ground;
    bool same = at->start >= at->lo && at->start < at->hi;
    if (same && at->bytes >= at->depth && frame->of.string.escape != 1)
        return true;
    struct ground_wish wish = ground_wish_of(string, frame, taken);
    return ground_find(ground, &wish, same ? at->start : at->lo, &at->start, &at->bytes);
}

static bool ground_ends_here(const struct decode_language *language,
                             const struct string_alt *string, const struct frame *frame)
{
    const struct string_at *at = &frame->of.string;
    const struct ground_at *run = &at->of.ground;
    if (at->escape != 0 || at->length < string->min_length || at->length > string->max_length)
        return false;
    bool witness = run->bytes == run->depth && run->start >= run->lo && run->start < run->hi;
    return witness || ground_may_end(language->options.ground, run->lo, run->hi, run->depth);
}

static bool step_grounded(const struct decode_language *language, struct thread *thread,
                          const struct string_alt *string, unsigned char byte, bool excludes)
{
    const struct ground *ground = language->options.ground;
    struct frame *frame = thread_top(thread);
    struct string_at *at = &frame->of.string;
    struct taken taken = { language, thread };
    if (at->escape == 0 && byte == '\\') {
        at->escape = 1;
        return ground_follow(ground, string, frame, excludes ? &taken : NULL);
    }
    if (byte < 0x20 || (at->escape == 1 && byte != '"' && byte != '\\' && byte != '/'))
        return false;
    at->escape = 0;
    if (!ground_narrow(ground, &at->of.ground.lo, &at->of.ground.hi, at->of.ground.depth, byte))
        return false;
    at->of.ground.depth++;
    at->length += (byte & 0xC0) != 0x80;
    frame->hash = value_hash_add(frame->hash, byte);
    return ground_follow(ground, string, frame, excludes ? &taken : NULL);
}

/* ---- one byte
 * -------------------------------------------------------------------------------------- */

static bool string_may_end(const struct decode_language *language, const struct string_alt *string,
                           const struct frame *frame)
{
    const struct string_at *at = &frame->of.string;
    if (at->mode == STRING_GROUNDED)
        return ground_ends_here(language, string, frame);
    if (at->mode == STRING_FORMAT)
        return format_is_complete(string->format, &at->of.format);
    return at->due == 0 && at->escape == 0 && at->length >= string->min_length &&
           (at->length == 0 || at->has_black);
}

static bool step_format(const struct string_alt *string, struct frame *frame, unsigned char byte)
{
    struct format_at *at = &frame->of.string.of.format;
    char closing[FORMAT_TEXT_MAX];
    if (byte == '\\' || byte == '"' || !format_step(string->format, at, byte))
        return false;
    frame->hash = value_hash_add(frame->hash, byte);
    size_t rest = format_close(string->format, at, closing);
    return at->len + rest <= string->max_length;
}

enum string_step string_step(const struct decode_language *language, struct thread *thread,
                             unsigned char byte)
{
    struct frame *frame = thread_top(thread);
    struct string_at *at = &frame->of.string;
    const struct string_alt *string = string_alt_of(language, frame);
    if (frame->phase == STRING_BEFORE_QUOTE) {
        frame->phase = STRING_INSIDE;
        return byte == '"' ? STRING_MORE : STRING_REFUSED;
    }
    bool excludes = thread_top_excludes(language, thread);
    struct taken taken = { language, thread };
    if (byte == '"' && at->escape == 0) {
        bool ends = string_may_end(language, string, frame) &&
                    !(excludes && thread_is_taken(&taken, frame->hash));
        return ends ? STRING_DONE : STRING_REFUSED;
    }
    if (at->mode == STRING_GROUNDED)
        return step_grounded(language, thread, string, byte, excludes) ? STRING_MORE
                                                                       : STRING_REFUSED;
    bool fits = at->mode == STRING_FORMAT ? step_format(string, frame, byte)
                                          : step_free(string, frame, byte);
    if (fits && excludes)
        fits = string_close(language, thread, NULL, NULL) != SIZE_MAX;
    return fits ? STRING_MORE : STRING_REFUSED;
}

/* ---- closing
 * --------------------------------------------------------------------------------------- */

struct closer {
    struct buffer *out; /* may be NULL */
    size_t len;
    uint64_t hash;
};

static void closer_put(struct closer *closer, unsigned char byte)
{
    if (closer->out != NULL)
        buffer_append_byte(closer->out, (char)byte);
    closer->len++;
}

/* A byte that is also part of the value. */
static void closer_add(struct closer *closer, unsigned char byte)
{
    closer_put(closer, byte);
    closer->hash = value_hash_add(closer->hash, byte);
}

/* Completes a cut code point or escape. */
static void close_pending(struct closer *closer, struct string_at *at)
{
    if (at->escape == 1) {
        closer_add(closer, '/');
        at->has_black = true;
    }
    for (; at->escape >= 2 && at->escape <= 5; at->escape++) {
        closer_put(closer, at->escape == 5 ? 'a' : '0');
        at->code = (uint8_t)(at->code * 16 + (at->escape == 5 ? 10 : 0));
        if (at->escape == 5)
            closer->hash = value_hash_add(closer->hash, at->code);
    }
    at->escape = 0;
    for (unsigned char byte = at->low; at->due > 0; at->due--, byte = 0x80)
        closer_add(closer, byte);
}

static const char filler_bytes[] = "xabcdefghijklmnopqrstuvwyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                   "!#$%&()*+,-.:;<=>?@[]^_{|}~";

/* At least `owed` and at most `room` equal bytes after which the value is not taken. */
static bool close_fillers(struct closer *closer, uint32_t owed, uint32_t room,
                          const struct taken *taken)
{
    for (uint32_t count = owed; count <= room && count - owed <= DECODE_FILLERS_MAX; count++) {
        for (const char *byte = filler_bytes; *byte != '\0'; byte++) {
            uint64_t hash = closer->hash;
            for (uint32_t i = 0; i < count; i++)
                hash = value_hash_add(hash, (unsigned char)*byte);
            if (taken != NULL && thread_is_taken(taken, hash)) {
                if (count == 0)
                    break;
                continue;
            }
            for (uint32_t i = 0; i < count; i++)
                closer_add(closer, (unsigned char)*byte);
            return true;
        }
    }
    return false;
}

static bool close_free(const struct string_alt *string, const struct string_at *from,
                       struct closer *closer, const struct taken *taken)
{
    struct string_at at = *from;
    close_pending(closer, &at);
    uint32_t owed = at.length < string->min_length ? string->min_length - at.length : 0;
    if (owed == 0 && at.length > 0 && !at.has_black)
        owed = 1;
    return close_fillers(closer, owed, string->max_length - at.length, taken);
}

enum { FORMAT_SEARCH_STEPS = 50000 };

/* Depth-first over the bytes of the format for a text that is not taken. */
static size_t format_search(const struct string_alt *string, const struct format_at *from,
                            uint64_t hash, const struct taken *taken, char out[FORMAT_TEXT_MAX])
{
    struct format_at at[FORMAT_TEXT_MAX + 1];
    uint64_t hashes[FORMAT_TEXT_MAX + 1];
    unsigned char next[FORMAT_TEXT_MAX + 1];
    size_t level = 0;
    at[0] = *from;
    hashes[0] = hash;
    next[0] = '+';
    for (unsigned steps = 0; steps < FORMAT_SEARCH_STEPS; steps++) {
        if (next[level] > 'z' || level == FORMAT_TEXT_MAX) {
            if (level-- == 0)
                return SIZE_MAX;
            continue;
        }
        unsigned char byte = next[level]++;
        at[level + 1] = at[level];
        if (byte == '\\' || !format_step(string->format, &at[level + 1], byte) ||
            at[level + 1].len > string->max_length)
            continue;
        out[level] = (char)byte;
        hashes[level + 1] = value_hash_add(hashes[level], byte);
        next[++level] = '+';
        if (format_is_complete(string->format, &at[level]) &&
            !thread_is_taken(taken, hashes[level]))
            return level;
    }
    return SIZE_MAX;
}

static bool close_format(const struct string_alt *string, const struct frame *frame,
                         struct closer *closer, const struct taken *taken)
{
    const struct format_at *at = &frame->of.string.of.format;
    char text[FORMAT_TEXT_MAX];
    size_t len = format_close(string->format, at, text);
    uint64_t hash = frame->hash;
    for (size_t i = 0; i < len; i++)
        hash = value_hash_add(hash, (unsigned char)text[i]);
    if (taken != NULL && thread_is_taken(taken, hash))
        len = format_search(string, at, frame->hash, taken, text);
    if (len == SIZE_MAX)
        return false;
    for (size_t i = 0; i < len; i++)
        closer_add(closer, (unsigned char)text[i]);
    return true;
}

static void close_grounded(const struct ground *ground, const struct string_at *at,
                           struct closer *closer)
{
    for (uint32_t i = at->of.ground.depth; i < at->of.ground.bytes; i++) {
        unsigned char byte = ground_byte(ground, at->of.ground.start, i);
        bool begun = at->escape == 1 && i == at->of.ground.depth;
        if ((byte == '"' || byte == '\\') && !begun)
            closer_put(closer, '\\');
        closer_add(closer, byte);
    }
}

size_t string_close(const struct decode_language *language, const struct thread *thread,
                    struct buffer *out, uint64_t *out_hash)
{
    const struct frame *frame = thread_top_const(thread);
    const struct string_at *at = &frame->of.string;
    const struct string_alt *string = string_alt_of(language, frame);
    struct taken list = { language, thread };
    const struct taken *taken = thread_top_excludes(language, thread) ? &list : NULL;
    struct closer closer = { out, 0, frame->hash };
    bool found = true;
    if (frame->phase == STRING_BEFORE_QUOTE)
        closer_put(&closer, '"');
    if (at->mode == STRING_GROUNDED)
        close_grounded(language->options.ground, at, &closer);
    else if (at->mode == STRING_FORMAT)
        found = close_format(string, frame, &closer, taken);
    else
        found = close_free(string, at, &closer, taken);
    closer_put(&closer, '"');
    if (out_hash != NULL)
        *out_hash = closer.hash;
    return found ? closer.len : SIZE_MAX;
}
