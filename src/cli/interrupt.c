/* interrupt.c - signals and standard descriptors, arranged once at the start. See interrupt.h.
 *
 * Owns: the one global of the program, because a handler has no argument. Invariant: the handler
 * only stores to a lock-free atomic.
 */
#include "base/features.h"

#include "cli/interrupt.h"

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static struct cancel interrupt_cancel;

static void interrupt_on_signal(int number)
{
    (void)number;
    atomic_store(&interrupt_cancel.requested, true);
}

/* SA_RESETHAND: the second signal has its default effect. No SA_RESTART: a blocked read returns. A
 * signal that the parent chose to ignore stays ignored. */
static void interrupt_catch(int number)
{
    struct sigaction old;
    if (sigaction(number, NULL, &old) != 0 || old.sa_handler == SIG_IGN)
        return;
    struct sigaction action = { .sa_handler = interrupt_on_signal, .sa_flags = (int)SA_RESETHAND };
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(number, &action, NULL);
}

/* A closed standard descriptor is replaced by one on which its use fails as it would have. */
static void interrupt_occupy(int fd, int flags)
{
    if (fcntl(fd, F_GETFD) >= 0)
        return;
    int opened = open("/dev/null", flags);
    if (opened >= 0 && opened != fd)
        (void)close(opened);
}

const struct cancel *cli_interrupt_install(void)
{
    interrupt_occupy(STDIN_FILENO, O_WRONLY);
    interrupt_occupy(STDOUT_FILENO, O_RDONLY);
    interrupt_occupy(STDERR_FILENO, O_RDONLY);
    struct sigaction ignore = { .sa_handler = SIG_IGN };
    (void)sigemptyset(&ignore.sa_mask);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    interrupt_catch(SIGINT);
    interrupt_catch(SIGTERM);
    return &interrupt_cancel;
}

bool cli_interrupt_is_requested(void)
{
    return atomic_load(&interrupt_cancel.requested);
}
