/* member.c - member names: their hash and their uniqueness.
 *
 * Owns: the search for duplicates in a complete object and the policy on them. Names are compared
 * decoded. Objects are looked at only when the filter of the parser could not exclude a repetition;
 * small ones are searched pair by pair, large ones are sorted, so that the worst case is O(n log n)
 * comparisons whatever the names and their hashes are.
 */
#include "base/features.h"

#include "json/member.h"

#include "base/checked.h"
#include "json/parser.h"
#include "json/scan.h"

enum { MEMBERS_FEW_MAX = 64 };

/* Marks a name that a later one repeats; only until its object is compacted. */
enum { NAME_REPEATED = 1 << JSON_NODE_COUNT_SHIFT };

uint32_t json_key_hash(struct str name)
{
    uint64_t seeds[2];
    char block[MEMBER_HASH_BLOCK] = { 0 };
    member_seeds(seeds);
    if (name.len > MEMBER_HASH_BLOCK)
        return member_hash(seeds, name.ptr, name.len);
    if (name.len > 0)
        memcpy(block, name.ptr, name.len);
    return member_hash(seeds, block, name.len);
}

static uint32_t name_hash(const struct json_doc *doc, const struct json_node *name)
{
    if (LIKELY((name->tag & JSON_NODE_ESCAPED) == 0))
        return name->aux;
    return json_key_hash(json_node_text(doc, name));
}

uint32_t json_member_hash(struct json member_value)
{
    return name_hash(member_value.doc, member_value.node - 1);
}

/* ---- sorted references ----------------------------------------------------------------------- */

static int member_name_order(struct str a, uint32_t hash_a, struct str b, uint32_t hash_b)
{
    if (hash_a != hash_b)
        return hash_a < hash_b ? -1 : 1;
    if (a.len != b.len)
        return a.len < b.len ? -1 : 1;
    return a.len == 0 ? 0 : memcmp(a.ptr, b.ptr, a.len);
}

static bool member_ref_before(const struct member_ref *a, const struct member_ref *b)
{
    int order = member_name_order(a->name, a->hash, b->name, b->hash);
    return order != 0 ? order < 0 : a->place < b->place;
}

void member_refs_fill(struct member_ref *refs, struct json object)
{
    const struct json_node *name = object.node + 1;
    for (uint32_t i = 0, count = json_count(object); i < count; i++) {
        refs[i].name = json_node_text(object.doc, name);
        refs[i].hash = name_hash(object.doc, name);
        refs[i].place = (uint32_t)(name - object.node);
        name = json_node_after(name + 1);
    }
}

/* Moves refs[root] down to where no child of the heap comes after it. */
static void member_refs_sink(struct member_ref *refs, size_t root, size_t count)
{
    struct member_ref sinking = refs[root];
    for (size_t child = 2 * root + 1; child < count; child = 2 * root + 1) {
        if (child + 1 < count && member_ref_before(&refs[child], &refs[child + 1]))
            child++;
        if (!member_ref_before(&sinking, &refs[child]))
            break;
        refs[root] = refs[child];
        root = child;
    }
    refs[root] = sinking;
}

void member_refs_sort(struct member_ref *refs, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        member_refs_sink(refs, root, count);
    for (size_t last = count; last-- > 1;) {
        struct member_ref greatest = refs[0];
        refs[0] = refs[last];
        refs[last] = greatest;
        member_refs_sink(refs, 0, last);
    }
}

const struct member_ref *member_refs_find(const struct member_ref *refs, size_t count,
                                          struct str name, uint32_t hash)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = member_name_order(refs[middle].name, refs[middle].hash, name, hash);
        if (order == 0)
            return &refs[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- duplicates ------------------------------------------------------------------------------ */

/* Marks the members before member i that have its name. */
static bool names_mark_equal(const struct json_doc *doc, struct json_node *object,
                             const uint32_t *hashes, const uint32_t *places, uint32_t i)
{
    struct str name = json_node_text(doc, object + places[i]);
    bool is_found = false;
    for (uint32_t k = 0; k < i; k++) {
        struct json_node *earlier = object + places[k];
        if (hashes[k] != hashes[i] || !str_equal(json_node_text(doc, earlier), name))
            continue;
        earlier->tag |= NAME_REPEATED;
        is_found = true;
    }
    return is_found;
}

/* Both searches mark every name that is repeated later and return the place of the first name that
 * repeats an earlier one, 0 when there is none. */

static uint32_t duplicates_among_few(const struct json_doc *doc, struct json_node *object)
{
    uint32_t hashes[MEMBERS_FEW_MAX];
    uint32_t places[MEMBERS_FEW_MAX];
    uint32_t count = object->tag >> JSON_NODE_COUNT_SHIFT;
    uint32_t first = 0;
    uint32_t place = 1;
    for (uint32_t i = 0; i < count; i++) {
        const struct json_node *name = object + place;
        hashes[i] = name_hash(doc, name);
        places[i] = place;
        if (names_mark_equal(doc, object, hashes, places, i) && first == 0)
            first = place;
        place = (uint32_t)(json_node_after(name + 1) - object);
    }
    return first;
}

static bool duplicates_among_many(struct json_parser *parser, struct json_node *object,
                                  uint32_t *out_first)
{
    struct json handle = { parser->doc, object };
    const struct alloc *alloc = &parser->doc->alloc;
    uint32_t count = json_count(handle);
    size_t bytes;
    struct member_ref *refs = NULL;
    if (!size_multiply_overflows(count, sizeof(*refs), &bytes))
        refs = alloc_get(alloc, bytes);
    if (refs == NULL)
        return false;
    member_refs_fill(refs, handle);
    member_refs_sort(refs, count);
    uint32_t first = 0;
    for (uint32_t i = 1; i < count; i++) {
        if (refs[i].hash != refs[i - 1].hash || !str_equal(refs[i].name, refs[i - 1].name))
            continue;
        object[refs[i - 1].place].tag |= NAME_REPEATED;
        if (first == 0 || refs[i].place < first)
            first = refs[i].place;
    }
    alloc_free(alloc, refs, bytes);
    *out_first = first;
    return true;
}

/* Removes the marked members. Returns the new end of the object. */
static struct json_node *object_compact(struct json_parser *parser, struct json_node *object)
{
    uint32_t count = object->tag >> JSON_NODE_COUNT_SHIFT;
    uint32_t kept = 0;
    uint32_t out = 1;
    uint32_t place = 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t span = (uint32_t)(json_node_after(object + place + 1) - (object + place));
        if ((object[place].tag & NAME_REPEATED) == 0) {
            memmove(object + out, object + place, span * sizeof(*object));
            out += span;
            kept++;
        }
        place += span;
    }
    parser->removed_nodes += place - out;
    parser->node_limit -= place - out; /* what was removed has counted */
    object->tag = JSON_OBJECT | kept << JSON_NODE_COUNT_SHIFT;
    object->aux = out;
    return object + out;
}

struct json_node *parser_unique(struct json_parser *parser, struct json_node *object)
{
    uint32_t first = 0;
    if (LIKELY(object->tag >> JSON_NODE_COUNT_SHIFT <= MEMBERS_FEW_MAX)) {
        first = duplicates_among_few(parser->doc, object);
    } else if (!duplicates_among_many(parser, object, &first)) {
        (void)parser_fail(parser, FAULT_MEMORY, parser->doc->text);
        return NULL;
    }
    if (LIKELY(first == 0))
        return object + object->aux;
    if (parser->options.duplicates == JSON_DUPLICATES_LAST)
        return object_compact(parser, object);
    (void)parser_fail(parser, FAULT_DUPLICATE, parser->doc->text + object[first].offset - 1);
    return NULL;
}
