/* markup.c - the marks that chat models put around an answer.
 *
 * Owns: the table of marks. Leaves to reply.c: where marks count (never inside a JSON value).
 */
#include "base/features.h"

#include "engine/markup.h"

#include "engine/text.h"

struct markup_pair {
    struct str open;
    struct str close;
};

static const struct markup_pair reasoning_pairs[] = {
    { { "<think>", 7 }, { "</think>", 8 } },
    { { "<thinking>", 10 }, { "</thinking>", 11 } },
    { { "<thought>", 9 }, { "</thought>", 10 } },
    { { "<reasoning>", 11 }, { "</reasoning>", 12 } },
    { { "<reflection>", 12 }, { "</reflection>", 13 } },
    { { "<seed:think>", 12 }, { "</seed:think>", 13 } },
    { { "[THINK]", 7 }, { "[/THINK]", 8 } },
    { { "<|START_THINKING|>", 18 }, { "<|END_THINKING|>", 16 } },
    { { "\xE2\x97\x81think\xE2\x96\xB7", 11 }, { "\xE2\x97\x81/think\xE2\x96\xB7", 12 } },
    { { "<|channel|>analysis<|message|>", 30 }, { "<|end|>", 7 } },
    { { "<|channel|>commentary<|message|>", 32 }, { "<|end|>", 7 } },
};

/* A reply that lost its channel marks begins with the name of the first channel. */
#define LOST_CHANNEL       STR("analysis")
#define LOST_CHANNEL_FINAL STR("assistantfinal")
#define CHANNEL_FINAL      STR("<|channel|>final<|message|>")
#define CHANNEL_END        STR("<|end|>")

enum { PAIR_COUNT = sizeof(reasoning_pairs) / sizeof(reasoning_pairs[0]), LANGUAGE_BYTES_MAX = 24 };

static char lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte - 'A' + 'a') : byte;
}

/* prefix stands at text.ptr[at]; ASCII letters in either case. */
static bool mark_is_at(struct str text, size_t at, struct str prefix)
{
    if (text.len - at < prefix.len)
        return false;
    for (size_t i = 0; i < prefix.len; i++) {
        if (lower(text.ptr[at + i]) != lower(prefix.ptr[i]))
            return false;
    }
    return true;
}

static size_t mark_find(struct str text, size_t from, struct str mark)
{
    while (from < text.len && !mark_is_at(text, from, mark))
        from++;
    return from;
}

size_t engine_markup_reasoning_end(struct str text, size_t at)
{
    for (size_t i = 0; i < PAIR_COUNT; i++) {
        if (!mark_is_at(text, at, reasoning_pairs[i].open))
            continue;
        size_t close = mark_find(text, at, reasoning_pairs[i].close);
        return close == text.len ? close : close + reasoning_pairs[i].close.len;
    }
    return 0;
}

size_t engine_markup_reasoning_close(struct str text, size_t at)
{
    for (size_t i = 0; i < PAIR_COUNT; i++) {
        struct str close = reasoning_pairs[i].close;
        if (!str_equal(close, CHANNEL_END) && mark_is_at(text, at, close))
            return close.len;
    }
    if (mark_is_at(text, at, CHANNEL_FINAL))
        return CHANNEL_FINAL.len;
    if (mark_is_at(text, 0, LOST_CHANNEL) && mark_is_at(text, at, LOST_CHANNEL_FINAL))
        return LOST_CHANNEL_FINAL.len;
    return 0;
}

static bool byte_is_language(char byte)
{
    char letter = lower(byte);
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-' ||
           letter == '_' || letter == '+' || letter == '.';
}

const char *engine_markup_fence_before(struct str *before)
{
    struct str text = engine_text_trim(*before);
    size_t language = 0;
    while (language < text.len && language < LANGUAGE_BYTES_MAX &&
           byte_is_language(text.ptr[text.len - language - 1]))
        language++;
    struct str rest = { text.ptr, text.len - language };
    if (!engine_text_ends_with(rest, STR("```")) && !engine_text_ends_with(rest, STR("~~~")))
        return NULL;
    rest.len -= 3;
    *before = engine_text_trim(rest);
    return rest.ptr + rest.len;
}

const char *engine_markup_fence_after(struct str *after)
{
    struct str text = engine_text_trim(*after);
    if (str_starts_with(text, STR("```")) || str_starts_with(text, STR("~~~"))) {
        *after = engine_text_trim(engine_text_skip(text, 3));
        return text.ptr + 3;
    }
    if (!engine_text_ends_with(text, STR("```")) && !engine_text_ends_with(text, STR("~~~")))
        return NULL;
    const char *end = text.ptr + text.len;
    text.len -= 3;
    *after = engine_text_trim(text);
    return end;
}
