/* record_file.h - private to src/net: an exchange as a file, and which requests are the same.
 *
 * One JSON object a file: method, url, headers (without secret ones), body (as JSON where it is an
 * object or array), and the reply: outcome, status, headers, body (as text, or bodyHex when it is
 * no UTF-8). Two requests are the same when method, URL and body are; members of a JSON body may
 * come in any order. Names of headers are written once: the first of a name counts.
 */
#ifndef STRUCTURE_NET_RECORD_FILE_H
#define STRUCTURE_NET_RECORD_FILE_H

#include "json/json.h"
#include "net/http.h"

enum {
    RECORD_PATH_BYTES = 4096,
    RECORD_FILE_BYTES = 256 << 20,
    RECORD_FILES_MAX = 100000,
    RECORD_DIFFERENCE_BYTES = 384
};

struct record_exchange {
    struct buffer method, url, headers, request_body; /* headers: "name: value" lines */
    struct json_doc *request_doc; /* of the body; NULL: it is none, or not read */
    int status;                   /* 0: no reply came */
    struct buffer reply_headers, body;
    enum http_outcome outcome;
};

void record_exchange_init(struct record_exchange *exchange, const struct alloc *alloc);
void record_exchange_release(struct record_exchange *exchange); /* accepts a zeroed one */
void record_exchange_request(struct record_exchange *exchange, const struct http_request *request);
void record_exchange_head(struct record_exchange *exchange, const struct http_head *head);
/* STATUS_OK, or why a part of it is not whole: NO_MEMORY, REJECTED (too large). */
enum status record_exchange_status(const struct record_exchange *exchange);
/* Overwrites secret, wherever it is, with asterisks. */
void record_exchange_hide(struct record_exchange *exchange, struct str secret);
/* Whether the value of a header of that name is secret, whatever is said of it. */
bool record_name_is_secret(struct str name);

/* ---- files ---- */

/* Makes folder (0700) if it is absent. INVALID_REQUEST, STORE. */
enum status record_folder_make(struct str folder, struct error *error);
/* The highest number of a file in folder; 0: there is none. */
uint32_t record_folder_last(struct str folder);

/* Writes "NNNNNN.json" (0600), at once or not at all, under the first number above *number that is
 * free, and says which. STORE, NO_MEMORY. */
enum status record_file_write(struct str folder, uint32_t *number,
                              const struct record_exchange *exchange, const struct alloc *alloc,
                              struct error *error);
/* Reads one file. STORE when it is none of ours, NO_MEMORY; *out_is_absent: there is none of that
 * number. *out_exchange is to be released in any case. */
enum status record_file_read(struct str folder, uint32_t number, const struct alloc *alloc,
                             struct record_exchange *out_exchange, bool *out_is_absent,
                             struct error *error);
/* The same for its text. False: it is none of ours, or memory is short (record_exchange_status). */
bool record_text_read(struct str text, const struct alloc *alloc,
                      struct record_exchange *out_exchange);
void record_text_write(const struct record_exchange *exchange, const struct alloc *alloc,
                       struct buffer *out);

/* ---- comparing (record_compare.c) ---- */

enum record_likeness { RECORD_SAME, RECORD_DIFFERENT, RECORD_UNKNOWN /* memory is short */ };

/* Reads the body of the request. NO_MEMORY; a body that is no JSON is none. */
enum status record_exchange_parse(struct record_exchange *exchange, const struct alloc *alloc);
enum record_likeness record_compare(const struct record_exchange *a,
                                    const struct record_exchange *b);
/* How far apart they are; a smaller one is nearer. */
uint32_t record_distance(const struct record_exchange *a, const struct record_exchange *b);
/* What differs, in words without values: "the URL, the body at /model". */
void record_difference(const struct record_exchange *a, const struct record_exchange *b,
                       const struct alloc *alloc, char what[RECORD_DIFFERENCE_BYTES]);

#endif
