// solve/step.h - steps in time of the parts of a robot, fixed or chosen by tolerance.
#pragma once

#include "integrate/sundials.h"
#include "solve/mechanics.h"
#include "solve/step_inputs.h"

typedef struct kept_energy {  // all doubles
    double dissipated, work;  // J, since the start
    double stored;            // J, in what actuators stretch or compress
    double inner_step;        // s, that chosen steps would take next; 0: not known
} kept_energy;

// Who follows a step through its stages: for each that was found, with where it began in m->star and
// m->star_v and the stage in m->t*; then that they were the end of a part of the step, or not. Evaluations may
// be made, the solver's memory must stay.
typedef struct step_watch {
    void (*stage)(struct step_watch *w, const solve_part *p, const solve_instant *at, int stage,
                  const stage_way *way);
    void (*taken)(struct step_watch *w, const solve_part *p);
    step_inputs *within;  // the step: inputs in it
} step_watch;

typedef struct step_run {  // a step of all parts
    const model_call *call;
    step_inputs *within;
    double dt;
    bool fresh;
    double energies[N_POWERS];  // J, lost and given in it
    step_watch *watch;          // of the part that moves; NULL: nobody
} step_run;

// Bases whose velocity jumps when a step begins afresh leave a part behind: momenta of its
// coordinates stay, their rates change.
void solve_kick(step_run *s, const solve_part *p);
// One part over the step; implicit, of order 2.
td_status solve_step(step_run *s, const solve_part *p);

// ---------------------------------------------------------------- chosen.c
typedef solve_part part_of(const void *compiled, void *memory, int index);
typedef struct chosen_steps {  // in the memory of a state
    sun_integrator outside;
    part_of *part;
    const void *compiled;
    void *memory;
    int n, n_y;         // parts; numbers of points and velocities of all
    step_run *running;  // while it runs
    // Scratch of what relaxes: (12 n_relaxing) strains and their rates; (n_q) z', (6 n_relaxing x n_q) X.
    double *strains, *answers;
} chosen_steps;

td_status check_integration(const td_integration_options *o, td_error *err);
void chosen_layout(chosen_steps *c, arena *work);  // where there are parts to step
bool chosen_attach(chosen_steps *c, const td_integration_options *o);
void chosen_detach(chosen_steps *c);
td_status chosen_advance(chosen_steps *c, step_run *s, kept_energy *kept);
// The factors of M where the residual was last asked for, in m->matrix. False: there are none.
bool part_factor_mass(const solve_part *p, const solve_instant *at, const configuration *c);
void part_solve_mass(const solve_part *p, double *b);
// a (n_q) of a motion, and its powers. False: there are none.
bool part_accelerations(const solve_part *p, const solve_instant *at, const double *q,
                        const double *v, double *a, double powers[N_POWERS]);
solve_instant instant_within(step_run *s, const solve_part *p, double t, double cv);
