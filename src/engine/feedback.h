/* feedback.h - what the model is told about a refused reply. */
#ifndef STRUCTURE_ENGINE_FEEDBACK_H
#define STRUCTURE_ENGINE_FEEDBACK_H

#include "engine/engine.h"

/* Appends the user turn. is_same: the reply was, byte for byte, the one before. */
void engine_feedback_write(const struct schema_violations *violations, bool is_same,
                           struct buffer *out);

#endif
