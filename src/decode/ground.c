/* ground.c - the index of runs of whole words.
 *
 * Owns the normalised text, where a run may begin and end, how far it may reach, and the ordered
 * array of starts. What numbers, dates and the like the prompt contains is collected in
 * ground_values.c. Invariant: the longest run of every start ends at an admissible end.
 */
#include "base/features.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "decode/ground_index.h"

enum { GROUND_SCAN_MAX = 64, GROUND_SEARCH_MAX = 4096 };
#define GROUND_BYTES_MAX (1024u * 1024 * 1024)

/* ---- characters
 * ------------------------------------------------------------------------------------ */

static bool is_white(unsigned char byte)
{
    return byte <= 0x20 || byte == 0x7f;
}

/* Letters, digits and everything beyond ASCII that is not known as punctuation. */
static bool is_word(uint32_t c)
{
    if (c < 0x80)
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    if (c < 0xC0)
        return c == 0xAA || c == 0xB5 || c == 0xBA;
    return !(c >= 0x2000 && c <= 0x206F) && !(c >= 0x20A0 && c <= 0x20CF) &&
           !(c >= 0x3000 && c <= 0x303F) && !(c >= 0xFF00 && c <= 0xFF0F) && c != 0xD7 && c != 0xF7;
}

static bool is_digit(uint32_t c)
{
    return c >= '0' && c <= '9';
}

static uint32_t char_at(struct str text, size_t at)
{
    uint32_t c = 0;
    return at < text.len && utf8_decode(text.ptr + at, text.len - at, &c) > 0 ? c : ' ';
}

static size_t char_before(struct str text, size_t at)
{
    while (at > 0 && ((unsigned char)text.ptr[--at] & 0xC0) == 0x80)
        ;
    return at;
}

/* The character at `at` holds a word together: it stands between word characters that it joins. */
static bool is_joiner(struct str text, size_t at)
{
    uint32_t c = char_at(text, at);
    if (at == 0 || is_word(c) || c == ' ')
        return false;
    uint32_t before = char_at(text, char_before(text, at));
    unsigned bytes = utf8_decode(text.ptr + at, text.len - at, &c);
    uint32_t next = char_at(text, at + bytes);
    if (!is_word(before) || !is_word(next))
        return false;
    if (c == ',' || c == ':' || c == '/')
        return is_digit(before) && is_digit(next);
    return c == '.' || c == '-' || c == '\'' || c == 0x2019 || c == '_' || c == '@' || c == '&' ||
           c == '+' || c == '%' || c == 0x2010 || c == 0x2011;
}

static bool may_start(struct str text, size_t at)
{
    uint32_t c = char_at(text, at);
    if (c == ' ')
        return false;
    if (at == 0 || text.ptr[at - 1] == ' ')
        return true;
    size_t before = char_before(text, at);
    return is_word(c) && !is_word(char_at(text, before)) && !is_joiner(text, before);
}

/* Nothing but punctuation up to the next blank. */
static bool only_punctuation_follows(struct str text, size_t at)
{
    for (unsigned count = 0; at < text.len && text.ptr[at] != ' '; count++) {
        uint32_t c;
        unsigned bytes = utf8_decode(text.ptr + at, text.len - at, &c);
        if (bytes == 0 || is_word(c) || count == 8)
            return false;
        at += bytes;
    }
    return true;
}

/* "'s" after a word. */
static bool is_genitive(struct str text, size_t at)
{
    uint32_t c = char_at(text, at);
    if (c != '\'' && c != 0x2019)
        return false;
    size_t letter = at + (c == '\'' ? 1 : 3);
    return char_at(text, letter) == 's' && !is_word(char_at(text, letter + 1));
}

static bool may_end(struct str text, size_t at)
{
    if (at == 0 || text.ptr[at - 1] == ' ' ||
        (at < text.len && ((unsigned char)text.ptr[at] & 0xC0) == 0x80))
        return false;
    if (at == text.len || text.ptr[at] == ' ')
        return true;
    uint32_t before = char_at(text, char_before(text, at)), next = char_at(text, at);
    if (is_word(before) && !is_word(next) && (!is_joiner(text, at) || is_genitive(text, at)))
        return true;
    return only_punctuation_follows(text, at);
}

/* ---- normalising
 * ----------------------------------------------------------------------------------- */

/* Bytes of white space at `at`, among them no-break and thin blanks; 0 when it is something else.
 */
static size_t white_bytes(struct str prompt, size_t at)
{
    if (is_white((unsigned char)prompt.ptr[at]))
        return 1;
    uint32_t c;
    unsigned bytes = utf8_decode(prompt.ptr + at, prompt.len - at, &c);
    bool blank = c == 0xA0 || (c >= 0x2000 && c <= 0x200A) || c == 0x202F || c == 0x3000 ||
                 c == 0x2028 || c == 0x2029;
    return bytes > 1 && blank ? bytes : 0;
}

static bool is_bullet(struct str prompt, size_t at)
{
    uint32_t c = char_at(prompt, at);
    bool sign = c == '-' || c == '*' || c == 0x2022 || c == '#';
    return sign && at + 1 < prompt.len && (prompt.ptr[at + 1] == ' ' || c == 0x2022 || c == '#');
}

/* Writes text and origin; a blank that stands for a paragraph border is marked in breaks. */
static void ground_normalise(struct ground *ground, char *text, unsigned char *breaks)
{
    struct str prompt = ground->prompt;
    size_t len = 0;
    for (size_t i = 0; i < prompt.len;) {
        size_t white = white_bytes(prompt, i), lines = 0, from = i;
        if (white == 0) {
            ground->origin[len] = (uint32_t)i;
            text[len++] = prompt.ptr[i++];
            continue;
        }
        while (i < prompt.len && (white = white_bytes(prompt, i)) > 0) {
            lines += prompt.ptr[i] == '\n';
            i += white;
        }
        if (len == 0 || i == prompt.len)
            continue;
        if (lines > 1 || (lines == 1 && is_bullet(prompt, i)))
            breaks[len / 8] |= (unsigned char)(1u << len % 8);
        ground->origin[len] = (uint32_t)from;
        text[len++] = ' ';
    }
    ground->origin[len] = (uint32_t)prompt.len;
    ground->text = (struct str){ text, len };
}

/* ---- sentences
 * ------------------------------------------------------------------------------------- */

static bool bit_is_set(const unsigned char *bits, size_t at)
{
    return (bits[at / 8] & (1u << at % 8)) != 0;
}

/* The full stop at `at` belongs to an abbreviation: a single letter or a known word before it. */
static bool is_abbreviation(struct str text, size_t at)
{
    static const char *const words[] = { "Mr",  "Mrs",    "Ms",   "Dr",   "St",   "No",  "Nr",
                                         "Inc", "Ltd",    "Co",   "Corp", "Prof", "Jr",  "Sr",
                                         "vs",  "approx", "ca",   "Tel",  "Str",  "Ave", "Rd",
                                         "Mt",  "Ft",     "Fig",  "Vol",  "pp",   "Sen", "Rep",
                                         "Gen", "Col",    "Capt", "Lt",   "Gov" };
    size_t begin = at;
    while (begin > 0 && is_word((unsigned char)text.ptr[begin - 1]) && at - begin < 8)
        begin--;
    struct str word = { text.ptr + begin, at - begin };
    if (word.len == 1 && !is_digit((unsigned char)word.ptr[0]))
        return true;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (str_equal(word, str_from(words[i])))
            return true;
    }
    return false;
}

/* A sentence ends before the blank at `at`. */
static bool sentence_ends(struct str text, size_t at)
{
    size_t last = char_before(text, at);
    uint32_t c = char_at(text, last);
    while (last > 0 &&
           (c == '"' || c == ')' || c == ']' || c == '\'' || c == 0x201D || c == 0x2019)) {
        last = char_before(text, last);
        c = char_at(text, last);
    }
    if (c != '.' && c != '!' && c != '?' && c != 0x2026 && c != 0x3002)
        return false;
    uint32_t next = char_at(text, at + 1);
    return !(next >= 'a' && next <= 'z') && !(c == '.' && is_abbreviation(text, last));
}

/* ---- starts
 * ---------------------------------------------------------------------------------------- */

struct run {
    uint32_t start;
    uint32_t limit;
};

/* Longest admissible run from start: within the sentence, 40 words and the byte limit; 0 when there
 * is none. */
static uint32_t run_limit(const struct ground *ground, const unsigned char *borders, uint32_t start)
{
    struct str text = ground->text;
    uint32_t limit = 0, words = 1;
    for (uint32_t at = start + 1; at <= text.len && at - start <= GROUND_RUN_BYTES_MAX; at++) {
        if (bit_is_set(ground->ends, at))
            limit = at - start;
        if (at == text.len)
            break;
        if (text.ptr[at] != ' ')
            continue;
        if (bit_is_set(borders, at) || ++words > GROUND_WORDS_MAX)
            break;
    }
    return limit;
}

static int run_compare(struct str text, const struct run *a, const struct run *b)
{
    uint32_t shared = a->limit < b->limit ? a->limit : b->limit;
    int order = memcmp(text.ptr + a->start, text.ptr + b->start, shared);
    if (order != 0)
        return order;
    if (a->limit != b->limit)
        return a->limit < b->limit ? -1 : 1;
    return a->start < b->start ? -1 : 1;
}

/* Bottom-up merge sort; the order does not depend on the platform's qsort. Returns the buffer with
 * the result. */
static struct run *runs_sort(struct str text, struct run *runs, struct run *other, uint32_t count)
{
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t begin = 0; begin < count; begin += 2 * width) {
            uint32_t middle = begin + width < count ? begin + width : count;
            uint32_t end = middle + width < count ? middle + width : count;
            uint32_t left = begin, right = middle;
            for (uint32_t i = begin; i < end; i++) {
                bool take_left = right == end || (left < middle && run_compare(text, &runs[left],
                                                                               &runs[right]) <= 0);
                other[i] = take_left ? runs[left++] : runs[right++];
            }
        }
        struct run *swap = runs;
        runs = other;
        other = swap;
    }
    return runs;
}

static void ground_keep(struct ground *ground, const struct run *runs, uint32_t count)
{
    uint32_t least = UINT32_MAX;
    ground->start_count = count;
    for (uint32_t i = 0; i < count; i++) {
        ground->starts[i] = runs[i].start;
        ground->limits[i] = (uint16_t)runs[i].limit;
        uint32_t bytes = 1;
        while (bytes < runs[i].limit && !bit_is_set(ground->ends, runs[i].start + bytes))
            bytes++;
        if (bytes < least) {
            least = bytes;
            ground->shortest = i;
        }
    }
}

static enum status ground_order(struct ground *ground, const unsigned char *borders)
{
    struct str text = ground->text;
    uint32_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += may_start(text, i);
    size_t bytes = ((size_t)count + 1) * sizeof(struct run);
    struct run *runs = alloc_get(ground->alloc, bytes), *other = alloc_get(ground->alloc, bytes);
    ground->starts = arena_take_array(&ground->arena, count, sizeof *ground->starts);
    ground->limits = arena_take_array(&ground->arena, count, sizeof *ground->limits);
    bool ok = runs != NULL && other != NULL && ground->starts != NULL && ground->limits != NULL;
    if (ok) {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < text.len; i++) {
            uint32_t limit = may_start(text, i) ? run_limit(ground, borders, i) : 0;
            if (limit > 0)
                runs[kept++] = (struct run){ i, limit };
        }
        ground_keep(ground, runs_sort(text, runs, other, kept), kept);
    }
    alloc_free(ground->alloc, runs, bytes);
    alloc_free(ground->alloc, other, bytes);
    return ok ? STATUS_OK : STATUS_NO_MEMORY;
}

static enum status ground_index(struct ground *ground)
{
    size_t len = ground->prompt.len, bits = len / 8 + 1;
    char *text = arena_take(&ground->arena, len + 1);
    unsigned char *borders = arena_take_zeroed(&ground->arena, bits);
    ground->ends = arena_take_zeroed(&ground->arena, bits);
    ground->origin = arena_take_array(&ground->arena, len + 1, sizeof *ground->origin);
    if (text == NULL || borders == NULL || ground->ends == NULL || ground->origin == NULL)
        return STATUS_NO_MEMORY;
    ground_normalise(ground, text, borders);
    for (size_t i = 1; i <= ground->text.len; i++) {
        if (may_end(ground->text, i))
            ground->ends[i / 8] |= (unsigned char)(1u << i % 8);
        if (i < ground->text.len && text[i] == ' ' && sentence_ends(ground->text, i))
            borders[i / 8] |= (unsigned char)(1u << i % 8);
    }
    return ground_order(ground, borders);
}

/* ---- life
 * ------------------------------------------------------------------------------------------ */

enum status ground_new(struct str text, const struct alloc *alloc, struct ground **out_ground,
                       struct error *error)
{
    if (text.len > LIMIT_PROMPT_BYTES)
        return error_set(error, STATUS_INVALID_REQUEST, "the prompt is longer than %u bytes",
                         LIMIT_PROMPT_BYTES);
    struct ground *ground = alloc_get(alloc, sizeof *ground);
    if (ground == NULL)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    memset(ground, 0, sizeof *ground);
    ground->alloc = alloc;
    arena_init(&ground->arena, alloc, GROUND_BYTES_MAX);
    ground->prompt = arena_copy(&ground->arena, text);
    enum status status = ground->prompt.ptr == NULL ? STATUS_NO_MEMORY : ground_index(ground);
    if (status == STATUS_OK)
        status = ground_collect(ground);
    if (status != STATUS_OK) {
        ground_free(ground);
        return error_set(error, status, "out of memory");
    }
    *out_ground = ground;
    return STATUS_OK;
}

void ground_free(struct ground *ground)
{
    if (ground == NULL)
        return;
    arena_release(&ground->arena);
    alloc_free(ground->alloc, ground, sizeof *ground);
}

/* ---- following a run
 * ------------------------------------------------------------------------------- */

static uint32_t ground_bound(const struct ground *ground, uint32_t lo, uint32_t hi, uint32_t depth,
                             unsigned byte)
{
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        if (ground->limits[middle] <= depth || ground_byte(ground, middle, depth) < byte)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

bool ground_narrow(const struct ground *ground, uint32_t *lo, uint32_t *hi, uint32_t depth,
                   unsigned char byte)
{
    uint32_t first = ground_bound(ground, *lo, *hi, depth, byte);
    uint32_t last = ground_bound(ground, first, *hi, depth, byte + 1u);
    if (first == last)
        return false;
    *lo = first;
    *hi = last;
    return true;
}

bool ground_may_end(const struct ground *ground, uint32_t lo, uint32_t hi, uint32_t depth)
{
    if (depth == 0)
        return false;
    for (uint32_t i = lo; i < hi && i - lo < GROUND_SCAN_MAX; i++) {
        if (ground->limits[i] >= depth && bit_is_set(ground->ends, ground->starts[i] + depth))
            return true;
    }
    return false;
}

static bool needs_escape(unsigned char byte)
{
    return byte == '"' || byte == '\\';
}

/* The nearest end of this start's run that the wish admits. */
static bool wish_end(const struct ground *ground, const struct ground_wish *wish, uint32_t place,
                     uint32_t *out_bytes)
{
    uint64_t hash = wish->hash;
    uint32_t length = wish->length, limit = ground->limits[place];
    if (wish->escaped) {
        if (limit <= wish->depth)
            return false;
        unsigned char next = ground_byte(ground, place, wish->depth);
        if (!needs_escape(next) && next != '/')
            return false;
    }
    for (uint32_t at = wish->depth; length <= wish->max_length; at++) {
        bool ends = at > (wish->escaped ? wish->depth : 0) &&
                    bit_is_set(ground->ends, ground->starts[place] + at);
        if (ends && length >= wish->min_length &&
            (wish->is_taken == NULL || !wish->is_taken(wish->context, hash))) {
            *out_bytes = at;
            return true;
        }
        if (at >= limit)
            return false;
        unsigned char byte = ground_byte(ground, place, at);
        hash = (hash ^ byte) * 0x100000001b3u;
        length += (byte & 0xC0) != 0x80;
    }
    return false;
}

bool ground_find(const struct ground *ground, const struct ground_wish *wish, uint32_t first,
                 uint32_t *out_start, uint32_t *out_bytes)
{
    uint32_t bytes;
    if (first >= wish->lo && first < wish->hi && wish_end(ground, wish, first, &bytes)) {
        *out_start = first;
        *out_bytes = bytes;
        return true;
    }
    for (uint32_t i = wish->lo; i < wish->hi && i - wish->lo < GROUND_SEARCH_MAX; i++) {
        if (wish_end(ground, wish, i, &bytes)) {
            *out_start = i;
            *out_bytes = bytes;
            return true;
        }
    }
    return false;
}

uint32_t ground_escaped_bytes(const struct ground *ground, uint32_t start, uint32_t from,
                              uint32_t to)
{
    uint32_t bytes = to - from;
    for (uint32_t i = from; i < to; i++)
        bytes += needs_escape(ground_byte(ground, start, i));
    return bytes;
}
