// model/cosserat/lanes/kernel_plain_own.c - the kernel, one robot at a time, each with numbers of its own.
#define LANE_WIDTH 1
#define KERNEL_OWN
#define KERNEL_NAME kernel_plain_own
#include "model/cosserat/lanes/kernel_step.h"
