// cli/derivatives.h - how an equilibrium answers, for `tendril statics --derivatives`.
#pragma once

#include "cli/session.h"
#include "io/json.h"

// At the tip of each rod; rows are rotation x, y, z (rad) and translation x, y, z (m) in the world.
typedef struct derivatives {
    double *jacobians;         // (n_rods x 6 x n_inputs) against the inputs
    double *compliances;       // (n_rods x 6 x 6) against a wrench at the tip (moment, force)
    double *body_jacobians;    // (n_bodies x 6 x n_inputs) of free bodies; the others are left at 0
    double *body_compliances;  // (n_bodies x 6 x 6)
    double *sensitivities;     // (n_rods x n_parameters x 6) against parameters of the file
    const char **parameters;
    int n_parameters;
} derivatives;

// Computes what --derivatives and --vary ask for. Returns an exit code, after printing what
// went wrong.
int derivatives_compute(derivatives *d, const session *s, const args *a);
void derivatives_free(derivatives *d);

void derivatives_print(const derivatives *d, const session *s, int rod);
void derivatives_print_bodies(const derivatives *d, const session *s);
void derivatives_put(const derivatives *d, const session *s, int rod, json *j);
void derivatives_put_bodies(const derivatives *d, const session *s, json *j);
