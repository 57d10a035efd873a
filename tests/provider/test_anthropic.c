/* test_anthropic.c - the Messages API: requests to the byte, replies whole, split, cut and odd. */
#include "base/features.h"

#include "protocol_test.h"

/* ---- requests ---- */

static const struct model_message talk[] = {
    { MODEL_ROLE_SYSTEM, MODEL_PURPOSE_RULES, FIXED("Rules.") },
    { MODEL_ROLE_SYSTEM, MODEL_PURPOSE_MANUAL, FIXED("Manual.") },
    { MODEL_ROLE_USER, MODEL_PURPOSE_TEXT, FIXED("Text \"a\"\n\xED\xA0\x80") },
    { MODEL_ROLE_ASSISTANT, MODEL_PURPOSE_REPLY, FIXED(" \n") },
    { MODEL_ROLE_USER, MODEL_PURPOSE_REASON, FIXED("Wrong.") },
    { MODEL_ROLE_ASSISTANT, MODEL_PURPOSE_REPLY, FIXED("{}") },
    { MODEL_ROLE_USER, MODEL_PURPOSE_REASON, FIXED("Again.") },
};

#define SYSTEM "'system':[{'type':'text','text':'Rules.'},{'type':'text','text':'Manual.'}],"
#define FIRST  "'messages':[{'role':'user','content':[{'type':'text','text':'T'}]}]"

static const struct model_message text_only[] = {
    { MODEL_ROLE_USER, MODEL_PURPOSE_TEXT, FIXED("T") },
};

static const struct request_case requests[] = {
    { "a conversation: blank turns go, neighbours of a role are one turn, bad UTF-8 is replaced",
      { .messages = talk, .message_count = 7, .is_streamed = true },
      PROVIDER_TAKES_SYSTEM_ROLE,
      NULL,
      NULL,
      "{'model':'m','max_tokens':100,'stream':true," SYSTEM
      "'messages':[{'role':'user','content':[{'type':'text','text':'Text \\'a\\'\\n\xEF\xBF\xBD'},"
      "{'type':'text','text':'Wrong.'}]},{'role':'assistant','content':[{'type':'text',"
      "'text':'{}'}]},{'role':'user','content':[{'type':'text','text':'Again.'}]}]}" },
    { "schema, and the mark on the last block that is the same over calls",
      { .messages = talk,
        .message_count = 3,
        .mechanism = PROVIDER_BY_SCHEMA,
        .is_strict = true,
        .schema = FIXED("{\"type\":\"object\"}"),
        .schema_words = FIXED("Words.") },
      PROVIDER_TAKES_SYSTEM_ROLE | PROVIDER_TAKES_CACHE_MARKS,
      NULL,
      NULL,
      "{'model':'m','max_tokens':100,'system':[{'type':'text','text':'Rules.'},"
      "{'type':'text','text':'Manual.'},{'type':'text','text':'Words.',"
      "'cache_control':{'type':'ephemeral'}}],'messages':[{'role':'user','content':[{'type':'text',"
      "'text':'Text \\'a\\'\\n\xEF\xBF\xBD'}]}],"
      "'output_config':{'format':{'type':'json_schema','schema':{'type':'object'}}}}" },
    { "effort is merged, not overwritten",
      { .messages = text_only,
        .message_count = 1,
        .mechanism = PROVIDER_BY_SCHEMA,
        .schema = FIXED("{}") },
      PROVIDER_TAKES_SYSTEM_ROLE,
      NULL,
      "{'output_config':{'effort':'low'},'thinking':{'type':'adaptive'}}",
      "{'model':'m','max_tokens':100," FIRST
      ",'output_config':{'format':{'type':'json_schema','schema':{}},'effort':'low'},"
      "'thinking':{'type':'adaptive'}}" },
    { "a strict tool, never forced",
      { .messages = text_only,
        .message_count = 1,
        .mechanism = PROVIDER_BY_TOOL,
        .is_strict = true,
        .schema = FIXED("{}") },
      PROVIDER_TAKES_SYSTEM_ROLE,
      NULL,
      NULL,
      "{'model':'m','max_tokens':100," FIRST
      ",'tools':[{'name':'answer','description':'Takes the answer. Call it once.','strict':true,"
      "'input_schema':{}}],'tool_choice':{'type':'auto'}}" },
    { "temperature only where it is taken",
      { .messages = text_only, .message_count = 1, .temperature = 0.25 },
      PROVIDER_TAKES_SYSTEM_ROLE | PROVIDER_TAKES_TEMPERATURE,
      NULL,
      NULL,
      "{'model':'m','max_tokens':100,'temperature':0.25," FIRST "}" },
    { "and where no refusal told to leave it out",
      { .messages = text_only,
        .message_count = 1,
        .temperature = 0.25,
        .omit = PROVIDER_TAKES_TEMPERATURE },
      PROVIDER_TAKES_SYSTEM_ROLE | PROVIDER_TAKES_TEMPERATURE,
      NULL,
      NULL,
      "{'model':'m','max_tokens':100," FIRST "}" },
    { "the system's text goes before the user's where there is no role for it",
      { .messages = talk, .message_count = 2, .schema_words = FIXED("Words.") },
      0,
      NULL,
      NULL,
      "{'model':'m','max_tokens':100,'messages':[{'role':'user','content':[{'type':'text',"
      "'text':'Rules.'},{'type':'text','text':'Manual.'},{'type':'text','text':'Words.'}]}]}" },
    { "a row can take away and replace",
      { .messages = text_only, .message_count = 1, .is_streamed = true },
      PROVIDER_TAKES_SYSTEM_ROLE,
      NULL,
      "{'stream':null,'max_tokens':7}",
      "{'model':'m'," FIRST ",'max_tokens':7}" },
};

static void test_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        check_request(PROVIDER_ANTHROPIC, &requests[i]);
}

static void test_headers(void **state)
{
    struct json_doc *more = test_json("{'anthropic-version':'2023-06-01','accept':'x/y'}");
    const struct provider_row row = { .id = STR("anthropic"),
                                      .protocol = PROVIDER_ANTHROPIC,
                                      .key_header = STR("x-api-key"),
                                      .headers = json_doc_root(more) };
    const struct provider_model model = { .pattern = STR("*") };
    struct protocol_call call = test_call(&row, &model, ASK_STREAM);
    struct protocol_request request;
    (void)state;
    call.base_url = STR("https://host//");
    call.key = STR("KEY");
    protocol_request_init(&request, alloc_default());
    protocol_write(&call, &request);
    assert_true(str_equal(buffer_view(&request.url), STR("https://host/v1/messages")));
    assert_int_equal(request.header_count, 4);
    assert_true(str_equal(request.headers[0].name, STR("x-api-key")));
    assert_true(str_equal(request.headers[0].value, STR("KEY")));
    assert_true(request.headers[0].is_secret);
    assert_true(str_equal(request.headers[1].value, STR("2023-06-01")));
    assert_false(request.headers[1].is_secret);
    assert_true(str_equal(request.headers[2].value, STR("x/y")));
    assert_true(str_equal(request.headers[3].value, STR("application/json")));
    call.key = STR("KEY\r\nhost: elsewhere");
    protocol_write(&call, &request);
    assert_int_equal(buffer_status(&request.text), STATUS_INVALID_REQUEST);
    protocol_request_release(&request);
    json_doc_free(more);
}

/* ---- replies ---- */

#define START                                                                                      \
    EVENT("message_start",                                                                         \
          "{'type':'message_start','message':{'id':'msg_1','type':'message','role':'assistant',"   \
          "'model':'claude','content':[],'stop_reason':null,'usage':{'input_tokens':10,"           \
          "'cache_read_input_tokens':4,'output_tokens':1}}}")
#define TEXT_BEGIN(index)                                                                          \
    EVENT("content_block_start", "{'type':'content_block_start','index':" index                    \
                                 ",'content_block':{'type':'text','text':''}}")
#define TEXT(index, text)                                                                          \
    EVENT("content_block_delta", "{'type':'content_block_delta','index':" index                    \
                                 ",'delta':{'type':'text_delta','text':'" text "'}}")
#define TOOL_BEGIN(input)                                                                          \
    EVENT("content_block_start", "{'type':'content_block_start','index':1,'content_block':{"       \
                                 "'type':'tool_use','id':'t','name':'answer','input':" input "}}")
#define JSON_PIECE(piece)                                                                          \
    EVENT("content_block_delta", "{'type':'content_block_delta','index':1,'delta':{"               \
                                 "'type':'input_json_delta','partial_json':'" piece "'}}")
#define BLOCK_END(index)                                                                           \
    EVENT("content_block_stop", "{'type':'content_block_stop','index':" index "}")
#define DELTA(reason)                                                                              \
    EVENT("message_delta", "{'type':'message_delta','delta':{'stop_reason':'" reason               \
                           "','stop_sequence':null},'usage':{'output_tokens':5}}")
#define STOP   EVENT("message_stop", "{'type':'message_stop'}")
#define PING   EVENT("ping", "{'type':'ping'}")
#define ANSWER START TEXT_BEGIN("0") PING TEXT("0", "{\\'a\\'") TEXT("0", ":1}") BLOCK_END("0")
#define DOCUMENT(content, reason)                                                                  \
    "{'id':'msg_1','type':'message','role':'assistant','model':'claude','content':" content        \
    ",'stop_reason':'" reason "','usage':{'input_tokens':10,'output_tokens':5,"                    \
    "'cache_creation_input_tokens':3,'cache_read_input_tokens':4}}"

static const struct reply_case replies[] = {
    { "a reply", ASK_STREAM, 0, ANSWER DELTA("end_turn") STOP, "ok stop text |{'a':1}| 14/5/4" },
    { "CRLF and a byte order mark", ASK_STREAM, 0,
      "\xEF\xBB\xBF"
      "event: message_delta\r\ndata: {'type':'message_delta','delta':{"
      "'stop_reason':'end_turn'}}\r\n\r\nevent: message_stop\r\ndata: "
      "{'type':'message_stop'}\r\n\r\n",
      "ok stop text || 0/0/0" },
    { "thinking is not the answer", ASK_STREAM, 0,
      START EVENT("content_block_start", "{'type':'content_block_start','index':0,"
                                         "'content_block':{'type':'thinking','thinking':''}}")
          EVENT("content_block_delta",
                "{'type':'content_block_delta','index':0,'delta':{'type':'thinking_delta',"
                "'thinking':'{}'}}") EVENT("content_block_delta",
                                           "{'type':'content_block_delta','index':0,'delta':{"
                                           "'type':'signature_delta','signature':'x'}}")
              BLOCK_END("0") TEXT_BEGIN("1") TEXT("1", "{}") BLOCK_END("1") DELTA("end_turn") STOP,
      "ok stop text |{}| 14/5/4" },
    { "two blocks of text", ASK_STREAM, 0,
      START TEXT_BEGIN("0") TEXT("0", "{}") BLOCK_END("0") TEXT_BEGIN("1") TEXT("1", "{}")
          BLOCK_END("1") DELTA("end_turn") STOP,
      "ok stop text second |{}{}| 14/5/4" },
    { "cut at the limit", ASK_STREAM, 0,
      START TEXT_BEGIN("0") TEXT("0", "{") DELTA("max_tokens") STOP, "ok length text |{| 14/5/4" },
    { "the context is full", ASK_STREAM, 0, ANSWER DELTA("model_context_window_exceeded") STOP,
      "ok length text |{'a':1}| 14/5/4" },
    { "hidden reasoning used the limit up", ASK_STREAM, 0, START DELTA("max_tokens") STOP,
      "ok length text starved || 14/5/4" },
    { "refused before anything", ASK_STREAM, 0, START PING DELTA("refusal") STOP,
      "ok refusal text || 14/5/4" },
    { "refused in the middle", ASK_STREAM, 0, ANSWER DELTA("refusal") STOP,
      "ok refusal text |{'a':1}| 14/5/4" },
    { "a refusal stays one", ASK_STREAM, 0, ANSWER DELTA("refusal") DELTA("end_turn") STOP,
      "ok refusal text |{'a':1}| 14/5/4" },
    { "nothing said", ASK_STREAM, 0, START DELTA("end_turn") STOP, "ok stop text || 14/5/4" },
    { "paused", ASK_STREAM, 0, ANSWER DELTA("pause_turn") STOP,
      "ok unknown text |{'a':1}| 14/5/4" },
    { "a word that nobody knows", ASK_STREAM, 0, ANSWER DELTA("tired") STOP,
      "ok unknown text |{'a':1}| 14/5/4" },
    { "events that nobody knows", ASK_STREAM, 0,
      EVENT("novelty", "{'type':'novelty','x':[1]}") ANSWER DELTA("end_turn") STOP,
      "ok stop text |{'a':1}| 14/5/4" },
    { "names alone, no types", ASK_STREAM, 0,
      EVENT("content_block_delta", "{'index':0,'delta':{'type':'text_delta','text':'1'}}") EVENT(
          "message_delta", "{'delta':{'stop_reason':'end_turn'}}") EVENT("message_stop", "{}"),
      "ok stop text |1| 0/0/0" },
    { "text after the end", ASK_STREAM, 0, ANSWER DELTA("end_turn") STOP TEXT("0", "x") STOP,
      "ok stop text |{'a':1}| 14/5/4" },
    { "an error and junk after the end", ASK_STREAM, 0,
      ANSWER DELTA("end_turn") STOP EVENT("error", "{'type':'error','error':{'type':'api_error'}}")
          DATA("{{"),
      "ok stop text |{'a':1}| 14/5/4" },
    { "a late usage", ASK_STREAM, 0,
      ANSWER DELTA("end_turn") EVENT("message_delta", "{'type':'message_delta','delta':{},"
                                                      "'usage':{'output_tokens':7}}") STOP,
      "ok stop text |{'a':1}| 14/7/4" },
    { "usage that makes no sense", ASK_STREAM, 0,
      ANSWER EVENT("message_delta", "{'type':'message_delta','delta':{'stop_reason':'end_turn'},"
                                    "'usage':{'output_tokens':-1,'input_tokens':1e30}}") STOP,
      "ok stop text |{'a':1}| 14/1/4" },
    { "no message_stop", ASK_STREAM, 0, ANSWER DELTA("end_turn"), "transport cut-off retry" },
    { "no message_delta", ASK_STREAM, 0, ANSWER STOP, "transport no-finish retry" },
    { "begun twice", ASK_STREAM, 0, ANSWER START, "transport protocol final at message_start" },
    { "overloaded in the middle", ASK_STREAM, 0,
      START TEXT_BEGIN("0") TEXT("0", "{")
          EVENT("error", "{'type':'error','error':{'type':'overloaded_error','message':'O'}}"),
      "transient overloaded retry" },
    { "an error that is final, in the middle", ASK_STREAM, 0,
      START EVENT("error", "{'type':'error','error':{'type':'invalid_request_error'}}"),
      "rejected request final" },
    { "an error without words", ASK_STREAM, 0, START EVENT("error", "{}"),
      "transient in-stream retry" },
    { "a delta of the wrong type", ASK_STREAM, 0,
      EVENT("content_block_delta", "{'type':'content_block_delta','index':0,'delta':[]}"),
      "transport protocol final at delta" },
    { "text that is no string", ASK_STREAM, 0,
      EVENT("content_block_delta",
            "{'type':'content_block_delta','index':0,'delta':{'type':'text_delta','text':1}}"),
      "transport protocol final at delta.text" },
    { "an index beyond reason", ASK_STREAM, 0,
      EVENT("content_block_delta", "{'type':'content_block_delta','index':2147483647,'delta':{"
                                   "'type':'text_delta','text':''}}"),
      "transport protocol final at index" },
    { "data that is no JSON", ASK_STREAM, 0, START EVENT("ping", "{'type':"),
      "transport damaged retry" },
    { "data that is no object", ASK_STREAM, 0, DATA("[1]"), "transport protocol final at data" },
    { "half of a character", ASK_STREAM, 0,
      TEXT("0", "\\ud83d\\ude00\\ud83d!\\\\ud83d") DELTA("end_turn") STOP,
      "ok stop text |\xF0\x9F\x98\x80\xEF\xBF\xBD!\\ud83d| 0/5/0" },
    { "[DONE] of a gateway", ASK_STREAM, 0, ANSWER DELTA("end_turn") STOP DATA("[DONE]"),
      "ok stop text |{'a':1}| 14/5/4" },
    { "[DONE] does not end it", ASK_STREAM, 0, ANSWER DELTA("end_turn") DATA("[DONE]"),
      "transport cut-off retry" },
    { "comments alone", ASK_STREAM, 0, ": wait\n\n: wait\n\n", "transport cut-off retry" },
    { "nothing", ASK_STREAM, 0, "", "transport empty retry" },
    { "white space", ASK_DOCUMENT, 0, " \r\n ", "transport empty retry" },
    { "a web page", ASK_STREAM, 0, "\n<!doctype html><html>login</html>", "transport html final" },
    { "words", ASK_STREAM, 0, "upstream is away", "transport cut-off retry" },

    /* tools */
    { "a tool", ASK_TOOL, 0,
      START TEXT_BEGIN("0") TEXT("0", "I call it.") BLOCK_END("0") TOOL_BEGIN("{}") JSON_PIECE("")
          JSON_PIECE("{\\'a\\':") JSON_PIECE("1}") BLOCK_END("1") DELTA("tool_use") STOP,
      "ok stop tool |{'a':1}| 14/5/4" },
    { "a tool that nobody asked for, after text", ASK_STREAM, 0,
      START TEXT("0", "{}") TOOL_BEGIN("{}") JSON_PIECE("{\\'b\\':1}") BLOCK_END("1")
          DELTA("tool_use") STOP,
      "ok stop text second absent |{}| 14/5/4" },
    { "a tool's input as its block begins", ASK_TOOL, 0,
      START TOOL_BEGIN("{'a':1}") BLOCK_END("1") DELTA("tool_use") STOP,
      "ok stop tool |{'a':1}| 14/5/4" },
    { "encoded twice", ASK_TOOL, 0,
      START TOOL_BEGIN("{}") JSON_PIECE("\\'{}\\'") BLOCK_END("1") DELTA("tool_use") STOP,
      "ok stop tool |'{}'| 14/5/4" },
    { "a tool without input", ASK_TOOL, 0,
      START TOOL_BEGIN("{}") BLOCK_END("1") DELTA("tool_use") STOP, "ok stop tool |{}| 14/5/4" },
    { "a tool announced and absent", ASK_TOOL, 0,
      START TEXT_BEGIN("0") TEXT("0", "{}") DELTA("tool_use") STOP,
      "ok stop text absent |{}| 14/5/4" },
    { "text in place of the tool", ASK_TOOL, 0, ANSWER DELTA("end_turn") STOP,
      "ok stop text |{'a':1}| 14/5/4" },
    { "cut in the tool's input", ASK_TOOL, 0,
      START TOOL_BEGIN("{}") JSON_PIECE("{\\'a") DELTA("max_tokens") STOP,
      "ok length tool |{'a| 14/5/4" },

    /* documents */
    { "a document", ASK_DOCUMENT, 0,
      DOCUMENT("[{'type':'thinking','thinking':'x'},{'type':'text','text':'{}'}]", "end_turn"),
      "ok stop text |{}| 17/5/4" },
    { "a document where a stream was asked for", ASK_STREAM, 0,
      "\xEF\xBB\xBF" DOCUMENT("[{'type':'text','text':'{}'}]", "end_turn"),
      "ok stop text |{}| 17/5/4" },
    { "a document with a tool", ASK_TOOL, 0,
      DOCUMENT("[{'type':'tool_use','name':'answer','input':{'a':[1, 2]}}]", "tool_use"),
      "ok stop tool |{'a':[1,2]}| 17/5/4" },
    { "a document with a tool whose input is null", ASK_TOOL, 0,
      DOCUMENT("[{'type':'tool_use','name':'answer','input':null}]", "tool_use"),
      "ok stop tool |null| 17/5/4" },
    { "a document that is refused", ASK_DOCUMENT, 0, DOCUMENT("[]", "refusal"),
      "ok refusal text || 17/5/4" },
    { "a document that is starved", ASK_DOCUMENT, 0,
      DOCUMENT("[{'type':'thinking','thinking':'x'}]", "max_tokens"),
      "ok length text starved || 17/5/4" },
    { "a document without finish", ASK_DOCUMENT, 0,
      "{'type':'message','content':[{'type':'text','text':'{}'}]}", "ok unknown? text |{}| 0/0/0" },
    { "an error with status 200", ASK_DOCUMENT, 0,
      "{'type':'error','error':{'type':'rate_limit_error','message':'R'},'request_id':'req_1'}",
      "transient rate-limit retry" },
    { "another document", ASK_DOCUMENT, 0, "{'ok':true}", "transport protocol final at content" },
    { "content that is a number", ASK_DOCUMENT, 0, "{'content':1}",
      "transport protocol final at content" },
    { "a block that is a number", ASK_DOCUMENT, 0, "{'content':[1]}",
      "transport protocol final at content" },
    { "a document that is no JSON", ASK_DOCUMENT, 0, "{'content':[],}", "transport damaged retry" },
    { "a list", ASK_DOCUMENT, 0, "[]", "transport protocol final at content" },
};

static void test_replies(void **state)
{
    (void)state;
    check_replies(PROVIDER_ANTHROPIC, replies, sizeof(replies) / sizeof(replies[0]));
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++)
        check_memory(PROVIDER_ANTHROPIC, &replies[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_headers),
        cmocka_unit_test(test_replies),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
