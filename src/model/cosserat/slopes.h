// model/cosserat/slopes.h - how the equations of an assembly answer to changes of all that they are made of,
// along m directions at once.
//
// Fields of an assembly are what has a rate in it, side by side: F_SIZE numbers of each node of each of its rods
// and, where bodies ride on one, 6 of each of its elements; then B_SIZE of each of its bodies.
#pragma once

#include "model/cosserat/assembly.h"

int n_fields(const cosserat *c, const assembly *a);
// The first field of its rod i, of the ends of that rod, of its body k.
int rod_field(const cosserat *c, const assembly *a, int i);
int end_field(const cosserat *c, const assembly *a, int i);
int body_field(const cosserat *c, const assembly *a, int k);

typedef struct assembly_directions {
    int m;
    const double *change;   // (n_change x m) of the point last evaluated; NULL: none
    const double *history;  // (n_fields x m) NULL: none
    double *residual;       // (n_change x m)
    double *fields;         // (n_fields x m)
} assembly_directions;
size_t assembly_directions_scratch(const cosserat *c, const assembly *a, int m);  // doubles
// Has the assembly slopes? Not where tendons rub, sections follow their stretch, rods are fed, or another scheme
// than collocation solves them; says so in words.
bool assembly_has_slopes(const cosserat *c, const assembly *a, char *message);
void directions_of_assembly(const assembly_problem *p, const assembly_directions *d,
                            double *scratch);
