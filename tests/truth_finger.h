// tests/truth_finger.h - a rod with one chamber that holds gas or a fluid that does not compress,
// Till 2019, section 5.3: shooting on the base wrench and the pressure. Modulus and offset are
// those of papers/till2019/errata.md. Independent of the library.
#pragma once

#include "truth_rod.h"

typedef enum truth_fluid { TRUTH_GIVEN_PRESSURE, TRUTH_INCOMPRESSIBLE, TRUTH_GAS } truth_fluid;

typedef struct truth_finger {
    truth_bar bar;
    truth_fluid fluid;
    double volume;               // m^3, given
    double amount;               // mol, given
    double gas_energy;           // R T, J/mol
    double atmosphere;           // Pa
    double force[3], moment[3];  // at the tip, world
    double x[7];                 // scaled base wrench and pressure: the last solution
} truth_finger;

// The pressure that makes the unit of x[6]: one that strains the rod by about one.
static inline double truth_finger_pressure_scale(const truth_finger *f) {
    return 0.1 * f->bar.rod.Kse[2] / f->bar.area;
}

static inline void truth_finger_residual(void *problem, int n, const double *x, double *r) {
    truth_finger *f = problem;
    truth_bar *bar = &f->bar;
    double L = bar->rod.length, EI = bar->rod.Kbt[0], R[9], cap[3], arm[3];
    if (n == 7) bar->pressure = x[6] * truth_finger_pressure_scale(f);
    for (int i = 0; i < 3; i++) {
        bar->y[TRUTH_BAR_N + i] = x[i] * EI / (L * L);
        bar->y[TRUTH_BAR_M + i] = x[3 + i] * EI / L;
    }
    truth_bar_shoot(bar);
    const double *y = truth_bar_tip(bar);
    truth_rotation(y + 3, R);
    double push[3] = {0.0, 0.0, bar->pressure * bar->area};  // on the cap of the chamber
    truth_cross(bar->offset, push, arm);
    truth_mul(R, push, cap);
    truth_mul(R, arm, arm);
    for (int i = 0; i < 3; i++) {
        r[i] = (f->force[i] + cap[i] - y[TRUTH_BAR_N + i]) * L * L / EI;
        r[3 + i] = (f->moment[i] + arm[i] - y[TRUTH_BAR_M + i]) * L / EI;
    }
    if (n < 7) return;
    double holds = f->fluid == TRUTH_GAS
                       ? f->amount * f->gas_energy / (bar->pressure + f->atmosphere)
                       : f->volume;
    r[6] = (y[TRUTH_BAR_V] - holds) / (bar->area * L);
}

static inline double truth_finger_solve(truth_finger *f, truth_formula formula) {
    truth_history_begin(&f->bar.history, formula);
    return truth_solve(truth_finger_residual, f, f->fluid == TRUTH_GIVEN_PRESSURE ? 6 : 7, f->x);
}

static inline double truth_finger_statics(truth_finger *f) {
    double residual = truth_finger_solve(f, (truth_formula){0.0, 0.0, 0.0, 0.0});
    truth_bar_rest(&f->bar);
    return residual;
}

static inline double truth_finger_step(truth_finger *f, truth_formula formula) {
    double residual = truth_finger_solve(f, formula);
    truth_bar_accept(&f->bar);
    return residual;
}

// The finger of section 5.3.3: a disc of 15 mm less a chamber of 2.5 mm at 10 mm, 20 kPa.
static inline truth_finger truth_paper_finger(truth_fluid fluid) {
    const double pi = acos(-1.0), E = 20e3, G = E / 3.0, rho = 300.0, L = 0.1;
    double disc = pi * 0.015 * 0.015, hole = pi * 0.0025 * 0.0025, area = disc - hole;
    double shift = hole * 0.01 / area;  // of the centroid away from the chamber
    double ixx = 0.25 * (disc * 0.015 * 0.015 - hole * 0.0025 * 0.0025);
    double iyy = ixx + disc * shift * shift - hole * (0.01 + shift) * (0.01 + shift);
    truth_finger f = {.fluid = fluid, .gas_energy = 8.314 * 293.15, .atmosphere = 101325.0};
    f.bar.rod = (truth_rod){.length = L,
                            .Kse = {G * area, G * area, E * area},
                            .Kbt = {E * ixx, E * iyy, G * (ixx + iyy)},
                            .mass = rho * area,
                            .inertia = {rho * ixx, rho * iyy, rho * (ixx + iyy)}};
    f.bar.area = hole;
    f.bar.offset[0] = -(0.01 + shift);
    f.volume = hole * L;
    f.amount = f.atmosphere * f.volume / f.gas_energy;
    return f;
}
