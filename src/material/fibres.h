// material/fibres.h - sections made of fibres, each of which is stretched by itself: rubber, and superelastic alloys.
//
// The wrench is the slope of the sum of what fibres store, so that bending, stretch and torsion answer to one
// another as the material makes them.
//
// Rubber (Rivlin), incompressible, of the energy C1 (I1 - 3) + C2 (I2 - 3), E = 6 (C1 + C2), m = C2/(C1 + C2). A rod that is
// stretched by l is thinner by 1/sqrt(l), so the fibre at (X, Y) of the section at rest is stretched by
//
//     f = l + (x_0 Y - x_1 X)/sqrt(l),     l = 1 + x_5
//
// and stores E/6 ((1 - m)(f^2 + 2/f - 3) + m (2 f + 1/f^2 - 3)) per volume. A twist x_2 adds G J x_2^2/2 ((1 - m)/l + m/l^2),
// exact for a round rod. Shear is linear.
//
// Superelastic: see flag.h; the strain of a fibre is x_5 + x_0 Y - x_1 X. Torsion and shear are linear.
#pragma once

#include "material/law.h"

enum { MOST_FIBRES = 192 };

// Which part of a section a law of fibres needs to be told: what its fibres are made of.
void fibres_make(section_law *l, const td_piece_def *piece, double x);

typedef struct fibres_answer {  // what is NULL is not asked for
    double *wrench;             // (6) +=
    double *slope;              // (36) +=
    double *energy;             // J/m, +=
    const double *rate;         // (6) with
    double *lost;               // W/m, +=
    double *kept;               // (n_fibres) what they remember then
} fibres_answer;
// before: (n_fibres) what they remembered; NULL: nothing.
void fibres_evaluate(const section_law *l, const double *before, const double x[6],
                     const fibres_answer *out);
