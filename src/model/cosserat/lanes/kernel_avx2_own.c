// model/cosserat/lanes/kernel_avx2_own.c - the kernel, 4 robots side by side, each with numbers of its own.
#if defined(__AVX2__)
#define LANE_WIDTH 4
#define KERNEL_OWN
#define KERNEL_NAME kernel_avx2_own
#include "model/cosserat/lanes/kernel_step.h"
#endif
