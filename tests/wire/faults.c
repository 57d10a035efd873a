/* faults.c - the table of faults. See faults.h. */
#include "base/features.h"

#include "faults.h"

#include "base/status.h"

enum { ANSWER_BYTES_MAX = 64 << 20 };

/* ---- building answers ---- */

void fault_answers_init(struct fault_answers *answers, enum wire_protocol protocol,
                        bool is_streamed)
{
    *answers = (struct fault_answers){ .protocol = protocol, .is_streamed = is_streamed };
}

void fault_answers_release(struct fault_answers *answers)
{
    for (uint32_t i = 0; i < answers->count; i++)
        buffer_release(&answers->items[i].bytes);
}

static struct fault_answer *answer_new(struct fault_answers *answers)
{
    struct fault_answer *answer = &answers->items[answers->count++];
    buffer_init(&answer->bytes, alloc_default(), ANSWER_BYTES_MAX);
    return answer;
}

/* The bytes are complete: they are sent, then comes `after`. */
static struct fault_answer *answer_seal(struct fault_answer *answer, enum fault_step_kind after)
{
    answer->steps[0] = (struct fault_step){ FAULT_SEND, buffer_view(&answer->bytes), 0, 0 };
    answer->steps[1] = (struct fault_step){ after, STR(""), 0, 0 };
    answer->steps[2] = (struct fault_step){ FAULT_END, STR(""), 0, 0 };
    answer->script = (struct fault_script){ .steps = answer->steps, .cut = FAULT_END };
    return answer;
}

static struct fault_answer *answer_raw(struct fault_answers *answers, struct str bytes,
                                       enum fault_step_kind after)
{
    struct fault_answer *answer = answer_new(answers);
    buffer_append_str(&answer->bytes, bytes);
    return answer_seal(answer, after);
}

static void write_head(struct buffer *out, bool is_streamed)
{
    buffer_append_str(out, STR("HTTP/1.1 200 OK\r\nConnection: close\r\nx-request-id: req_1\r\n"
                               "Content-Type: "));
    buffer_append_str(out, is_streamed ? STR("text/event-stream") : STR("application/json"));
}

/* A stream ends with the connection; a document says its length. */
static struct fault_answer *answer_events(struct fault_answers *answers,
                                          const struct wire_events *events)
{
    struct fault_answer *answer = answer_new(answers);
    write_head(&answer->bytes, answers->is_streamed);
    if (!answers->is_streamed)
        buffer_printf(&answer->bytes, "\r\nContent-Length: %zu", events->store.len);
    buffer_append_str(&answer->bytes, STR("\r\n\r\n"));
    buffer_append_str(&answer->bytes, buffer_view(&events->store));
    return answer_seal(answer, FAULT_CLOSE);
}

static struct fault_answer *answer_content(struct fault_answers *answers,
                                           const struct wire_content *content)
{
    struct wire_events events;
    wire_events_init(&events);
    wire_reply(answers->protocol, answers->is_streamed, content, &events);
    struct fault_answer *answer = answer_events(answers, &events);
    wire_events_release(&events);
    return answer;
}

struct fault_answer *fault_answer_good(struct fault_answers *answers)
{
    return answer_content(answers, &(struct wire_content){ .text = STR(WIRE_DATA) });
}

static struct fault_answer *answer_text(struct fault_answers *answers, struct str text)
{
    return answer_content(answers, &(struct wire_content){ .text = text });
}

static struct fault_answer *answer_finish(struct fault_answers *answers, enum wire_finish finish)
{
    return answer_content(answers,
                          &(struct wire_content){ .text = STR(WIRE_DATA), .finish = finish });
}

static void answer_status(struct fault_answers *answers, const char *status, const char *headers,
                          struct str body)
{
    struct fault_answer *answer = answer_new(answers);
    buffer_printf(&answer->bytes,
                  "HTTP/1.1 %s\r\n%sConnection: close\r\nContent-Length: %zu\r\n\r\n", status,
                  headers, body.len);
    buffer_append_str(&answer->bytes, body);
    (void)answer_seal(answer, FAULT_CLOSE);
}

/* An error status with the protocol's own body. */
static void answer_error(struct fault_answers *answers, const char *status, const char *headers,
                         const char *const types[2], const char *code, const char *param)
{
    struct buffer body;
    buffer_init(&body, alloc_default(), ANSWER_BYTES_MAX);
    const char *type = types[answers->protocol == WIRE_GEMINI ? 1 : 0];
    wire_error_body(answers->protocol, type, code, param, &body);
    answer_status(answers, status, headers, buffer_view(&body));
    buffer_release(&body);
}

#define JSON_TYPE "Content-Type: application/json\r\n"
#define HTML_TYPE "Content-Type: text/html\r\n"
#define HTML_BODY STR("<html><body>" WIRE_MARKER "</body></html>")

/* ---- by status line ---- */

#define STATUS_FAULT(name, status, headers, type, google_type, code, param)                        \
    static void name(struct fault_answers *answers)                                                \
    {                                                                                              \
        static const char *const types[2] = { type, google_type };                                 \
        answer_error(answers, status, JSON_TYPE headers, types, code, param);                      \
        (void)fault_answer_good(answers);                                                          \
    }

/* Gemini says INVALID_ARGUMENT for everything: the schema is suspected first. */
STATUS_FAULT(unauthorized, "401 Unauthorized", "", "authentication_error", "UNAUTHENTICATED",
             "invalid_api_key", "")
STATUS_FAULT(unpaid, "402 Payment Required", "", "billing_error", "FAILED_PRECONDITION",
             "billing_hard_limit_reached", "")
STATUS_FAULT(forbidden, "403 Forbidden", "", "permission_error", "PERMISSION_DENIED", "", "")
STATUS_FAULT(absent, "404 Not Found", "", "not_found_error", "NOT_FOUND", "model_not_found", "")
STATUS_FAULT(request_timeout, "408 Request Timeout", "", "timeout_error", "CANCELLED", "", "")
STATUS_FAULT(conflict, "409 Conflict", "", "conflict_error", "ABORTED", "", "")
STATUS_FAULT(unprocessable, "422 Unprocessable", "", "invalid_request_error", "OUT_OF_RANGE",
             "unknown_value", "metadata")
STATUS_FAULT(rate_limited, "429 Too Many Requests", "", "rate_limit_error", "RESOURCE_EXHAUSTED",
             "rate_limit_exceeded", "")
STATUS_FAULT(rate_limited_zero, "429 Too Many Requests", "Retry-After: 0\r\n", "rate_limit_error",
             "RESOURCE_EXHAUSTED", "rate_limit_exceeded", "")
STATUS_FAULT(rate_limited_ms, "429 Too Many Requests", "retry-after-ms: 3\r\n", "rate_limit_error",
             "RESOURCE_EXHAUSTED", "rate_limit_exceeded", "")
STATUS_FAULT(rate_limited_odd, "429 Too Many Requests", "Retry-After: soon\r\n", "rate_limit_error",
             "RESOURCE_EXHAUSTED", "rate_limit_exceeded", "")
STATUS_FAULT(rate_limited_long, "429 Too Many Requests", "Retry-After: 86400\r\n",
             "rate_limit_error", "RESOURCE_EXHAUSTED", "rate_limit_exceeded", "")
STATUS_FAULT(quota, "429 Too Many Requests", "", "insufficient_quota", "RESOURCE_EXHAUSTED",
             "insufficient_quota", "")
STATUS_FAULT(broken, "500 Internal Server Error", "", "api_error", "INTERNAL", "server_error", "")
STATUS_FAULT(unavailable, "503 Service Unavailable", "", "overloaded_error", "UNAVAILABLE",
             "server_is_overloaded", "")
STATUS_FAULT(gateway_timeout, "504 Gateway Timeout", "", "timeout_error", "DEADLINE_EXCEEDED", "",
             "")
STATUS_FAULT(overloaded, "529 Overloaded", "", "overloaded_error", "UNAVAILABLE", "", "")
STATUS_FAULT(no_more, "400 Bad Request", "x-should-retry: false\r\n", "invalid_request_error",
             "FAILED_PRECONDITION", "content_policy_violation", "")
STATUS_FAULT(too_long, "400 Bad Request", "", "invalid_request_error", "OUT_OF_RANGE",
             "context_length_exceeded", "messages")

static void too_large(struct fault_answers *answers)
{
    answer_status(answers, "413 Payload Too Large", HTML_TYPE, HTML_BODY);
    (void)fault_answer_good(answers);
}

static void bad_gateway(struct fault_answers *answers)
{
    answer_status(answers, "502 Bad Gateway", HTML_TYPE, HTML_BODY);
    (void)fault_answer_good(answers);
}

static void edge_error(struct fault_answers *answers)
{
    answer_status(answers, "520 Unknown", "", STR(""));
    (void)fault_answer_good(answers);
}

static void always_down(struct fault_answers *answers)
{
    answer_status(answers, "500 Internal Server Error", HTML_TYPE, HTML_BODY);
}

static void always_limited(struct fault_answers *answers)
{
    static const char *const types[2] = { "rate_limit_error", "RESOURCE_EXHAUSTED" };
    answer_error(answers, "429 Too Many Requests", JSON_TYPE, types, "rate_limit_exceeded", "");
}

static void error_in_array(struct fault_answers *answers)
{
    answer_status(answers, "503 Service Unavailable", JSON_TYPE,
                  STR("[{\"error\":{\"code\":503,\"message\":\"" WIRE_MARKER
                      "\",\"status\":\"UNAVAILABLE\"}}]"));
    (void)fault_answer_good(answers);
}

static void error_is_text(struct fault_answers *answers)
{
    answer_status(answers, "404 Not Found", JSON_TYPE, STR("{\"error\":\"" WIRE_MARKER "\"}"));
}

static void error_in_string(struct fault_answers *answers)
{
    answer_status(answers, "429 Too Many Requests", JSON_TYPE,
                  STR("{\"error\":{\"message\":\"{\\\"error\\\":{\\\"code\\\":"
                      "\\\"insufficient_quota\\\",\\\"message\\\":\\\"" WIRE_MARKER "\\\"}}\"}}"));
}

static void error_body_deep(struct fault_answers *answers)
{
    struct buffer body;
    buffer_init(&body, alloc_default(), ANSWER_BYTES_MAX);
    for (int i = 0; i < 100000; i++)
        buffer_append_byte(&body, '[');
    answer_status(answers, "403 Forbidden", JSON_TYPE, buffer_view(&body));
    buffer_release(&body);
}

static void error_body_huge(struct fault_answers *answers)
{
    struct buffer body;
    buffer_init(&body, alloc_default(), ANSWER_BYTES_MAX);
    for (int i = 0; i < 800000; i++)
        buffer_append_str(&body, STR(WIRE_MARKER));
    answer_status(answers, "403 Forbidden", HTML_TYPE, buffer_view(&body));
    buffer_release(&body);
}

#define REDIRECT(name, status)                                                                     \
    static void name(struct fault_answers *answers)                                                \
    {                                                                                              \
        answer_status(answers, status, "Location: http://127.0.0.1:9/elsewhere\r\n", STR(""));     \
    }
REDIRECT(redirect_301, "301 Moved Permanently")
REDIRECT(redirect_302, "302 Found")
REDIRECT(redirect_307, "307 Temporary Redirect")
REDIRECT(redirect_308, "308 Permanent Redirect")

/* ---- 200, but no reply ---- */

static void no_content(struct fault_answers *answers)
{
    (void)answer_raw(answers, STR("HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"),
                     FAULT_CLOSE);
}

static void page(struct fault_answers *answers)
{
    answer_status(answers, "200 OK", HTML_TYPE, HTML_BODY);
}

static void nothing(struct fault_answers *answers)
{
    answer_status(answers, "200 OK",
                  answers->is_streamed ? "Content-Type: text/event-stream\r\n" : JSON_TYPE,
                  STR(""));
}

static void number_only(struct fault_answers *answers)
{
    answer_status(answers, "200 OK", JSON_TYPE, STR("42"));
}

static void empty_object(struct fault_answers *answers)
{
    answer_status(answers, "200 OK", JSON_TYPE, STR("{}"));
}

static void error_with_200(struct fault_answers *answers)
{
    static const char *const types[2] = { "permission_error", "PERMISSION_DENIED" };
    answer_error(answers, "200 OK", JSON_TYPE, types, "permission_error", "");
}

static void spoilt_json(struct fault_answers *answers)
{
    answer_status(answers, "200 OK", JSON_TYPE, STR("{\"choices\":[{\"message\":"));
}

/* ---- HTTP itself ---- */

static void closed_at_once(struct fault_answers *answers)
{
    (void)answer_raw(answers, STR(""), FAULT_CLOSE);
}

static void reset_at_once(struct fault_answers *answers)
{
    (void)answer_raw(answers, STR(""), FAULT_RESET);
}

static void closed_once(struct fault_answers *answers)
{
    closed_at_once(answers);
    (void)fault_answer_good(answers);
}

static void reset_once(struct fault_answers *answers)
{
    reset_at_once(answers);
    (void)fault_answer_good(answers);
}

static void not_http(struct fault_answers *answers)
{
    (void)answer_raw(answers, STR("SSH-2.0-OpenSSH_9.2\r\n"), FAULT_CLOSE);
}

static void head_without_end(struct fault_answers *answers)
{
    struct fault_answer *answer = answer_raw(answers, STR("HTTP/1.1 200 OK\r\n"), FAULT_STALL);
    answer->steps[1] = (struct fault_step){ FAULT_REPEAT, STR("X-Filler: aaaaaaaaaaaa\r\n"), 0, 0 };
}

static void body_without_end(struct fault_answers *answers)
{
    struct fault_answer *answer = answer_new(answers);
    write_head(&answer->bytes, answers->is_streamed);
    buffer_append_str(&answer->bytes, STR("\r\n\r\n"));
    (void)answer_seal(answer, FAULT_STALL);
    answer->steps[1] = (struct fault_step){ FAULT_REPEAT, STR("                "), 0, 0 };
}

static void comments_without_end(struct fault_answers *answers)
{
    struct fault_answer *answer = answer_new(answers);
    write_head(&answer->bytes, true);
    buffer_append_str(&answer->bytes, STR("\r\n\r\n"));
    (void)answer_seal(answer, FAULT_STALL);
    answer->steps[1] = (struct fault_step){ FAULT_REPEAT, STR(": still here, wait\n\n"), 0, 0 };
}

static void gzip_bomb(struct fault_answers *answers)
{
    struct fault_answer *answer = answer_new(answers);
    write_head(&answer->bytes, answers->is_streamed);
    buffer_append_str(&answer->bytes, STR("\r\nContent-Encoding: gzip\r\n\r\n"));
    (void)answer_seal(answer, FAULT_CLOSE);
    answer->steps[1] = (struct fault_step){ FAULT_GZIP_ZEROS, STR(""), 1 << 30, 0 };
    answer->steps[2] = (struct fault_step){ FAULT_CLOSE, STR(""), 0, 0 };
    answer->steps[3] = (struct fault_step){ FAULT_END, STR(""), 0, 0 };
}

static void gzip_broken(struct fault_answers *answers)
{
    answer_status(answers, "200 OK", JSON_TYPE "Content-Encoding: gzip\r\n", STR("not gzip"));
}

static void chunks_broken(struct fault_answers *answers)
{
    (void)answer_raw(answers,
                     STR("HTTP/1.1 200 OK\r\n" JSON_TYPE
                         "Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"),
                     FAULT_CLOSE);
}

static void length_too_long(struct fault_answers *answers)
{
    struct fault_answer *answer = fault_answer_good(answers);
    answer->script.cut = FAULT_CLOSE;
    answer->script.cut_after = answer->bytes.len - 3;
}

static void stalled_at_once(struct fault_answers *answers)
{
    (void)answer_raw(answers, STR(""), FAULT_STALL);
}

static void stalled_in_body(struct fault_answers *answers)
{
    struct fault_answer *answer = fault_answer_good(answers);
    answer->script.cut = FAULT_STALL;
    answer->script.cut_after = answer->bytes.len - 12;
}

/* The good reply behind something that HTTP allows. */
static void good_behind(struct fault_answers *answers, struct str before)
{
    struct fault_answer *answer = fault_answer_good(answers);
    struct buffer bytes;
    buffer_init(&bytes, alloc_default(), ANSWER_BYTES_MAX);
    buffer_append_str(&bytes, before);
    buffer_append_str(&bytes, buffer_view(&answer->bytes));
    buffer_release(&answer->bytes);
    answer->bytes = bytes;
    (void)answer_seal(answer, FAULT_CLOSE);
}

static void informed_first(struct fault_answers *answers)
{
    good_behind(answers, STR("HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n"));
}

static void continued_first(struct fault_answers *answers)
{
    good_behind(answers, STR("HTTP/1.1 100 Continue\r\n\r\n"));
}

static void byte_by_byte(struct fault_answers *answers)
{
    fault_answer_good(answers)->steps[0].piece = 1;
}

/* The content type says one thing, the body is the other. */
static void type_lies(struct fault_answers *answers)
{
    bool is_streamed = answers->is_streamed;
    struct wire_events events;
    wire_events_init(&events);
    wire_reply(answers->protocol, !is_streamed, &(struct wire_content){ .text = STR(WIRE_DATA) },
               &events);
    answers->is_streamed = !is_streamed;
    (void)answer_events(answers, &events);
    answers->is_streamed = is_streamed;
    wire_events_release(&events);
}

/* ---- what a reply says of its end ---- */

static void cut_by_limit(struct fault_answers *answers)
{
    (void)answer_finish(answers, WIRE_LENGTH);
}

static void refused(struct fault_answers *answers)
{
    (void)answer_finish(answers, WIRE_REFUSAL);
}

static void filtered(struct fault_answers *answers)
{
    (void)answer_finish(answers, WIRE_FILTER);
}

static void no_usage(struct fault_answers *answers)
{
    (void)answer_content(answers,
                         &(struct wire_content){ .text = STR(WIRE_DATA), .no_usage = true });
}

static void no_terminal(struct fault_answers *answers)
{
    (void)answer_content(answers,
                         &(struct wire_content){ .text = STR(WIRE_DATA), .no_terminal = true });
}

static void no_text(struct fault_answers *answers)
{
    (void)answer_text(answers, STR(""));
}

static void blank_text(struct fault_answers *answers)
{
    (void)answer_text(answers, STR("   \n\n   "));
}

/* The second half comes later than the first. */
static void answer_in_halves(struct fault_answer *answer)
{
    enum { PAUSE_MS = 50 };
    struct str all = buffer_view(&answer->bytes);
    struct fault_step end = answer->steps[1];
    answer->steps[0] = (struct fault_step){ FAULT_SEND, str_of(all.ptr, all.len / 2), 0, 0 };
    answer->steps[1] = (struct fault_step){ FAULT_DELAY, STR(""), PAUSE_MS, 0 };
    answer->steps[2] =
        (struct fault_step){ FAULT_SEND, str_of(all.ptr + all.len / 2, all.len - all.len / 2), 0,
                             0 };
    answer->steps[3] = end;
    answer->steps[4] = (struct fault_step){ FAULT_END, STR(""), 0, 0 };
}

/* Its first member says that nothing can become of it: it is not read to its end. */
static void invalid_early(struct fault_answers *answers)
{
    struct buffer text;
    buffer_init(&text, alloc_default(), ANSWER_BYTES_MAX);
    buffer_append_str(&text, STR("{\"priority\":9,\"actor\":\""));
    for (int i = 0; i < 100; i++)
        buffer_append_byte(&text, (char)('a' + i * 7 % 26));
    buffer_append_str(&text, STR("\"}"));
    answer_in_halves(answer_text(answers, buffer_view(&text)));
    buffer_release(&text);
    (void)fault_answer_good(answers);
}

static void invalid_then_good(struct fault_answers *answers)
{
    (void)answer_text(answers, STR(WIRE_DATA_BAD));
    (void)fault_answer_good(answers);
}

static void always_invalid(struct fault_answers *answers)
{
    (void)answer_text(answers, STR(WIRE_DATA_BAD));
}

static void half_a_value(struct fault_answers *answers)
{
    (void)answer_text(answers, STR("{\"actor\":\"Mike\",\"prio"));
}

static void two_values(struct fault_answers *answers)
{
    (void)answer_text(answers, STR(WIRE_DATA "\n{\"actor\":\"Ann\",\"priority\":1}"));
}

static void runaway(struct fault_answers *answers)
{
    struct buffer text;
    buffer_init(&text, alloc_default(), ANSWER_BYTES_MAX);
    buffer_append_byte(&text, '{');
    for (int i = 0; i < 200000; i++)
        buffer_append_str(&text, STR("\n  "));
    (void)answer_text(answers, buffer_view(&text));
    buffer_release(&text);
    (void)fault_answer_good(answers);
}

static void fenced(struct fault_answers *answers)
{
    (void)answer_text(answers, STR("```json\n" WIRE_DATA "\n```"));
}

static void text_not_utf8(struct fault_answers *answers)
{
    struct wire_events events;
    wire_events_init(&events);
    wire_reply(answers->protocol, answers->is_streamed,
               &(struct wire_content){ .text = STR("{\"actor\":\"M@ke\",\"priority\":3}") },
               &events);
    for (size_t i = 0; i < events.store.len; i++) {
        if (events.store.ptr[i] == '@')
            events.store.ptr[i] = '\xC3';
    }
    (void)answer_events(answers, &events);
    wire_events_release(&events);
}

/* ---- events that are lost, doubled, spoilt ---- */

/* The good reply's events, edited. */
static void edited(struct fault_answers *answers,
                   void (*edit)(struct fault_answers *answers, struct wire_events *events))
{
    struct wire_events events;
    wire_events_init(&events);
    wire_reply(answers->protocol, answers->is_streamed,
               &(struct wire_content){ .text = STR(WIRE_DATA) }, &events);
    edit(answers, &events);
    (void)answer_events(answers, &events);
    wire_events_release(&events);
}

#define EDIT_FAULT(name)                                                                           \
    static void name##_edit(struct fault_answers *answers, struct wire_events *events);            \
    static void name(struct fault_answers *answers)                                                \
    {                                                                                              \
        edited(answers, name##_edit);                                                              \
    }                                                                                              \
    static void name##_edit(struct fault_answers *answers, struct wire_events *events)

static void insert_error(struct fault_answers *answers, struct wire_events *events,
                         const char *type, const char *google_type)
{
    struct buffer text;
    buffer_init(&text, alloc_default(), ANSWER_BYTES_MAX);
    wire_error_event(answers->protocol, answers->protocol == WIRE_GEMINI ? google_type : type,
                     &text);
    events->count = 3; /* the rest never comes */
    events->store.len = events->begin[3];
    wire_events_insert(events, 3, buffer_view(&text));
    buffer_release(&text);
}

EDIT_FAULT(error_in_stream)
{
    insert_error(answers, events, "permission_error", "PERMISSION_DENIED");
}

EDIT_FAULT(overload_in_stream_edit_once)
{
    insert_error(answers, events, "overloaded_error", "UNAVAILABLE");
}

static void overload_in_stream(struct fault_answers *answers)
{
    overload_in_stream_edit_once(answers);
    (void)fault_answer_good(answers);
}

EDIT_FAULT(last_event_doubled)
{
    (void)answers;
    wire_events_insert(events, events->count, wire_event(events, events->count - 1));
}

EDIT_FAULT(last_event_cut)
{
    (void)answers;
    struct str last = wire_event(events, events->count - 1);
    wire_events_replace(events, events->count - 1, str_of(last.ptr, last.len / 2));
}

EDIT_FAULT(delta_lost)
{
    (void)answers;
    wire_events_remove(events, events->count / 2 - 1);
}

EDIT_FAULT(unknown_events)
{
    (void)answers;
    wire_events_insert(events, 2, STR("event: brand_new\ndata: {\"type\":\"brand_new\"}\n\n"));
}

EDIT_FAULT(signs_of_life)
{
    (void)answers;
    for (uint32_t i = 0; i < 4; i++)
        wire_events_insert(events, i, STR(": PROCESSING\n\n:\n"));
}

EDIT_FAULT(spoilt_event)
{
    (void)answers;
    wire_events_insert(events, 2, STR("data: {\"choices\":[{\"delta\"\n\n"));
}

EDIT_FAULT(event_is_no_object)
{
    (void)answers;
    wire_events_insert(events, 2, STR("data: [1,2,3\n\n"));
}

EDIT_FAULT(deep_event)
{
    (void)answers;
    struct buffer text;
    buffer_init(&text, alloc_default(), ANSWER_BYTES_MAX);
    buffer_append_str(&text, STR("data: "));
    for (int i = 0; i < 100000; i++)
        buffer_append_byte(&text, '[');
    buffer_append_str(&text, STR("\n\n"));
    wire_events_insert(events, 2, buffer_view(&text));
    buffer_release(&text);
}

EDIT_FAULT(huge_event)
{
    (void)answers;
    struct buffer text;
    buffer_init(&text, alloc_default(), ANSWER_BYTES_MAX);
    buffer_append_str(&text, STR("data: "));
    for (int i = 0; i < 9 << 20; i++)
        buffer_append_byte(&text, 'a');
    buffer_append_str(&text, STR("\n\n"));
    wire_events_insert(events, 2, buffer_view(&text));
    buffer_release(&text);
}

EDIT_FAULT(after_the_end)
{
    (void)answers;
    wire_events_insert(events, events->count, wire_event(events, 2));
}

/* LF becomes another line end that the standard allows. */
static void with_line_ends(struct wire_events *events, struct str line_end)
{
    struct buffer text;
    buffer_init(&text, alloc_default(), ANSWER_BYTES_MAX);
    for (size_t i = 0; i < events->store.len; i++) {
        if (events->store.ptr[i] == '\n')
            buffer_append_str(&text, line_end);
        else
            buffer_append_byte(&text, events->store.ptr[i]);
    }
    buffer_release(&events->store);
    events->store = text;
    events->count = 1;
}

EDIT_FAULT(lines_end_crlf)
{
    (void)answers;
    with_line_ends(events, STR("\r\n"));
}

EDIT_FAULT(lines_end_cr)
{
    (void)answers;
    with_line_ends(events, STR("\r"));
}

EDIT_FAULT(byte_order_mark)
{
    (void)answers;
    wire_events_insert(events, 0, STR("\xEF\xBB\xBF"));
}

/* ---- the table ---- */

#define ONLY_GEMINI  (1u << WIRE_GEMINI)
#define WHOLE_AT_END (1u << WIRE_RESPONSES) /* its last event repeats the whole reply */

#define TRIES 3

const struct fault_case fault_cases[] = {
    { "401 key refused", FAULT_IN_BOTH, unauthorized, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "402 unpaid", FAULT_IN_BOTH, unpaid, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "403 forbidden", FAULT_IN_BOTH, forbidden, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "404 no such model", FAULT_IN_BOTH, absent, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "408 once", FAULT_IN_BOTH, request_timeout, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "409 once", FAULT_IN_BOTH, conflict, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "413 as a page", FAULT_IN_BOTH, too_large, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "422", FAULT_IN_BOTH, unprocessable, STATUS_REJECTED, 1, 2, FAULT_COUNTS_NONE, 0 },
    { "429 once", FAULT_IN_BOTH, rate_limited, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "429 retry-after 0", FAULT_IN_BOTH, rate_limited_zero, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "429 retry-after-ms", FAULT_IN_BOTH, rate_limited_ms, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "429 retry-after nonsense", FAULT_IN_BOTH, rate_limited_odd, STATUS_OK, 2, 2,
      FAULT_COUNTS_ONE, 0 },
    { "429 retry-after beyond", FAULT_IN_BOTH, rate_limited_long, STATUS_TRANSIENT, 1, 1,
      FAULT_COUNTS_NONE, 0 },
    { "429 quota", FAULT_IN_BOTH, quota, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE, ONLY_GEMINI },
    { "429 for ever", FAULT_IN_BOTH, always_limited, STATUS_TRANSIENT, TRIES, TRIES,
      FAULT_COUNTS_NONE, 0 },
    { "500 once", FAULT_IN_BOTH, broken, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "500 for ever", FAULT_IN_BOTH, always_down, STATUS_TRANSIENT, TRIES, TRIES, FAULT_COUNTS_NONE,
      0 },
    { "502 as a page", FAULT_IN_BOTH, bad_gateway, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "503 once", FAULT_IN_BOTH, unavailable, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "504 once", FAULT_IN_BOTH, gateway_timeout, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "520 empty", FAULT_IN_BOTH, edge_error, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "529 once", FAULT_IN_BOTH, overloaded, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "400 policy", FAULT_IN_BOTH, no_more, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "400 context length", FAULT_IN_BOTH, too_long, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE,
      ONLY_GEMINI },
    { "error in an array", FAULT_IN_BOTH, error_in_array, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "error is a text", FAULT_IN_BOTH, error_is_text, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE,
      0 },
    { "error inside a string", FAULT_IN_BOTH, error_in_string, STATUS_REJECTED, 1, 1,
      FAULT_COUNTS_NONE, 0 },
    { "error body deep", FAULT_IN_BOTH, error_body_deep, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE,
      0 },
    { "error body huge", FAULT_IN_BOTH, error_body_huge, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE,
      0 },
    { "301", FAULT_IN_BOTH, redirect_301, STATUS_TRANSPORT, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "302", FAULT_IN_BOTH, redirect_302, STATUS_TRANSPORT, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "307", FAULT_IN_BOTH, redirect_307, STATUS_TRANSPORT, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "308", FAULT_IN_BOTH, redirect_308, STATUS_TRANSPORT, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "204", FAULT_IN_BOTH, no_content, STATUS_TRANSPORT, 1, TRIES, FAULT_COUNTS_NONE, 0 },
    { "200 a page", FAULT_IN_BOTH, page, STATUS_TRANSPORT, 1, TRIES, FAULT_ESTIMATES, 0 },
    { "200 nothing", FAULT_IN_BOTH, nothing, STATUS_TRANSPORT, 1, TRIES, FAULT_COUNTS_NONE, 0 },
    { "200 a number", FAULT_IN_BOTH, number_only, STATUS_TRANSPORT, 1, TRIES, FAULT_ESTIMATES, 0 },
    { "200 an empty object", FAULT_IN_BOTH, empty_object, STATUS_TRANSPORT, 1, TRIES,
      FAULT_ESTIMATES, 0 },
    { "200 an error", FAULT_IN_BOTH, error_with_200, STATUS_REJECTED, 1, 1, FAULT_COUNTS_NONE, 0 },
    { "200 half a document", FAULT_IN_BOTH, spoilt_json, STATUS_TRANSPORT, 1, TRIES,
      FAULT_ESTIMATES, 0 },
    { "closed at once", FAULT_IN_BOTH, closed_at_once, STATUS_TRANSPORT, TRIES, TRIES,
      FAULT_COUNTS_NONE, 0 },
    { "closed once", FAULT_IN_BOTH, closed_once, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "reset at once", FAULT_IN_BOTH, reset_at_once, STATUS_TRANSPORT, TRIES, TRIES,
      FAULT_COUNTS_NONE, 0 },
    { "reset once", FAULT_IN_BOTH, reset_once, STATUS_OK, 2, 2, FAULT_COUNTS_ONE, 0 },
    { "not HTTP", FAULT_IN_BOTH, not_http, STATUS_TRANSPORT, 1, TRIES, FAULT_COUNTS_NONE, 0 },
    { "head without end", FAULT_IN_BOTH, head_without_end, STATUS_TRANSPORT, 1, TRIES,
      FAULT_COUNTS_NONE, 0 },
    { "body without end", FAULT_IN_BOTH, body_without_end, STATUS_TRANSPORT, 1, TRIES,
      FAULT_ESTIMATES, 0 },
    { "comments without end", FAULT_IN_STREAM, comments_without_end, STATUS_TRANSPORT, 1, TRIES,
      FAULT_ESTIMATES, 0 },
    { "gzip bomb", FAULT_IN_BOTH, gzip_bomb, STATUS_TRANSPORT, 1, TRIES, FAULT_ESTIMATES, 0 },
    { "gzip broken", FAULT_IN_BOTH, gzip_broken, STATUS_TRANSPORT, 1, TRIES, FAULT_COUNTS_NONE, 0 },
    { "chunks broken", FAULT_IN_BOTH, chunks_broken, STATUS_TRANSPORT, 1, TRIES, FAULT_COUNTS_NONE,
      0 },
    { "shorter than its length", FAULT_IN_WHOLE, length_too_long, STATUS_TRANSPORT, TRIES, TRIES,
      FAULT_ESTIMATES, 0 },
    { "stalled at once", FAULT_IN_BOTH, stalled_at_once, STATUS_TRANSPORT, 1, TRIES,
      FAULT_COUNTS_NONE, 0 },
    { "stalled in the body", FAULT_IN_BOTH, stalled_in_body, STATUS_TRANSPORT, 1, TRIES,
      FAULT_ESTIMATES, 0 },
    { "103 first", FAULT_IN_BOTH, informed_first, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "100 first", FAULT_IN_BOTH, continued_first, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "byte by byte", FAULT_IN_BOTH, byte_by_byte, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "the other form", FAULT_IN_BOTH, type_lies, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "cut by the limit", FAULT_IN_BOTH, cut_by_limit, STATUS_REJECTED, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "refused", FAULT_IN_BOTH, refused, STATUS_REJECTED, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "filtered", FAULT_IN_BOTH, filtered, STATUS_REJECTED, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "no usage", FAULT_IN_BOTH, no_usage, STATUS_OK, 1, 1, FAULT_ESTIMATES, 0 },
    { "no terminal event", FAULT_IN_STREAM, no_terminal, STATUS_TRANSPORT, TRIES, TRIES,
      FAULT_ESTIMATES, 0 },
    { "no text", FAULT_IN_BOTH, no_text, FAULT_STATUS_STALE, 3, 3, FAULT_COUNTS_ALL, 0 },
    { "blank text", FAULT_IN_BOTH, blank_text, FAULT_STATUS_STALE, 3, 3, FAULT_COUNTS_ALL, 0 },
    { "invalid, then good", FAULT_IN_BOTH, invalid_then_good, STATUS_OK, 2, 2, FAULT_COUNTS_ALL,
      0 },
    { "invalid early, then good", FAULT_IN_STREAM, invalid_early, STATUS_OK, 2, 2, FAULT_STOPS,
      1u << WIRE_COMPAT },
    { "always invalid", FAULT_IN_BOTH, always_invalid, FAULT_STATUS_STALE, 3, 3, FAULT_COUNTS_ALL,
      0 },
    { "half a value", FAULT_IN_BOTH, half_a_value, FAULT_STATUS_STALE, 3, 3, FAULT_COUNTS_ALL, 0 },
    { "two values", FAULT_IN_BOTH, two_values, FAULT_STATUS_STALE, 3, 3, FAULT_COUNTS_ALL, 0 },
    { "runaway, then good", FAULT_IN_STREAM, runaway, STATUS_OK, 2, 2, FAULT_ESTIMATES, 0 },
    { "runaway to its end, then good", FAULT_IN_WHOLE, runaway, STATUS_OK, 2, 2, FAULT_COUNTS_ALL,
      0 },
    { "fenced", FAULT_IN_BOTH, fenced, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "not UTF-8", FAULT_IN_BOTH, text_not_utf8, STATUS_TRANSPORT, 1, TRIES, FAULT_ESTIMATES, 0 },
    { "error in the stream", FAULT_IN_STREAM, error_in_stream, STATUS_REJECTED, 1, 1,
      FAULT_ESTIMATES, 0 },
    { "overload in the stream", FAULT_IN_STREAM, overload_in_stream, STATUS_OK, 2, 2,
      FAULT_ESTIMATES, 0 },
    { "last event doubled", FAULT_IN_STREAM, last_event_doubled, STATUS_OK, 1, 1, FAULT_COUNTS_ONE,
      ONLY_GEMINI },
    { "last event cut", FAULT_IN_STREAM, last_event_cut, STATUS_TRANSPORT, TRIES, TRIES,
      FAULT_ESTIMATES, 0 },
    { "a piece lost", FAULT_IN_STREAM, delta_lost, FAULT_STATUS_STALE, 3, 3, FAULT_COUNTS_ALL,
      WHOLE_AT_END },
    { "unknown events", FAULT_IN_STREAM, unknown_events, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "comments", FAULT_IN_STREAM, signs_of_life, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "event spoilt", FAULT_IN_STREAM, spoilt_event, STATUS_TRANSPORT, 1, TRIES, FAULT_ESTIMATES,
      0 },
    { "event no object", FAULT_IN_STREAM, event_is_no_object, STATUS_TRANSPORT, 1, TRIES,
      FAULT_ESTIMATES, 0 },
    { "event deep", FAULT_IN_STREAM, deep_event, STATUS_TRANSPORT, 1, TRIES, FAULT_ESTIMATES, 0 },
    { "event huge", FAULT_IN_STREAM, huge_event, STATUS_TRANSPORT, 1, TRIES, FAULT_ESTIMATES, 0 },
    { "more behind the end", FAULT_IN_STREAM, after_the_end, STATUS_OK, 1, 1, FAULT_COUNTS_ONE,
      ONLY_GEMINI },
    { "lines end with CR LF", FAULT_IN_STREAM, lines_end_crlf, STATUS_OK, 1, 1, FAULT_COUNTS_ONE,
      0 },
    { "lines end with CR", FAULT_IN_STREAM, lines_end_cr, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
    { "byte order mark", FAULT_IN_BOTH, byte_order_mark, STATUS_OK, 1, 1, FAULT_COUNTS_ONE, 0 },
};

const uint32_t fault_case_count = sizeof(fault_cases) / sizeof(fault_cases[0]);
