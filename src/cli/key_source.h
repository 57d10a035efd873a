/* key_source.h - the key of a provider, from where the person keeps it. */
#ifndef STRUCTURE_CLI_KEY_SOURCE_H
#define STRUCTURE_CLI_KEY_SOURCE_H

#include "base/buffer.h"
#include "base/control.h"
#include "provider/catalogue.h"

enum { CLI_KEY_BYTES = 16 * 1024 };

/* Where the key of a provider would come from: "env:NAME", "file:PATH" or "cmd:..."; empty when
 * none is used. Appended. */
void cli_key_source_append(struct buffer *out, const struct provider_row *row);

/* Whether there is a key, as far as that can be told without running a command. */
bool cli_key_is_present(const struct provider_row *row);

/* Reads the key into *out, which the caller initialised with CLI_KEY_BYTES at the most and clears
 * with cli_key_release; nothing is appended when the provider's variable is not set.
 * NOT_CONFIGURED: a source that was configured has no key; INVALID_REQUEST: the file can be read by
 * others, the key is none. A command has 30 s, and the wish to stop ends it. */
enum status cli_key_read(const struct provider_row *row, const struct cancel *cancel,
                         struct buffer *out, struct error *error);
void cli_key_release(struct buffer *key); /* zeroed first */

#endif
