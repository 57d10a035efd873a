/* terminal.h - what is known about the terminal behind stderr and stdout. */
#ifndef STRUCTURE_CLI_TERMINAL_H
#define STRUCTURE_CLI_TERMINAL_H

#include <stdbool.h>

/* Columns of the terminal on descriptor fd: asked of it, else 80. */
unsigned cli_terminal_columns(int fd);

/* A terminal that understands cursor movement: TERM is set and not "dumb". */
bool cli_terminal_is_capable(int fd);

#endif
