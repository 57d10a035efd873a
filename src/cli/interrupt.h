/* interrupt.h - SIGINT and SIGTERM: the first asks the work to stop, the second ends the process at
 * once. */
#ifndef STRUCTURE_CLI_INTERRUPT_H
#define STRUCTURE_CLI_INTERRUPT_H

#include "base/control.h"

/* Installs the handlers, ignores SIGPIPE (a closed reader is an ordinary write error), and keeps
 * descriptors 0 to 2 occupied so that no file is ever opened as one of them. Returns the flag that
 * the signals set. */
const struct cancel *cli_interrupt_install(void);

bool cli_interrupt_is_requested(void);

#endif
