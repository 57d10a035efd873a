/* fixture.h - a schema text turned into a language and a state, for tests that look at single
 * texts. */
#ifndef STRUCTURE_TEST_DECODE_FIXTURE_H
#define STRUCTURE_TEST_DECODE_FIXTURE_H

#include "test.h"

#include "decode/state.h"
#include "schema/compile.h"
#include "schema/validate.h"

struct fixture {
    struct ground *ground;
    struct schema_program *program;
    struct decode_language *language;
    struct decode_state *state, *scratch;
};

static inline void fixture_init(struct fixture *fixture, const char *schema, const char *prompt,
                                const struct decode_options *options)
{
    struct error error;
    error_clear(&error);
    memset(fixture, 0, sizeof *fixture);
    struct decode_options set =
        options == NULL ? (struct decode_options){ .string_max = 0 } : *options;
    if (prompt != NULL) {
        assert_int_equal(ground_new(str_from(prompt), alloc_default(), &fixture->ground, &error),
                         STATUS_OK);
        set.ground = fixture->ground;
    }
    enum status status =
        schema_compile_text(str_from(schema), NULL, alloc_default(), &fixture->program, &error);
    if (status != STATUS_OK)
        fail_msg("%s: %s at %s", schema, error.message, error.pointer);
    status =
        decode_language_new(fixture->program, &set, alloc_default(), &fixture->language, &error);
    if (status != STATUS_OK)
        fail_msg("%s: %s at %s", schema, error.message, error.pointer);
    assert_int_equal(decode_state_new(fixture->language, alloc_default(), &fixture->state),
                     STATUS_OK);
    assert_int_equal(decode_state_new(fixture->language, alloc_default(), &fixture->scratch),
                     STATUS_OK);
}

static inline void fixture_release(struct fixture *fixture)
{
    decode_state_free(fixture->state);
    decode_state_free(fixture->scratch);
    decode_language_free(fixture->language);
    schema_program_free(fixture->program);
    ground_free(fixture->ground);
}

/* 'c': a whole value, 'p': the beginning of one, 'r': refused. */
static inline char fixture_verdict(struct fixture *fixture, const char *text)
{
    decode_state_reset(fixture->state);
    if (!decode_state_feed(fixture->state, str_from(text)))
        return 'r';
    return decode_state_is_complete(fixture->state) ? 'c' : 'p';
}

#endif
