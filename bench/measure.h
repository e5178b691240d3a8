/* What the benchmarks in C share: a failed call ends the program, the clock, and the order for medians. A file that includes
 * this defines _POSIX_C_SOURCE first. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "vkdispatch.h"

static inline void check(vd_status status) {
  if (status >= 0) return;
  fprintf(stderr, "%s\n", vd_last_error());
  exit(1);
}

/* Of a clock that only goes forward, in microseconds. */
static inline double now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e6 + (double)t.tv_nsec * 1e-3;
}

/* For qsort() of doubles. */
static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}
