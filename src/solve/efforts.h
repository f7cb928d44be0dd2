// solve/efforts.h - efforts of actuators where the shape gives their measures.
//
// What is given is an effort, an amount of gas or a measure: a length to pull out, a volume. By a
// given measure what stretches has an effort that follows from its gap. What does not stretch is
// rigid: its effort is a multiplier of equilibria, whose equation is actuator_balance. In motion
// (instant.soft) it gives way a little, about the effort `held` that it had in the last equilibrium.
// (A `held` that followed from step to step would sum the gap up, T' = gap/(yield h), which is
// unstable.)
#pragma once

#include "actuation/actuator.h"
#include "solve/mechanics.h"

typedef struct effort_state {     // tension or pressure, and how it answers
    double effort;                // N or Pa
    double by_measure, by_given;  // given: see actuator_given
} effort_state;

bool effort_is_rigid(const actuator *a);
double effort_yield(
    const actuator *a);  // m/N or m^3/Pa: what gives way in motion where its measure is given
effort_state effort_now(const actuator *a, supply from, double held, double measure);
// How what is given answers to inputs with these rates; a tendon that is asked to push stays idle.
double effort_given_rate(const actuator *a, const double *inputs, const double *rates);

// How the equation of a rigid one answers to inputs with these rates.
double effort_row_rate(const actuator *a, const balance *b, const double *rates);
// From rows of n_q to rows of n: room for rows and columns of efforts, which become 0.
void efforts_make_room(int n_q, int n, double *matrix);
// Row and column `at` of a rigid one in the matrix (n x n), n_q coordinates first; the slopes (n_q)
// of what its effort works on and of what its measure counts.
void effort_put(const actuator *a, const balance *b, const tangent_weights *w, int n_q,
                const double *by_work, const double *by_measure, int at, int n, double *matrix);
// How much of a rigid one counts like a radian: by the gap that it would close, so that what contradicts
// never settles.
double effort_unit(const actuator *a);
// Whose equation is missed most, by which share of its measure; all 0: nobody's.
typedef struct effort_gap {
    const actuator *of;
    double share;
} effort_gap;
void effort_compare(const actuator *a, const balance *b, effort_gap *widest);
// That what is given contradicts itself there, where it does.
void effort_explain(const char *rod, const effort_gap *widest, char *message);
