/* extract_list.c - arrays: enumerations of strings and facts, every said literal, and records of
 * objects.
 *
 * An item that repeats another one, or that the language does not admit, is dropped whole.
 */
#include "base/features.h"

#include "evidence/list.h"
#include "evidence/match.h"
#include "evidence/record.h"
#include "model/extractor.h"

static uint32_t items_node(const struct extractor *x, const struct target *target, uint32_t index)
{
    const struct schema_op *prefix = target_find(x->program, target, SCHEMA_OP_PREFIX_ITEMS);
    if (prefix != NULL && index < prefix->b)
        return x->program->children[prefix->a + index];
    const struct schema_op *items = target_find(x->program, target, SCHEMA_OP_ITEMS);
    return items != NULL ? items->a : SCHEMA_NONE;
}

static uint32_t items_limit(const struct extractor *x, const struct target *target)
{
    const struct schema_op *limit = target_find(x->program, target, SCHEMA_OP_MAX_ITEMS);
    return limit != NULL && limit->a < EXTRACT_ITEMS_MAX ? limit->a : EXTRACT_ITEMS_MAX;
}

/* Begins an item: the mark is what to return to when it fails. False: no memory, nothing was begun.
 */
static bool item_begin(struct extractor *x, struct extractor_mark *out_mark)
{
    if (!extractor_mark(x, out_mark))
        return false;
    x->depth++;
    return true;
}

static bool item_open(struct extractor *x, uint32_t index)
{
    if (index > 0 && !extractor_put(x, STR(",")))
        return false;
    buffer_append_byte(&x->opening, '[');
    json_pointer_append_index(&x->pointer, index);
    return true;
}

/* True if the item stays. */
static bool item_end(struct extractor *x, const struct extractor_mark *mark, enum extracted result)
{
    x->depth--;
    buffer_truncate(&x->pointer, mark->pointer_len);
    buffer_truncate(&x->opening, mark->opening_len);
    if (result == EXTRACTED || x->status != STATUS_OK)
        return result == EXTRACTED;
    x->missing = str_of(NULL, 0); /* a list may go without this item */
    extractor_return(x, mark);
    return false;
}

/* ---- strings
 * --------------------------------------------------------------------------------------- */

static uint32_t list_strings(struct extractor *x, const struct target *item_target, uint32_t limit,
                             bool required)
{
    struct evidence_span span = { 0, 0 };
    uint32_t count = 0;
    uint32_t start = 0;
    bool has_start = false;
    bool is_last = false;
    while (count < limit && x->status == STATUS_OK) {
        struct extractor_mark mark;
        if (count > 0) {
            if (is_last || !evidence_list_next(x->text, span.end, &start, &is_last) ||
                x->text->words[start].begin >= x->scope.end)
                break;
            has_start = true;
        }
        enum extracted result = EXTRACTED_STUCK;
        if (!item_begin(x, &mark))
            break;
        arena_reset(&x->leaf_arena);
        if (item_open(x, count))
            result = extract_span(x, item_target, required || count > 0, true,
                                  has_start ? &start : NULL, &span);
        if (!item_end(x, &mark, result))
            break;
        count++;
    }
    return count;
}

/* ---- literals and facts
 * ----------------------------------------------------------------------------- */

static uint32_t list_literals(struct extractor *x, const struct target *target, uint32_t limit)
{
    struct evidence_leaf leaf;
    struct evidence_view view;
    uint32_t count = 0;
    extractor_view(x, target, &leaf, &view);
    for (uint32_t i = 0; i < target->literals->b && count < limit; i++) {
        struct json value = x->program->values[target->literals->a + i];
        if (json_type(value) != JSON_STRING || !evidence_literal_said(&view, json_string(value)))
            continue;
        buffer_clear(&x->scratch);
        if (count > 0)
            buffer_append_byte(&x->scratch, ',');
        json_write(value, 0, &x->scratch);
        count += extractor_put(x, buffer_view(&x->scratch));
    }
    return count;
}

/* The fact of a kind with which an enumeration goes on behind another one. */
static bool next_fact(const struct evidence_text *text, const struct evidence_span *span,
                      enum evidence_kind kind, struct evidence_span *out)
{
    uint32_t word;
    bool is_last;
    if (!evidence_list_next(text, span->end, &word, &is_last))
        return false;
    for (uint32_t i = evidence_first_fact(text, text->words[word].begin);
         i < text->fact_count && text->facts[i].begin < text->words[word].end; i++) {
        if (text->facts[i].kind == kind) {
            *out = (struct evidence_span){ text->facts[i].begin, text->facts[i].end };
            return true;
        }
    }
    return false;
}

/* One fact chosen by the model, then those that are enumerated with it. */
static uint32_t list_facts(struct extractor *x, const struct target *target,
                           enum evidence_kind kind, uint32_t limit, bool required)
{
    struct evidence_scope scope = x->scope;
    struct evidence_span span;
    uint32_t count = 0;
    while (count < limit && x->status == STATUS_OK) {
        struct extractor_mark mark;
        unsigned uses = x->uses->count;
        enum extracted result = EXTRACTED_STUCK;
        if (!item_begin(x, &mark))
            break;
        if (item_open(x, count))
            result = extract_leaf(x, target, required || count > 0);
        if (result == EXTRACTED && x->uses->count > uses)
            span = x->uses->spans[x->uses->count - 1];
        else
            result = result == EXTRACTED ? EXTRACTED_STUCK : result;
        if (!item_end(x, &mark, result))
            break;
        count++;
        if (!next_fact(x->text, &span, kind, &span) || span.begin >= scope.end)
            break;
        x->scope.begin = span.begin;
        x->scope.end = span.end;
    }
    x->scope = scope;
    return count;
}

/* ---- objects
 * ---------------------------------------------------------------------------------------- */

struct need_reader {
    struct extractor *x;
    struct evidence_needs *needs;
    struct str keys[LEAF_WORDS_MAX];
};

static void need_literals(struct need_reader *reader, const struct target *target)
{
    struct extractor *x = reader->x;
    struct evidence_needs *needs = reader->needs;
    struct str *values = arena_take_array(&x->arena, target->literals->b + 1u, sizeof(*values));
    unsigned count = 0;
    if (values == NULL || needs->enum_count == NEEDS_ENUMS_MAX || target->literals->b < 2)
        return;
    for (uint32_t i = 0; i < target->literals->b; i++) {
        struct json value = x->program->values[target->literals->a + i];
        if (json_type(value) == JSON_STRING)
            values[count++] = json_string(value);
    }
    needs->enums[needs->enum_count].values = values;
    needs->enums[needs->enum_count++].count = count;
}

/* A string that is known by its form, or any words. */
static void need_string(struct need_reader *reader, const struct target_member *member,
                        const struct target *target)
{
    struct evidence_leaf leaf;
    enum evidence_kind kind = EVIDENCE_NUMBER;
    evidence_leaf_init(&leaf, &member->name, 1, target->description, &reader->x->arena);
    (void)extract_fact_kind(target, &leaf, &kind);
    if (kind == EVIDENCE_EMAIL)
        reader->needs->email = true;
    else if (kind == EVIDENCE_URI)
        reader->needs->uri = true;
    else if (kind == EVIDENCE_PHONE)
        reader->needs->phone = true;
    else
        reader->needs->strings++;
}

static void need_member(struct need_reader *reader, const struct target_member *member)
{
    struct evidence_needs *needs = reader->needs;
    struct target target;
    unsigned left = LEAF_WORDS_MAX - needs->key_count;
    needs->key_count +=
        match_split(member->name, &reader->x->arena, reader->keys + needs->key_count, left);
    target_read(reader->x->program, member->node, &target);
    if (!member->required || target.branches != NULL || target.is_derived)
        return;
    if (target.literals != NULL)
        need_literals(reader, &target);
    else if ((target.types & SCHEMA_STRING) == 0)
        needs->numbers += (target.types & SCHEMA_NUMBER) != 0;
    else if (target.format == SCHEMA_FORMAT_DATE)
        needs->dates++;
    else if (target.format == SCHEMA_FORMAT_DATE_TIME)
        needs->date_times++;
    else
        need_string(reader, member, &target);
}

static uint32_t list_objects(struct extractor *x, uint32_t node, const struct target *item_target,
                             uint32_t limit, bool required)
{
    struct evidence_scope scope = x->scope;
    struct evidence_needs needs = { 0 };
    struct need_reader reader = { .x = x, .needs = &needs };
    struct evidence_leaf leaf;
    struct evidence_view view;
    struct target_member member;
    uint32_t count = 0;
    struct evidence_records *records = arena_take(&x->arena, sizeof(*records));
    if (records == NULL) {
        x->status = error_set(x->error, STATUS_NO_MEMORY, "no memory for reading the prompt");
        return 0;
    }
    for (uint32_t i = 0; target_member_at(x->program, item_target, i, &member); i++)
        need_member(&reader, &member);
    needs.keys = reader.keys;
    struct target plain = *item_target;
    plain.description = str_of(NULL, 0);
    extractor_view(x, &plain, &leaf, &view);
    evidence_records_find(&view, &needs, &x->arena, records);
    if (records->count == 0 && required && !extractor_repeats(x, item_target))
        records->items[records->count++] = scope;
    for (unsigned i = 0; i < records->count && count < limit && x->status == STATUS_OK; i++) {
        struct extractor_mark mark;
        x->scope = records->items[i];
        enum extracted result = EXTRACTED_STUCK;
        if (!item_begin(x, &mark))
            break;
        if (item_open(x, count))
            result = extract_value(x, node, true);
        count += item_end(x, &mark, result);
    }
    x->scope = scope;
    return count;
}

/* ---- arrays
 * ----------------------------------------------------------------------------------------- */

static uint32_t list_tuple(struct extractor *x, const struct target *target, uint32_t limit)
{
    uint32_t count = 0;
    while (count < limit && items_node(x, target, count) != SCHEMA_NONE && x->status == STATUS_OK) {
        struct extractor_mark mark;
        enum extracted result = EXTRACTED_STUCK;
        if (!item_begin(x, &mark))
            break;
        if (item_open(x, count))
            result = extract_value(x, items_node(x, target, count), true);
        if (!item_end(x, &mark, result))
            break;
        count++;
    }
    return count;
}

static uint32_t list_items(struct extractor *x, const struct target *target, bool required)
{
    struct target item;
    struct evidence_leaf leaf;
    struct evidence_view view;
    enum evidence_kind kind;
    uint32_t limit = items_limit(x, target);
    const struct schema_op *prefix = target_find(x->program, target, SCHEMA_OP_PREFIX_ITEMS);
    if (prefix != NULL)
        return list_tuple(x, target, limit < prefix->b ? limit : prefix->b);
    uint32_t node = items_node(x, target, 0);
    if (node == SCHEMA_NONE)
        return 0;
    target_read(x->program, node, &item);
    if (item.description.len == 0)
        item.description = target->description;
    if (item.literals != NULL)
        return list_literals(x, &item, limit);
    if ((item.types & (SCHEMA_STRING | SCHEMA_NUMBER | SCHEMA_BOOLEAN)) == 0)
        return list_objects(x, node, &item, limit, required);
    extractor_view(x, &item, &leaf, &view);
    if (extract_fact_kind(&item, &leaf, &kind))
        return list_facts(x, &item, kind, limit, required);
    return list_strings(x, &item, limit, required);
}

enum extracted extract_array(struct extractor *x, const struct target *target, bool required)
{
    if (!extractor_put(x, STR("[")))
        return EXTRACTED_STUCK;
    uint32_t count = list_items(x, target, required);
    if (x->status != STATUS_OK)
        return EXTRACTED_STUCK;
    if (count == 0 && !required)
        return EXTRACTED_ABSENT;
    return extractor_put(x, STR("]")) ? EXTRACTED : EXTRACTED_ABSENT;
}
