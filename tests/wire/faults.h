/* faults.h - every way in which a provider's answer can be bad, and what must become of it.
 *
 * Owns: the table of faults: how the answers to a call are built for a protocol, streamed or whole,
 * and the documented outcome (kind, requests sent, data). Leaves to others: the protocols' good
 * replies (replies.h), playing and checking (test_matrix.c).
 */
#ifndef STRUCTURE_WIRE_FAULTS_H
#define STRUCTURE_WIRE_FAULTS_H

#include "fault_server.h"
#include "replies.h"

#define WIRE_DATA        "{\"actor\":\"Mike\",\"priority\":3}"
#define WIRE_DATA_BAD    "{\"actor\":\"Mike\",\"priority\":9}"
#define WIRE_MARKER      "MARKER-OF-THE-PROVIDER"
#define WIRE_MARKER_KEY  "MARKER-OF-THE-KEY"
#define WIRE_MARKER_TEXT "MARKER-OF-THE-PROMPT"

enum { FAULT_ANSWERS_MAX = 4, FAULT_STEPS_MAX = 6, FAULT_STATUS_STALE = 100 };

/* One HTTP answer, built. */
struct fault_answer {
    struct buffer bytes;
    struct fault_step steps[FAULT_STEPS_MAX];
    struct fault_script script;
};

/* Answers to the requests of one call; the last one repeats. */
struct fault_answers {
    enum wire_protocol protocol;
    bool is_streamed;
    struct fault_answer items[FAULT_ANSWERS_MAX];
    uint32_t count;
};

enum fault_modes { FAULT_IN_STREAM = 1, FAULT_IN_WHOLE = 2, FAULT_IN_BOTH = 3 };

/* Tokens that are told. */
enum fault_usage {
    FAULT_COUNTS_NONE, /* no reply began */
    FAULT_COUNTS_ONE,  /* those of the good reply, as the provider counted */
    FAULT_COUNTS_ALL,  /* those of every request, as the provider counted */
    FAULT_ESTIMATES,   /* something, and marked as estimated */
    FAULT_STOPS        /* the same, and less than whole replies */
};

struct fault_case {
    const char *name;
    enum fault_modes modes;
    void (*build)(struct fault_answers *answers);
    int outcome; /* enum status of the call: STATUS_OK (the data of a good reply came), or a kind;
                    or FAULT_STATUS_STALE */
    uint32_t requests_min, requests_max;
    enum fault_usage usage;
    unsigned except; /* bits of protocols that know no such thing */
};

extern const struct fault_case fault_cases[];
extern const uint32_t fault_case_count;

void fault_answers_init(struct fault_answers *answers, enum wire_protocol protocol,
                        bool is_streamed);
void fault_answers_release(struct fault_answers *answers);

/* For other tests: the good answer as one more, and its bytes. */
struct fault_answer *fault_answer_good(struct fault_answers *answers);

#endif
