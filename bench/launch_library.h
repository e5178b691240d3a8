/* A launch benchmark as a library, whose ways another program measures in turns with others in its own process:
 * bench/python_launches.py. Built from the benchmark's source with LAUNCH_LIBRARY. */
#pragma once
#include <stdint.h>

#define LAUNCH_API __attribute__((visibility("default")))

/* Opens both sides, with `floats` in each of a full-size saxpy's buffers; 0 if it could. */
LAUNCH_API int launch_open(uint64_t floats);
/* What launch_measure() knows: "raw burst", "ours burst" and so on, one a line. A side may have several ways for a
 * case. */
LAUNCH_API const char* launch_ways(void);
/* Microseconds for each of `count` calls or kernels. */
LAUNCH_API double launch_measure(const char* way, uint32_t count);
/* Records graphs of `count` kernels, each after the one before. */
LAUNCH_API void launch_record(uint32_t count);
/* The program itself. */
LAUNCH_API int launch_main(int argc, char** argv);
