/* record_file.h - private to src/net: an exchange as a file, and which requests are the same.
 *
 * One JSON object a file: method, url, headers (without secret ones), body (as JSON where it is
 * JSON), and the reply: status, headers, body text, outcome. Two requests are the same when method,
 * URL and body are; members of a JSON body may come in any order.
 */
#ifndef STRUCTURE_NET_RECORD_FILE_H
#define STRUCTURE_NET_RECORD_FILE_H

#include "json/json.h"
#include "net/http.h"

enum {
    RECORD_PATH_BYTES = 4096,
    RECORD_FILE_BYTES = 256 << 20,
    RECORD_FILES_MAX = 100000,
    RECORD_DIFFERENCE_BYTES = 256
};

struct record_exchange {
    struct buffer method, url, headers, request_body; /* headers: "name: value" lines */
    int status;
    struct buffer reply_headers, body;
    enum http_outcome outcome;
};

void record_exchange_init(struct record_exchange *exchange, const struct alloc *alloc);
void record_exchange_release(struct record_exchange *exchange);
void record_exchange_request(struct record_exchange *exchange, const struct http_request *request);
void record_exchange_head(struct record_exchange *exchange, const struct http_head *head);

/* Makes folder (0700) if it is absent. STORE. */
enum status record_folder_make(struct str folder, struct error *error);
/* The highest number of a file in folder. */
uint32_t record_folder_count(struct str folder);

/* Writes "NNNNNN.json" (0600) at once or not at all. STORE, NO_MEMORY. */
enum status record_file_write(struct str folder, uint32_t number,
                              const struct record_exchange *exchange, const struct alloc *alloc,
                              struct error *error);
/* Reads one file. STORE when it is none of ours, NO_MEMORY. *out_exchange is to be released in any
 * case. */
enum status record_file_read(struct str folder, uint32_t number, const struct alloc *alloc,
                             struct record_exchange *out_exchange, struct error *error);

/* Whether the requests are the same; else what differs first, in words without values, and how
 * much: a smaller distance is nearer. */
bool record_same_request(const struct record_exchange *a, const struct record_exchange *b,
                         const struct alloc *alloc, char what[RECORD_DIFFERENCE_BYTES],
                         uint32_t *out_distance);

#endif
