/* match.c - comparing words by stem and beginning.
 *
 * Owns: the list of function words and of endings. Deliberately small: it ranks places, it decides
 * nothing.
 */
#include "base/features.h"

#include "evidence/match.h"

#include "evidence/chars.h"

static const char *const endings[] = { "ations", "ation", "ings", "ing", "ies", "ied", "ers", "ed",
                                       "es",     "er",    "s",    "y",   "e",   "al",  NULL };

static const char *const stop_words[] = {
    "the",   "a",    "an",    "of",      "in",    "on",     "at",    "to",     "for",   "from",
    "by",    "with", "and",   "or",      "is",    "are",    "was",   "were",   "be",    "been",
    "it",    "its",  "this",  "that",    "these", "those",  "as",    "which",  "who",   "whom",
    "whose", "into", "than",  "then",    "so",    "but",    "not",   "no",     "if",    "when",
    "where", "will", "would", "can",     "could", "may",    "must",  "should", "has",   "have",
    "had",   "do",   "does",  "did",     "per",   "we",     "you",   "they",   "he",    "she",
    "his",   "her",  "their", "our",     "your",  "my",     "i",     "me",     "us",    "them",
    "about", "over", "under", "between", "after", "before", "until", "during", "also",  "only",
    "just",  "very", "more",  "most",    "some",  "any",    "all",   "each",   "every", "there",
    "here",  "out",  "up",    "down",    "off",   NULL
};

bool match_in(struct str word, const char *const *list)
{
    for (; *list != NULL; list++)
        if (str_equal(word, str_from(*list)))
            return true;
    return false;
}

bool match_is_stop(struct str lower)
{
    return lower.len <= 7 && match_in(lower, stop_words);
}

struct str match_stem(struct str lower)
{
    for (const char *const *ending = endings; *ending != NULL; ending++) {
        size_t len = strlen(*ending);
        if (lower.len >= len + 3 && memcmp(lower.ptr + lower.len - len, *ending, len) == 0)
            return str_of(lower.ptr, lower.len - len);
    }
    return lower;
}

double match_words(struct str a, struct str b)
{
    if (str_equal(a, b))
        return 1.0;
    if (a.len == 0 || b.len == 0 || a.ptr[0] != b.ptr[0])
        return 0.0;
    struct str stem_a = match_stem(a);
    struct str stem_b = match_stem(b);
    if (str_equal(stem_a, stem_b))
        return 0.95;
    size_t shorter = stem_a.len < stem_b.len ? stem_a.len : stem_b.len;
    size_t longer = stem_a.len < stem_b.len ? stem_b.len : stem_a.len;
    size_t common = 0;
    while (common < shorter && stem_a.ptr[common] == stem_b.ptr[common])
        common++;
    if (common >= 4 && common * 10 >= longer * 7)
        return 0.8;
    if (common >= 3 && common == shorter && longer <= common + 3)
        return 0.6;
    return 0.0;
}

double match_compare(const struct match_word *a, const struct match_word *b)
{
    double match = match_words(a->text, b->text);
    return match == 0.0 && (a->families & b->families) != 0 ? 0.6 : match;
}

unsigned match_split(struct str name, struct arena *arena, struct str *out_words,
                     unsigned words_max)
{
    unsigned count = 0;
    size_t at = 0;
    while (at < name.len && count < words_max) {
        unsigned bytes;
        uint32_t code_point = char_at(name, at, &bytes);
        if (!char_is_alnum(code_point)) {
            at += bytes;
            continue;
        }
        size_t begin = at;
        bool upper = false;
        while (char_is_alnum(code_point = char_at(name, at, &bytes))) {
            if (at > begin && char_is_upper(code_point) && !upper)
                break; /* the hump of a camel */
            upper = char_is_upper(code_point);
            at += bytes;
        }
        char *copy = arena_take(arena, at - begin);
        if (copy == NULL)
            return count;
        char_fold(str_of(name.ptr + begin, at - begin), copy);
        out_words[count++] = str_of(copy, at - begin);
    }
    return count;
}
