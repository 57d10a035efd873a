/* fault_output.h - the bytes of a script, made as they are sent.
 *
 * Owns: lengths, chunks, repetitions, gzip, and the place at which a script is cut. Leaves to
 * others: sockets and the steps that are no output (fault_server.c).
 */
#ifndef STRUCTURE_FAULT_OUTPUT_H
#define STRUCTURE_FAULT_OUTPUT_H

#include "fault_server.h"

/* STR for static tables. */
#define STR_LITERAL(literal)                                                                       \
    {                                                                                              \
        "" literal, sizeof(literal) - 1                                                            \
    }

enum { FAULT_OUTPUT_BYTES = 16 << 10 };

struct fault_output {
    const struct fault_script *script;
    const struct fault_step *step;
    struct fault_step cut_step; /* the step that comes where the script is cut */
    size_t sent;                /* of the script */
    uint64_t at;                /* inside of the step: bytes, or repetitions */
    uint32_t crc;               /* of what a gzip file holds so far */
    uint32_t bits, bit_count;   /* of a deflate stream, not yet a byte */
    unsigned stage;             /* of a gzip file */
    char made[FAULT_OUTPUT_BYTES];
    size_t made_len, made_sent;
};

void fault_output_begin(struct fault_output *output, const struct fault_script *script);

/* The next bytes to send; empty: fault_output_step is a step that is no output. */
struct str fault_output_bytes(struct fault_output *output);
void fault_output_sent(struct fault_output *output, size_t len);

const struct fault_step *fault_output_step(const struct fault_output *output);
void fault_output_pass(struct fault_output *output); /* to the step behind it */

#endif
