// study/samples.c - see samples.h.
#include "study/samples.h"

// ---------------------------------------------------------------- random
// The finaliser of splitmix64 (Steele, Lea & Flood 2014): one to one, and every bit of x reaches every bit of the result.
static uint64_t mix_bits(uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t mixed(uint64_t seed, uint64_t i, uint64_t dimension) {
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    return mix_bits(mix_bits(mix_bits(seed + golden) + (dimension + 1) * golden) +
                    (i + 1) * golden);
}

// In the middle of one of 2^53 equal parts, or nearest to it: neither 0 nor 1.
static double to_unit(uint64_t bits) {
    return ((double)(bits >> 12) + 0.5) * 0x1p-52;
}

double unit_random(uint64_t seed, uint64_t i, uint64_t dimension) {
    return to_unit(mixed(seed, i, dimension));
}

// ---------------------------------------------------------------- shuffled
// One to one on the numbers of `bits` binary digits: each line is (odd factors, sums and shifted sums).
static uint64_t permuted(uint64_t x, uint64_t mask, int half, uint64_t key) {
    for (int round = 0; round < 4; round++) {
        key = mix_bits(key + 0x9e3779b97f4a7c15u);
        x = (x * ((key << 1) | 1u) + (key >> 32)) & mask;
        x ^= x >> half;
    }
    return x;
}

// Number i of a shuffled 0 .. n - 1, for each key another order.
static uint64_t shuffled(uint64_t i, uint64_t n, uint64_t key) {
    int bits = 1;
    while (bits < 63 && (1ull << bits) < n) bits++;
    const uint64_t mask = (1ull << bits) - 1;
    do i = permuted(i, mask, (bits + 1) / 2, key);
    while (i >= n);  // what leaves 0 .. n - 1 goes on until it comes back: still one to one
    return i;
}

// ---------------------------------------------------------------- Sobol
// Primitive polynomials over the integers modulo 2, of degree s, inner coefficients the binary digits of a, and first
// direction numbers m, odd and m_i < 2^i: S. Joe & F. Y. Kuo, Constructing Sobol sequences with better two-dimensional
// projections, SIAM J. Sci. Comput. 30 (2008) 2635-2654, their table new-joe-kuo-6, dimensions 2 to 64.
// clang-format off
static const struct {
    uint8_t s, a;
    uint16_t m[9];
} joe_kuo[SOBOL_DIMENSIONS - 1] = {
    {1, 0, {1}}, {2, 1, {1, 3}}, {3, 1, {1, 3, 1}}, {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}}, {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}}, {5, 4, {1, 1, 5, 5, 5}}, {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}}, {5, 13, {1, 1, 1, 3, 11}}, {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}}, {6, 13, {1, 1, 1, 15, 21, 21}}, {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}}, {6, 22, {1, 3, 1, 15, 13, 25}}, {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}}, {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}}, {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}}, {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}}, {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}}, {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}}, {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}}, {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}}, {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}}, {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}}, {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}}, {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}}, {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}}, {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}}, {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}}, {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}}, {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}}, {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
    {9, 8, {1, 3, 5, 5, 29, 17, 47, 173, 479}}, {9, 13, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {9, 16, {1, 1, 1, 5, 17, 39, 23, 5, 343}}, {9, 22, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {9, 25, {1, 1, 1, 11, 11, 17, 63, 105, 183}}, {9, 44, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {9, 47, {1, 1, 5, 15, 19, 45, 41, 7, 383}}, {9, 52, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {9, 55, {1, 1, 1, 3, 23, 15, 111, 223, 83}}, {9, 59, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {9, 62, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
};
// clang-format on

unsigned sobol_polynomial(int dimension) {
    const int s = joe_kuo[dimension - 1].s;
    return 1u << s | (unsigned)joe_kuo[dimension - 1].a << 1 | 1u;
}

// Direction numbers v_1 .. v_32 as binary fractions, by the recurrence of the polynomial
//     m_k = 2 a_1 m_k-1 ^ .. ^ 2^(s-1) a_s-1 m_k-s+1 ^ 2^s m_k-s ^ m_k-s,     v_k = m_k/2^k
static void directions(int dimension, uint32_t v[32]) {
    if (dimension == 0) {
        for (int k = 0; k < 32; k++) v[k] = 1u << (31 - k);
        return;
    }
    const int s = joe_kuo[dimension - 1].s;
    const unsigned a = joe_kuo[dimension - 1].a;
    for (int k = 0; k < 32; k++) {
        if (k < s) {
            v[k] = (uint32_t)joe_kuo[dimension - 1].m[k] << (31 - k);
            continue;
        }
        v[k] = v[k - s] ^ (v[k - s] >> s);
        for (int j = 1; j < s; j++)
            if ((a >> (s - 1 - j)) & 1u) v[k] ^= v[k - j];
    }
}

uint32_t sobol_digits(uint32_t i, int dimension) {
    uint32_t v[32], x = 0;
    directions(dimension, v);
    const uint32_t gray = i ^ (i >> 1);
    for (int k = 0; k < 32; k++)
        if ((gray >> k) & 1u) x ^= v[k];
    return x;
}

// ---------------------------------------------------------------- any of them
static double sobol_at(uint64_t seed, int64_t i, int dimension) {
    const uint32_t shift = seed ? (uint32_t)(mixed(seed, 0, (uint64_t)dimension) >> 32) : 0;
    return ((double)(sobol_digits((uint32_t)i, dimension) ^ shift) + 0.5) * 0x1p-32;
}

static double latin_at(uint64_t seed, int64_t i, int64_t n, int dimension) {
    const uint64_t key = mixed(seed, ~0ull, (uint64_t)dimension);
    return ((double)shuffled((uint64_t)i, (uint64_t)n, key) +
            unit_random(seed, (uint64_t)i, (uint64_t)dimension)) /
           (double)n;
}

double unit_sample(sample_method method, uint64_t seed, int64_t i, int64_t n, int dimension) {
    if (method == SAMPLE_SOBOL || method == SAMPLE_SALTELLI) return sobol_at(seed, i, dimension);
    if (method == SAMPLE_LATIN) return latin_at(seed, i, n, dimension);
    return unit_random(seed, (uint64_t)i, (uint64_t)dimension);
}
