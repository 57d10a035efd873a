/* sarif.h - faults as a SARIF 2.1.0 log, for editors and code hosts.
 *
 * Owns: the form. One log over all instances, written piece by piece, so that its size does not
 * matter. Columns are counted in code points, as everywhere.
 */
#ifndef STRUCTURE_CLI_SARIF_H
#define STRUCTURE_CLI_SARIF_H

#include "cli/judgement.h"

void cli_sarif_begin(struct buffer *out);

/* The results of one instance: its violations, or why it could not be judged; none when it is
 * valid. *is_first: no result came before; kept. */
void cli_sarif_append(struct buffer *out, const struct cli_judgement *judgement, bool *is_first);

void cli_sarif_end(struct buffer *out);

#endif
