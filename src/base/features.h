/* features.h - the one place that selects the platform interfaces.
 *
 * Owns: the feature-test macro. Every .c file includes this header first, before any system header,
 * so that no file sees a different libc than its neighbour.
 */
#ifndef STRUCTURE_BASE_FEATURES_H
#define STRUCTURE_BASE_FEATURES_H

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif

#endif
