/* test_cases.c - replies from the field: shared/cases/replies.jsonl through a whole call each.
 *
 * Every case is either judged by its expected outcome, or listed below with the reason why not
 * (yet). A listed case that would pass by now is a failure of this test: take it off the list.
 */
#include "base/features.h"

#include "engine_test.h"

#include "test_data.h"

struct exception {
    const char *id;
    const char *reason;
};

/* Judged, but expected to come out otherwise. */
static const struct exception deviations[] = {
    { "P111", "the fault is placed at the tag, /result/kind, and names the tags that exist" },
};

/* Outcomes that are about other parts of the product. */
static const struct exception not_here[] = {
    { "lowered", "the wire schema of providers: tests/cli/test_lowered.py" },
    { "lowered_or_message", "the wire schema of providers: tests/cli/test_lowered.py" },
    { "batch", "many records" },
    { "grounded", "grounding report: tests/cli" },
    { "ungrounded", "grounding report: tests/cli" },
    { "mcp", "the MCP server" },
    { "need_or_null",
      "no reply is given; what a model does with the text is measured, not tested" },
};

/* One by one. */
static const struct exception not_applicable[] = {
    { "P139", "an HTTP error of a provider: tests/wire" },
    { "P149", "JSON Patch: not a form of replies here" },
    { "P069", "splitting one long text over several calls" },
    { "P142", "replies go back as turns of text: no tool call is in the conversation" },
    { "P143",
      "the conversation grows, by contract; near the context's limit replies are left out" },
    { "P164", "a second model that judges values: there is none" },
};

struct counts {
    unsigned judged, skipped, wrong;
    unsigned by_outcome[COUNT(not_here)];
};

struct field_case {
    struct str id;
    struct json schema, expected, meta;
    struct str reply;
    enum model_channel channel;
    struct str text; /* of the prompt; empty: any */
};

static bool is_listed(const struct exception *list, size_t count, struct str id)
{
    for (size_t i = 0; i < count; i++) {
        if (str_equal(id, str_from(list[i].id)))
            return true;
    }
    return false;
}

static struct str text_of(struct json object, struct str name)
{
    struct json value =
        json_exists(object) && json_type(object) == JSON_OBJECT ? json_get(object, name) : object;
    return json_exists(value) && json_type(value) == JSON_STRING ? json_string(value) : STR("");
}

static enum model_finish finish_of(const struct field_case *field)
{
    if (!json_exists(field->meta))
        return MODEL_FINISH_STOP;
    struct json reason = json_get(field->meta, STR("finish_reason"));
    if (!json_exists(reason))
        return MODEL_FINISH_STOP;
    if (json_type(reason) != JSON_STRING)
        return MODEL_FINISH_UNKNOWN;
    struct str text = json_string(reason);
    if (str_equal(text, STR("length")) || str_equal(text, STR("max_tokens")))
        return MODEL_FINISH_LENGTH;
    return str_equal(text, STR("RECITATION")) ? MODEL_FINISH_FILTER : MODEL_FINISH_STOP;
}

/* The schema as text; a root that is no object is wrapped as --wrap-root does. */
static bool write_schema(const struct field_case *field, struct buffer *out)
{
    bool is_wrapped = !str_equal(text_of(field->schema, STR("type")), STR("object")) &&
                      !json_exists(json_get(field->schema, STR("$ref")));
    if (is_wrapped)
        buffer_append_str(out, STR("{\"type\":\"object\",\"properties\":{\"value\":"));
    json_write(field->schema, 0, out);
    if (is_wrapped)
        buffer_append_str(out, STR("},\"required\":[\"value\"],\"additionalProperties\":false}"));
    return is_wrapped;
}

/* ---- what came out
 * ------------------------------------------------------------------------------------ */

struct seen {
    struct run run;
    struct scripted_reply script[2];
    struct buffer reason; /* the last turn of the second model call */
};

static void keep_reason(void *state, const struct model_request *request)
{
    struct seen *seen = state;
    buffer_clear(&seen->reason);
    if (request->messages[request->message_count - 2].role == MODEL_ROLE_ASSISTANT &&
        request->messages[request->message_count - 1].role == MODEL_ROLE_USER)
        buffer_append_str(&seen->reason, request->messages[request->message_count - 1].text);
}

static const struct engine_result *seen_result(const struct seen *seen)
{
    return seen->run.call == NULL ? NULL : engine_call_result(seen->run.call);
}

static bool data_equals(const struct seen *seen, struct json value)
{
    uint64_t budget = 100000;
    const struct engine_result *result = seen_result(seen);
    return result != NULL && result->status == ENGINE_OK && json_exists(value) &&
           json_equal(result->data, value, &budget);
}

/* The names of the cases for "not one JSON value" are all "json" here. */
static bool keyword_matches(struct str keyword, struct str expected)
{
    static const char *const json_names[] = { "parse", "empty_response", "duplicate_key",
                                              "ambiguous_multiple_values", "no_structured_output" };
    for (size_t i = 0; i < COUNT(json_names); i++) {
        if (str_equal(expected, str_from(json_names[i])))
            return str_equal(keyword, STR("json")) || str_equal(keyword, STR("runaway"));
    }
    return str_equal(keyword, expected);
}

static bool has_violation(const struct seen *seen, struct json error)
{
    const struct engine_result *result = seen_result(seen);
    for (uint32_t i = 0; i < result->violations.count; i++) {
        const struct schema_violation *violation = &result->violations.items[i];
        if (str_equal(violation->pointer, text_of(error, STR("path"))) &&
            keyword_matches(violation->keyword, text_of(error, STR("keyword"))))
            return true;
    }
    return false;
}

static bool is_refused_as(const struct seen *seen, struct json expected)
{
    const struct engine_result *result = seen_result(seen);
    if (result == NULL || result->status != ENGINE_STALE || seen->run.model.calls != 2)
        return false;
    static const struct {
        struct str name;
        bool is_wanted, is_about_errors;
    } lists[] = { { { "errors", 6 }, true, true },
                  { { "must_not_errors", 15 }, false, true },
                  { { "message_must_contain", 20 }, true, false },
                  { { "message_must_not_contain", 24 }, false, false } };
    for (size_t i = 0; i < COUNT(lists); i++) {
        struct json list = json_get(expected, lists[i].name);
        if (!json_exists(list))
            continue;
        for (struct json item = json_first(list); json_exists(item); item = json_next(item, list)) {
            bool is_there =
                lists[i].is_about_errors
                    ? has_violation(seen, item)
                    : engine_text_contains(buffer_view(&seen->reason), json_string(item));
            if (is_there != lists[i].is_wanted)
                return false;
        }
    }
    return true;
}

static bool is_rejected(const struct seen *seen)
{
    return seen->run.status == STATUS_REJECTED && seen->run.model.calls == 1;
}

static bool is_expected(const struct seen *seen, struct json expected)
{
    struct str outcome = text_of(expected, STR("outcome"));
    struct json value = json_get(expected, STR("value"));
    const struct engine_result *result = seen_result(seen);
    if (str_equal(outcome, STR("accept")) || str_equal(outcome, STR("note_only")))
        return data_equals(seen, value);
    if (str_equal(outcome, STR("accept_exact")))
        return data_equals(seen, value) && result->repair_count == 0 &&
               engine_text_contains(run_text(&seen->run), text_of(expected, STR("exact_text")));
    if (str_equal(outcome, STR("reask_or_accept")))
        return data_equals(seen, value) || (result != NULL && result->status == ENGINE_STALE);
    if (str_equal(outcome, STR("reask")))
        return is_refused_as(seen, expected);
    if (str_equal(outcome, STR("fail")))
        return is_rejected(seen);
    if (str_equal(outcome, STR("warn")))
        return data_equals(seen, value) && result->warning_count > 0;
    if (!str_equal(outcome, STR("stream")))
        return false;
    struct json final = json_get(expected, STR("final"));
    if (json_exists(final))
        return data_equals(seen, final);
    return result != NULL && result->status == ENGINE_STALE &&
           has_violation(seen, json_get(expected, STR("final_error")));
}

/* ---- facts about the next request
 * ------------------------------------------------------------------------ */

struct requests {
    uint32_t count;
    uint32_t tokens_max[2];
    struct buffer first_text; /* the text turn of the first request */
    struct buffer last_turn;  /* of the second */
    enum model_role last_role;
    enum model_purpose last_purpose;
};

static void keep_request(void *state, const struct model_request *request)
{
    struct requests *requests = state;
    const struct model_message *last = &request->messages[request->message_count - 1];
    if (requests->count < 2)
        requests->tokens_max[requests->count] = request->tokens_max;
    if (requests->count++ == 0) {
        buffer_append_str(&requests->first_text, last->text);
        return;
    }
    buffer_append_str(&requests->last_turn, last->text);
    requests->last_role = last->role;
    requests->last_purpose = last->purpose;
}

static bool last_turn_has(const struct requests *requests, const char *part)
{
    return engine_text_contains(buffer_view(&requests->last_turn), str_from(part));
}

static bool request_is_right(const struct field_case *field, const struct requests *requests)
{
    if (str_equal(field->id, STR("P064"))) /* a higher limit, and no word of malformed JSON */
        return requests->count == 2 && requests->tokens_max[1] > requests->tokens_max[0] &&
               requests->last_purpose == MODEL_PURPOSE_TEXT;
    if (str_equal(field->id, STR("P141"))) /* path and rule; the whole reply is not repeated */
        return last_turn_has(requests, "required_field") && last_turn_has(requests, "/items/0") &&
               last_turn_has(requests, "\"sub\"") && !last_turn_has(requests, "\"wrong\":\"v\",");
    if (str_equal(field->id, STR("P146")))
        return requests->last_role == MODEL_ROLE_USER &&
               requests->last_purpose == MODEL_PURPOSE_REASON && last_turn_has(requests, "/a");
    if (str_equal(field->id, STR("P161")))
        return engine_text_contains(buffer_view(&requests->first_text), field->text);
    return false;
}

static bool run_request_case(const struct field_case *field)
{
    struct buffer schema;
    struct scripted_reply script[2] = { { .bytes = field->reply, .finish = finish_of(field) } };
    struct requests requests = { .count = 0 };
    struct run run;
    script[1] = script[0];
    buffer_init(&schema, alloc_default(), 1 << 20);
    buffer_init(&requests.first_text, alloc_default(), 1 << 20);
    buffer_init(&requests.last_turn, alloc_default(), 1 << 20);
    (void)write_schema(field, &schema);
    run_init(&run, schema.ptr, script, 2);
    if (field->text.len > 0)
        run.request.prompt = field->text;
    run.request.loops_max = 2;
    run.request.tokens_max = 10;
    run.request.tokens_auto = true;
    run.model.observe = keep_request;
    run.model.observe_state = &requests;
    run_go(&run);
    bool is_right = request_is_right(field, &requests);
    if (!is_right)
        print_error("%.*s: %.*s\n", (int)field->id.len, field->id.ptr, (int)requests.last_turn.len,
                    requests.last_turn.ptr == NULL ? "" : requests.last_turn.ptr);
    run_release(&run);
    buffer_release(&schema);
    buffer_release(&requests.first_text);
    buffer_release(&requests.last_turn);
    return is_right;
}

/* ---- one case
 * ----------------------------------------------------------------------------------------- */

static bool run_case(const struct field_case *field)
{
    struct buffer schema;
    struct seen seen = { .script = { { .bytes = field->reply,
                                       .finish = finish_of(field),
                                       .channel = field->channel } } };
    seen.script[1] = seen.script[0];
    buffer_init(&schema, alloc_default(), 1 << 20);
    buffer_init(&seen.reason, alloc_default(), 1 << 20);
    bool is_wrapped = write_schema(field, &schema);
    run_init(&seen.run, schema.ptr, seen.script, 2);
    seen.run.request.unwrap_root = is_wrapped;
    seen.run.request.loops_max = 2;
    seen.run.model.observe = keep_reason;
    seen.run.model.observe_state = &seen;
    run_go(&seen.run);
    bool is_right = is_expected(&seen, field->expected);
    if (is_right == is_listed(deviations, COUNT(deviations), field->id))
        print_error("%.*s: %.*s\n%.*s\n", (int)field->id.len, field->id.ptr,
                    (int)seen.run.result.len, seen.run.result.ptr, (int)seen.reason.len,
                    seen.reason.len > 0 ? seen.reason.ptr : "");
    buffer_release(&schema);
    buffer_release(&seen.reason);
    run_release(&seen.run);
    return is_right;
}

/* A schema that must be refused before any model call. */
static bool refuse_schema(const struct field_case *field)
{
    struct buffer schema;
    struct schema_program *program = NULL;
    struct error error = { 0 };
    struct schema_options options = { .object_root = true, .format_asserts = true };
    buffer_init(&schema, alloc_default(), 1 << 20);
    json_write(field->schema, 0, &schema);
    enum status status =
        schema_compile_text(buffer_view(&schema), &options, alloc_default(), &program, &error);
    schema_program_free(program);
    buffer_release(&schema);
    return status == STATUS_INVALID_SCHEMA &&
           str_starts_with(str_from(error.pointer), text_of(field->expected, STR("path")));
}

static void check_case(struct json line, struct counts *counts)
{
    struct json reply = json_get(line, STR("model_output"));
    struct field_case field = { .id = text_of(line, STR("id")),
                                .schema = json_get(line, STR("schema")),
                                .expected = json_get(line, STR("expected")),
                                .meta = json_get(line, STR("meta")),
                                .text = text_of(line, STR("text")),
                                .reply = json_exists(reply) ? json_string(reply) : STR("") };
    /* A reader of replies hands over what stood in the reasoning when there was nothing else. */
    struct str reasoning =
        json_exists(field.meta) ? text_of(field.meta, STR("reasoning_content")) : STR("");
    if (field.reply.len == 0 && reasoning.len > 0) {
        field.reply = reasoning;
        field.channel = MODEL_CHANNEL_REASONING;
    }
    struct str outcome = text_of(field.expected, STR("outcome"));
    for (size_t i = 0; i < COUNT(not_here); i++)
        counts->by_outcome[i] += str_equal(outcome, str_from(not_here[i].id));
    if (is_listed(not_here, COUNT(not_here), outcome) ||
        is_listed(not_applicable, COUNT(not_applicable), field.id)) {
        counts->skipped++;
        return;
    }
    counts->judged++;
    bool is_right = str_equal(outcome, STR("reject_schema")) ? refuse_schema(&field)
                    : str_equal(outcome, STR("request"))     ? run_request_case(&field)
                                                             : run_case(&field);
    if (is_right == is_listed(deviations, COUNT(deviations), field.id)) {
        print_error("%.*s: %s\n", (int)field.id.len, field.id.ptr,
                    is_right ? "passes by now: take it off the list" : "not as expected");
        counts->wrong++;
    }
}

/* Calls check with each line of a file of JSON Lines; false when the file is not there. */
static bool visit_lines(const char *relative, void (*check)(struct json, struct counts *),
                        struct counts *counts)
{
    char path[TEST_PATH_BYTES];
    if (!test_shared_path(path, relative))
        return false;
    struct str content = test_file_read(path);
    struct str rest = content;
    while (rest.len > 0) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        struct str line = { rest.ptr, end == NULL ? rest.len : (size_t)(end - rest.ptr) };
        rest = engine_text_skip(rest, line.len + (end != NULL));
        struct json_doc *doc = NULL;
        struct error error = { 0 };
        if (engine_text_is_blank(line))
            continue;
        assert_int_equal(json_parse(line, NULL, alloc_default(), &doc, &error), STATUS_OK);
        check(json_doc_root(doc), counts);
        json_doc_free(doc);
    }
    test_file_free(content);
    return true;
}

static void test_replies(void **state)
{
    (void)state;
    struct counts counts = { 0 };
    if (!visit_lines("cases/replies.jsonl", check_case, &counts)) {
        test_skip("cases/replies.jsonl is not there");
        return;
    }
    print_message("replies.jsonl: %u judged, %u about other parts, %u deviations\n", counts.judged,
                  counts.skipped, (unsigned)COUNT(deviations));
    for (size_t i = 0; i < COUNT(not_here); i++) {
        if (counts.by_outcome[i] > 0)
            print_message("  %2u %s: %s\n", counts.by_outcome[i], not_here[i].id,
                          not_here[i].reason);
    }
    for (size_t i = 0; i < COUNT(not_applicable); i++)
        print_message("  %s: %s\n", not_applicable[i].id, not_applicable[i].reason);
    for (size_t i = 0; i < COUNT(deviations); i++)
        print_message("  otherwise, %s: %s\n", deviations[i].id, deviations[i].reason);
    assert_int_equal(counts.wrong, 0);
    assert_true(counts.judged > 50);
}

/* ---- hostile replies
 * ---------------------------------------------------------------------------------- */

/* The reply of an attack: text, a value to serialise, or pieces with counts. False: it is about
 * something else. */
static bool write_attack(struct json input, struct buffer *out)
{
    struct json value = json_get(input, STR("json")), pieces = json_get(input, STR("cat"));
    struct json text = json_get(input, STR("text"));
    if (!json_exists(json_get(input, STR("schema"))))
        return false;
    if (json_exists(text))
        buffer_append_str(out, json_string(text));
    else if (json_exists(value))
        json_write(value, 0, out);
    else if (!json_exists(pieces))
        return false;
    for (struct json piece = json_exists(pieces) ? json_first(pieces) : pieces; json_exists(piece);
         piece = json_next(piece, pieces)) {
        struct decimal number = json_number(json_at(piece, 1));
        for (uint64_t count = decimal_to_uint64_saturated(&number); count > 0; count--)
            buffer_append_str(out, json_string(json_at(piece, 0)));
    }
    return buffer_status(out) == STATUS_OK;
}

/* accept: this value. Whatever else is wanted ("retry", "error", ...), a value that was not whole
 * is not ok. */
static bool attack_is_right(const struct seen *seen, struct json expected)
{
    struct str verdict = text_of(expected, STR("verdict"));
    const struct engine_result *result = seen_result(seen);
    bool is_ok = result != NULL && result->status == ENGINE_OK;
    if (str_equal(verdict, STR("accept")))
        return is_ok && (!json_exists(json_get(expected, STR("value"))) ||
                         data_equals(seen, json_get(expected, STR("value"))));
    if (str_equal(verdict, STR("error")) || str_equal(verdict, STR("retry")))
        return !is_ok;
    return seen->run.call != NULL;
}

static void check_attack(struct json line, struct counts *counts)
{
    struct seen seen = { .script = { { .finish = MODEL_FINISH_STOP } } };
    struct buffer reply, schema;
    struct json input = json_get(line, STR("input"));
    if (!str_equal(text_of(line, STR("surface")), STR("model_output")))
        return;
    buffer_init(&reply, alloc_default(), 64 << 20);
    buffer_init(&schema, alloc_default(), 1 << 20);
    if (json_type(input) != JSON_OBJECT || !write_attack(input, &reply)) {
        counts->skipped++;
        buffer_release(&reply);
        return;
    }
    counts->judged++;
    json_write(json_get(input, STR("schema")), 0, &schema);
    seen.script[0].bytes = buffer_view(&reply);
    run_init(&seen.run, schema.ptr, seen.script, 1);
    seen.run.request.loops_max = 1;
    run_go(&seen.run);
    if (!attack_is_right(&seen, json_get(line, STR("expected")))) {
        struct str id = text_of(line, STR("id"));
        print_error("%.*s: not as expected\n", (int)id.len, id.ptr);
        counts->wrong++;
    }
    run_release(&seen.run);
    buffer_release(&schema);
    buffer_release(&reply);
}

static void test_attacks(void **state)
{
    (void)state;
    struct counts counts = { 0 };
    if (!visit_lines("cases/attacks.jsonl", check_attack, &counts)) {
        test_skip("cases/attacks.jsonl is not there");
        return;
    }
    print_message("attacks.jsonl, model_output: %u judged, %u about providers and transport\n",
                  counts.judged, counts.skipped);
    assert_int_equal(counts.wrong, 0);
    assert_true(counts.judged > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_replies),
                                        cmocka_unit_test(test_attacks) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
