/* suggest.c - edit distance with transpositions, letters compared without case.
 *
 * Owns: what counts as near: at most two edits, one for short names. Names beyond a length are
 * never near.
 */
#include "base/features.h"

#include "schema/suggest.h"

enum { SUGGEST_BYTES_MAX = 64, SUGGEST_EDITS_MAX = 2, SUGGEST_SHORT_BYTES = 4 };

static unsigned suggest_min(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

static char suggest_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? (char)(byte + ('a' - 'A')) : byte;
}

/* Optimal string alignment distance over bytes; three rows suffice. */
static unsigned suggest_distance(struct str a, struct str b)
{
    unsigned rows[3][SUGGEST_BYTES_MAX + 1];
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= a.len; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i + 2) % 3];
        const unsigned *second = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b.len; j++) {
            char left = suggest_lower(a.ptr[i - 1]);
            char right = suggest_lower(b.ptr[j - 1]);
            row[j] = suggest_min(above[j] + 1, row[j - 1] + 1);
            row[j] = suggest_min(row[j], above[j - 1] + (left != right));
            if (i > 1 && j > 1 && left == suggest_lower(b.ptr[j - 2]) &&
                right == suggest_lower(a.ptr[i - 2]))
                row[j] = suggest_min(row[j], second[j - 2] + 1);
        }
    }
    return rows[a.len % 3][b.len];
}

void suggestion_init(struct suggestion *suggestion, struct str given)
{
    unsigned edits = given.len < SUGGEST_SHORT_BYTES ? 1 : SUGGEST_EDITS_MAX;
    *suggestion = (struct suggestion){ .given = given, .distance = edits + 1 };
}

void suggestion_offer(struct suggestion *suggestion, struct str candidate)
{
    struct str given = suggestion->given;
    size_t longer = given.len > candidate.len ? given.len : candidate.len;
    size_t shorter = given.len > candidate.len ? candidate.len : given.len;
    if (shorter < 1 || longer > SUGGEST_BYTES_MAX || longer - shorter >= suggestion->distance)
        return;
    unsigned distance = suggest_distance(given, candidate);
    if (shorter < 2 && distance > 0)
        return; /* of one letter only the other case is near */
    if (distance < suggestion->distance) {
        suggestion->distance = distance;
        suggestion->best = candidate;
    }
}
