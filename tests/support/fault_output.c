/* fault_output.c - the bytes of a script, made as they are sent. See fault_output.h. */
#include "base/features.h"

#include "fault_output.h"

#include <stdio.h>

enum {
    CHUNK_BYTES = 8192,
    STORED_MAX = 8192, /* of one stored block, well below its 65,535 */
    RUN = 258,         /* bytes that one match copies */
    RUN_BITS = 13,
    ROOM = 64, /* that the largest single item takes */
    CRC_POLYNOMIAL = (int)0xEDB88320
};

/* ---- life ---- */

static void step_begin(struct fault_output *output)
{
    output->at = 0;
    output->crc = 0xFFFFFFFFu;
    output->bits = output->bit_count = 0;
    output->stage = 0;
}

void fault_output_begin(struct fault_output *output, const struct fault_script *script)
{
    output->script = script;
    output->step = script->steps;
    output->sent = 0;
    output->made_len = output->made_sent = 0;
    step_begin(output);
}

const struct fault_step *fault_output_step(const struct fault_output *output)
{
    return output->step;
}

void fault_output_pass(struct fault_output *output)
{
    output->step++;
    step_begin(output);
}

static bool is_output(enum fault_step_kind kind)
{
    switch (kind) {
    case FAULT_SEND:
    case FAULT_BODY:
    case FAULT_CHUNK:
    case FAULT_LAST_CHUNK:
    case FAULT_REPEAT:
    case FAULT_GZIP:
    case FAULT_GZIP_ZEROS: return true;
    case FAULT_END:
    case FAULT_DELAY:
    case FAULT_GATE:
    case FAULT_STALL:
    case FAULT_CLOSE:
    case FAULT_RESET: return false;
    }
    return false;
}

/* ---- making bytes ---- */

static void make(struct fault_output *output, const void *ptr, size_t len)
{
    if (len > 0)
        memcpy(output->made + output->made_len, ptr, len);
    output->made_len += len;
}

static size_t room(const struct fault_output *output)
{
    return sizeof(output->made) - output->made_len;
}

static void crc_add(struct fault_output *output, const unsigned char *ptr, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        output->crc ^= ptr == NULL ? 0 : ptr[i];
        for (int bit = 0; bit < 8; bit++)
            output->crc =
                (output->crc >> 1) ^ ((output->crc & 1) != 0 ? (uint32_t)CRC_POLYNOMIAL : 0);
    }
}

static void make_gzip_head(struct fault_output *output)
{
    static const unsigned char head[] = { 0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF };
    make(output, head, sizeof(head));
}

static void make_gzip_tail(struct fault_output *output, uint64_t size)
{
    uint32_t words[2] = { ~output->crc, (uint32_t)size };
    for (size_t w = 0; w < 2; w++) {
        for (unsigned byte = 0; byte < 4; byte++)
            output->made[output->made_len++] = (char)(words[w] >> (8 * byte) & 0xFF);
    }
}

/* Stored blocks. False: the step is done. */
static bool make_gzip(struct fault_output *output)
{
    struct str bytes = output->step->bytes;
    if (output->stage++ == 0) {
        make_gzip_head(output);
        return true;
    }
    size_t left = bytes.len - (size_t)output->at;
    size_t len = left < STORED_MAX ? left : STORED_MAX;
    unsigned char head[] = { left == len, (unsigned char)(len & 0xFF), (unsigned char)(len >> 8),
                             (unsigned char)(~len & 0xFF), (unsigned char)(~len >> 8 & 0xFF) };
    make(output, head, sizeof(head));
    make(output, bytes.ptr + output->at, len);
    crc_add(output, (const unsigned char *)bytes.ptr + output->at, len);
    output->at += len;
    if (left == len)
        make_gzip_tail(output, bytes.len);
    return left != len;
}

static void put_bits(struct fault_output *output, uint32_t bits, unsigned count)
{
    output->bits |= bits << output->bit_count;
    output->bit_count += count;
    while (output->bit_count >= 8) {
        output->made[output->made_len++] = (char)(output->bits & 0xFF);
        output->bits >>= 8;
        output->bit_count -= 8;
    }
}

/* One block with the fixed codes: a zero (8 bits, 00110000 written from its high bit), then matches
 * of length 258 (11000101) at distance 1 (00000), then what is left as zeros, then its end. */
static bool make_zeros(struct fault_output *output)
{
    const uint32_t zero = 0x0C, match = 0xA3; /* with their bits in sending order */
    uint64_t count = output->step->count;
    if (output->stage == 0) {
        output->stage = 1;
        make_gzip_head(output);
        put_bits(output, 1 | 1 << 1, 3);
        put_bits(output, zero, 8);
        crc_add(output, NULL, 1);
        output->at = 1;
        return true;
    }
    while (output->at < count && room(output) > ROOM) {
        uint64_t left = count - output->at;
        bool is_run = left >= RUN;
        put_bits(output, is_run ? match : zero, is_run ? RUN_BITS : 8);
        crc_add(output, NULL, is_run ? RUN : 1);
        output->at += is_run ? RUN : 1;
    }
    if (output->at < count)
        return true;
    put_bits(output, 0, 7);
    put_bits(output, 0, (8 - output->bit_count) % 8);
    make_gzip_tail(output, count);
    return false;
}

static bool make_chunk(struct fault_output *output)
{
    const struct fault_step *step = output->step;
    size_t piece = step->piece > 0 && step->piece < CHUNK_BYTES ? step->piece : CHUNK_BYTES;
    size_t left = step->bytes.len - (size_t)output->at;
    size_t len = left < piece ? left : piece;
    if (len == 0)
        return false;
    output->made_len += (size_t)snprintf(output->made + output->made_len, ROOM, "%zx\r\n", len);
    make(output, step->bytes.ptr + output->at, len);
    make(output, "\r\n", 2);
    output->at += len;
    return output->at < step->bytes.len;
}

static bool make_plain(struct fault_output *output)
{
    const struct fault_step *step = output->step;
    if (step->kind == FAULT_BODY && output->stage++ == 0)
        output->made_len += (size_t)snprintf(output->made + output->made_len, ROOM,
                                             "Content-Length: %zu\r\n\r\n", step->bytes.len);
    size_t left = step->bytes.len - (size_t)output->at;
    size_t len = left < room(output) ? left : room(output);
    if (step->piece > 0 && len > step->piece)
        len = step->piece;
    make(output, step->bytes.ptr + output->at, len);
    output->at += len;
    return output->at < step->bytes.len;
}

static bool make_repeat(struct fault_output *output)
{
    const struct fault_step *step = output->step;
    while ((step->count == 0 || output->at < step->count) && room(output) >= step->bytes.len) {
        make(output, step->bytes.ptr, step->bytes.len);
        output->at++;
    }
    return step->count == 0 || output->at < step->count;
}

/* Makes the next bytes of the step. False: it is done. */
static bool make_more(struct fault_output *output)
{
    switch (output->step->kind) {
    case FAULT_SEND:
    case FAULT_BODY: return make_plain(output);
    case FAULT_CHUNK: return make_chunk(output);
    case FAULT_LAST_CHUNK: make(output, "0\r\n\r\n", 5); return false;
    case FAULT_REPEAT: return make_repeat(output);
    case FAULT_GZIP: return make_gzip(output);
    case FAULT_GZIP_ZEROS: return make_zeros(output);
    case FAULT_END:
    case FAULT_DELAY:
    case FAULT_GATE:
    case FAULT_STALL:
    case FAULT_CLOSE:
    case FAULT_RESET: break;
    }
    return false;
}

/* The script goes no further than its cut. */
static bool cut_if_due(struct fault_output *output)
{
    if (output->script->cut == FAULT_END || output->sent < output->script->cut_after)
        return false;
    output->cut_step = (struct fault_step){ output->script->cut, STR(""), 0, 0 };
    output->step = &output->cut_step;
    output->made_len = output->made_sent = 0;
    return true;
}

struct str fault_output_bytes(struct fault_output *output)
{
    if (output->step != &output->cut_step)
        (void)cut_if_due(output);
    while (output->made_sent == output->made_len && is_output(output->step->kind)) {
        output->made_len = output->made_sent = 0;
        if (!make_more(output))
            fault_output_pass(output);
    }
    struct str bytes = { output->made + output->made_sent, output->made_len - output->made_sent };
    if (output->step != &output->cut_step && output->script->cut != FAULT_END &&
        bytes.len > output->script->cut_after - output->sent)
        bytes.len = output->script->cut_after - output->sent;
    return bytes;
}

void fault_output_sent(struct fault_output *output, size_t len)
{
    output->made_sent += len;
    output->sent += len;
}
