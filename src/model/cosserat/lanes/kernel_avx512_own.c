// model/cosserat/lanes/kernel_avx512_own.c - the kernel, 8 robots side by side, each with numbers of its own.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define LANE_WIDTH 8
#define KERNEL_OWN
#define KERNEL_NAME kernel_avx512_own
#include "model/cosserat/lanes/kernel_step.h"
#endif
