// material/law.c - see law.h.
#include "material/law.h"
#include "material/fibres.h"
#include "material/memory.h"
#include "material/rub.h"

#include <math.h>
#include <string.h>

#define LEAST_STRETCH 0.2

section_law law_of_piece(const td_piece_def *piece, double x) {
    const td_section_properties p = piece_properties(piece, x);
    section_law l = {.power = piece->damping_power,
                     .coupling_time = piece->damping_time,
                     .relaxation = piece->relaxation,
                     .n_terms = piece_relaxations(piece),
                     .hysteresis = piece->hysteresis,
                     .rubber = piece->law == TD_NEO_HOOKEAN,
                     .coupled = piece_is_coupled(piece)};
    memcpy(l.stiffness, p.stiffness, sizeof l.stiffness);
    memcpy(l.flowing, p.stiffness, sizeof l.flowing);
    memcpy(l.damping, p.damping, sizeof l.damping);
    memcpy(l.coupling, p.coupling, sizeof l.coupling);
    if (piece_has_fibres(piece)) fibres_make(&l, piece, x);
    return l;
}

// ---------------------------------------------------------------- rubber
// A rubber in simple tension, by E A: (l - 1/l^2)/3. Far in compression, where it is meant no more,
// the force goes on as its tangent.
static double rubber_force(double stretch, double *slope) {
    const double x = fmax(stretch, LEAST_STRETCH);
    *slope = (1.0 + 2.0 / (x * x * x)) / 3.0;
    return (x - 1.0 / (x * x)) / 3.0 + *slope * (stretch - x);
}

static double rubber_energy(double stretch) {
    const double x = fmax(stretch, LEAST_STRETCH), beyond = stretch - x;
    double slope, force = rubber_force(x, &slope);
    return (0.5 * x * x + 1.0 / x - 1.5) / 3.0 + force * beyond + 0.5 * slope * beyond * beyond;
}

// ---------------------------------------------------------------- elastic
static double coupled_row(const section_law *l, int row, const double x[6]) {
    double sum = 0.0;
    for (int k = 0; k < 6; k++) sum += l->coupling[6 * row + k] * x[k];
    return sum;
}

static void linear_wrench(const section_law *l, const double K[6], const double x[6],
                          double wrench[6]) {
    for (int i = 0; i < 6; i++) wrench[i] = K[i] * x[i] + (l->coupled ? coupled_row(l, i, x) : 0.0);
}

// What is linear of it: of a section of fibres, the wires beside them.
static const double *linear_part(const section_law *l, double K[6]) {
    if (l->fibres == TD_HOOKEAN) return l->stiffness;
    for (int i = 0; i < 6; i++) K[i] = l->stiffness[i] - l->flowing[i];
    return K;
}

void law_elastic(const section_law *l, const law_past *past, const double x[6], double wrench[6]) {
    double slope, h[6], more[6], K[6];
    linear_wrench(l, linear_part(l, K), x, wrench);
    if (l->rubber) wrench[5] = l->stiffness[5] * rubber_force(1.0 + x[5], &slope);
    if (l->fibres != TD_HOOKEAN)
        fibres_evaluate(l, past_fractions(l, past), x, &(fibres_answer){.wrench = wrench});
    if (l->hysteresis.moment > 0.0) {
        rubbed_share(l, past, x, h, NULL);
        for (int i = 0; i < 2; i++) wrench[i] += l->hysteresis.moment * h[i];
    }
    for (int k = 0; k < l->n_terms && past; k++) {
        relaxed_strain(l, past, k, x, h);
        linear_wrench(l, l->flowing, h, more);
        for (int i = 0; i < 6; i++) wrench[i] += l->relaxation.shares[k] * more[i];
    }
}

static double linear_energy(const section_law *l, const double K[6], const double x[6]) {
    double w[6], sum = 0.0;
    linear_wrench(l, K, x, w);
    for (int i = 0; i < 6; i++) sum += 0.5 * w[i] * x[i];
    return sum;
}

double law_energy(const section_law *l, const law_past *past, const double x[6]) {
    double h[6], K[6], sum = linear_energy(l, linear_part(l, K), x);
    if (l->rubber) sum += l->stiffness[5] * (rubber_energy(1.0 + x[5]) - 0.5 * x[5] * x[5]);
    if (l->fibres != TD_HOOKEAN)
        fibres_evaluate(l, past_fractions(l, past), x, &(fibres_answer){.energy = &sum});
    if (l->hysteresis.moment > 0.0) {
        rubbed_share(l, past, x, h, NULL);
        sum += 0.5 * l->hysteresis.moment * l->hysteresis.curvature * (h[0] * h[0] + h[1] * h[1]);
    }
    for (int k = 0; k < l->n_terms && past; k++) {
        relaxed_strain(l, past, k, x, h);
        sum += l->relaxation.shares[k] * linear_energy(l, l->flowing, h);
    }
    return sum;
}

static void set_diagonal(const double d[6], double M[36]) {
    memset(M, 0, sizeof(double) * 36);
    for (int i = 0; i < 6; i++) M[7 * i] = d[i];
}

void law_stiffness(const section_law *l, const law_past *past, const double x[6], double K[36]) {
    double slope, h[6], by[4], more = 0.0, linear[6];
    set_diagonal(linear_part(l, linear), K);
    for (int k = 0; k < l->n_terms && past; k++)
        more += l->relaxation.shares[k] * relaxed_strain(l, past, k, x, h);
    if (l->rubber) {
        rubber_force(1.0 + x[5], &slope);
        K[35] *= slope;
    }
    if (l->fibres != TD_HOOKEAN)
        fibres_evaluate(l, past_fractions(l, past), x, &(fibres_answer){.slope = K});
    if (l->hysteresis.moment > 0.0) {
        rubbed_share(l, past, x, h, by);
        for (int i = 0; i < 4; i++) K[6 * (i / 2) + i % 2] += l->hysteresis.moment * by[i];
    }
    for (int i = 0; i < 6 && more != 0.0; i++) K[7 * i] += more * l->flowing[i];
    for (int i = 0; i < 36 && l->coupled; i++) K[i] += (1.0 + more) * l->coupling[i];
}

// ---------------------------------------------------------------- viscous
void law_viscous(const section_law *l, const double rate[6], double wrench[6]) {
    for (int i = 0; i < 6; i++) {
        wrench[i] = l->damping[i] * rate[i];
        if (l->power != 1.0) wrench[i] *= pow(fabs(rate[i]), l->power - 1.0);
        if (l->coupled) wrench[i] += l->coupling_time * coupled_row(l, i, rate);
    }
}

double law_flow(const section_law *l, const law_past *past, const double x[6],
                const double rate[6]) {
    double h[6], sum = 0.0;
    for (int k = 0; k < l->n_terms && past; k++) {
        relaxed_strain(l, past, k, x, h);
        sum += 2.0 * l->relaxation.shares[k] * linear_energy(l, l->flowing, h) /
               l->relaxation.times[k];
    }
    if (l->fibres == TD_SUPERELASTIC)
        fibres_evaluate(l, past_fractions(l, past), x,
                        &(fibres_answer){.rate = rate, .lost = &sum});
    if (l->hysteresis.moment > 0.0) {
        rubbed_share(l, past, x, h, NULL);
        sum += l->hysteresis.moment * rub_loss(&l->hysteresis, h, rate);
    }
    return sum;
}

double law_loss(const section_law *l, const law_past *past, const double x[6],
                const double rate[6]) {
    double w[6], sum = law_flow(l, past, x, rate);
    law_viscous(l, rate, w);
    for (int i = 0; i < 6; i++) sum += w[i] * rate[i];
    return sum;
}

void law_viscosity(const section_law *l, const double rate[6], double B[36]) {
    set_diagonal(l->damping, B);
    for (int i = 0; i < 6 && l->power != 1.0; i++)
        B[7 * i] *= l->power * pow(fabs(rate[i]), l->power - 1.0);
    for (int i = 0; i < 36 && l->coupled; i++) B[i] += l->coupling_time * l->coupling[i];
}
