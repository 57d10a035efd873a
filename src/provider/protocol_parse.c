/* protocol_parse.c - parsing the JSON of a reply.
 *
 * Owns: the one reading of JSON that is bent: escapes of lone surrogates, which some servers write
 * when a model stops inside of a character, become U+FFFD. Leaves to others: everything after.
 */
#include "base/features.h"

#include "provider/protocol_parts.h"

static bool is_surrogate_escape(struct str text, size_t at, bool is_low)
{
    if (at + 6 > text.len || text.ptr[at] != '\\' || text.ptr[at + 1] != 'u' ||
        (text.ptr[at + 2] | 32) != 'd')
        return false;
    char third = text.ptr[at + 3];
    bool is_high_digit = third == '8' || third == '9' || (third | 32) == 'a' || (third | 32) == 'b';
    bool is_low_digit = (third | 32) >= 'c' && (third | 32) <= 'f';
    return is_low ? is_low_digit : is_high_digit;
}

/* text with every lone surrogate replaced; *out_count says how many there were. */
static void mend_surrogates(struct str text, struct buffer *out, size_t *out_count)
{
    size_t begin = 0;
    size_t at = 0;
    *out_count = 0;
    while (at < text.len) {
        bool is_pair =
            is_surrogate_escape(text, at, false) && is_surrogate_escape(text, at + 6, true);
        bool is_lone = !is_pair && (is_surrogate_escape(text, at, false) ||
                                    is_surrogate_escape(text, at, true));
        if (is_lone) {
            buffer_append(out, text.ptr + begin, at - begin);
            buffer_append_str(out, STR("\\ufffd"));
            begin = at + 6;
            (*out_count)++;
        }
        if (is_pair)
            at += 12;
        else if (is_lone)
            at += 6;
        else
            at += text.ptr[at] == '\\' && at + 1 < text.len ? 2 : 1;
    }
    buffer_append(out, text.ptr + begin, text.len - begin);
}

enum status protocol_parse(struct protocol_reader *reader, struct str text,
                           struct json_doc **out_doc)
{
    struct json_options options = JSON_OPTIONS_DEFAULT;
    struct buffer mended;
    size_t count;
    options.duplicates = JSON_DUPLICATES_LAST;
    enum status status = json_parse(text, &options, reader->alloc, out_doc, NULL);
    if (status != STATUS_INVALID_REQUEST)
        return status;
    buffer_init(&mended, reader->alloc, LIMIT_JSON_BYTES);
    mend_surrogates(text, &mended, &count);
    status = buffer_status(&mended);
    if (status == STATUS_OK && count > 0)
        status = json_parse(buffer_view(&mended), &options, reader->alloc, out_doc, NULL);
    else if (status == STATUS_OK)
        status = STATUS_INVALID_REQUEST;
    buffer_release(&mended);
    if (status == STATUS_NO_MEMORY || status == STATUS_OK)
        return status;
    reader->reply.has_failure = true;
    provider_failure_set(&reader->reply.failure, STATUS_TRANSPORT, true, "damaged", STR(""));
    return STATUS_TRANSPORT;
}
