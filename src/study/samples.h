// study/samples.h - points in the unit cube, each found by its number alone: any process can compute any case of a
// study, in any order, and all find the same.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define SOBOL_DIMENSIONS 64

typedef enum sample_method {
    SAMPLE_GRID,    // not in the cube: see distribution_grid
    SAMPLE_RANDOM,  // independent
    SAMPLE_LATIN,   // in each dimension one in each of n equal parts
    SAMPLE_SOBOL,  // Sobol's sequence; seed 0: as it is, otherwise shifted (digit by digit, which keeps all that it has)
    SAMPLE_SALTELLI  // blocks of such points for indices of sensitivity: A, B, then A with one column of B after the other
} sample_method;

// Coordinate `dimension` of point i of n, in (0, 1).
double unit_sample(sample_method method, uint64_t seed, int64_t i, int64_t n, int dimension);
// The same of Sobol's sequence, as 32 binary digits, in the order of Gray's code (Antonov & Saleev 1979).
uint32_t sobol_digits(uint32_t i, int dimension);
// The polynomial of a dimension beyond the first, its coefficients as binary digits: x^2 + x + 1 is 7.
unsigned sobol_polynomial(int dimension);

// A number in [0, 1) for each key, as good as random.
double unit_random(uint64_t seed, uint64_t i, uint64_t dimension);
