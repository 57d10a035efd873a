/* models.h - the parts of `models`. Private to command_models.c and models_*.c. */
#ifndef STRUCTURE_CLI_MODELS_H
#define STRUCTURE_CLI_MODELS_H

#include "cli/cli.h"
#include "cli/model_source.h"

enum { MODELS_BYTES_MAX = 4 * 1024 * 1024 };

/* Why a provider cannot be asked as it stands, or NULL: "no key", "no base URL". */
const char *models_provider_lacks(const struct cli_config *config, const struct provider_row *row);

/* One line of the table; the provider as a JSON object; all that is known of it in words. */
void models_provider_line(struct buffer *text, const struct cli_config *config,
                          const struct provider_row *row);
void models_provider_json(struct buffer *text, const struct cli_config *config,
                          const struct provider_row *row);
void models_provider_words(struct buffer *text, const struct cli_config *config,
                           const struct provider_row *row);

#endif
