// model/cosserat/lanes/kernel_nodes.cuh - kernels for rods with KERNEL_NODES nodes: part of gpu.cu, once for each number.
//
// Those that carry nothing have one of their own, with fewer registers.
#define CARRIES(element, what) (0 && (element)->what)
#define KERNEL_BOUNDS 1
namespace NAMED(bare_, KERNEL_NODES) {
#include "model/cosserat/lanes/kernel.h"
#include "model/cosserat/lanes/kernel_warp.cuh"
}
#undef CARRIES
#undef KERNEL_BOUNDS
#define CARRIES(element, what) ((element)->what)
#define KERNEL_BOUNDS 2
namespace NAMED(laden_, KERNEL_NODES) {
#include "model/cosserat/lanes/kernel.h"
#include "model/cosserat/lanes/kernel_warp.cuh"
}
#undef CARRIES
#undef KERNEL_BOUNDS
#undef KERNEL_NODES
#undef KERNEL_UNKNOWNS
#undef KERNEL_APART
#undef KERNEL_ROW
#undef KERNEL_BANKS
#undef KERNEL_WARPS
#undef KERNEL_BLOCKS
