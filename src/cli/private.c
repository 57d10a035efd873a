/* private.c - what the process keeps to itself. See private.h.
 *
 * Owns: the limit of core dumps; handlers that the system pipes dumps to honour it too. Leaves to
 * others: zeroing a key when its model is closed (provider.c, net).
 */
#include "base/features.h"

#include "cli/private.h"

#include <stdlib.h>
#include <sys/resource.h>

void cli_keep_private(void)
{
    const struct rlimit none = { 0, 0 };
    const char *wanted = getenv("STRUCTURE_CORE");
    if (wanted == NULL || wanted[0] != '1')
        (void)setrlimit(RLIMIT_CORE, &none);
}
