/* private.h - what the process keeps to itself. */
#ifndef STRUCTURE_CLI_PRIVATE_H
#define STRUCTURE_CLI_PRIVATE_H

/* No core dump of this process: its memory holds prompts and keys. The environment variable
 * STRUCTURE_CORE=1 leaves the limit as it is, for whoever hunts a crash. */
void cli_keep_private(void);

#endif
