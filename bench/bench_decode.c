/* bench_decode.c - what constrained decoding costs: tokens a second of replies that follow a
 * schema, as a ratio to free replies of the same model, and to llama.cpp's own grammar sampler on
 * the same schema, in one run.
 *
 * They take turns. Counted is the time that the process spends computing (one thread), so that a
 * busy machine disturbs little. Every token of a reply is evaluated, also those of forced text;
 * only what ends a value is not.
 */
#include "base/features.h"

#include <stdio.h>
#include <time.h>

#include "model/local_llama.h"

#if STRUCTURE_HAVE_LLAMA

#include "schema/compile.h"

enum { BENCH_ROUNDS = 4, BENCH_TOKENS = 160 };

static const char bench_schema[] =
    "{\"type\":\"object\",\"properties\":{\"title\":{\"type\":\"string\"},"
    "\"author\":{\"type\":\"string\"},\"year\":{\"type\":\"integer\"},"
    "\"summary\":{\"type\":\"string\"},"
    "\"topics\":{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"maxItems\":6},"
    "\"rating\":{\"type\":\"number\"},\"in_print\":{\"type\":\"boolean\"}},"
    "\"required\":[\"title\",\"author\",\"year\",\"summary\",\"topics\",\"rating\",\"in_print\"],"
    "\"additionalProperties\":false}";

/* The same language for llama.cpp: compact, members in order, strings of at most 240 characters. */
static const char bench_grammar[] =
    "root ::= \"{\\\"title\\\":\" string \",\\\"author\\\":\" string \",\\\"year\\\":\" integer "
    "\",\\\"summary\\\":\" string \",\\\"topics\\\":\" topics \",\\\"rating\\\":\" number "
    "\",\\\"in_print\\\":\" boolean \"}\"\n"
    "topics ::= \"[\" (string (\",\" string){0,5})? \"]\"\n"
    "string ::= \"\\\"\" char{0,240} \"\\\"\"\n"
    "char ::= [^\"\\\\\\x7F\\x00-\\x1F] | [\\\\] ([\"\\\\bfnrt] | \"u\" [0-9a-fA-F]{4})\n"
    "integer ::= \"-\"? (\"0\" | [1-9] [0-9]{0,15})\n"
    "number ::= integer (\".\" [0-9]{1,15})?\n"
    "boolean ::= \"true\" | \"false\"\n";

static const char bench_prompt[] =
    "Describe a novel that you like as one JSON object: "
    "{ title: string, author: string, year: integer, summary: string, topics: string[], "
    "rating: number, in_print: boolean }";

struct tally {
    const char *name;
    double seconds;
    uint64_t tokens;
};

static double bench_now(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* The moment when writing begins: the prompt has been read. */
static void bench_first_text(void *state, struct str piece)
{
    double *begin = state;
    (void)piece;
    if (*begin == 0)
        *begin = bench_now();
}

/* One reply through the seam. The time runs from the first text on, which leaves the prompt out
 * of it. */
static bool bench_reply(struct local *local, const struct schema_program *program, uint64_t call_id,
                        struct tally *tally)
{
    double begin = 0;
    struct model_sink sink = { .text = bench_first_text, .state = &begin };
    struct control control = { clock_system(), INT64_MAX, NULL };
    struct model_message message = { MODEL_ROLE_USER, STR("") };
    struct model_request request = { .call_id = call_id, .messages = &message, .message_count = 1,
                                     .program = program, .grounded = MODEL_GROUNDED_OFF,
                                     .tokens_max = BENCH_TOKENS, .temperature = 0.8,
                                     .has_seed = true, .seed = call_id };
    struct model_reply reply = { .finish = MODEL_FINISH_UNKNOWN };
    struct error error;
    message.text = str_from(bench_prompt);
    error_clear(&error);
    buffer_init(&reply.text, alloc_default(), 1 << 20);
    enum status status = local_generate(local, &request, &sink, &control, &reply, &error);
    tally->seconds += bench_now() - begin;
    tally->tokens += reply.usage.output_tokens;
    buffer_release(&reply.text);
    if (status != STATUS_OK)
        (void)fprintf(stderr, "bench_decode: %s\n", error.message);
    return status == STATUS_OK;
}

/* The same with llama.cpp's sampler chain: grammar, temperature, a seeded draw. */
static bool bench_grammar_reply(struct local *local, bool grammar, uint32_t seed,
                                struct tally *tally)
{
    uint64_t cached;
    struct error error;
    struct control control = { clock_system(), INT64_MAX, NULL };
    struct model_message message = { MODEL_ROLE_USER, MODEL_PURPOSE_TEXT, str_from(bench_prompt) };
    struct model_request request = { .messages = &message, .message_count = 1 };
    error_clear(&error);
    local->control = &control;
    if (local_prompt(local, &request, &error) != STATUS_OK ||
        local_context_reserve(local, 600, &error) != STATUS_OK ||
        local_context_read(local, 0, NULL, &cached, &error) != STATUS_OK)
        return false;
    struct llama_sampler *chain = llama_sampler_chain_init(llama_sampler_chain_default_params());
    if (grammar)
        llama_sampler_chain_add(chain,
                                llama_sampler_init_grammar(local->vocab, bench_grammar, "root"));
    llama_sampler_chain_add(chain, llama_sampler_init_temp(0.8F));
    llama_sampler_chain_add(chain, llama_sampler_init_dist(seed));
    double begin = bench_now();
    for (unsigned i = 0; i < BENCH_TOKENS; i++) {
        int32_t token = llama_sampler_sample(chain, local->context, -1);
        if (llama_vocab_is_eog(local->vocab, token))
            break;
        tally->tokens++;
        if (local_context_extend(local, &token, 1, &error) != STATUS_OK)
            break;
    }
    tally->seconds += bench_now() - begin;
    llama_sampler_free(chain);
    local->control = NULL;
    return error.status == STATUS_OK;
}

static void bench_print(const struct tally *tallies, size_t count)
{
    double of_free = (double)tallies[0].tokens / tallies[0].seconds;
    for (size_t i = 0; i < count; i++) {
        double rate = (double)tallies[i].tokens / tallies[i].seconds;
        (void)printf("%-18s %7.1f tokens/s   %5.2f of free   (%llu tokens)\n", tallies[i].name,
                     rate, rate / of_free, (unsigned long long)tallies[i].tokens);
    }
    double constrained = (double)tallies[1].tokens / tallies[1].seconds;
    double grammar = (double)tallies[3].tokens / tallies[3].seconds;
    (void)printf("constrained / llama.cpp grammar: %.2f\n", constrained / grammar);
}

int main(void)
{
    struct tally tallies[] = { { "free", 0, 0 },
                               { "constrained", 0, 0 },
                               { "llama.cpp free", 0, 0 },
                               { "llama.cpp grammar", 0, 0 } };
    struct model model = { NULL, NULL };
    struct model_local_options options = { .threads = 1 };
    struct schema_program *program = NULL;
    struct error error;
    error_clear(&error);
    if (model_local_open(&options, alloc_default(), NULL, &model, &error) != STATUS_OK) {
        (void)printf("bench_decode: skipped: %s\n", error.message);
        return 0;
    }
    bool done = schema_compile_text(str_from(bench_schema), NULL, alloc_default(), &program,
                                    &error) == STATUS_OK;
    for (uint32_t round = 0; done && round < BENCH_ROUNDS; round++)
        done = bench_reply(model.state, NULL, 100 + round, &tallies[0]) &&
               bench_reply(model.state, program, 200 + round, &tallies[1]) &&
               bench_grammar_reply(model.state, false, 100 + round, &tallies[2]) &&
               bench_grammar_reply(model.state, true, 200 + round, &tallies[3]);
    if (done)
        bench_print(tallies, sizeof(tallies) / sizeof(tallies[0]));
    schema_program_free(program);
    model_free(&model);
    return done ? 0 : 1;
}

#else

int main(void)
{
    (void)printf("bench_decode: skipped: built without libllama\n");
    return 0;
}

#endif
