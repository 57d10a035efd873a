/* record.h - an HTTP client that stores what passes through another one, or answers from the store.
 *
 * Owns: the files of the store (one JSON file an exchange), the normal form of a request and its
 * hash, and what a replay says when nothing matches. Invariant: nothing secret is stored: headers
 * marked secret are left out; the user's text is, which the documentation says.
 */
#ifndef STRUCTURE_NET_RECORD_H
#define STRUCTURE_NET_RECORD_H

#include "net/http.h"

/* Passes everything to inner, of which it takes ownership, and writes each ended exchange to
 * folder (made if absent). STORE when it cannot be written. */
enum status http_record_new(struct http_client inner, struct str folder, const struct alloc *alloc,
                            struct http_client *out_client, struct error *error);

/* Answers from folder without a network; equal requests are answered in the order in which they
 * were recorded. A request that is not there ends with HTTP_REPLAY_MISMATCH, whose detail names
 * what differs from the nearest one (method, URL, header names, JSON Pointers into the body). */
enum status http_replay_new(struct str folder, const struct alloc *alloc,
                            struct http_client *out_client, struct error *error);

/* Whether an exchange could not be stored (the call itself is not disturbed by it). */
const struct error *http_record_error(const struct http_client *client);

#endif
