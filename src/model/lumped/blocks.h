// model/lumped/blocks.h - sparse systems of 6 x 6 blocks, factored in a given order.
//
// Block rows belong to the nodes of a net of rods, couplings to its segments. A chain in its
// natural order fills nothing in: its cost is linear. Pivoting stays inside the diagonal blocks.
#pragma once

#include <stdbool.h>

#define BLOCK 36  // numbers of a block, row major

typedef struct block_pattern {
    int n;            // block rows
    int n_couplings;  // pairs (k, j), k < j, with fill
    int *first;       // (n + 1) couplings of row k: first[k] .. first[k + 1] - 1
    int *other;       // (n_couplings) j, ascending within a row
    int *first_pair;  // (n + 1) updates that eliminating k makes, first index in `target`
    int *target;  // for each pair (i, l) of couplings of k: the block that is reduced, see below
} block_pattern;

// Blocks in the order: n diagonal ones, the n_couplings above (k, j), the n_couplings below (j, k).
static inline int blocks_of(const block_pattern *p) {
    return p->n + 2 * p->n_couplings;
}
// The block (row, column); -1: it is always zero.
int block_at(const block_pattern *p, int row, int column);

// a (blocks_of x 36) becomes its factors; pivot (n x 6). False: singular, or not finite.
bool blocks_factor(const block_pattern *p, double *a, int *pivot);
void blocks_solve(const block_pattern *p, const double *a, const int *pivot, double *b);
// The same for a symmetric matrix: how many of its eigenvalues are negative; -1: singular.
int blocks_negative(const block_pattern *p, double *a, int *pivot);
void blocks_multiply(const block_pattern *p, const double *a, const double *x, double *y);
void blocks_symmetrise(const block_pattern *p, double *a);  // half of it and its transpose

// compile_blocks.c: from n rows and pairs (n_pairs x 2) of them. False: out of memory.
bool block_pattern_make(int n, const int *pairs, int n_pairs, block_pattern *out);
void block_pattern_free(block_pattern *p);
