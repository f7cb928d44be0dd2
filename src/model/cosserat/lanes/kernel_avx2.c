// model/cosserat/lanes/kernel_avx2.c - the kernel, 4 robots side by side.
#if defined(__AVX2__)
#define LANE_WIDTH 4
#define KERNEL_NAME kernel_avx2
#include "model/cosserat/lanes/kernel_step.h"
#endif
