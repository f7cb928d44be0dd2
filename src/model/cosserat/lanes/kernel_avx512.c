// model/cosserat/lanes/kernel_avx512.c - the kernel, 8 robots side by side.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define LANE_WIDTH 8
#define KERNEL_NAME kernel_avx512
#include "model/cosserat/lanes/kernel_step.h"
#endif
