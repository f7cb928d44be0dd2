// material/memory.h - what flows and rubs in a section, and what it remembers of that: first its strain (6); then, where
// they are, the h of each term of its relaxation (6 each), z of its hysteresis (2) and the fractions of its fibres.
//
// Relaxation, a Prony series. Each of its terms is a spring g_k K in series with a dashpot of the time t_k, beside the spring K. The
// strain of its spring obeys h' + h/t = x'. Over a step in which x changes evenly from x0 to x1 that has the solution
//
//     h1 = e h0 + f (x1 - x0),    e = exp(-dt/t),  f = (1 - e) t/dt
//
// so that a step of any length is stable, and one of a thousand times t finds the term relaxed: f = 0 in an
// equilibrium, which sees K alone. The slope of the wrench is K (1 + sum g f).
//
// Hysteresis of bending: see material/rub.h.
#pragma once

#include "material/law.h"

// e and f of term k after a time.
void relaxing_factors(const section_law *l, int k, double time, double *e, double *f);
// Of term k: h (6) at the strain x, and f, its slope.
double relaxed_strain(const section_law *l, const law_past *past, int k, const double x[6],
                      double h[6]);
// Rates of what a section remembers behind its strain (law_memory - 6), where that has the rate x_t; not of fibres.
void law_rates(const section_law *l, const double *z, const double x_t[6], double *z_t);
// F (6 x 6): the wrench that a strain of the springs asks for, by share.
void flowing_stiffness(const section_law *l, double F[36]);
// z (2) at the strain x, and its slope against the curvatures (2 x 2; NULL: not wanted).
void rubbed_share(const section_law *l, const law_past *past, const double x[6], double z[2],
                  double slope[4]);
// Where fibres keep their fractions; NULL: there are none, or nothing happened to them.
const double *past_fractions(const section_law *l, const law_past *past);
