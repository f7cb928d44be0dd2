// math/random.h - random numbers by counting: the k-th number of a stream is a function of its address, so that nothing
// is remembered, and the same address gives the same bits in any company.
//
// Philox4x32-10: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <stdint.h>

typedef struct random_block {
    uint32_t x[4];
} random_block;

random_block philox(random_block counter, uint32_t key0, uint32_t key1);

// Two numbers of the normal distribution of mean 0 and deviation 1, independent of one another and of those of
// every other address.
void random_normals(uint64_t seed, uint64_t stream, uint64_t index, double out[2]);
