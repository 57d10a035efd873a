/* parse.c - the parser: containers, white space, and where one chunk ends and the next begins.
 *
 * Owns: the grammar of RFC 8259 section 2 as one machine, without recursion, that runs over the
 * text so far until it ends or breaks a rule, and goes on from there when more text has come. Open
 * containers are linked through their nodes, so that depth costs no memory. Leaves to token.c and
 * member.c: what a token is. Invariant: the text so far is contiguous and followed by
 * JSON_PADDING_BYTES of NUL, which no rule accepts.
 */
#include "base/features.h"

#include <assert.h>

#include "json/member.h"
#include "json/token.h"

/* Source offsets and pool indices are 32-bit. */
#define JSON_TEXT_BYTES_MAX ((size_t)UINT32_MAX - JSON_PADDING_BYTES - 1)

enum {
    JSON_NODE_CAP_MIN = 8,
    JSON_TEXT_CAP_MIN = 256,
    JSON_BYTES_PER_NODE = 9,
    JSON_TRIM_BYTES = 4096,
    JSON_REPETITIVE_BYTES = 65536
};

static size_t doc_block_size(size_t node_cap)
{
    return sizeof(struct json_doc) + node_cap * sizeof(struct json_node);
}

const char *parser_fail(struct json_parser *parser, enum json_fault fault, const char *at)
{
    parser->fault = fault;
    parser->fault_offset = (size_t)(at - parser->doc->text);
    return NULL;
}

/* A byte order mark is told from other characters once its last byte is there. */
static bool is_cut_mark(const struct json_parser *parser, const char *at)
{
    size_t len = parser->doc->text_len;
    return at == parser->doc->text && len < 3 && memcmp(at, "\xEF\xBB\xBF", len) == 0;
}

const char *parser_fail_unexpected(struct json_parser *parser, const char *at)
{
    bool is_cut = !parser->is_last && (at == parser->end || is_cut_mark(parser, at));
    return parser_fail(parser, is_cut ? FAULT_NONE : FAULT_UNEXPECTED, at);
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static bool doc_grow_nodes(struct json_parser *parser, size_t node_cap)
{
    struct json_doc *doc = parser->doc;
    doc = alloc_grow(&parser->alloc, doc, doc_block_size(doc->node_cap), doc_block_size(node_cap));
    if (doc == NULL)
        return false;
    doc->node_cap = node_cap;
    parser->doc = doc;
    return true;
}

/* How many nodes the whole text will have if it goes on like the part before at, with some reserve.
 */
static size_t nodes_estimate(const struct json_parser *parser, size_t nodes, const char *at)
{
    size_t done = (size_t)(at - parser->doc->text);
    size_t left = (size_t)(parser->end - at);
    double density = (double)nodes / (double)(done + 1);
    return nodes + (size_t)((double)left * density * 1.1);
}

/* Values seen so far; every container that is open has been counted. */
static uint32_t parser_value_count(const struct json_parser *parser, size_t nodes)
{
    const struct json_node *array = parser->doc->nodes;
    size_t names = parser->closed_names;
    uint32_t children = parser->count;
    for (uint32_t i = parser->container; i != JSON_NO_CONTAINER; i = array[i].aux) {
        if (json_node_type(&array[i]) == JSON_OBJECT)
            names += children;
        children = array[i].length + 1;
    }
    return (uint32_t)(nodes + parser->removed_nodes - names);
}

struct json_node *parser_more_nodes(struct json_parser *parser, struct json_node *node,
                                    const char *at)
{
    size_t nodes = (size_t)(node - parser->doc->nodes);
    uint32_t values = parser_value_count(parser, nodes);
    if (at == parser->end) {
        (void)parser_fail_unexpected(parser, at);
        return NULL;
    }
    if (values >= parser->options.nodes_max) {
        (void)parser_fail(parser, FAULT_NODES, at);
        return NULL;
    }
    if (parser->doc->node_cap - nodes < 2) {
        size_t cap = nodes_estimate(parser, nodes, at);
        size_t cap_min = nodes + nodes / 2 + JSON_NODE_CAP_MIN;
        if (!doc_grow_nodes(parser, cap > cap_min ? cap : cap_min)) {
            (void)parser_fail(parser, FAULT_MEMORY, at);
            return NULL;
        }
    }
    size_t room = parser->doc->node_cap - nodes;
    size_t leave = parser->options.nodes_max - values;
    node = parser->doc->nodes + nodes;
    parser->node_limit = node + (room < leave ? room : leave);
    return node;
}

/* ---- the machine ----------------------------------------------------------------------------- */

static inline bool is_opening(char byte)
{
    return byte == '{' || byte == '[';
}

/* Opens the container at at. */
static bool container_open(struct json_parser *parser, struct json_node *node, const char *at)
{
    if (UNLIKELY(parser->depth >= parser->options.depth_max)) {
        (void)parser_fail(parser, FAULT_DEPTH, at);
        return false;
    }
    node->tag = *at == '{' ? JSON_OBJECT : JSON_ARRAY;
    node->offset = (uint32_t)(at - parser->doc->text);
    node->length = parser->count;
    node->aux = parser->container;
    parser->container = (uint32_t)(node - parser->doc->nodes);
    parser->count = 0;
    if (*at == '{' && parser->depth < JSON_FILTER_LEVELS)
        parser->filters[parser->depth] = (struct name_filter){ .may_repeat = false };
    parser->depth++;
    return true;
}

/* No two names of the innermost container, an object, can be equal. */
static inline bool names_differ(const struct json_parser *parser)
{
    return parser->depth <= JSON_FILTER_LEVELS && !parser->filters[parser->depth - 1].may_repeat;
}

/* Closes the innermost container, whose bracket is at at and whose nodes end at node. Returns the
 * end of its nodes, which moves when repeated members are removed, or NULL. */
static struct json_node *container_close(struct json_parser *parser, struct json_node *node,
                                         const char *at)
{
    struct json_node *container = parser->doc->nodes + parser->container;
    uint32_t outer = container->aux;
    uint32_t outer_count = container->length;
    uint32_t count = parser->count;
    container->tag |= count << JSON_NODE_COUNT_SHIFT;
    container->length = (uint32_t)(at + 1 - parser->doc->text) - container->offset;
    container->aux = (uint32_t)(node - container);
    if (json_node_type(container) == JSON_OBJECT) {
        parser->closed_names += count;
        if (count > 1 && UNLIKELY(!names_differ(parser))) {
            node = parser_unique(parser, container);
            if (UNLIKELY(node == NULL))
                return NULL;
        }
    }
    parser->container = outer;
    parser->count = outer_count + 1;
    parser->depth--;
    return node;
}

/* Room for a name and a value at *node. */
static inline bool node_room(struct json_parser *parser, struct json_node **node, const char *at)
{
    if (LIKELY(parser->node_limit - *node >= 2))
        return true;
    struct json_node *moved = parser_more_nodes(parser, *node, at);
    if (moved == NULL)
        return false;
    *node = moved;
    return true;
}

/* Hashes a name and notes it in the filter of its object. */
static ALWAYS_INLINE void name_note(struct json_parser *parser, const char *text,
                                    struct json_node *name)
{
    bool is_escaped = (name->tag & JSON_NODE_ESCAPED) != 0;
    uint32_t hash = 0;
    if (LIKELY(!is_escaped)) {
        hash = member_hash(parser->seeds, text + name->offset, name->length);
        name->aux = hash;
    }
    if (UNLIKELY(parser->depth > JSON_FILTER_LEVELS))
        return;
    struct name_filter *filter = &parser->filters[parser->depth - 1];
    uint64_t *word = &filter->bits[hash >> 6 & (JSON_FILTER_WORDS - 1)];
    uint64_t *other = &filter->bits[hash >> 22 & (JSON_FILTER_WORDS - 1)];
    uint64_t bit = UINT64_C(1) << (hash & 63);
    uint64_t other_bit = UINT64_C(1) << (hash >> 16 & 63);
    bool may_repeat = ((*word & bit) != 0) & ((*other & other_bit) != 0);
    filter->may_repeat = filter->may_repeat | may_repeat | is_escaped;
    *word |= bit;
    *other |= other_bit;
}

/* Finishes the token that the end of the last chunk cut. False if it is cut again or has a fault.
 */
static bool token_resume(struct json_parser *parser)
{
    const char *at = parser->doc->text + parser->at;
    struct json_node *node = parser->doc->nodes + parser->node_count;
    const char *after = parser_resume(parser, at, node);
    if (after == NULL)
        return false;
    parser->at = (size_t)(after - parser->doc->text);
    parser->node_count++;
    if (json_node_type(node) == JSON_NODE_NAME) {
        name_note(parser, parser->doc->text, node);
        parser->state = STATE_COLON;
    } else if (parser->state == STATE_ROOT) {
        parser->state = STATE_END;
    } else {
        parser->state = parser->state == STATE_MEMBER_VALUE ? STATE_MEMBER_END : STATE_ITEM_END;
        parser->count++;
    }
    return true;
}

/* Runs over the text so far. Stops in parser->state with parser->at at the first byte that is not
 * consumed; parser->fault is FAULT_NONE if more text may follow, or if all of it was consumed and
 * is complete. */
static void parser_run(struct json_parser *parser)
{
    const char *const text = parser->doc->text;
    const char *at = text + parser->at;
    const char *after;
    struct json_node *node = parser->doc->nodes + parser->node_count;
    enum json_state state = parser->state;

    switch (state) {
    case STATE_ROOT: goto root;
    case STATE_ITEM_FIRST: goto item_first;
    case STATE_ITEM: goto item;
    case STATE_ITEM_END: goto item_end;
    case STATE_NAME_FIRST: goto name_first;
    case STATE_NAME: goto name;
    case STATE_COLON: goto colon;
    case STATE_MEMBER_VALUE: goto member_value;
    case STATE_MEMBER_END: goto member_end;
    case STATE_END: goto end;
    }

root:
    state = STATE_ROOT;
    at = scan_skip_space(at);
    if (is_opening(*at))
        goto open;
    if (!node_room(parser, &node, at) || (after = token_value(parser, text, at, node)) == NULL)
        goto stop;
    at = after;
    node++;
    goto end;

open:
    if (!node_room(parser, &node, at))
        goto stop;
open_in_room:
    if (!container_open(parser, node, at))
        goto stop;
    at++;
    node++;
    if (at[-1] == '{')
        goto name_first;

item_first:
    state = STATE_ITEM_FIRST;
    at = scan_skip_space(at);
    if (*at == ']')
        goto close;
    goto item_value;
item:
    state = STATE_ITEM;
    at = scan_skip_space(at);
item_value:
    if (is_opening(*at))
        goto open;
    if (!node_room(parser, &node, at) || (after = token_value(parser, text, at, node)) == NULL)
        goto stop;
    at = after;
    node++;
    parser->count++;
item_end:
    state = STATE_ITEM_END;
    at = scan_skip_space(at);
    if (LIKELY(*at == ',')) {
        at++;
        goto item;
    }
    if (*at == ']')
        goto close;
    goto unexpected;

name_first:
    state = STATE_NAME_FIRST;
    at = scan_skip_space(at);
    if (*at == '}')
        goto close;
    goto name_text;
name:
    state = STATE_NAME;
    at = scan_skip_space(at);
name_text:
    if (!node_room(parser, &node, at))
        goto stop;
    if (UNLIKELY(*at != '"'))
        goto unexpected;
    if ((after = token_string(parser, text, at, node, JSON_NODE_NAME)) == NULL)
        goto stop;
    name_note(parser, text, node);
    at = after;
    node++;
colon:
    state = STATE_COLON;
    at = scan_skip_space(at);
    if (*at != ':')
        goto unexpected;
    at++;
    if (*at == ' ')
        at++;
member_value:
    state = STATE_MEMBER_VALUE;
    at = scan_skip_space(at);
    if (is_opening(*at))
        goto open_in_room;
    if ((after = token_value(parser, text, at, node)) == NULL)
        goto stop;
    at = after;
    node++;
    parser->count++;
member_end:
    state = STATE_MEMBER_END;
    at = scan_skip_space(at);
    if (LIKELY(*at == ',')) {
        at++;
        goto name;
    }
    if (*at != '}')
        goto unexpected;

close : {
    struct json_node *end = container_close(parser, node, at);
    if (end == NULL)
        goto stop;
    node = end;
    at++;
}
    if (parser->container != JSON_NO_CONTAINER) {
        if (json_node_type(parser->doc->nodes + parser->container) == JSON_OBJECT)
            goto member_end;
        goto item_end;
    }

end:
    state = STATE_END;
    at = scan_skip_space(at);
    if (at == parser->end)
        goto stop;

unexpected:
    (void)parser_fail_unexpected(parser, at);
stop:
    parser->state = state;
    parser->at = (size_t)(at - parser->doc->text);
    parser->node_count = (uint32_t)(node - parser->doc->nodes);
}

/* ---- text and life cycle --------------------------------------------------------------------- */

/* Field by field: clearing the whole would cost a tenth of parsing a small text. */
static void parser_init(struct json_parser *parser, const struct json_options *options,
                        const struct alloc *alloc)
{
    static const struct json_options defaults = JSON_OPTIONS_DEFAULT;
    parser->options = options != NULL ? *options : defaults;
    if (parser->options.bytes_max > JSON_TEXT_BYTES_MAX)
        parser->options.bytes_max = JSON_TEXT_BYTES_MAX;
    if (parser->options.nodes_max > JSON_NODE_COUNT_MAX)
        parser->options.nodes_max = JSON_NODE_COUNT_MAX;
    parser->alloc = *alloc;
    parser->doc = NULL;
    parser->end = NULL;
    parser->node_limit = NULL;
    parser->is_last = false;
    parser->is_repetitive = false;
    parser->state = STATE_ROOT;
    parser->fault = FAULT_NONE;
    parser->fault_offset = 0;
    parser->at = 0;
    parser->token_scan = 0;
    parser->token_state = 0;
    parser->container = JSON_NO_CONTAINER;
    parser->count = 0;
    parser->depth = 0;
    parser->node_count = 0;
    parser->closed_names = 0;
    parser->removed_nodes = 0;
    member_seeds(parser->seeds);
}

/* How many nodes a text has: from samples of a long text, generously for a short one. */
static size_t nodes_expected(struct str text)
{
    enum { SAMPLES = 8, SAMPLE_BYTES = 1024 };
    size_t marks = 0;
    if (text.len < (size_t)4 * SAMPLES * SAMPLE_BYTES)
        return text.len / JSON_BYTES_PER_NODE + JSON_NODE_CAP_MIN;
    for (size_t i = 0; i < SAMPLES; i++) {
        const char *sample = text.ptr + text.len / SAMPLES * i;
        for (size_t k = 0; k < SAMPLE_BYTES; k++) {
            char byte = sample[k];
            marks += (size_t)((byte == ',') + (byte == ':') + (byte == '[') + (byte == '{'));
        }
    }
    /* Each mark is followed by a value or follows a name; an eighth more is reserve. Only brackets
     * alone could come denser than every third byte. */
    size_t nodes = text.len / (SAMPLES * SAMPLE_BYTES) * (marks + marks / 8) + marks;
    return nodes < text.len / 3 ? nodes : text.len / 3;
}

/* The empty document, with room for a first chunk. */
static bool parser_begin(struct json_parser *parser, struct str chunk)
{
    size_t text_cap = chunk.len + JSON_PADDING_BYTES;
    if (!parser->is_last && text_cap < JSON_TEXT_CAP_MIN)
        text_cap = JSON_TEXT_CAP_MIN;
    size_t node_cap = nodes_expected(chunk);
    char *text = alloc_get(&parser->alloc, text_cap);
    if (text == NULL)
        return false;
    struct json_doc *doc = alloc_get(&parser->alloc, doc_block_size(node_cap));
    if (doc == NULL) {
        alloc_free(&parser->alloc, text, text_cap);
        return false;
    }
    *doc = (struct json_doc){
        .alloc = parser->alloc, .text = text, .text_cap = text_cap, .node_cap = node_cap
    };
    parser->doc = doc;
    parser->node_limit =
        doc->nodes + (node_cap < parser->options.nodes_max ? node_cap : parser->options.nodes_max);
    return true;
}

static bool text_reserve(struct json_parser *parser, size_t len)
{
    struct json_doc *doc = parser->doc;
    size_t needed = doc->text_len + len + JSON_PADDING_BYTES;
    if (needed <= doc->text_cap)
        return true;
    size_t cap_max = parser->options.bytes_max + JSON_PADDING_BYTES;
    size_t cap = doc->text_cap * 2 < cap_max ? doc->text_cap * 2 : cap_max;
    cap = cap < needed ? needed : cap;
    char *text = alloc_grow(&doc->alloc, doc->text, doc->text_cap, cap);
    if (text == NULL)
        return false;
    doc->text = text;
    doc->text_cap = cap;
    return true;
}

/* Adds a chunk that is within the limit to the text. */
static bool text_append(struct json_parser *parser, struct str chunk)
{
    if (parser->doc == NULL && !parser_begin(parser, chunk))
        return false;
    if (!text_reserve(parser, chunk.len))
        return false;
    struct json_doc *doc = parser->doc;
    if (chunk.len > 0)
        memcpy(doc->text + doc->text_len, chunk.ptr, chunk.len);
    doc->text_len += chunk.len;
    parser->is_repetitive = doc->text_len >= JSON_REPETITIVE_BYTES;
    memset(doc->text + doc->text_len, 0, JSON_PADDING_BYTES);
    parser->end = doc->text + doc->text_len;
    return true;
}

/* Parses one more chunk. The text is looked at in order: what is wrong before the limit of its size
 * is found first, whatever the chunks are. */
static void parser_consume(struct json_parser *parser, struct str chunk, bool is_last)
{
    size_t len = parser->doc == NULL ? 0 : parser->doc->text_len;
    bool is_too_long = chunk.len > parser->options.bytes_max - len;
    if (is_too_long)
        chunk.len = parser->options.bytes_max - len;
    parser->is_last = is_last && !is_too_long;
    if (!text_append(parser, chunk)) {
        parser->fault = FAULT_MEMORY;
        return;
    }
    if (parser->token_scan == 0 || token_resume(parser))
        parser_run(parser);
    if (parser->fault == FAULT_NONE && is_too_long)
        (void)parser_fail(parser, FAULT_BYTES, parser->end);
}

/* More than half of a block is unused, and worth a call of the allocator. */
static bool is_wasteful(size_t cap, size_t used)
{
    return cap - used > used && cap - used >= JSON_TRIM_BYTES;
}

static void block_trim(const struct alloc *alloc, char **block, size_t *cap, size_t used)
{
    if (!is_wasteful(*cap, used))
        return;
    char *smaller = alloc_grow(alloc, *block, *cap, used);
    if (smaller != NULL) {
        *block = smaller;
        *cap = used;
    }
}

/* Gives back what was reserved far beyond need; that it may be refused does no harm. */
static void doc_trim(struct json_parser *parser)
{
    struct json_doc *doc = parser->doc;
    block_trim(&doc->alloc, &doc->text, &doc->text_cap, doc->text_len + JSON_PADDING_BYTES);
    if (doc->pool != NULL)
        block_trim(&doc->alloc, &doc->pool, &doc->pool_cap, doc->pool_len + JSON_PADDING_BYTES);
    if (is_wasteful(doc_block_size(doc->node_cap), doc_block_size(doc->node_count)))
        (void)doc_grow_nodes(parser, doc->node_count);
}

static struct json_doc *parser_take_doc(struct json_parser *parser)
{
    parser->doc->node_count = parser->node_count;
    doc_trim(parser);
    struct json_doc *doc = parser->doc;
    parser->doc = NULL;
    return doc;
}

enum status json_parse(struct str text, const struct json_options *options,
                       const struct alloc *alloc, struct json_doc **out_doc, struct error *error)
{
    struct json_parser parser;
    parser_init(&parser, options, alloc);
    parser_consume(&parser, text, true);
    if (UNLIKELY(parser.fault != FAULT_NONE)) {
        enum status status = parser_report(&parser, error);
        json_doc_free(parser.doc);
        return status;
    }
    *out_doc = parser_take_doc(&parser);
    return STATUS_OK;
}

enum status json_parser_new(const struct json_options *options, const struct alloc *alloc,
                            struct json_parser **out_parser)
{
    struct json_parser *parser = alloc_get(alloc, sizeof(*parser));
    if (parser == NULL)
        return STATUS_NO_MEMORY;
    parser_init(parser, options, alloc);
    *out_parser = parser;
    return STATUS_OK;
}

enum status json_parser_feed(struct json_parser *parser, struct str chunk, struct error *error)
{
    assert(!parser->is_last); /* nothing follows json_parser_finish */
    if (parser->fault == FAULT_NONE && chunk.len > 0)
        parser_consume(parser, chunk, false);
    return parser->fault == FAULT_NONE ? STATUS_OK : parser_report(parser, error);
}

enum status json_parser_finish(struct json_parser *parser, struct json_doc **out_doc,
                               struct error *error)
{
    assert(!parser->is_last);
    if (parser->fault == FAULT_NONE)
        parser_consume(parser, STR(""), true);
    if (parser->fault != FAULT_NONE)
        return parser_report(parser, error);
    *out_doc = parser_take_doc(parser);
    return STATUS_OK;
}

void json_parser_free(struct json_parser *parser)
{
    if (parser == NULL)
        return;
    json_doc_free(parser->doc);
    struct alloc alloc = parser->alloc;
    alloc_free(&alloc, parser, sizeof(*parser));
}
