// papers/till2019/rods.h - the rods of the paper, and running them with a method of the paper.
#pragma once

#include <stdbool.h>

#include "tendril/tendril.h"

typedef struct method {
    td_theory theory;
    td_integrator integrator;
    td_history history;
    td_scheme scheme;
    double alpha;
    int nodes;           // N of the paper: one more than steps
    td_startup startup;  // the paper's is TD_REST_HISTORY
    td_solver solver;    // TD_NEWTON; the paper's are the other two, from the last base wrench
} method;

// A cantilever along z. Gravity and the load point along -x.
typedef struct cantilever {
    double length, radius;                          // m
    double youngs_modulus, shear_modulus, density;  // Pa, Pa, kg/m^3
    double drag;                                    // kg/m^2
    double gravity;                                 // m/s^2
    double load_at;                                 // m, arc length; read when there is a load
    td_signal load;                                 // N
} cantilever;

cantilever till_benchmark(void);   // section 3: 0.5 N at the tip, let go at t = 0
cantilever till_appendix_b(void);  // straight at t = 0
// Section 4, with a column of Table 5: EI in N m^2, density in kg/m^3, drag C in kg/m^2.
cantilever till_weight_release(double bending, double density, double drag);
cantilever till_impulse(double bending, double density, double drag);

typedef struct simulation {
    td_robot *robot;
    td_system *system;
    td_state *state;
    double length;
} simulation;

// Ready at t = 0, before the first step: in equilibrium, or straight. False: err says why.
typedef enum beginning { FROM_EQUILIBRIUM, FROM_STRAIGHT } beginning;
bool simulation_open(simulation *s, const cantilever *c, const method *m, beginning from,
                     td_error *err);
// The same by any method of this program.
bool simulation_open_with(simulation *s, const cantilever *c, const td_options *o, beginning from,
                          td_error *err);
void simulation_close(simulation *s);

td_pose simulation_tip(const simulation *s);
double simulation_energy(const simulation *s);  // kinetic + elastic, J
double first_frequency(const cantilever *c);    // of the straight Euler-Bernoulli beam, rad/s
