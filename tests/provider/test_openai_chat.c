/* test_openai_chat.c - Chat Completions: requests to the byte, replies whole, split, cut and odd.
 */
#include "base/features.h"

#include "protocol_test.h"

/* ---- requests ---- */

static const struct model_message talk[] = {
    { MODEL_ROLE_SYSTEM, MODEL_PURPOSE_RULES, FIXED("Rules.") },
    { MODEL_ROLE_SYSTEM, MODEL_PURPOSE_MANUAL, FIXED("Manual.") },
    { MODEL_ROLE_USER, MODEL_PURPOSE_TEXT, FIXED("Text") },
    { MODEL_ROLE_USER, MODEL_PURPOSE_REASON, FIXED("Wrong.") },
    { MODEL_ROLE_ASSISTANT, MODEL_PURPOSE_REPLY, FIXED("{}") },
    { MODEL_ROLE_USER, MODEL_PURPOSE_REASON, FIXED("Again.") },
};
static const struct model_message text_only[] = {
    { MODEL_ROLE_USER, MODEL_PURPOSE_TEXT, FIXED("T") },
};

#define ONLY "{'model':'m','messages':[{'role':'user','content':'T'}]"

static const struct request_case requests[] = {
    { "a conversation: one system turn, neighbours of a role are one",
      { .messages = talk,
        .message_count = 6,
        .is_streamed = true,
        .schema_words = FIXED("Words.") },
      PROVIDER_TAKES_SYSTEM_ROLE | PROVIDER_TAKES_STREAM_USAGE,
      "max_completion_tokens",
      NULL,
      "{'model':'m','messages':[{'role':'system','content':'Rules.\\n\\nManual.\\n\\nWords.'},"
      "{'role':'user','content':'Text\\n\\nWrong.'},{'role':'assistant','content':'{}'},"
      "{'role':'user','content':'Again.'}],'max_completion_tokens':100,'stream':true,"
      "'stream_options':{'include_usage':true}}" },
    { "no system role, no stream_options after a refusal",
      { .messages = talk,
        .message_count = 3,
        .is_streamed = true,
        .omit = PROVIDER_TAKES_STREAM_USAGE },
      PROVIDER_TAKES_STREAM_USAGE,
      NULL,
      NULL,
      "{'model':'m','messages':[{'role':'user','content':'Rules.\\n\\nManual.\\n\\nText'}],"
      "'max_tokens':100,'stream':true}" },
    { "schema",
      { .messages = text_only,
        .message_count = 1,
        .mechanism = PROVIDER_BY_SCHEMA,
        .is_strict = true,
        .schema = FIXED("{\"type\":\"object\"}") },
      0,
      NULL,
      NULL,
      ONLY ",'max_tokens':100,'response_format':{'type':'json_schema','json_schema':{"
           "'name':'answer','strict':true,'schema':{'type':'object'}}}}" },
    { "the other name of the limit",
      { .messages = text_only, .message_count = 1, .use_other_limit_name = true },
      0,
      "max_tokens",
      NULL,
      ONLY ",'max_completion_tokens':100}" },
    { "and back",
      { .messages = text_only, .message_count = 1, .use_other_limit_name = true },
      0,
      "max_completion_tokens",
      NULL,
      ONLY ",'max_tokens':100}" },
    { "a JSON object, and the word that it needs",
      { .messages = text_only, .message_count = 1, .mechanism = PROVIDER_BY_JSON_OBJECT },
      PROVIDER_TAKES_SYSTEM_ROLE | PROVIDER_NEEDS_WORD_JSON,
      NULL,
      NULL,
      "{'model':'m','messages':[{'role':'system','content':'Answer with one JSON object.'},"
      "{'role':'user','content':'T'}],'max_tokens':100,'response_format':{'type':'json_object'}}" },
    { "the word is there already",
      { .messages = text_only,
        .message_count = 1,
        .mechanism = PROVIDER_BY_JSON_OBJECT,
        .schema_words = FIXED("As json:") },
      PROVIDER_TAKES_SYSTEM_ROLE | PROVIDER_NEEDS_WORD_JSON,
      NULL,
      NULL,
      "{'model':'m','messages':[{'role':'system','content':'As json:'},"
      "{'role':'user','content':'T'}],'max_tokens':100,'response_format':{'type':'json_object'}}" },
    { "a tool",
      { .messages = text_only,
        .message_count = 1,
        .mechanism = PROVIDER_BY_TOOL,
        .is_strict = true,
        .schema = FIXED("{}") },
      0,
      NULL,
      NULL,
      ONLY ",'max_tokens':100,'tools':[{'type':'function','function':{"
           "'description':'Takes the answer. Call it once.','name':'answer','strict':true,"
           "'parameters':{}}}],'tool_choice':'auto'}" },
    { "temperature, seed, store",
      { .messages = text_only,
        .message_count = 1,
        .temperature = 1.000001,
        .has_seed = true,
        .seed = UINT64_MAX },
      PROVIDER_TAKES_TEMPERATURE | PROVIDER_TAKES_SEED | PROVIDER_TAKES_STORE,
      NULL,
      NULL,
      ONLY ",'max_tokens':100,'temperature':1.000001,'seed':9223372036854775807,'store':false}" },
    { "a row's own members, the schema where its server wants it",
      { .messages = text_only,
        .message_count = 1,
        .mechanism = PROVIDER_BY_SCHEMA,
        .schema = FIXED("{\"type\":\"object\"}") },
      0,
      NULL,
      "{'response_format':null,'structured_outputs':{'json':'${schema}','x':['${schema}']},"
      "'reasoning_effort':'none'}",
      ONLY ",'max_tokens':100,'structured_outputs':{'json':{'type':'object'},"
           "'x':[{'type':'object'}]},'reasoning_effort':'none'}" },
    { "no schema in its place",
      { .messages = text_only, .message_count = 1 },
      0,
      NULL,
      "{'json_schema':'${schema}'}",
      ONLY ",'max_tokens':100,'json_schema':null}" },
    { "a patch of another type replaces",
      { .messages = text_only, .message_count = 1, .is_streamed = true },
      PROVIDER_TAKES_STREAM_USAGE,
      NULL,
      "{'stream_options':[],'model':'n'}",
      "{'messages':[{'role':'user','content':'T'}],'max_tokens':100,'stream':true,"
      "'stream_options':[],'model':'n'}" },
};

static void test_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        check_request(PROVIDER_CHAT, &requests[i]);
}

static void test_url_and_key(void **state)
{
    const struct provider_row row = { .id = STR("azure"),
                                      .protocol = PROVIDER_CHAT,
                                      .key_header = STR("Authorization"),
                                      .path = STR("openai/{model}/chat?v=1") };
    const struct provider_model model = { .pattern = STR("*") };
    struct protocol_call call = test_call(&row, &model, ASK_DOCUMENT);
    struct protocol_request request;
    (void)state;
    call.model = STR("a/b c\xC3\xA9:1");
    call.key = STR("KEY");
    protocol_request_init(&request, alloc_default());
    protocol_write(&call, &request);
    assert_true(str_equal(buffer_view(&request.url),
                          STR("http://127.0.0.1/openai/a%2Fb%20c%C3%A9:1/chat?v=1")));
    assert_int_equal(request.header_count, 3);
    assert_true(str_equal(request.headers[0].value, STR("Bearer KEY")));
    assert_true(request.headers[0].is_secret);
    assert_true(str_equal(request.headers[2].value, STR("application/json")));
    call.key = STR("");
    protocol_write(&call, &request);
    assert_int_equal(request.header_count, 2);
    protocol_request_release(&request);
}

/* ---- replies ---- */

#define CHUNK(delta, finish)                                                                       \
    DATA("{'id':'c','object':'chat.completion.chunk','model':'gpt','choices':[{'index':0,"         \
         "'delta':" delta ",'finish_reason':" finish "}]}")
#define SAY(text)   CHUNK("{'content':'" text "'}", "null")
#define END(finish) CHUNK("{}", "'" finish "'")
#define USAGE                                                                                      \
    DATA("{'id':'c','choices':[],'usage':{'prompt_tokens':10,'completion_tokens':5,"               \
         "'prompt_tokens_details':{'cached_tokens':4},"                                            \
         "'completion_tokens_details':{'reasoning_tokens':3}}}")
#define DONE       DATA("[DONE]")
#define ROLE       CHUNK("{'role':'assistant','content':'','refusal':null}", "null")
#define ANSWER     ROLE SAY("{\\'a\\'") SAY(":1}")
#define CALL(call) CHUNK("{'tool_calls':[" call "]}", "null")
#define DOCUMENT(message, finish)                                                                  \
    "{'id':'c','object':'chat.completion','model':'gpt','choices':[{'index':0,'message':" message  \
    ",'finish_reason':" finish "}],'usage':{'prompt_tokens':10,'completion_tokens':5}}"

static const struct reply_case replies[] = {
    { "a reply", ASK_STREAM, 0, ANSWER END("stop") USAGE DONE, "ok stop text |{'a':1}| 10/5/4" },
    { "usage in every chunk", ASK_STREAM, 0,
      DATA("{'choices':[{'delta':{'content':'1'}}],'usage':{'prompt_tokens':3,"
           "'completion_tokens':1}}") DATA("{'choices':[{'delta':{},'finish_reason':'stop'}],"
                                           "'usage':{'prompt_tokens':3,'completion_tokens':2}}")
          DONE,
      "ok stop text |1| 3/2/0" },
    { "usage after the end", ASK_STREAM, 0, ANSWER END("stop") DONE USAGE,
      "ok stop text |{'a':1}| 10/5/4" },
    { "no usage", ASK_STREAM, 0, ANSWER END("stop") DONE, "ok stop text |{'a':1}| 0/0/0" },
    { "usage null, padding, unknown members", ASK_STREAM, 0,
      DATA("{'choices':[{'index':0,'delta':{'content':'1'},'logprobs':null}],'usage':null,"
           "'obfuscation':'xx','error':null}") END("stop") DONE,
      "ok stop text |1| 0/0/0" },
    { "comments of a gateway", ASK_STREAM, 0,
      ": PROCESSING\n\n:\n\n" ANSWER ": PROCESSING\n\n" END("stop") DONE,
      "ok stop text |{'a':1}| 0/0/0" },
    { "lines that end with CR", ASK_STREAM, 0,
      "data: {'choices':[{'delta':{'content':'1'},'finish_reason':'stop'}]}\r\rdata:[DONE]\r\r",
      "ok stop text |1| 0/0/0" },
    { "data over two lines", ASK_STREAM, 0,
      "data: {'choices':\ndata: [{'delta':{'content':'1'},'finish_reason':'stop'}]}\n\n" DONE,
      "ok stop text |1| 0/0/0" },
    { "[DONE] twice", ASK_STREAM, 0, ANSWER END("stop") DONE DONE, "ok stop text |{'a':1}| 0/0/0" },
    { "the last empty line is missing", ASK_STREAM, 0, ANSWER END("stop") "data: [DONE]",
      "transport cut-off retry" },
    { "text after the end", ASK_STREAM, 0, ANSWER END("stop") DONE SAY("x"),
      "ok stop text |{'a':1}| 0/0/0" },
    { "an error after the end", ASK_STREAM, 0, ANSWER END("stop") DONE DATA("{'error':{}}"),
      "ok stop text |{'a':1}| 0/0/0" },
    { "no [DONE]", ASK_STREAM, 0, ANSWER END("stop") USAGE, "transport cut-off retry" },
    { "no finish_reason", ASK_STREAM, 0, ANSWER USAGE DONE, "transport no-finish retry" },
    { "cut at the limit", ASK_STREAM, 0, ROLE SAY("{") END("length") DONE,
      "ok length text |{| 0/0/0" },
    { "hidden reasoning used the limit up", ASK_STREAM, 0, ROLE END("length") USAGE DONE,
      "ok length text starved || 10/5/4" },
    { "the context is full", ASK_STREAM, 0, ROLE SAY("{") END("model_length") DONE,
      "ok length text |{| 0/0/0" },
    { "filtered", ASK_STREAM, 0, ROLE SAY("{") END("content_filter") DONE,
      "ok filter text |{| 0/0/0" },
    { "refused", ASK_STREAM, 0, ROLE CHUNK("{'refusal':'No.'}", "null") END("stop") DONE,
      "ok refusal text || 0/0/0" },
    { "refused, with text", ASK_STREAM, 0,
      ROLE CHUNK("{'refusal':'No.','content':'{}'}", "null") END("stop") DONE,
      "ok refusal text |{}| 0/0/0" },
    { "a finish that nobody knows", ASK_STREAM, 0, ANSWER END("tired") DONE,
      "ok unknown text |{'a':1}| 0/0/0" },
    { "stop, then length", ASK_STREAM, 0, ANSWER END("stop") END("length") DONE,
      "ok length text |{'a':1}| 0/0/0" },
    { "an empty reply", ASK_STREAM, 0, ROLE END("stop") DONE, "ok stop text || 0/0/0" },
    { "two choices", ASK_STREAM, 0,
      ANSWER DATA("{'choices':[{'index':1,'delta':{'content':'x'},'finish_reason':'length'}]}")
          END("stop") DONE,
      "ok stop text second |{'a':1}| 0/0/0" },
    { "no delta, no choices", ASK_STREAM, 0,
      ANSWER DATA("{'id':'c'}") DATA("{'choices':[{'index':0}]}") DATA("{'choices':null}")
          END("stop") DONE,
      "ok stop text |{'a':1}| 0/0/0" },
    { "content in parts", ASK_STREAM, 0,
      CHUNK("{'content':[{'type':'text','text':'{'},{'type':'image','text':'x'},"
            "{'type':'thinking','thinking':[]},{'type':'text','text':'}'}]}",
            "'stop'") DONE,
      "ok stop text |{}| 0/0/0" },
    { "reasoning beside it", ASK_STREAM, 0,
      CHUNK("{'reasoning_content':'{\\'b\\':2}'}", "null") ANSWER END("stop") DONE,
      "ok stop text |{'a':1}| 0/0/0" },
    { "the answer stood in the reasoning", ASK_STREAM, 0,
      CHUNK("{'reasoning':'{\\'b\\'','content':null}", "null")
          CHUNK("{'reasoning_content':':2}'}", "null") END("stop") DONE,
      "ok stop reasoning |{'b':2}| 0/0/0" },
    { "cut in the reasoning", ASK_STREAM, 0,
      CHUNK("{'reasoning_content':'{\\'b\\''}", "null") END("length") DONE,
      "ok length text starved || 0/0/0" },

    /* errors inside of a stream */
    { "an error in place of a chunk", ASK_STREAM, 0,
      ROLE DATA("{'error':{'message':'M','type':'server_error','code':null}}") DONE,
      "transient server retry" },
    { "an error beside a choice, with a number", ASK_STREAM, 0,
      ANSWER DATA("{'id':'c','error':{'code':429,'message':'M'},'choices':[{'index':0,"
                  "'delta':{'content':''},'finish_reason':'error'}]}") DONE,
      "transient rate-limit retry" },
    { "no credit, as a number", ASK_STREAM, 0, DATA("{'error':{'code':402,'message':'M'}}"),
      "rejected quota final" },
    { "an event named error", ASK_STREAM, 0,
      ROLE EVENT("error", "{'message':'M','type':'invalid_request_error'}"),
      "rejected request final" },
    { "a model's output that its server refused", ASK_STREAM, 0,
      EVENT("error", "{'error':{'message':'Failed to call','type':'invalid_request_error',"
                     "'code':'tool_use_failed','failed_generation':'{}'}}") DONE,
      "transient output retry" },
    { "an error that is a text", ASK_STREAM, 0, ROLE DATA("{'error':'out of memory'}"),
      "transient in-stream retry" },
    { "an error alone, then the end", ASK_STREAM, 0,
      DATA("{'error':{'type':'invalid_request_error'}}") DONE, "rejected request final" },
    { "a line of JSON after the stream's first", ASK_DOCUMENT, 0, "{'error':'M'}\n{'x':1}",
      "transport damaged retry" },

    /* the wrong types */
    { "choices that are no list", ASK_STREAM, 0, DATA("{'choices':{}}"),
      "transport protocol final at choices" },
    { "a choice that is no object", ASK_STREAM, 0, DATA("{'choices':[1]}"),
      "transport protocol final at choices" },
    { "a delta that is no object", ASK_STREAM, 0, DATA("{'choices':[{'delta':'x'}]}"),
      "transport protocol final at delta" },
    { "content that is a number", ASK_STREAM, 0, CHUNK("{'content':1}", "null"),
      "transport protocol final at content" },
    { "an index beyond reason", ASK_STREAM, 0,
      CALL("{'index':2147483647,'function':{'arguments':'x'}}"),
      "transport protocol final at index" },
    { "an index below zero", ASK_STREAM, 0, DATA("{'choices':[{'index':-1}]}"),
      "transport protocol final at index" },
    { "data that is no JSON", ASK_STREAM, 0, ROLE DATA("{'choices':[") DONE,
      "transport damaged retry" },

    /* tools */
    { "a tool", ASK_TOOL, 0,
      SAY("I call it.") CALL("{'index':0,'id':'t','type':'function','function':{'name':'answer',"
                             "'arguments':''}}") CALL("{'index':0,'function':{'arguments':'{'}}")
          CALL("{'index':0,'function':{'arguments':'}'}}") END("tool_calls") DONE,
      "ok stop tool |{}| 0/0/0" },
    { "two calls, one in between", ASK_TOOL, 0,
      CALL("{'index':0,'function':{'arguments':'{'}}") CALL("{'index':1,'function':{"
                                                            "'arguments':'x'}}")
          CALL("{'index':0,'function':{'arguments':'}'}}") END("stop") DONE,
      "ok stop tool second |{}| 0/0/0" },
    { "a function call of old", ASK_TOOL, 0,
      CHUNK("{'function_call':{'name':'answer','arguments':'{'}}", "null")
          CHUNK("{'function_call':{'arguments':'}'}}", "'function_call'") DONE,
      "ok stop tool |{}| 0/0/0" },
    { "a tool announced and absent", ASK_TOOL, 0, CHUNK("{'tool_calls':[]}", "'tool_calls'") DONE,
      "ok stop text absent || 0/0/0" },
    { "null arguments in a stream", ASK_TOOL, 0,
      CALL("{'index':0,'function':{'arguments':null}}") END("tool_calls") DONE,
      "ok stop tool || 0/0/0" },
    { "tool_calls that are no list", ASK_TOOL, 0, CHUNK("{'tool_calls':{}}", "null"),
      "transport protocol final at tool_calls" },

    /* documents */
    { "a document", ASK_DOCUMENT, 0, DOCUMENT("{'role':'assistant','content':'{}'}", "'stop'"),
      "ok stop text |{}| 10/5/0" },
    { "a document where a stream was asked for", ASK_STREAM, 0,
      DOCUMENT("{'content':'{}'}", "'stop'"), "ok stop text |{}| 10/5/0" },
    { "a stream where a document was asked for", ASK_DOCUMENT, 0, ANSWER END("stop") DONE,
      "ok stop text |{'a':1}| 0/0/0" },
    { "a document without finish", ASK_DOCUMENT, 0, DOCUMENT("{'content':'{}'}", "null"),
      "ok unknown? text |{}| 10/5/0" },
    { "a document without message", ASK_DOCUMENT, 0,
      "{'choices':[{'index':0,'finish_reason':'stop'}]}", "ok stop text || 0/0/0" },
    { "a document without choices", ASK_DOCUMENT, 0, "{'choices':[],'usage':{}}",
      "ok unknown? text || 0/0/0" },
    { "refused, with empty text", ASK_DOCUMENT, 0,
      DOCUMENT("{'content':'','refusal':'No.'}", "'stop'"), "ok refusal text || 10/5/0" },
    { "filtered with text", ASK_DOCUMENT, 0, DOCUMENT("{'content':'{}'}", "'content_filter'"),
      "ok filter text |{}| 10/5/0" },
    { "a document with a tool", ASK_TOOL, 0,
      DOCUMENT("{'content':null,'tool_calls':[{'id':'t','function':{'arguments':'{\\'a\\':1}'}}]}",
               "'tool_calls'"),
      "ok stop tool |{'a':1}| 10/5/0" },
    { "arguments null", ASK_TOOL, 0,
      DOCUMENT("{'tool_calls':[{'function':{'arguments':null}}]}", "'tool_calls'"),
      "ok stop tool |null| 10/5/0" },
    { "arguments empty", ASK_TOOL, 0,
      DOCUMENT("{'tool_calls':[{'function':{'arguments':''}}]}", "'tool_calls'"),
      "ok stop tool || 10/5/0" },
    { "arguments 'null'", ASK_TOOL, 0,
      DOCUMENT("{'tool_calls':[{'function':{'arguments':'null'}}]}", "'tool_calls'"),
      "ok stop tool |null| 10/5/0" },
    { "arguments absent", ASK_TOOL, 0, DOCUMENT("{'tool_calls':[{'function':{}}]}", "'tool_calls'"),
      "ok stop tool || 10/5/0" },
    { "arguments as an object", ASK_TOOL, 0,
      DOCUMENT("{'tool_calls':[{'function':{'arguments':{'a': 1}}}]}", "'tool_calls'"),
      "ok stop tool |{'a':1}| 10/5/0" },
    { "arguments encoded twice", ASK_TOOL, 0,
      DOCUMENT("{'tool_calls':[{'function':{'arguments':'\\'{}\\''}}]}", "'tool_calls'"),
      "ok stop tool |'{}'| 10/5/0" },
    { "an error document with status 200", ASK_DOCUMENT, 0,
      "{'error':{'message':'M','type':'insufficient_quota','code':'insufficient_quota'}}",
      "rejected quota final" },
    { "an error in a list", ASK_DOCUMENT, 0, "[{'error':{'code':503,'status':'UNAVAILABLE'}}]",
      "transient overloaded retry" },
    { "usage that makes no sense", ASK_DOCUMENT, 0,
      "{'choices':[],'usage':{'prompt_tokens':-1,'completion_tokens':9223372036854775807,"
      "'total_tokens':1e+30}}",
      "ok unknown? text || 0/0/0" },
    { "another document", ASK_DOCUMENT, 0, "{'models':[]}", "transport protocol final at choices" },
    { "a web page", ASK_DOCUMENT, 0, "\xEF\xBB\xBF <html>", "transport html final" },

    /* other statuses */
    { "too many requests", ASK_STREAM, 429,
      "{'error':{'message':'M','type':'requests',"
      "'code':'rate_limit_exceeded'}}",
      "transient rate-limit retry" },
    { "a redirect", ASK_STREAM, 307, "", "transport redirect final" },
    { "no content", ASK_STREAM, 204, "", "transport empty retry" },
    { "an error as an event", ASK_STREAM, 400,
      EVENT("error", "{'error':{'type':'invalid_request_error','code':'context_length_exceeded'}}"),
      "rejected context final" },
    { "a web page of a gateway", ASK_STREAM, 502, "<html>bad gateway</html>",
      "transient server retry" },
    { "a whole reply under a bad status", ASK_DOCUMENT, 500, DOCUMENT("{'content':'{}'}", "'stop'"),
      "transient server retry" },
    { "a status that is no answer", ASK_STREAM, 103, "{}", "transport status final" },
};

static void test_replies(void **state)
{
    (void)state;
    check_replies(PROVIDER_CHAT, replies, sizeof(replies) / sizeof(replies[0]));
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++)
        check_memory(PROVIDER_CHAT, &replies[i]);
}

/* ---- budgets ---- */

static void feed_times(struct protocol_reader *reader, const char *text, size_t times,
                       bool *out_goes_on)
{
    struct test_text quoted = test_quote(text);
    for (size_t i = 0; i < times && *out_goes_on; i++)
        *out_goes_on = protocol_reader_body(reader, str_of(quoted.ptr, quoted.len));
    free(quoted.ptr);
}

static void check_budget(const char *before, const char *text, size_t times, const char *reason)
{
    const struct provider_row row = { .id = STR("p"), .protocol = PROVIDER_CHAT };
    const struct provider_model model = { .pattern = STR("*") };
    const struct protocol_call call = test_call(&row, &model, ASK_STREAM);
    const struct http_head head = { 200, NULL, 0 };
    struct protocol_reader reader;
    struct provider_failure failure;
    bool goes_on = true;
    (void)protocol_reader_init(&reader, &call, 1000, alloc_default());
    protocol_reader_head(&reader, &head);
    feed_times(&reader, before, 1, &goes_on);
    feed_times(&reader, text, times, &goes_on);
    assert_false(goes_on);
    protocol_reader_end(&reader, NULL, &failure);
    assert_string_equal(failure.reason, reason);
    protocol_reader_release(&reader);
}

static void test_budgets(void **state)
{
    char long_text[1024 + 1];
    (void)state;
    memset(long_text, ' ', sizeof(long_text));
    long_text[sizeof(long_text) - 1] = '\0';
    check_budget("", SAY("0123456789012345678901234567890123456789"), 30, "too-large");
    check_budget("data: ", long_text, 9 * 1024, "too-large");
    check_budget("{", long_text, 17 * 1024, "too-large");
    check_budget("", DATA("{}"), 1000001, "too-large");
    check_budget(SAY("1") END("stop") DONE, ": wait\n\n", 9000, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests), cmocka_unit_test(test_url_and_key),
        cmocka_unit_test(test_replies),  cmocka_unit_test(test_memory),
        cmocka_unit_test(test_budgets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
