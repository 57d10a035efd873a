/* test_memory.c - a whole call in which any allocation may fail. */
#include "base/features.h"

#include "engine_test.h"

#define SCHEMA                                                                                     \
    "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"integer\",\"maximum\":5},\"b\":{"      \
    "\"type\":"                                                                                    \
    "\"array\",\"items\":{\"type\":\"string\"}}},\"required\":[\"a\"],\"additionalProperties\":"   \
    "false}"

struct script {
    const struct schema_program *program;
    struct scripted_reply replies[3];
    uint32_t count;
    enum model_prompt_style style;
    const char *end; /* a part of the document when nothing fails */
};

static void scenario_call(struct test_alloc *heap, void *context)
{
    const struct script *script = context;
    struct run run = { .alloc = &heap->alloc, .deadline_ms = INT64_MAX };
    run.request = (struct engine_request){ .prompt = STR("Mike broke the build today."),
                                           .program = script->program,
                                           .instructions = STR("Be brief."),
                                           .temperature = -1 };
    scripted_model_init(&run.model, script->replies, script->count);
    run.model.info.prompt_style = script->style;
    error_clear(&run.error);
    buffer_init(&run.result, run.alloc, 1 << 20);
    run_go(&run);
    if (heap->failures == 0)
        assert_true(run_has(&run, script->end));
    else
        assert_true(run.status == STATUS_OK || run.status == STATUS_NO_MEMORY);
    run_release(&run);
}

static void test_calls(void **state)
{
    (void)state;
    struct schema_program *program = compile_schema(SCHEMA, alloc_default());
    struct script scripts[] = {
        { .replies = { { .text = "{\"b\":[\"x\",\"\\u0041\"],\"a\":9}" },
                       { .text = "Sure:\n```json\n{\"b\":[\"x\",\"y\\u0000\"],\"a\":5}\n```" } },
          .count = 2,
          .end = "\"data\":{\"a\":5,\"b\":[\"x\",\"y\\u0000\"]}" },
        { .replies = { { .text = "no" }, { .text = "{\"_need\":\"a\"}" } },
          .count = 2,
          .style = MODEL_PROMPT_TEXT_FIRST,
          .end = "need-more-input" },
        { .replies = { { .text = "\"{\\\"x\\\":1}\"" },
                       { .text = "{\"r\":{\"a\":1,\"a\":2}}" },
                       { .text = "\xFF" } },
          .count = 3,
          .end = "stale" },
    };
    for (size_t i = 0; i < COUNT(scripts); i++) {
        scripts[i].program = program;
        test_alloc_failures(scenario_call, &scripts[i]);
    }
    schema_program_free(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(test_calls) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
