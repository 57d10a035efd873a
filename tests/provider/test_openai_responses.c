/* test_openai_responses.c - OpenAI's Responses: requests, streams by named events, documents, what
 * must not count as a reply.
 */
#include "base/features.h"

#include "protocol_test.h"

static const struct model_message talk[] = {
    { MODEL_ROLE_SYSTEM, MODEL_PURPOSE_RULES, FIXED("Rules.") },
    { MODEL_ROLE_USER, MODEL_PURPOSE_TEXT, FIXED("Text") },
    { MODEL_ROLE_ASSISTANT, MODEL_PURPOSE_REPLY, FIXED("{}") },
    { MODEL_ROLE_USER, MODEL_PURPOSE_REASON, FIXED("Again.") },
};

static const struct request_case requests[] = {
    { "a conversation with a schema, streamed",
      { .messages = talk,
        .message_count = 4,
        .is_streamed = true,
        .is_strict = true,
        .mechanism = PROVIDER_BY_SCHEMA,
        .schema = FIXED("{\"type\":\"object\"}") },
      PROVIDER_TAKES_SYSTEM_ROLE,
      "max_output_tokens",
      NULL,
      "{'model':'m','instructions':'Rules.','input':[{'role':'user','content':'Text'},"
      "{'role':'assistant','content':'{}'},{'role':'user','content':'Again.'}],"
      "'max_output_tokens':100,'stream':true,'text':{'format':{'type':'json_schema',"
      "'name':'answer','strict':true,'schema':{'type':'object'}}}}" },
};

#define EVENT_OF(name, rest) EVENT(name, "{'type':'" name "'" rest "}")
#define CREATED                                                                                    \
    EVENT_OF("response.created",                                                                   \
             ",'response':{'id':'r','model':'gpt','status':'in_progress','output':[]}")
#define SAY(text)                                                                                  \
    EVENT_OF("response.output_text.delta", ",'output_index':0,'content_index':0,'delta':'" text "'")
#define MESSAGE(text)                                                                              \
    "{'type':'message','role':'assistant','content':[{'type':'output_text','text':'" text "'}]}"
#define RESPONSE(status, output)                                                                   \
    "{'id':'r','model':'gpt','status':'" status "','output':[" output "],'usage':{"                \
    "'input_tokens':10,'output_tokens':5,'input_tokens_details':{'cached_tokens':4},"              \
    "'output_tokens_details':{'reasoning_tokens':3}}"
#define COMPLETED(output)                                                                          \
    EVENT_OF("response.completed", ",'response':" RESPONSE("completed", output) "}")
#define GOOD "{\\'a\\':1}"

static const struct reply_case replies[] = {
    { "a reply", ASK_STREAM, 0, CREATED SAY("{\\'a\\'") SAY(":1}") COMPLETED(MESSAGE(GOOD)),
      "ok stop text |{'a':1}| 10/5/4" },
    { "the end holds no output", ASK_STREAM, 0, CREATED SAY("{\\'a\\'") SAY(":1}") COMPLETED(""),
      "ok stop text |{'a':1}| 10/5/4" },
    { "only the end", ASK_STREAM, 0, COMPLETED(MESSAGE(GOOD)), "ok stop text |{'a':1}| 10/5/4" },
    { "a piece was lost", ASK_STREAM, 0, CREATED SAY("{\\'a\\'") COMPLETED(MESSAGE(GOOD)),
      "transport protocol final at output" },
    { "no end", ASK_STREAM, 0, CREATED SAY("{\\'a\\'") SAY(":1}"), "transport cut-off retry" },
    { "unknown events", ASK_STREAM, 0,
      CREATED EVENT_OF("response.new_thing", "") SAY("{\\'a\\':1}") COMPLETED(MESSAGE(GOOD)),
      "ok stop text |{'a':1}| 10/5/4" },
    { "reasoning is no text", ASK_STREAM, 0,
      CREATED EVENT_OF("response.reasoning_text.delta", ",'output_index':0,'delta':'hm'")
          EVENT_OF("response.output_text.delta", ",'output_index':1,'delta':'1'")
              COMPLETED("{'type':'reasoning','summary':[]}," MESSAGE("1")),
      "ok stop text |1| 10/5/4" },
    { "cut at the limit", ASK_STREAM, 0,
      CREATED SAY("{") EVENT_OF(
          "response.incomplete",
          ",'response':" RESPONSE(
              "incomplete", MESSAGE("{")) ",'incomplete_details':{'reason':'max_output_tokens'}}"),
      "ok length text |{| 10/5/4" },
    { "filtered", ASK_STREAM, 0,
      CREATED SAY("{") EVENT_OF(
          "response.incomplete",
          ",'response':" RESPONSE(
              "incomplete", MESSAGE("{")) ",'incomplete_details':{'reason':'content_filter'}}"),
      "ok filter text |{| 10/5/4" },
    { "incomplete, and nobody says why", ASK_STREAM, 0,
      CREATED SAY("{")
          EVENT_OF("response.completed", ",'response':" RESPONSE("incomplete", MESSAGE("{")) "}"),
      "ok length text |{| 10/5/4" },
    { "refused", ASK_STREAM, 0,
      CREATED EVENT_OF("response.refusal.delta", ",'output_index':0,'delta':'No.'")
          COMPLETED("{'type':'message','content':[{'type':'refusal','refusal':'No.'}]}"),
      "ok refusal text || 10/5/4" },
    { "failed", ASK_STREAM, 0,
      CREATED EVENT_OF("response.failed",
                       ",'response':{'status':'failed','error':{'code':'server_error',"
                       "'message':'M'}}"),
      "transient server retry" },
    { "failed for good", ASK_STREAM, 0,
      CREATED EVENT_OF("response.failed",
                       ",'response':{'status':'failed','error':{'code':'invalid_prompt',"
                       "'message':'M'}}"),
      "rejected content-filter final" },
    { "an error event", ASK_STREAM, 0,
      CREATED EVENT_OF("error", ",'code':'rate_limit_exceeded','message':'M'"),
      "transient rate-limit retry" },
    { "a document", ASK_DOCUMENT, 0, RESPONSE("completed", MESSAGE(GOOD)) "}",
      "ok stop text |{'a':1}| 10/5/4" },
    { "a document that is not ready", ASK_DOCUMENT, 0, RESPONSE("incomplete", MESSAGE("{")) "}",
      "ok length text |{| 10/5/4" },
    { "a document that failed", ASK_DOCUMENT, 0,
      "{'id':'r','status':'failed','error':{'code':'server_error','message':'M'}}",
      "transient server retry" },
    { "the tool", ASK_TOOL, 0,
      RESPONSE("completed", "{'type':'function_call','name':'answer','arguments':'" GOOD "'}") "}",
      "ok stop tool |{'a':1}| 10/5/4" },
    { "two messages", ASK_DOCUMENT, 0, RESPONSE("completed", MESSAGE("1") "," MESSAGE("2")) "}",
      "ok stop text second |12| 10/5/4" },
    { "no output", ASK_DOCUMENT, 0, RESPONSE("completed", "") "}", "ok stop text || 10/5/4" },
    { "output is no list", ASK_DOCUMENT, 0, "{'status':'completed','output':{}}",
      "transport protocol final at output" },
    { "the schema is blamed", ASK_STREAM, 400,
      "{'error':{'type':'invalid_request_error','param':'text.format.schema',"
      "'code':'invalid_json_schema','message':'M'}}",
      "rejected schema final schema at text.format.schema" },
};

static void test_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        check_request(PROVIDER_RESPONSES, &requests[i]);
}

static void test_replies(void **state)
{
    (void)state;
    check_replies(PROVIDER_RESPONSES, replies, sizeof(replies) / sizeof(replies[0]));
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++)
        check_memory(PROVIDER_RESPONSES, &replies[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),
        cmocka_unit_test(test_replies),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
