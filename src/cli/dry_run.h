/* dry_run.h - --dry-run: what would be sent to the model, as one document. */
#ifndef STRUCTURE_CLI_DRY_RUN_H
#define STRUCTURE_CLI_DRY_RUN_H

#include "engine/engine.h"

/* Appends {"model","messages",...} for the first action of call. */
enum status cli_dry_run_append(struct engine_call *call, const struct model_info *info,
                               const struct alloc *alloc, struct buffer *out, struct error *error);

/* The same for a model behind a provider: {"url","headers","body",...}, the key left out. */
enum status cli_dry_run_append_provider(struct engine_call *call, const struct model *model,
                                        struct buffer *out, struct error *error);

#endif
