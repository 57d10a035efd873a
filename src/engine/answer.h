/* answer.h - how a model was asked for the reply that it gave: for the report. */
#ifndef STRUCTURE_ENGINE_ANSWER_H
#define STRUCTURE_ENGINE_ANSWER_H

#include "base/arena.h"
#include "engine/engine.h"

/* Fills the report of the projection with copies in arena: the reply's own does not last.
 * NO_MEMORY. */
enum status engine_answer_report(const struct model_reply *reply, struct arena *arena,
                                 struct engine_projection_report *out_report);

#endif
