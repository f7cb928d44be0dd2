// Routines of LAPACK and BLAS whose Fortran is too new for f2c, for the page that computes in the
// browser. Interfaces and meaning are those of the reference library; integers are 32 bits wide, and
// lengths of texts come last.
#include <float.h>
#include <math.h>
#include <stdint.h>

typedef int32_t integer;

// What lapack asks of the machine's numbers (dlamch).
double dlamch_(const char *what, int length);
double dlamch_(const char *what, int length) {
    (void)length;
    switch (*what | 0x20) {
    case 'e': return 0.5 * DBL_EPSILON;  // rounding to nearest
    case 's': return DBL_MIN;
    case 'b': return FLT_RADIX;
    case 'p': return DBL_EPSILON;
    case 'n': return DBL_MANT_DIG;
    case 'r': return 1.0;
    case 'm': return DBL_MIN_EXP;
    case 'u': return DBL_MIN;
    case 'l': return DBL_MAX_EXP;
    case 'o': return DBL_MAX;
    default: return 0.0;
    }
}

integer disnan_(const double *x);
integer disnan_(const double *x) {
    return isnan(*x);
}

integer dlaisnan_(const double *x, const double *y);
integer dlaisnan_(const double *x, const double *y) {
    return *x != *y;
}

// |x| without overflow: scale^2 sum = x'x.
void dlassq_(const integer *n, const double *x, const integer *step, double *scale, double *sum);
void dlassq_(const integer *n, const double *x, const integer *step, double *scale, double *sum) {
    if (*scale == 0.0 || *sum == 0.0) *scale = 1.0, *sum = 0.0;
    double largest = *scale, squares = *sum;
    integer at = *step < 0 ? (1 - *n) * *step : 0;
    for (integer i = 0; i < *n; i++, at += *step) {
        const double a = fabs(x[at]);
        if (a == 0.0) continue;
        if (a <= largest) {
            squares += (a / largest) * (a / largest);
        } else {
            squares = 1.0 + squares * (largest / a) * (largest / a);
            largest = a;
        }
    }
    *scale = largest, *sum = squares;
}

double dnrm2_(const integer *n, const double *x, const integer *step);
double dnrm2_(const integer *n, const double *x, const integer *step) {
    double scale = 0.0, sum = 1.0;
    if (*n < 1) return 0.0;
    dlassq_(n, x, step, &scale, &sum);
    return scale * sqrt(sum);
}

// The rotation (c s; -s c) that takes (f, g) to (r, 0).
void dlartg_(const double *f, const double *g, double *c, double *s, double *r);
void dlartg_(const double *f, const double *g, double *c, double *s, double *r) {
    if (*g == 0.0) {
        *c = 1.0, *s = 0.0, *r = *f;
    } else if (*f == 0.0) {
        *c = 0.0, *s = copysign(1.0, *g), *r = fabs(*g);
    } else {
        const double size = copysign(hypot(*f, *g), *f);
        *c = fabs(*f) / fabs(size), *s = *g / size, *r = size;
    }
}

// An argument out of range is told by `info`; nothing is printed.
void xerbla_(const char *name, const integer *info, int length);
void xerbla_(const char *name, const integer *info, int length) {
    (void)name, (void)info, (void)length;
}

// Division of complex numbers (Smith 1962), of the runtime of f2c, whose own ends the program where it divides by 0.
typedef struct complex_number {
    double r, i;
} complex_number;

void z_div(complex_number *out, const complex_number *a, const complex_number *b);
void z_div(complex_number *out, const complex_number *a, const complex_number *b) {
    const complex_number x = *a;
    if (fabs(b->r) >= fabs(b->i)) {
        const double ratio = b->i / b->r, size = b->r + b->i * ratio;
        *out = (complex_number){(x.r + x.i * ratio) / size, (x.i - x.r * ratio) / size};
    } else {
        const double ratio = b->r / b->i, size = b->i + b->r * ratio;
        *out = (complex_number){(x.r * ratio + x.i) / size, (x.i * ratio - x.r) / size};
    }
}
