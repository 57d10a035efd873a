/* leaf.c - the words of a leaf.
 *
 * Owns: the weights of name, description and path, and the word lists of money and of pairs.
 */
#include "base/features.h"

#include "evidence/leaf.h"

#include "evidence/match.h"

#define WEIGHT_NAME                1.0
#define WEIGHT_GENERIC             0.5 /* "name", "number", ... beside a more telling word */
#define WEIGHT_DESCRIPTION         0.5
#define WEIGHT_DESCRIPTION_GENERIC 0.25
#define WEIGHT_PATH                0.35

static const char *const generic_words[] = { "name",  "number",  "id",    "type", "is",
                                             "has",   "no",      "info",  "data", "value",
                                             "total", "details", "title", "full", NULL };
static const char *const money_words[] = {
    "price",    "cost",       "total",   "amount",  "rent",     "fee",       "salary", "wage",
    "budget",   "deposit",    "tax",     "vat",     "subtotal", "net",       "gross",  "revenue",
    "tip",      "deductible", "cap",     "payment", "paid",     "charge",    "damage", "discount",
    "fare",     "balance",    "due",     "income",  "bonus",    "utilities", "pay",    "claimed",
    "disputed", "spend",      "invoice", "rate",    NULL
};
static const char *const low_words[] = { "from",    "start",     "starts",  "started", "begin",
                                         "begins",  "min",       "minimum", "in",      "arrival",
                                         "checkin", "effective", "low",     NULL };
static const char *const high_words[] = { "to",      "end",       "ends",     "ended",
                                          "until",   "till",      "max",      "maximum",
                                          "out",     "departure", "checkout", "expiry",
                                          "expires", "finish",    "high",     NULL };

static void leaf_add(struct evidence_leaf *leaf, struct str word, double weight)
{
    if (word.len == 0 || leaf->word_count == LEAF_WORDS_MAX || match_is_stop(word))
        return;
    for (unsigned i = 0; i < leaf->word_count; i++)
        if (str_equal(leaf->words[i].word.text, word))
            return;
    leaf->words[leaf->word_count++] = (struct leaf_word){ match_word_of(word), weight };
}

void evidence_leaf_init(struct evidence_leaf *leaf, const struct str *path, unsigned path_count,
                        struct str description, struct arena *arena)
{
    struct str words[LEAF_WORDS_MAX];
    *leaf = (struct evidence_leaf){ 0 };
    if (path_count > 0)
        leaf->name_count =
            match_split(path[path_count - 1], arena, leaf->name, LEAF_NAME_WORDS_MAX);
    for (unsigned i = 0; i < leaf->name_count; i++) {
        bool generic = leaf->name_count > 1 && match_in(leaf->name[i], generic_words);
        leaf_add(leaf, leaf->name[i], generic ? WEIGHT_GENERIC : WEIGHT_NAME);
    }
    unsigned count = match_split(description, arena, words, LEAF_WORDS_MAX);
    for (unsigned i = 0; i < count; i++)
        leaf_add(leaf, words[i],
                 match_in(words[i], generic_words) ? WEIGHT_DESCRIPTION_GENERIC
                                                   : WEIGHT_DESCRIPTION);
    for (unsigned depth = 0; depth + 1 < path_count; depth++) {
        count = match_split(path[depth], arena, words, LEAF_NAME_WORDS_MAX);
        for (unsigned i = 0; i < count; i++)
            leaf_add(leaf, words[i], WEIGHT_PATH);
    }
    for (unsigned i = 0; i < leaf->word_count; i++)
        if (leaf->words[i].weight >= WEIGHT_DESCRIPTION)
            leaf->weight_sum += leaf->words[i].weight;
    if (leaf->weight_sum < 1.0)
        leaf->weight_sum = 1.0;
    leaf->wants_money = evidence_leaf_mentions(leaf, money_words);
    leaf->wants_low = evidence_leaf_is_named(leaf, low_words);
    leaf->wants_high = evidence_leaf_is_named(leaf, high_words);
}

double evidence_leaf_match(const struct evidence_leaf *leaf, const struct match_word *word)
{
    double best = 0.0;
    for (unsigned i = 0; i < leaf->word_count; i++) {
        double match = match_compare(&leaf->words[i].word, word) * leaf->words[i].weight;
        best = match > best ? match : best;
    }
    return best;
}

bool evidence_leaf_mentions(const struct evidence_leaf *leaf, const char *const *list)
{
    for (unsigned i = 0; i < leaf->word_count; i++)
        if (leaf->words[i].weight >= WEIGHT_DESCRIPTION && match_in(leaf->words[i].word.text, list))
            return true;
    return false;
}

bool evidence_leaf_is_named(const struct evidence_leaf *leaf, const char *const *list)
{
    for (unsigned i = 0; i < leaf->name_count; i++)
        if (match_in(leaf->name[i], list))
            return true;
    return false;
}
