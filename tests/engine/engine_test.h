/* engine_test.h - what the tests of this folder share: a call on a scripted model, and its end as
 * text. */
#ifndef STRUCTURE_ENGINE_TEST_H
#define STRUCTURE_ENGINE_TEST_H

#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/limits.h"
#include "engine/driver.h"
#include "engine/text.h"
#include "schema/compile.h"
#include "scripted_model.h"
#include "test_alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* One run: everything in it is given back by run_release. */
struct run {
    const struct alloc *alloc;
    struct schema_program *program;
    struct engine_request request;
    struct scripted_model model;
    int64_t deadline_ms;
    int64_t model_timeout_ms;
    struct engine_call *call;
    struct error error;
    enum status status;   /* of engine_call_new, or of engine_drive */
    struct buffer result; /* the document of the result or of the error */
};

static inline struct schema_program *compile_schema(const char *schema, const struct alloc *alloc)
{
    struct schema_program *program = NULL;
    struct error error = { 0 };
    struct schema_options options = { .object_root = true, .format_asserts = true };
    enum status status = schema_compile_text(str_from(schema), &options, alloc, &program, &error);
    if (status != STATUS_OK)
        print_error("schema: %s\n", error.message);
    assert_int_equal(status, STATUS_OK);
    return program;
}

static inline void run_init(struct run *run, const char *schema,
                            const struct scripted_reply *replies, uint32_t count)
{
    *run = (struct run){ .alloc = alloc_default(), .deadline_ms = INT64_MAX };
    run->program = compile_schema(schema, run->alloc);
    run->request = (struct engine_request){ .prompt = STR("Mike broke the build today."),
                                            .program = run->program,
                                            .schema_origin = STR("inline"),
                                            .temperature = -1,
                                            .require_strict = true };
    scripted_model_init(&run->model, replies, count);
    error_clear(&run->error);
    buffer_init(&run->result, run->alloc, 64 << 20);
}

static inline void run_go(struct run *run)
{
    struct model_info info = model_info(&run->model.model);
    struct control control = scripted_control(&run->model, run->deadline_ms);
    struct engine_driver driver = { .model = &run->model.model,
                                    .control = &control,
                                    .model_timeout_ms = run->model_timeout_ms };
    run->status = engine_call_new(&run->request, &info, 7, run->alloc, &run->call, &run->error);
    if (run->status == STATUS_OK)
        run->status = engine_drive(run->call, &driver, &run->error);
    if (run->status == STATUS_OK)
        engine_write_result(engine_call_result(run->call), 0, &run->result);
    else
        engine_write_error(&run->error, 0, &run->result);
}

static inline void run_release(struct run *run)
{
    engine_call_free(run->call);
    schema_program_free(run->program);
    buffer_release(&run->result);
}

static inline struct str run_text(const struct run *run)
{
    return buffer_view(&run->result);
}

static inline bool run_has(const struct run *run, const char *part)
{
    return engine_text_contains(run_text(run), str_from(part));
}

#endif
