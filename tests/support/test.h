/* test.h - cmocka with the headers that it wants to see before its own. */
#ifndef STRUCTURE_TEST_H
#define STRUCTURE_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#endif
