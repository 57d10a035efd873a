/* quantity.h - numbers, durations and sizes as a person writes them on a command line. */
#ifndef STRUCTURE_CLI_QUANTITY_H
#define STRUCTURE_CLI_QUANTITY_H

#include "base/status.h"

/* Each: text must be the whole value and lie in min..max, else INVALID_REQUEST that names option
 * and range. */

/* Decimal digits only. */
enum status cli_quantity_count(const char *option, const char *text, uint64_t min, uint64_t max,
                               uint64_t *out, struct error *error);
/* "500ms", "30s", "2m", "1h"; at least 1 ms, at most 24 h. */
enum status cli_quantity_duration_ms(const char *option, const char *text, int64_t *out_ms,
                                     struct error *error);
/* "4096", "64K", "4M", "1G": bytes in powers of 1024. */
enum status cli_quantity_size(const char *option, const char *text, uint64_t max,
                              uint64_t *out_bytes, struct error *error);
/* A decimal fraction such as 0.7, independent of the locale; min and max included. */
enum status cli_quantity_fraction(const char *option, const char *text, double min, double max,
                                  double *out, struct error *error);

#endif
