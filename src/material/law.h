// material/law.h - what a section answers to its strain, to the rate of it and to what it went through,
// once for all models.
//
// With x the strain (u, v) less that at rest and x_t its rate, the wrench (m, n) of the material is
//
//     w = K x + r(x) + M z + sum_k g_k F h_k + B(x_t)
//
//     K      diagonal, or with a matrix beside it where modes couple (`coupling`)
//     r      rubber: the axial force E A ((l - 1/l^2)/3 - x_5), l = 1 + x_5, of simple tension; or in place of K x and
//            that the sum over fibres of the section (material/fibres.h), rubber or superelastic
//     z      hysteresis of bending: what rubs inside (material/memory.h), M at most
//     h_k    relaxation: h' + h/t_k = x', the strain less what has flowed (material/memory.h); F is K without wires
//     B      damping |x_t|^(p - 1) x_t, mode by mode (Sadati 2019 (7)), and time * coupling x_t
//
// All but the last have an energy, in x, z or h; B, what rubs and what flows lose power. Models whose sections
// are plain, linear and diagonal, need the twelve numbers only; those that know more evaluate what is here at their
// points.
#pragma once

#include "robot/robot.h"

typedef struct section_law {
    double stiffness[6];       // EIxx, EIyy, G*torsion [N m^2]; k G A, k G A, E A [N]
    double damping[6];         // N m^2 s and N s; with a power p: per strain rate to that power
    double power;              // p
    double coupling[36];       // stiffness beside the diagonal; read when coupled
    double coupling_time;      // s, by which that damps
    td_relaxation relaxation;  // g_k and t_k, the first n_terms,
    int n_terms;
    double flowing[6];         // of this K: without wires, which do not relax
    td_hysteresis hysteresis;  // moment 0: none
    // Sections of fibres: of which law (TD_HOOKEAN: they are not), and what of.
    td_law fibres;
    td_section section;
    double youngs_modulus, mooney_share;
    td_superelastic superelastic;
    int n_across, n_around, n_fibres;
    double places[12], weights[12];  // (n_across) of a rule on [0, 1]
    bool rubber, coupled;
} section_law;

// What a section remembers where a step began (law_memory numbers, z), and how long that is ago: HUGE_VAL in an
// equilibrium. NULL in its place: nothing ever happened to it, and all has flowed that does.
typedef struct law_past {
    const double *z;
    double time;  // s
} law_past;

section_law law_of_piece(const td_piece_def *piece, double x);  // x in [0, 1] of its length

static inline bool law_remembers(const section_law *l) {
    return l->n_terms > 0 || l->fibres == TD_SUPERELASTIC || l->hysteresis.moment > 0.0;
}

// What chosen steps integrate.
static inline bool law_flows(const section_law *l) {
    return l->n_terms > 0 || l->hysteresis.moment > 0.0;
}

static inline bool law_is_plain(const section_law *l) {
    return !l->rubber && !l->coupled && l->fibres == TD_HOOKEAN && l->power == 1.0 &&
           !law_remembers(l);
}

static inline bool law_is_viscous(const section_law *l) {
    for (int i = 0; i < 6; i++)
        if (l->damping[i] != 0.0) return true;
    return l->coupled && l->coupling_time != 0.0;
}

// Of x: wrench, energy (J/m), d wrench/dx (6 x 6).
void law_elastic(const section_law *l, const law_past *past, const double x[6], double wrench[6]);
double law_energy(const section_law *l, const law_past *past, const double x[6]);
void law_stiffness(const section_law *l, const law_past *past, const double x[6], double K[36]);
// Of the rate: wrench, whose power is lost, and its slope (6 x 6).
void law_viscous(const section_law *l, const double rate[6], double wrench[6]);
void law_viscosity(const section_law *l, const double rate[6], double B[36]);
// W/m that are lost to what flows and rubs; and that beside what is lost by damping.
double law_flow(const section_law *l, const law_past *past, const double x[6],
                const double rate[6]);
double law_loss(const section_law *l, const law_past *past, const double x[6],
                const double rate[6]);

// ---------------------------------------------------------------- memory.c
// How many numbers a section keeps; and those after the strain x, which may take the place of the old ones.
int law_memory(const section_law *l);
void law_keep(const section_law *l, const law_past *past, const double x[6], double *z);
