/* terminal.c - asking about the terminal. See terminal.h.
 *
 * Owns: the only ioctl of the program. Leaves to others: what to do with the answer.
 */
#include "base/features.h"

#include "cli/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { TERMINAL_COLUMNS_DEFAULT = 80, TERMINAL_COLUMNS_MIN = 20, TERMINAL_COLUMNS_MAX = 400 };

unsigned cli_terminal_columns(int fd)
{
    struct winsize size;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0 || size.ws_col < TERMINAL_COLUMNS_MIN)
        return TERMINAL_COLUMNS_DEFAULT;
    return size.ws_col < TERMINAL_COLUMNS_MAX ? size.ws_col : TERMINAL_COLUMNS_MAX;
}

bool cli_terminal_is_capable(int fd)
{
    const char *kind = getenv("TERM");
    return isatty(fd) == 1 && kind != NULL && strcmp(kind, "dumb") != 0;
}
