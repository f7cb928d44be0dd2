// material/fibres.c - see fibres.h.
#include "material/fibres.h"
#include "material/flag.h"
#include "math/pi.h"
#include "math/quadrature.h"

#include <math.h>
#include <string.h>

#define LEAST_STRETCH                                                                              \
    0.2  // below, a fibre of rubber goes on as its tangent, and the section is as thick as there

// ---------------------------------------------------------------- where they are
typedef struct fibre {
    double x, y, area;
} fibre;

// Smooth laws need few; kinks wander over many.
void fibres_make(section_law *l, const td_piece_def *piece, double x) {
    const bool kinks = piece->law == TD_SUPERELASTIC;
    l->fibres = piece->law;
    l->section = section_of_piece(piece, x);
    l->youngs_modulus = piece->youngs_modulus;
    l->mooney_share = piece->mooney_share;
    l->superelastic = piece->superelastic;
    l->n_across = kinks ? 8 : 4;
    l->n_around = kinks ? 24 : 12;
    if (l->section.shape == TD_SECTION_RECTANGLE) l->n_across = l->n_around = kinks ? 12 : 8;
    gauss_legendre(l->n_across, l->places, l->weights);
    l->n_fibres = l->n_across * l->n_around;
}

// Rings of equal shares by Gauss's rule in the square of the radius.
static void place_around(const section_law *l, fibre *out) {
    const double outer = l->section.radius * l->section.radius,
                 inner = l->section.inner_radius * l->section.inner_radius;
    const double turn = 2.0 * PI / l->n_around, c = cos(turn), s = sin(turn);
    for (int k = 0; k < l->n_across; k++) {
        const double r = sqrt(inner + (outer - inner) * l->places[k]);
        double x = r * cos(0.5 * turn), y = r * sin(0.5 * turn);
        for (int j = 0; j < l->n_around; j++, out++) {
            *out = (fibre){x, y, l->section.area * l->weights[k] / l->n_around};
            const double next = c * x - s * y;
            y = s * x + c * y, x = next;
        }
    }
}

static void place_across(const section_law *l, fibre *out) {
    for (int k = 0; k < l->n_across; k++)
        for (int j = 0; j < l->n_across; j++, out++)
            *out = (fibre){l->section.width * (l->places[k] - 0.5),
                           l->section.height * (l->places[j] - 0.5),
                           l->section.area * l->weights[k] * l->weights[j]};
}

// ---------------------------------------------------------------- sums
// A fibre whose strain answers to x_0, x_1, x_5 by g.
static void add_fibre(const double g[3], double stress, double slope, const fibres_answer *out) {
    static const int modes[3] = {0, 1, 5};
    for (int i = 0; i < 3; i++) {
        if (out->wrench) out->wrench[modes[i]] += stress * g[i];
        for (int k = 0; k < 3 && out->slope; k++)
            out->slope[6 * modes[i] + modes[k]] += slope * g[i] * g[k];
    }
}

// ---------------------------------------------------------------- rubber
typedef struct rubber {  // of one fibre: energy, its slopes
    double energy, stress, slope;
} rubber;

static rubber rubber_at(double E, double m, double stretch) {
    const double f = fmax(stretch, LEAST_STRETCH), beyond = stretch - f, f2 = f * f;
    const double energy =
        E / 6.0 * ((1.0 - m) * (f2 + 2.0 / f - 3.0) + m * (2.0 * f + 1.0 / f2 - 3.0));
    const double stress = E / 3.0 * ((1.0 - m) * (f - 1.0 / f2) + m * (1.0 - 1.0 / (f2 * f)));
    const double slope = E / 3.0 * ((1.0 - m) * (1.0 + 2.0 / (f2 * f)) + 3.0 * m / (f2 * f2));
    return (rubber){energy + stress * beyond + 0.5 * slope * beyond * beyond,
                    stress + slope * beyond, slope};
}

// G J x_2^2/2 t(l)
static void add_twist(const section_law *l, double stretch, double twist,
                      const fibres_answer *out) {
    const double m = l->mooney_share, K = l->flowing[2], s = 1.0 / stretch, s2 = s * s;
    const double t = (1.0 - m) * s + m * s2, t1 = -(1.0 - m) * s2 - 2.0 * m * s2 * s,
                 t2 = 2.0 * (1.0 - m) * s2 * s + 6.0 * m * s2 * s2;
    if (out->energy) *out->energy += 0.5 * K * twist * twist * t;
    if (out->wrench)
        out->wrench[2] += K * twist * t, out->wrench[5] += 0.5 * K * twist * twist * t1;
    if (!out->slope) return;
    out->slope[14] += K * t;
    out->slope[17] += K * twist * t1, out->slope[32] += K * twist * t1;
    out->slope[35] += 0.5 * K * twist * twist * t2;
}

static void evaluate_rubber(const section_law *l, const fibre *at, const double x[6],
                            const fibres_answer *out) {
    const double stretch = fmax(1.0 + x[5], LEAST_STRETCH);
    const bool thins = 1.0 + x[5] > LEAST_STRETCH;
    const double thin = 1.0 / sqrt(stretch), thin1 = thins ? -0.5 * thin / stretch : 0.0,
                 thin2 = thins ? 0.75 * thin / (stretch * stretch) : 0.0;
    for (int i = 0; i < l->n_fibres; i++) {
        const double X = at[i].x, Y = at[i].y, bend = x[0] * Y - x[1] * X;
        const rubber r = rubber_at(l->youngs_modulus, l->mooney_share, 1.0 + x[5] + bend * thin);
        const double pull = at[i].area * r.stress;
        add_fibre((const double[3]){Y * thin, -X * thin, 1.0 + bend * thin1}, pull,
                  at[i].area * r.slope, out);
        if (out->energy) *out->energy += at[i].area * r.energy;
        if (!out->slope) continue;
        out->slope[5] += pull * Y * thin1, out->slope[30] += pull * Y * thin1;
        out->slope[11] -= pull * X * thin1, out->slope[31] -= pull * X * thin1;
        out->slope[35] += pull * bend * thin2;
    }
    add_twist(l, stretch, x[2], out);
}

// ---------------------------------------------------------------- superelastic
static void evaluate_flags(const section_law *l, const fibre *at, const double *before,
                           const double x[6], const fibres_answer *out) {
    for (int i = 0; i < l->n_fibres; i++) {
        const double g[3] = {at[i].y, -at[i].x, 1.0};
        const double strain = x[0] * g[0] + x[1] * g[1] + x[5];
        const flag_state s =
            flag_at(&l->superelastic, l->youngs_modulus, strain, before ? before[i] : 0.0);
        add_fibre(g, at[i].area * s.stress, at[i].area * s.slope, out);
        if (out->energy) *out->energy += at[i].area * s.energy;
        if (out->kept) out->kept[i] = s.fraction;
        if (!out->rate || !out->lost) continue;
        const double rate = out->rate[0] * g[0] + out->rate[1] * g[1] + out->rate[5],
                     forth = strain < 0.0 ? -rate : rate;
        *out->lost += at[i].area * (forth > 0.0 ? s.taken * forth : -s.given * forth);
    }
    if (out->energy) *out->energy += 0.5 * l->flowing[2] * x[2] * x[2];
    if (out->wrench) out->wrench[2] += l->flowing[2] * x[2];
    if (out->slope) out->slope[14] += l->flowing[2];
}

void fibres_evaluate(const section_law *l, const double *before, const double x[6],
                     const fibres_answer *out) {
    fibre at[MOST_FIBRES];
    if (l->section.shape == TD_SECTION_RECTANGLE) place_across(l, at);
    else place_around(l, at);
    if (l->fibres == TD_RUBBER) evaluate_rubber(l, at, x, out);
    else evaluate_flags(l, at, before, x, out);
    for (int k = 3; k < 5; k++) {  // shear
        if (out->energy) *out->energy += 0.5 * l->flowing[k] * x[k] * x[k];
        if (out->wrench) out->wrench[k] += l->flowing[k] * x[k];
        if (out->slope) out->slope[7 * k] += l->flowing[k];
    }
}
