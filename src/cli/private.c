/* private.c - what the process keeps to itself. See private.h.
 *
 * Owns: the limit of core dumps. Leaves to others: zeroing a key when its model is closed
 * (provider.c, net).
 */
#include "base/features.h"

#include "cli/private.h"

#include <stdlib.h>
#include <sys/resource.h>

void cli_keep_private(void)
{
    /* One byte is below every dump's least size, and it is the value at which Linux feeds no
     * handler behind a pipe either; zero would feed it. */
    const struct rlimit none = { 1, 1 };
    const char *wanted = getenv("STRUCTURE_CORE");
    if (wanted == NULL || wanted[0] != '1')
        (void)setrlimit(RLIMIT_CORE, &none);
}
