/* extract.c - the walk over the target: objects, members, and what happens when something is
 * missing.
 *
 * Owns: the order of writing and the return to a mark. Leaves to others: leaves (extract_leaf.c),
 * arrays (extract_list.c). Recursion is bounded by EXTRACT_DEPTH_MAX and the work by
 * EXTRACT_VALUES_MAX, whatever the schema.
 */
#include "base/features.h"

#include "model/extract.h"

#include "base/limits.h"
#include "base/utf8.h"
#include "model/extractor.h"

/* ---- pieces
 * --------------------------------------------------------------------------------------- */

bool extractor_put(struct extractor *x, struct str text)
{
    uint32_t tokens;
    if (x->status != STATUS_OK || !model_guide_take_text(x->job->guide, text, &tokens))
        return false;
    x->reply->usage.output_tokens += tokens;
    buffer_append_str(&x->reply->text, text);
    if (buffer_status(&x->reply->text) != STATUS_OK)
        x->status = error_set(x->error, STATUS_NO_MEMORY, "no memory for the reply");
    return x->status == STATUS_OK;
}

void extractor_show(struct extractor *x)
{
    const struct model_sink *sink = x->job->sink;
    struct str text = buffer_view(&x->reply->text);
    if (x->shown > text.len)
        x->shown = text.len; /* what was shown was taken back */
    if (sink != NULL && sink->text != NULL && text.len > x->shown)
        sink->text(sink->state, str_of(text.ptr + x->shown, text.len - x->shown));
    x->shown = text.len;
}

bool extractor_admits(struct extractor *x, struct str value)
{
    return model_guide_admits_value(x->job->guide, value);
}

bool extractor_mark(struct extractor *x, struct extractor_mark *out)
{
    struct decode_state **mark = &x->marks[x->depth];
    if (*mark == NULL &&
        decode_state_new(x->job->guide->language, x->job->alloc, mark) != STATUS_OK) {
        x->status = error_set(x->error, STATUS_NO_MEMORY, "no memory for constrained decoding");
        return false;
    }
    decode_state_copy(*mark, x->job->guide->now);
    *out = (struct extractor_mark){ x->reply->text.len,
                                    x->pointer.len,
                                    x->opening.len,
                                    x->job->guide->tokens_left,
                                    x->reply->usage.output_tokens,
                                    x->uses->count };
    return true;
}

void extractor_return(struct extractor *x, const struct extractor_mark *mark)
{
    decode_state_copy(x->job->guide->now, x->marks[x->depth]);
    buffer_truncate(&x->reply->text, mark->reply_len);
    buffer_truncate(&x->pointer, mark->pointer_len);
    buffer_truncate(&x->opening, mark->opening_len);
    x->job->guide->tokens_left = mark->tokens_left;
    x->reply->usage.output_tokens = mark->output_tokens;
    x->uses->count = mark->uses;
}

bool extractor_is_refused(const struct extractor *x, struct str value)
{
    const struct model_request *request = x->job->request;
    for (uint32_t i = 0; i < request->refusal_count; i++)
        if (str_equal(request->refusals[i].pointer, buffer_view(&x->pointer)) &&
            str_equal(request->refusals[i].value_text, value))
            return true;
    return false;
}

/* ---- objects
 * -------------------------------------------------------------------------------------- */

/* Puts the comma, the name and the colon; extends pointer, opening and path. */
static bool member_open(struct extractor *x, struct str name)
{
    buffer_clear(&x->scratch);
    char last = x->reply->text.len > 0 ? x->reply->text.ptr[x->reply->text.len - 1] : '{';
    if (last != '{')
        buffer_append_byte(&x->scratch, ',');
    json_write_string(name, &x->scratch);
    buffer_append_byte(&x->scratch, ':');
    if (!extractor_put(x, buffer_view(&x->scratch)))
        return false;
    json_pointer_append(&x->pointer, name);
    buffer_append_byte(&x->opening, '{');
    json_write_string(name, &x->opening);
    buffer_append_str(&x->opening, STR(": "));
    x->path[x->path_count++] = name;
    return true;
}

static enum extracted member_write(struct extractor *x, const struct target_member *member)
{
    struct extractor_mark mark;
    unsigned path_count = x->path_count;
    if (x->path_count == LEAF_PATH_MAX || !extractor_mark(x, &mark))
        return EXTRACTED_STUCK;
    x->depth++;
    enum extracted result = member_open(x, member->name)
                                ? extract_value(x, member->node, member->required)
                                : EXTRACTED_ABSENT;
    if (result == EXTRACTED_ABSENT && member->required && x->path_count > path_count &&
        extractor_put(x, STR("null")))
        result = EXTRACTED;
    if (result == EXTRACTED_ABSENT && member->required && x->missing.len == 0)
        x->missing = member->name;
    x->depth--;
    x->path_count = path_count;
    buffer_truncate(&x->pointer, mark.pointer_len);
    buffer_truncate(&x->opening, mark.opening_len);
    if (result != EXTRACTED && x->status == STATUS_OK)
        extractor_return(x, &mark);
    return result;
}

bool extractor_repeats(const struct extractor *x, const struct target *target)
{
    const struct schema_op *properties = target_find(x->program, target, SCHEMA_OP_PROPERTIES);
    for (unsigned i = 0; properties != NULL && i < x->object_count; i++)
        if (x->objects[i].properties == properties && x->objects[i].begin == x->scope.begin &&
            x->objects[i].end == x->scope.end)
            return true;
    return false;
}

static enum extracted members_write(struct extractor *x, const struct target *target)
{
    struct target_member member;
    if (!extractor_put(x, STR("{")))
        return EXTRACTED_STUCK;
    for (uint32_t i = 0; target_member_at(x->program, target, i, &member); i++) {
        if (member.repeats)
            continue;
        enum extracted result = member_write(x, &member);
        if (x->status != STATUS_OK)
            return EXTRACTED_STUCK;
        if (result != EXTRACTED && member.required)
            return result;
    }
    return extractor_put(x, STR("}")) ? EXTRACTED : EXTRACTED_STUCK;
}

static enum extracted extract_object(struct extractor *x, const struct target *target,
                                     bool required)
{
    const struct schema_op *properties = target_find(x->program, target, SCHEMA_OP_PROPERTIES);
    if (x->object_count == EXTRACT_DEPTH_MAX || (!required && extractor_repeats(x, target)))
        return EXTRACTED_ABSENT;
    x->objects[x->object_count++] =
        (struct open_object){ properties, x->scope.begin, x->scope.end };
    enum extracted result = members_write(x, target);
    x->object_count--;
    return result;
}

/* ---- values
 * --------------------------------------------------------------------------------------- */

/* Several branches: the first one whose value can be written. */
static enum extracted extract_branches(struct extractor *x, const struct target *target,
                                       bool required)
{
    struct extractor_mark mark;
    enum extracted result = EXTRACTED_ABSENT;
    if (!extractor_mark(x, &mark))
        return EXTRACTED_STUCK;
    x->depth++;
    for (uint32_t i = 0; result != EXTRACTED && i < target->branches->b; i++) {
        uint32_t branch = x->program->children[target->branches->a + i];
        if (x->program->nodes[branch].types == SCHEMA_NULL)
            continue;
        result = extract_value(x, branch, required);
        if (x->status != STATUS_OK)
            break;
        if (result != EXTRACTED) {
            x->depth--;
            extractor_return(x, &mark);
            x->depth++;
        }
    }
    x->depth--;
    return result;
}

enum extracted extract_value(struct extractor *x, uint32_t node, bool required)
{
    struct target target;
    if (x->depth >= EXTRACT_DEPTH_MAX - 1 || x->status != STATUS_OK ||
        x->values == EXTRACT_VALUES_MAX)
        return EXTRACTED_ABSENT;
    x->values++;
    target_read(x->program, node, &target);
    required = required && (target.types & SCHEMA_NULL) == 0; /* null is better than a guess */
    bool has_shape = target_find(x->program, &target, SCHEMA_OP_PROPERTIES) != NULL;
    if (target.branches != NULL && !has_shape)
        return extract_branches(x, &target, required);
    if (target.literals != NULL)
        return extract_leaf(x, &target, required);
    if ((target.types & SCHEMA_OBJECT) != 0 &&
        (has_shape || (target.types & ~(SCHEMA_OBJECT | SCHEMA_NULL)) == 0))
        return extract_object(x, &target, required);
    if ((target.types & SCHEMA_ARRAY) != 0 && (target.types & (SCHEMA_STRING | SCHEMA_NUMBER)) == 0)
        return extract_array(x, &target, required);
    return extract_leaf(x, &target, required);
}

/* ---- the call
 * ------------------------------------------------------------------------------------- */

/* Drops what is written and says what is missing instead. */
static bool extract_need(struct extractor *x, struct str need)
{
    const struct model_request *request = x->job->request;
    if (request->need_name.len == 0 || need.len == 0)
        return false;
    x->reply->usage.output_tokens = 0;
    x->job->guide->tokens_left = x->tokens_allowed;
    buffer_truncate(&x->reply->text, 0);
    decode_state_reset(x->job->guide->now);
    buffer_clear(&x->scratch);
    buffer_append_byte(&x->scratch, '{');
    json_write_string(request->need_name, &x->scratch);
    buffer_append_byte(&x->scratch, ':');
    json_write_string(utf8_prefix(need, EXTRACT_NEED_BYTES_MAX), &x->scratch);
    buffer_append_byte(&x->scratch, '}');
    return buffer_status(&x->scratch) == STATUS_OK && extractor_put(x, buffer_view(&x->scratch));
}

/* Names of all leaves, as far as they are reached by members and items. */
static void rivals_read(struct extractor *x)
{
    uint32_t nodes[EXTRACT_RIVALS_MAX];
    unsigned count = 1;
    x->rivals.items = arena_take_array(&x->arena, EXTRACT_RIVALS_MAX, sizeof(*x->rivals.items));
    if (x->rivals.items == NULL)
        return;
    nodes[0] = 0;
    for (unsigned at = 0; at < count; at++) {
        struct target target;
        struct target_member member;
        target_read(x->program, nodes[at], &target);
        const struct schema_op *items = target_find(x->program, &target, SCHEMA_OP_ITEMS);
        if (items != NULL && count < EXTRACT_RIVALS_MAX)
            nodes[count++] = items->a;
        for (uint32_t i = 0; target_member_at(x->program, &target, i, &member); i++) {
            struct str words[LEAF_NAME_WORDS_MAX];
            if (count == EXTRACT_RIVALS_MAX || x->rivals.count == EXTRACT_RIVALS_MAX)
                return;
            nodes[count++] = member.node;
            struct evidence_rival *rival = &x->rivals.items[x->rivals.count++];
            rival->word_count = match_split(member.name, &x->arena, words, LEAF_NAME_WORDS_MAX);
            for (unsigned w = 0; w < rival->word_count; w++)
                rival->words[w] = match_word_of(words[w]);
        }
    }
}

static enum model_extracted extract_walk(struct extractor *x)
{
    struct buffer need;
    struct extractor_mark mark;
    enum model_extracted outcome = MODEL_EXTRACTED_PART;
    buffer_init(&need, x->job->alloc, LIMIT_REASON_BYTES);
    rivals_read(x);
    extract_missing(x, &need);
    if (extract_need(x, buffer_view(&need))) {
        outcome = MODEL_EXTRACTED_WHOLE;
    } else if (extractor_mark(x, &mark)) {
        x->depth++;
        enum extracted result = extract_value(x, 0, true);
        x->depth--;
        bool whole = result == EXTRACTED && model_guide_is_final(x->job->guide);
        outcome = whole ? MODEL_EXTRACTED_WHOLE : MODEL_EXTRACTED_PART;
        if (!whole && x->status == STATUS_OK)
            extractor_return(x, &mark);
        if (result == EXTRACTED_ABSENT && x->missing.len > 0 && x->status == STATUS_OK) {
            buffer_printf(&need, "the text has no value for \"%.*s\"", (int)x->missing.len,
                          x->missing.ptr);
            if (extract_need(x, buffer_view(&need)))
                outcome = MODEL_EXTRACTED_WHOLE;
        }
    }
    buffer_release(&need);
    return outcome;
}

static enum status extractor_init(struct extractor *x, const struct model_extraction *job,
                                  struct model_reply *reply, struct error *error)
{
    *x = (struct extractor){ .job = job,
                             .program = job->request->program,
                             .reply = reply,
                             .tokens_allowed = job->guide->tokens_left,
                             .error = error };
    arena_init(&x->arena, job->alloc, EXTRACT_ARENA_BYTES_MAX);
    arena_init(&x->leaf_arena, job->alloc, EXTRACT_ARENA_BYTES_MAX);
    buffer_init(&x->pointer, job->alloc, LIMIT_JSON_BYTES);
    buffer_init(&x->opening, job->alloc, LIMIT_JSON_BYTES);
    buffer_init(&x->scratch, job->alloc, LIMIT_JSON_BYTES);
    x->uses = arena_take_zeroed(&x->arena, sizeof(*x->uses));
    if (x->uses == NULL)
        return error_set(error, STATUS_NO_MEMORY, "no memory for reading the prompt");
    enum status status = evidence_text_new(job->request->source_text, job->alloc, &x->text, error);
    if (status == STATUS_OK)
        x->scope = (struct evidence_scope){ .begin = 0, .end = (uint32_t)x->text->text.len };
    return status;
}

static void extractor_release(struct extractor *x)
{
    for (unsigned i = 0; i < EXTRACT_DEPTH_MAX; i++)
        decode_state_free(x->marks[i]);
    evidence_text_free(x->text);
    buffer_release(&x->scratch);
    buffer_release(&x->opening);
    buffer_release(&x->pointer);
    arena_release(&x->leaf_arena);
    arena_release(&x->arena);
}

enum status model_extract(const struct model_extraction *extraction, struct model_reply *reply,
                          enum model_extracted *out_extracted, struct error *error)
{
    struct extractor x;
    enum status status = extractor_init(&x, extraction, reply, error);
    if (status == STATUS_OK) {
        *out_extracted = extract_walk(&x);
        extractor_show(&x);
        status = x.status;
    }
    if (status == STATUS_OK && *out_extracted == MODEL_EXTRACTED_WHOLE)
        reply->finish = MODEL_FINISH_STOP;
    extractor_release(&x);
    return status;
}
