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
    const rod *r;             // at its present length
    const td_options *options;
    rod_memory *m;  // with its history and loads set
    double c0;      // of the time formula; 0: statics
    vec3 gravity;
    base_motion base;
    wrench tip;        // what a joint does to the tip, world; beside the loads there
    double looseness;  // times the presliding length of friction; 0 counts as 1
    double softness;   // divides the stiffness of obstacles; 0 counts as 1
    double hold;       // times the stiffness of the material, in its matrix alone
    bool touches;      // there are obstacles, set for this instant
    bool recalled;     // c0 is 0, and yet the shape has a past: see model/cosserat/lanes
    bool rough;        // its matrix leaves out how tensions change with the turning of a path
    bool frozen;       // its matrix has the forces and rates of the last accepted step
    td_stats *stats;
} rod_problem;

// Friction of tendons, or on obstacles that something has been pressed against before.
static inline bool problem_rubs(const rod_problem *p) {
    for (int i = 0; i < p->r->n_obstacles && p->touches && *p->m->sticks != 0.0; i++)
        if (p->r->contacts[i].friction > 0.0) return true;
    return rod_rubs(p->r);
}

// Do end moments act on it, dead or following, so that its matrix is not symmetric?
static inline bool problem_turns(const rod_problem *p) {
    if (vec3_norm(p->tip.moment) > 0.0) return true;
    for (int k = 0; k < p->r->n_elements; k++)
        if (vec3_norm(p->m->loads[k].end_world.moment) > 0.0 ||
            vec3_norm(p->m->loads[k].end_body.moment) > 0.0)
            return true;
    return false;
}

typedef enum stability { STABILITY_UNKNOWN, STABLE, UNSTABLE } stability;

typedef struct path_test {  // about the linearised equations at a solution
    stability verdict;      // from the second variation of the energy, where the scheme has it
    double value;           // passes through zero where the equations lose rank; for the others
    double condition;
    bool neutral;  // something moves freely
} path_test;

// How a rod's equations answer to changes of all that they are made of, along m directions at once.
typedef struct rod_directions {
    int m;
    // changes, (rows x m); NULL: none
    const double *x;        // unknowns (n_unknowns): strains and efforts
    int unit;               // they are a unit matrix that begins in this column; -1: they are not
    const double *history;  // (n_nodes F_SIZE)
    const double *ends;     // (n_elements 6) of end_history
    const double *base;     // (12) spatial motion (z, da)
    const double *tip;      // (6) of what a joint does to the tip: moment, force
    const double *loads;    // (n_nodes + 1) 6: on nodes, per length, and on the tip: moment, force
    // answers
    double *residual;    // (n_unknowns x m) NULL: nor base_wrench, not asked for
    double *fields;      // (n_nodes F_SIZE x m) strains and velocities
    double *end_fields;  // (n_elements 6 x m) velocities at the far ends; NULL: not wanted
    double *tip_motion;  // (6 x m) of its pose
    double
        *bounds;  // ((n_elements + 1) 12 x m) motions of the bounds of elements; NULL: not wanted
    double
        *poses;  // ((n_nodes + 1) 6 x m) turns and shifts of nodes and of the tip; NULL: not wanted
    double *base_wrench;  // (6 x m) spatial, that it puts on what it stands on
} rod_directions;

// What an assembly needs of its rods: their equations linearised and condensed to their ends. Motions
// are spatial: (z, da), 12 numbers, of the pose and of the velocity. Wrenches are spatial.
typedef struct scheme_ports {
    // The shape that belongs to the unknowns, its ends published as by space_scheme.evaluate, and its
    // residual (n_unknowns). False: there is none.
    bool (*evaluate)(const rod_problem *p, const double *unknowns, double *residual);
    // Publishes all of the shape last evaluated. NULL: evaluate does.
    void (*publish)(const rod_problem *p);
    // Keeps the forces and rates of the current shape for the matrices of a problem that is `frozen`;
    // what was evaluated is lost. NULL: its matrices need none.
    void (*freeze)(const rod_problem *p);
    // Factors the equations of the shape last evaluated. sharp: with the most exact tangent there is.
    // negative (may be NULL): how many negative eigenvalues the symmetric part of the second variation
    // has, beyond those that unknown efforts bring; -1: not known. Where end moments act (problem_turns) the
    // factors are then those of the symmetric part. False: singular.
    bool (*factor)(const rod_problem *p, bool sharp, int *negative);
    // n answers at once, columns side by side: the unknowns X (n_unknowns x n) that take back the
    // residual (n_unknowns x n; NULL: 0) while the tip is given the wrench tip (6 x n; NULL: 0) and the base the
    // motion base (12 x n; NULL: 0); how the tip then moves (12 x n, its pose alone), and how the wrench at the base,
    // which the rod puts on what it stands on, changes (6 x n). The last two may be NULL.
    void (*respond)(const rod_problem *p, int n, const double *residual, const double *tip,
                    const double *base, double *X, double *tip_motion, double *base_wrench);
    bool moving_base;  // respond takes a motion of the base
    // What evaluate does at once, in two halves: outwards with poses and velocities, and back with the wrenches, those at places
    // of the rod (m->pushes) among them. Between the two, where a place is; see pair_place. NULL: not there.
    void (*go_out)(const rod_problem *p, const double *unknowns);
    part_end (*place)(const rod_problem *p, int place);
    bool (*come_back)(const rod_problem *p, double *residual);
    // What a wrench at a point that a place of the shape last evaluated carries adds to its residual (n_unknowns).
    void (*press)(const rod_problem *p, int place, vec3 at, const double wrench_world[6],
                  double *residual);
    // How that point turns and shifts with the unknowns, against the base: rows (6 x n_unknowns), by the factors of that
    // shape. A node carries itself alone.
    void (*moves)(const rod_problem *p, int place, vec3 at, double *rows);
    // The pose at arc length s of the shape last evaluated, and what an extra wrench there (moment,
    // force; world) adds to its residual. NULL: the scheme has no derivatives.
    se3 (*pose)(const rod_problem *p, double s);
    void (*push)(const rod_problem *p, double s, const double wrench[6], double *residual);
    // The spatial motion z (6) of the section at s against the base, with a change of the unknowns: by
    // the factors of the shape last evaluated, which are sharp.
    void (*motion)(const rod_problem *p, double s, const double *change, double z[6]);
    // The equations of the shape last evaluated along given directions, exactly; scratch:
    // directions_scratch doubles. NULL: the scheme has none.
    void (*directions)(const rod_problem *p, const rod_directions *d, double *scratch);
    size_t (*directions_scratch)(const rod *r, int m);
    // Of tendons that rub: how the material beyond each point (n_points x m) of the shape last evaluated answers along
    // directions x (n_unknowns x m), with or without what tensions stretch; and residual (n_unknowns x m) += how it answers to
    // the grips (n_points x m) that the step began with.
    void (*passed)(const rod_problem *p, int m, const double *x, bool tensions, double *out);
    void (*by_grips)(const rod_problem *p, int m, const double *grips, double *residual);
    // The element in which the section at s of the shape last evaluated lies; the weights (n_nodes of the
    // element) of what its nodes have there; and the spatial motion (6 x unknowns of the element) of that section against the
    // near side.
    int (*section)(const rod_problem *p, double s, double *weights, double *motion);
    // row (n_unknowns): how the length or volume of an actuator answers.
    void (*by_strain)(const rod_problem *p, int which, double *row);
    // W (n_unknowns x 6), so that the section at s of the shape last evaluated, at rest on a base that stands still and
    // without unknown efforts, moves by W'r, rotation and translation in the world, when what is taken back is the
    // residual r; no factors are made. False: by those. NULL: never.
    bool (*answer)(const rod_problem *p, double s, double *W);
    // column (n_unknowns) += gain times what one more unit of the given effort of an actuator adds to the
    // residual of the shape last evaluated.
    void (*by_effort)(const rod_problem *p, int which, double gain, double *column);
    // How large a change of the unknowns is, as an angle over the whole rod or a stretch: what is
    // compared with the tolerance.
    double (*size)(const rod *r, const double *change);
    // What such a change turns, rad: what is compared with how far a path may go at once. NULL: its size.
    double (*angle)(const rod_problem *p, const double *change);
    // y'K x, with the stiffness of the material over the rod; Kx (n_unknowns, may be NULL): the
    // residual that x gives by it alone, 0 in the rows of efforts. NULL: not there.
    double (*stiffness)(const rod *r, const double *x, const double *y, double *Kx);
} scheme_ports;

// The motion from pose a to pose b, over `step`: rotation and translation in the world.
static inline void motion_between(const se3 *a, const se3 *b, double step, double out[6]) {
    mat3 back = mat3_transpose(&a->R), turn = mat3_mul(&b->R, &back);
    vec3_store(out, vec3_scale(so3_log(&turn), 1.0 / step));
    vec3_store(out + 3, vec3_scale(vec3_sub(b->p, a->p), 1.0 / step));
}

typedef struct space_scheme {
    const char *name;
    double first_load_step;  // how much of a load following it may try at once
    bool trusting;  // without a verdict, takes what Newton finds from the present shape when
                    // the test value has the unloaded rod's sign

    // Refuses what the scheme cannot do, with err filled; NULL: it can do everything.
    td_status (*check)(const td_robot *robot, const td_options *options, td_error *err);

    // How many nodes an element gets that is `share` of its rod (1: all of it), and where they are
    // on [0, 1] with which weights.
    int (*count)(const td_options *options, double share);
    bool (*place)(int n, double *x, double *w);
    bool between;         // stations half-way between the nodes are wanted too
    bool has_laws;        // sections may be other than linear and diagonal
    bool solves_efforts;  // solve and follow take rods with unknown efforts
    // The fields at a share x of an element from those at its nodes: weights (n_nodes of the element).
    // For rods that are fed.
    void (*weights)(const rod *r, int element, double x, double *row);

    // Constant tables of a rod, made once; NULL and false where there are none.
    bool (*prepare)(rod *r, const td_options *options);
    void (*discard)(rod *r);

    int (*n_unknowns)(const rod *r);
    void *(*layout)(const rod *r, arena *keep, arena *work);  // as td_model.layout

    // The unknowns of the present shape (w = 1, 0, 0), or of a mean of the last three.
    void (*recall)(const rod *r, const rod_memory *m, const double w[3], double *unknowns);
    // A step, not solved by `solve`, has ended with these unknowns.
    void (*taken)(const rod *r, rod_memory *m, const double *unknowns);
    // The shape that belongs to the unknowns, into m->trial and m->strains. False: there is none.
    bool (*evaluate)(const rod_problem *p, const double *unknowns);
    // A time step: from the past to m->trial and m->strains by all means.
    td_status (*solve)(const rod_problem *p, const cosserat_time *time, double dt);
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

    const scheme_ports *ports;
} space_scheme;

const space_scheme *scheme_of(td_space space);
// Of a rod that is fed: where the material that was at a node one step after a level (0: now) was at that level: at share x of
// an element. What had not come out yet counts as two places with these factors. Slopes by the length after and by that of the
// level, 1/m. How many places.
typedef struct past_place {
    const element *of;
    double x, factor;
    double x_by[2], factor_by[2];
} past_place;
int past_places(const rod_memory *m, const element *e, int node, int level, past_place out[2]);
// Its history, level after level from the oldest: m->carried = m->history + what the formula has of that level; and then, where
// the material went, m->history = m->carried.
int past_levels(const time_formula *f);
void past_sum(const rod_memory *m, const time_formula *f, int level);
void past_carry(const space_scheme *scheme, const rod_memory *m, int level);
// What its sections remember, where their material was: m->then.
void past_carry_inner(rod_memory *m);
// J/m, that what enters or leaves stores at the strain x.
double end_elastic(const rod_memory *m, const rod *r, bool enters, const double x[6]);
// Slopes of the weights of an element's nodes by the share, by differences of fourth order.
void past_weight_slopes(const space_scheme *scheme, const rod *r, const element *e, double x,
                        double *row);

// Could the shape in progress follow from the current one in one step? No, when it holds far more energy
// than the current one and all loads could have brought in: the equations of a step have
// spurious solutions, and a solver in distress may find one.
bool step_is_plausible(const rod_problem *p);
struct assembly_problem;
bool assembly_is_plausible(const struct assembly_problem *p);  // the same of all its rods
// Why a step of dt of `what` failed, by Newton's method.
void step_explain(const char *what, const td_options *options, const td_stats *stats, double dt,
                  char *message, size_t size);
// Adds to it where a rod turns by more between its nodes than polynomials through them follow.
void explain_turns(const rod *r, const rod_memory *m, char *message);
