// model/cosserat/lanes/kernel_plain.c - the kernel, one robot at a time: what the wide ones are compared with.
#define LANE_WIDTH 1
#define KERNEL_NAME kernel_plain
#include "model/cosserat/lanes/kernel_step.h"
