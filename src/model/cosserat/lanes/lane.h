// model/cosserat/lanes/lane.h - the arithmetic that the kernel is written in: one number, four or eight side by
// side, or the one of a thread on a GPU.
//
// Only + - * /, square roots and comparisons, each rounded by itself: no operation is fused (-ffp-contract=off),
// so that a robot's numbers are the same to the bit in every width and whatever its neighbours are. On a
// GPU products and sums are fused, and numbers agree to rounding. LANE_WIDTH is set by the file that includes
// this. LANE_FLOAT: in single precision, with a width of 1.
#pragma once

#include <math.h>

#if defined(__CUDACC__)
#define LANE_FUNCTION static __device__ __forceinline__
#define LANE_LARGE static __device__ __noinline__
#else
#define LANE_FUNCTION static inline __attribute__((always_inline))
#define LANE_LARGE static __attribute__((noinline))
#endif

#if defined(LANE_FLOAT) && defined(__CUDACC__)
// A float whose sums and products with constants, which are doubles, are floats as well.
struct lane {
    float v;
    lane() = default;
    __host__ __device__ constexpr lane(float a) : v(a) {}
    __host__ __device__ constexpr lane(double a) : v((float)a) {}
    __host__ __device__ constexpr lane(int a) : v((float)a) {}
    __device__ lane &operator+=(lane b) {
        v += b.v;
        return *this;
    }
    __device__ lane &operator-=(lane b) {
        v -= b.v;
        return *this;
    }
};
static __device__ __forceinline__ lane operator+(lane a, lane b) {
    return a.v + b.v;
}
static __device__ __forceinline__ lane operator-(lane a, lane b) {
    return a.v - b.v;
}
static __device__ __forceinline__ lane operator*(lane a, lane b) {
    return a.v * b.v;
}
static __device__ __forceinline__ lane operator/(lane a, lane b) {
    return a.v / b.v;
}
static __device__ __forceinline__ lane operator-(lane a) {
    return -a.v;
}
static __device__ __forceinline__ bool operator<(lane a, lane b) {
    return a.v < b.v;
}
static __device__ __forceinline__ double lane_number(lane a) {
    return a.v;
}
static __device__ __forceinline__ lane sqrt(lane a) {
    return sqrtf(a.v);
}
static __device__ __forceinline__ lane rsqrt(lane a) {
    return rsqrtf(a.v);
}
static __device__ __forceinline__ lane fabs(lane a) {
    return fabsf(a.v);
}
#elif defined(LANE_FLOAT)
typedef float lane;
#elif LANE_WIDTH == 1
typedef double lane;
#endif

#if LANE_WIDTH == 1

typedef long long lane_mask;  // 0 or all bits, as in the wide ones

LANE_FUNCTION lane lane_all(double a) {
    return (lane)a;
}

#if !defined(LANE_FLOAT) || !defined(__CUDACC__)
LANE_FUNCTION double lane_number(lane a) {
    return (double)a;
}
#endif

LANE_FUNCTION lane_mask lane_less(lane a, lane b) {
    return -(lane_mask)(a < b);
}

LANE_FUNCTION lane lane_pick(lane_mask m, lane a, lane b) {
    return m ? a : b;
}

LANE_FUNCTION int lane_any(lane_mask m) {
    return m != 0;
}

LANE_FUNCTION lane lane_sqrt(lane a) {
    return sqrt(a);
}

LANE_FUNCTION lane lane_abs(lane a) {
    return fabs(a);
}

#else

#include <immintrin.h>

typedef double lane __attribute__((vector_size(8 * LANE_WIDTH), aligned(8), may_alias));
typedef long long lane_mask __attribute__((vector_size(8 * LANE_WIDTH)));
#pragma GCC diagnostic ignored "-Wpsabi"  // nothing here is passed between compilers

LANE_FUNCTION lane lane_all(double a) {
    return a - (lane){0.0};
}

LANE_FUNCTION lane_mask lane_less(lane a, lane b) {
    return (lane_mask)(a < b);
}

LANE_FUNCTION lane lane_pick(lane_mask m, lane a, lane b) {
    return (lane)((m & (lane_mask)a) | (~m & (lane_mask)b));
}

LANE_FUNCTION lane lane_abs(lane a) {
    return (lane)((lane_mask)a & (0x7fffffffffffffffLL - (lane_mask){0}));
}

LANE_FUNCTION int lane_any(lane_mask m) {
    long long any = 0;
    for (int i = 0; i < LANE_WIDTH; i++) any |= m[i];
    return any != 0;
}

LANE_FUNCTION lane lane_sqrt(lane a) {
#if LANE_WIDTH == 4
    return (lane)_mm256_sqrt_pd((__m256d)a);
#else
    return (lane)_mm512_sqrt_pd((__m512d)a);
#endif
}

#endif

// 1/sqrt(a), whose root is known.
LANE_FUNCTION lane lane_rsqrt(lane a, lane root) {
#if defined(__CUDACC__)
    return rsqrt(a);
#else
    (void)a;
    return 1.0 / root;
#endif
}

// a/b, where 1/b is known.
LANE_FUNCTION lane lane_over(lane a, lane b, lane inverse) {
#if defined(__CUDACC__)
    return a * inverse;
#else
    (void)inverse;
    return a / b;
#endif
}

LANE_FUNCTION lane_mask lane_not(lane_mask m) {
    return ~m;
}

// ---------------------------------------------------------------- vectors
typedef struct lane3 {
    lane x, y, z;
} lane3;

typedef struct lane33 {
    lane m[9];  // by rows
} lane33;

LANE_FUNCTION lane3 lane3_make(lane x, lane y, lane z) {
    lane3 out;
    out.x = x, out.y = y, out.z = z;
    return out;
}

LANE_FUNCTION lane3 lane3_zero(void) {
    return lane3_make(lane_all(0.0), lane_all(0.0), lane_all(0.0));
}

LANE_FUNCTION lane3 lane3_add(lane3 a, lane3 b) {
    return lane3_make(a.x + b.x, a.y + b.y, a.z + b.z);
}

LANE_FUNCTION lane3 lane3_sub(lane3 a, lane3 b) {
    return lane3_make(a.x - b.x, a.y - b.y, a.z - b.z);
}

LANE_FUNCTION lane3 lane3_scale(lane3 a, lane s) {
    return lane3_make(a.x * s, a.y * s, a.z * s);
}

// a + s b
LANE_FUNCTION lane3 lane3_madd(lane3 a, lane s, lane3 b) {
    return lane3_make(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

LANE_FUNCTION lane3 lane3_mul(lane3 a, lane3 b) {
    return lane3_make(a.x * b.x, a.y * b.y, a.z * b.z);
}

LANE_FUNCTION lane lane3_dot(lane3 a, lane3 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

LANE_FUNCTION lane3 lane3_cross(lane3 a, lane3 b) {
    return lane3_make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

LANE_FUNCTION lane3 lane33_mul(const lane33 *a, lane3 v) {
    return lane3_make(a->m[0] * v.x + a->m[1] * v.y + a->m[2] * v.z,
                      a->m[3] * v.x + a->m[4] * v.y + a->m[5] * v.z,
                      a->m[6] * v.x + a->m[7] * v.y + a->m[8] * v.z);
}

// a' v
LANE_FUNCTION lane3 lane33_tmul(const lane33 *a, lane3 v) {
    return lane3_make(a->m[0] * v.x + a->m[3] * v.y + a->m[6] * v.z,
                      a->m[1] * v.x + a->m[4] * v.y + a->m[7] * v.z,
                      a->m[2] * v.x + a->m[5] * v.y + a->m[8] * v.z);
}

LANE_FUNCTION lane33 lane33_product(const lane33 *a, const lane33 *b) {
    lane33 out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out.m[3 * i + j] = a->m[3 * i] * b->m[j] + a->m[3 * i + 1] * b->m[3 + j] +
                               a->m[3 * i + 2] * b->m[6 + j];
    return out;
}

// R diag(d) R'
LANE_FUNCTION lane33 lane33_turned(const lane33 *R, lane3 d) {
    lane33 out;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j <= i; j++)
            out.m[3 * i + j] = out.m[3 * j + i] = R->m[3 * i] * d.x * R->m[3 * j] +
                                                  R->m[3 * i + 1] * d.y * R->m[3 * j + 1] +
                                                  R->m[3 * i + 2] * d.z * R->m[3 * j + 2];
    return out;
}
