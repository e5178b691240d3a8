// volk's one translation unit.
#define VOLK_IMPLEMENTATION
#include <volk.h>
