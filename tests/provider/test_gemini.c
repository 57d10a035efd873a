/* test_gemini.c - Gemini's generateContent: requests, streams that end with the transfer,
 * documents, what must not count as a reply.
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
    { "a conversation with a schema",
      { .messages = talk,
        .message_count = 4,
        .is_strict = true,
        .mechanism = PROVIDER_BY_SCHEMA,
        .schema = FIXED("{\"type\":\"object\"}") },
      PROVIDER_TAKES_SYSTEM_ROLE,
      "maxOutputTokens",
      NULL,
      "{'systemInstruction':{'parts':[{'text':'Rules.'}]},'contents':[{'role':'user','parts':[{"
      "'text':'Text'}]},{'role':'model','parts':[{'text':'{}'}]},{'role':'user','parts':[{'text':"
      "'Again.'}]}],'generationConfig':{'maxOutputTokens':100,'responseMimeType':"
      "'application/json','responseJsonSchema':{'type':'object'}}}" },
};

#define PART(text, finish)                                                                         \
    "{'responseId':'r','modelVersion':'gem','candidates':[{'content':{'role':'model','parts':[{"   \
    "'text':'" text "'}]}" finish "}],'usageMetadata':{'promptTokenCount':10,"                     \
    "'cachedContentTokenCount':4,'candidatesTokenCount':5,'thoughtsTokenCount':3}}"
#define STOP ",'finishReason':'STOP'"

static const struct reply_case replies[] = {
    { "a reply", ASK_STREAM, 0, DATA(PART("{\\'a\\'", "")) DATA(PART(":1}", STOP)),
      "ok stop text |{'a':1}| 10/8/4" },
    { "no finish reason", ASK_STREAM, 0, DATA(PART("{\\'a\\'", "")) DATA(PART(":1}", "")),
      "transport cut-off retry" },
    { "thoughts are no text", ASK_STREAM, 0,
      DATA("{'candidates':[{'content':{'parts':[{'text':'hm','thought':true}]}}]}")
          DATA(PART("1", STOP)),
      "ok stop text |1| 10/8/4" },
    { "several parts are one text", ASK_DOCUMENT, 0,
      "{'candidates':[{'content':{'parts':[{'text':'{'},{'text':'}'}]}" STOP "}]}",
      "ok stop text |{}| 0/0/0" },
    { "cut at the limit", ASK_STREAM, 0, DATA(PART("{", ",'finishReason':'MAX_TOKENS'")),
      "ok length text |{| 10/8/4" },
    { "a filter", ASK_STREAM, 0, DATA(PART("{", ",'finishReason':'SAFETY'")),
      "ok filter text |{| 10/8/4" },
    { "another reason", ASK_STREAM, 0, DATA(PART("{", ",'finishReason':'NEW_REASON'")),
      "ok unknown text |{| 10/8/4" },
    { "the prompt is blocked", ASK_DOCUMENT, 0,
      "{'promptFeedback':{'blockReason':'SAFETY'},'usageMetadata':{'promptTokenCount':10}}",
      "ok filter text || 10/0/0" },
    { "neither candidates nor a reason", ASK_DOCUMENT, 0, "{'usageMetadata':{}}",
      "transport protocol final at candidates" },
    { "no parts", ASK_DOCUMENT, 0, "{'candidates':[{'content':{}" STOP "}]}",
      "ok stop text || 0/0/0" },
    { "a document", ASK_DOCUMENT, 0, PART("{\\'a\\':1}", STOP), "ok stop text |{'a':1}| 10/8/4" },
    { "a list of chunks in place of events", ASK_STREAM, 0,
      "[" PART("{\\'a\\'", "") "," PART(":1}", STOP) "]", "ok stop text |{'a':1}| 10/8/4" },
    { "two candidates", ASK_DOCUMENT, 0,
      "{'candidates':[{'index':0,'content':{'parts':[{'text':'1'}]}" STOP
      "},{'index':1,'content':{'parts':[{'text':'2'}]}" STOP "}]}",
      "ok stop text second |1| 0/0/0" },
    { "an error in a list", ASK_STREAM, 429,
      "[{'error':{'code':429,'status':'RESOURCE_EXHAUSTED','message':'M'}}]",
      "transient rate-limit retry" },
    { "an error in the stream", ASK_STREAM, 0,
      DATA(PART("{", "")) DATA("{'error':{'code':503,'status':'UNAVAILABLE','message':'M'}}"),
      "transient overloaded retry" },
    { "the key is refused", ASK_DOCUMENT, 400,
      "{'error':{'code':400,'status':'INVALID_ARGUMENT','message':'API key not valid.',"
      "'details':[{'@type':'type.googleapis.com/google.rpc.ErrorInfo','reason':"
      "'API_KEY_INVALID'}]}}",
      "rejected authentication final" },
    { "text is no string", ASK_DOCUMENT, 0, "{'candidates':[{'content':{'parts':[{'text':1}]}}]}",
      "transport protocol final at content" },
};

static void test_requests(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++)
        check_request(PROVIDER_GEMINI, &requests[i]);
}

static void test_replies(void **state)
{
    (void)state;
    check_replies(PROVIDER_GEMINI, replies, sizeof(replies) / sizeof(replies[0]));
}

static void test_memory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(replies) / sizeof(replies[0]); i++)
        check_memory(PROVIDER_GEMINI, &replies[i]);
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
