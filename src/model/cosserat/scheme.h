// model/cosserat/scheme.h - what a spatial scheme is: a table that each of them fills.
//
// Whatever the scheme, the shape lives at nodes on the elements of a rod: the state y there, and the
// fields that have a rate (strain and velocity), so history, energy and acceptance are common. How
// the equilibrium of the rod is found at an instant, and how the shape is read between the nodes,
// is the scheme's.
#pragma once

#include "math/se3.h"
#include "model/cosserat/memory.h"

typedef struct rod_problem {  // one rod at one instant
    const rod *r;
    const td_options *options;
    rod_memory *m;            // with its history and loads set
    double c0;                // of the time formula; 0: statics
    vec3 gravity;
    base_motion base;
    td_stats *stats;
} rod_problem;

typedef enum stability { STABILITY_UNKNOWN, STABLE, UNSTABLE } stability;

typedef struct path_test {  // about the linearised equations at a solution
    stability verdict;      // from the second variation of the energy, where the scheme has it
    double value;           // passes through zero where the equations lose rank; for the others
    double condition;
} path_test;

// Derivatives of an equilibrium, for schemes that have them. The equilibrium is the current shape of
// p->m; p brings loads and base, with c0 = 0 and no history.
typedef struct scheme_derivatives {
    // Factors the equations of the current shape, for all the answers that follow.
    td_status (*factor)(const rod_problem *p);
    // The residual of the current shape under p's loads and base (n_unknowns), and the pose at s that
    // its strains give on that base. False: not finite.
    bool (*evaluate)(const rod_problem *p, double s, double *residual, se3 *pose);
    // What an extra wrench at arc length s (moment, force; world) adds to the residual.
    void (*push)(const rod_problem *p, double s, const double wrench[6], double *residual);
    // How the pose at s (rotation, translation; world) answers when the residual is given
    // `change` (n_unknowns) and the strains take it back. After `factor`.
    td_status (*respond)(const rod_problem *p, const double *change, double s, double answer[6]);
} scheme_derivatives;

// The motion from pose a to pose b, over `step`: rotation and translation in the world.
static inline void motion_between(const se3 *a, const se3 *b, double step, double out[6]) {
    mat3 back = mat3_transpose(&a->R), turn = mat3_mul(&b->R, &back);
    vec3_store(out, vec3_scale(so3_log(&turn), 1.0 / step));
    vec3_store(out + 3, vec3_scale(vec3_sub(b->p, a->p), 1.0 / step));
}

typedef struct space_scheme {
    const char *name;
    double first_load_step;  // how much of a load following it may try at once
    bool trusting;           // without a verdict, takes what Newton finds from the present shape when
                             // the test value has the unloaded rod's sign

    // Refuses what the scheme cannot do, with err filled; NULL: it can do everything.
    td_status (*check)(const td_robot *robot, const td_options *options, td_error *err);

    // How many nodes an element gets that is `share` of its rod (1: all of it), and where they are
    // on [0, 1] with which weights.
    int (*count)(const td_options *options, double share);
    bool (*place)(int n, double *x, double *w);
    bool between;  // stations half-way between the nodes are wanted too

    // Constant tables of a rod, made once; NULL and false where there are none.
    bool (*prepare)(rod *r, const td_options *options);
    void (*discard)(rod *r);

    int (*n_unknowns)(const rod *r);
    void *(*layout)(const rod *r, arena *keep, arena *work);  // as td_model.layout

    // The unknowns of the present shape.
    void (*present)(const rod *r, const rod_memory *m, double *unknowns);
    // The shape that belongs to the unknowns, into m->trial and m->strains. False: there is none.
    bool (*evaluate)(const rod_problem *p, const double *unknowns);
    // A time step: from the past to m->trial and m->strains by all means.
    td_status (*solve)(const rod_problem *p, const cosserat_time *time, double dt);
    // Equilibrium near the unknowns, by globalised means. May jump to another branch.
    td_status (*seek)(const rod_problem *p, double *unknowns);
    // Equilibrium near the unknowns, by Newton steps that stay on the branch or give up.
    td_status (*follow)(const rod_problem *p, double *unknowns, path_test *test);
    // The unknowns are those of a rest: every past one is the same.
    void (*settle)(const rod *r, rod_memory *m, const double *unknowns);
    // Why a step of dt failed.
    void (*explain)(const rod_problem *p, double dt, char *message, size_t size);

    // The rod at arc length s.
    td_sample (*sample)(const rod *r, const rod_memory *m, double s);

    // How much the current shape exceeds what the nodes can follow, as an angle; NULL: not known.
    double (*resolution)(const rod *r, const rod_memory *m);

    const scheme_derivatives *derivatives;  // NULL: none
} space_scheme;

const space_scheme *scheme_of(td_space space);

// Could the shape in progress follow from the current one in one step? No, when it holds far more energy
// than the current one and all loads could have brought in: the equations of a step have
// spurious solutions, and a solver in distress may find one.
bool step_is_plausible(const rod_problem *p);
