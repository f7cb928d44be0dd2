// solve/mechanics.h - what a formulation gives, so that all that is asked of a robot can be computed
// on it, once for all formulations.
//
// A part is what hangs together: a rod, a net, an assembly. It has n_q coordinates (stored as n_x
// numbers where they live on a manifold) and n_l multipliers: efforts and reactions that are not
// given. Its n = n_q + n_l equations are
//
//     r(at, q, l, v, a) = 0        rows: balance of the coordinates (inertia minus generalised
//                                  forces), then one equation for each multiplier
//
// Statics has v = a = 0. An implicit time formula turns a motion into the same problem at one
// instant: with c0, q* and v* of the formula the unknown velocity v gives q = q* advanced by v/c0
// and a = c0 (v - v*). A change dz (n) is one of the coordinates (rad, lengths; then dv = cv dz,
// da = ca dz with cv = c0, ca = c0^2) and of the multipliers. So one Newton's method serves
// equilibria and steps; its matrix is K + cv D + ca M.
//
// Nothing here allocates: all memory is laid out with the state.
#pragma once

#include <math.h>
#include <string.h>

#include "actuation/engine.h"
#include "base/arena.h"
#include "environment/touch.h"
#include "material/law.h"
#include "math/se3.h"
#include "solve/call.h"

// ---------------------------------------------------------------- an instant
typedef enum path_share {  // what a path of equilibria scales, 0 .. 1
    SHARE_LOADS,           // gravity and loads
    SHARE_DRIVES,          // what actuators are given
    SHARE_FRICTION,
    SHARE_HARDNESS,  // of obstacles
    SHARE_TURNS,     // of what holds a chain
    SHARE_STRETCH,   // of the stiffness against stretch and shear of what is being put together
    N_SHARES
} path_share;
#define ALL_SHARES                                                                                 \
    { 1.0, 1.0, 1.0, 1.0, 1.0, 1.0 }  // what is no path has them all

typedef struct path_leg {  // a path of equilibria may let shares grow one after another
    const char *name;      // what grows, in words: "its loads"
    unsigned shares;       // 1u << path_share
} path_leg;

typedef struct solve_instant {  // what the world does
    double t;                   // s, from the start of the step
    double cv, ca;              // 1/s, 1/s^2, of the time formula; statics: 0, 0
    const double *inputs;       // (n_inputs) what is given: efforts, loads, gravity
    const double *input_rates;  // (n_inputs) NULL: 0
    const double *places;       // (n_inputs) by which bases and held frames move
    const double *place_rates, *place_accelerations;  // (n_inputs each) NULL: 0
    double shares[N_SHARES];
    double
        lead;  // s, of a stage that does not end its step: what joints hold is held by its rate, times this; 0: in place
    bool sudden;  // no time has gone: what flows in sections stays as it is kept
    bool soft;    // multipliers follow from the shape: what is rigid gives a little, and rows and
                  // columns of multipliers are left out
    bool
        odd;  // only what is odd in velocities is asked for: what is even, and accelerations, may be
              // left out
    td_stats *stats;  // of the call; NULL: nothing is counted
    engine_stage
        *engines;  // of motors and valves, by their numbers; NULL: at rest, where they began
} solve_instant;

// s, since what sections remember was kept; HUGE_VAL: it rests.
static inline double instant_elapsed(const solve_instant *at) {
    return at->sudden ? 0.0 : at->cv > 0.0 ? at->t : HUGE_VAL;
}

typedef struct configuration {
    const double *q;      // (n_x)
    const double *l;      // (n_l)
    const double *v, *a;  // (n_q each) NULL: at rest
} configuration;

// matrix = q dr/dq + v dr/dv + a dr/da + own (stiffness of the material); on a manifold, with q, of
// velocities that follow the coordinates as rate_change has it.
typedef struct tangent_weights {
    double q, v, a, own;
    // Rows of multipliers turned so that a potential gives a symmetric matrix, with -1 on the
    // diagonal alone for those that hold nothing now: each brings exactly one negative eigenvalue.
    // All of it is part of q dr/dq: with q = 0 these rows and columns are 0.
    bool symmetric;
    // With `own`, what the material does not see is held by springs of its size.
    bool held;
} tangent_weights;

typedef enum power_kind { POWER_LOST, POWER_GIVEN, N_POWERS } power_kind;

// ---------------------------------------------------------------- outputs
// How outputs answer: numbers (n_y) of them, one output after another.
typedef struct output_slopes {
    const td_output *outputs;
    int n_outputs, n, n_inputs;
    double *by_z, *by_rate;  // (n_y x n) against z and z' of small motions (chart.h)
    double *by_input;        // (n_y x n_inputs) of efforts that are given
} output_slopes;

// ---------------------------------------------------------------- bases
typedef struct
    base_course {  // of what inputs move: its pose, its twist in its own axes and the rate of that
    se3 pose;
    vec6 twist, twist_rate;
} base_course;

// ---------------------------------------------------------------- sections that relax
typedef struct relaxing_section {
    const section_law *law;
    double *z;      // kept: what it remembers (material/memory.h)
    double weight;  // m
    int n;          // of its strains, bending first
} relaxing_section;
static inline int relaxing_numbers(const relaxing_section *s) {
    return s->law->n_terms * s->n;
}

// ---------------------------------------------------------------- what a formulation gives
typedef struct mechanics {  // a constant table; only the first is needed
    // r (n), and the powers then, W (NULL: not asked for).
    void (*residual)(void *of, const solve_instant *at, const configuration *c, double *r,
                     double *powers);
    // Into `matrix`, of the kind that the part's linear operations know; and r with powers where r
    // is not NULL: they come together. False: not for these tangent_weights; it is then made by differences
    // (dense only; `own` then is the stiffness of the rest shape without loads).
    // Nearly is enough where v or a count.
    bool (*tangent)(void *of, const solve_instant *at, const configuration *c,
                    const tangent_weights *w, double *matrix, double *r, double *powers);
    // to = from + scale dz on the manifold. NULL: addition.
    void (*retract)(void *of, const double *from, double scale, const double *dz, double *to);
    // to = from, moved with the velocity v for h, as the time formula has it. NULL: retract.
    void (*advance)(void *of, const double *from, double h, const double *v, double *to);
    // How v answers to a change dz of where it leads: dv (n_q) = cv dz but for the curvature of the
    // manifold. NULL: that.
    void (*rate_change)(void *of, const double *q, const double *v, double cv, const double *dz,
                        double *dv);
    // x_t (n_x), the rate of the numbers of a point that moves with v. NULL: v.
    void (*flow)(void *of, const double *q, const double *v, double *x_t);
    // How large a change is: rad, lengths; efforts by the gap that they would close, so that what
    // contradicts itself never settles. NULL: the largest dz[k]/unit[k] of the coordinates.
    // n: rows, with or without multipliers.
    double (*size)(void *of, int n, const double *dz);
    // Refuses inputs that no shape has, at rest or in motion, in words. NULL: there are none.
    td_status (*possible)(void *of, const double *inputs, char *message);
    // Refuses what has no equilibrium, in words. NULL: nothing.
    td_status (*admit)(void *of, const double *inputs, char *message);
    // Its own way from q to r = 0 nearby, on the same branch, and the change (n) from one point to
    // another; NULL: newton.c. drag: see solve_stage. *size: of the last correction.
    td_status (*correct)(void *of, const solve_instant *at, double drag, double *q, double *size);
    void (*between)(void *of, const double *from, const double *to, double *dz);
    void (*lend)(void *of, const double *from, double *to);  // its reactions to another point
    // How many directions lose energy in an equilibrium, or at least whether one does; -1: not known.
    // *neutral: does something move freely? NULL: the matrix tells.
    int (*lost)(void *of, const solve_instant *at, const double *q, bool *neutral);
    // Was what `lost` told of two shapes next to one another a loss? Where it knows signs alone, they change
    // through infinity too. NULL: yes.
    bool (*crossed)(void *of);
    // Must it be put together? What it loses on that way is of no interest where it stands. NULL: no.
    bool (*gapes)(void *of);
    // By how much what holds it turns, rad, from these inputs (NULL: from where nothing is turned) to
    // those: turns are followed, since a shape with a turn less is another one. NULL: nothing turns.
    double (*turn)(void *of, const double *before, const double *inputs);
    // Knows better than the message why there is no equilibrium beyond this one, which stands at
    // `reached` of its path (in words: `reach`), or has something to add. NULL: it never does.
    void (*blame)(void *of, const solve_instant *at, const double *q, double reached,
                  const char *reach, char *message);
    // Where its points that may touch obstacles are in this shape (part.touch->n_points), with obstacles as they are
    // then. NULL: nothing of it touches, or it looks to that by itself.
    void (*points)(void *of, const solve_instant *at, const double *q, vec3 *p);
    // How deep it is in obstacles that are hard, by what they allow: more than 1 is too deep; words say where, unless
    // NULL. push: their surfaces then go ahead (environment/contact.h). NULL: by `points`.
    double (*depth)(void *of, const solve_instant *at, const double *q, contact_push push,
                    char *message);
    // The same questions to what has no such points: has the equilibrium of which `fits` was asked last been reached
    // through an obstacle? In words. And moves the kept shape (also into q) to rest under these inputs, through
    // none. NULL: through.c.
    bool (*beyond)(void *of, char *message);
    td_status (*relax)(void *of, const model_call *call, double *q);
    // Has it gone too far to mean anything? Says so in words. NULL: never.
    td_status (*fits)(void *of, const solve_instant *at, const double *q, char *message);
    // Is the shape that is kept no place to begin at under these inputs, since whole turns would be
    // lost or another branch be found? NULL: never.
    bool (*anew)(void *of, const double *before, const double *inputs);
    // The shape without loads, from which a path begins.
    void (*rest)(void *of, const solve_instant *at, double *q);
    // What follows a shape that was found and is no unknown of it (mean stretch): how much it
    // changed. Statics goes on until that is small. NULL: nothing.
    double (*settle)(void *of, const solve_instant *at, const configuration *c);
    // This equilibrium, of which `fits` was asked last, becomes the kept shape. NULL: q and l do.
    void (*accept)(void *of, const solve_instant *at, const configuration *c);
    // How base i of part.n_bases moves at an instant, and which of them a frame of its coordinates hangs on, -1: on none;
    // *turns: it has a rotation alone. See carried.h.
    void (*base)(void *of, const solve_instant *at, int i, base_course *out);
    int (*carrier)(void *of, int frame, bool *turns);
    // Before a step, in the kept memory of the part: what jumps and what follows the last shape; J,
    // the work that this brings. NULL: nothing.
    double (*begin)(void *of, const solve_instant *at, bool fresh);
    // Has an effort l become another kind than before (a string that snaps taut)? The step then
    // ends with an impact. NULL: never.
    bool (*snapped)(void *of, const double *before, const double *l);
    // J, of motion, height and strain, without what actuators store: what an impact leaves of it is
    // dissipated. NULL: nothing snaps.
    double (*energy)(void *of, const solve_instant *at, const configuration *c);
    // Why no energy has these forces; NULL: one has. The entry itself NULL: one always has.
    const char *(*lacks_potential)(void *of, const solve_instant *at);
    // The name of the rod that a change dz (n_q) moves most; dz NULL: of the one that `settle` changed
    // most. NULL: a part has one rod.
    const char *(*mover)(void *of, const double *dz);
    // Which multiplier's equation is missed most, in words. NULL: none has any.
    void (*explain)(void *of, const solve_instant *at, const configuration *c, char *message);
    // dr/d input (n), of what is given and of what moves bases. NULL: by differences.
    void (*by_input)(void *of, const solve_instant *at, const configuration *c, int input,
                     double *dr);
    // The pose of a point in this shape; and its rotation and translation in the world under the change
    // dz (n; NULL: nothing moves, and `moved` stays as it is) and under the rates of the instant, by which
    // bases move.
    td_pose (*move)(void *of, const solve_instant *at, const configuration *c, const double *dz,
                    const model_point *p, double moved[6]);
    // dr/dz, dr/dz' and dr/dz'' (n x n each) of small motions (chart.h), exactly; scratch:
    // part.n_slopes doubles. False, or NULL: differences of the residual serve.
    bool (*slopes)(void *of, const solve_instant *at, const configuration *c, double *K, double *D,
                   double *M, double *scratch);
    // The slopes of outputs, exactly, but against inputs that move bases; 0 for those of other parts; scratch: part.n_slopes
    // doubles. False, or NULL: differences serve.
    bool (*outputs)(void *of, const solve_instant *at, const configuration *c,
                    const output_slopes *out, double *scratch);
    // kappa (n_q) += how fast the material that an input feeds past the places of the coordinates changes there, by its
    // rate: material has the rates v + kappa u'. NULL: nothing is fed.
    void (*fed)(void *of, const configuration *c, int input, double *kappa);
    // The mean stretches (part.n_stretches) of the rods of this shape, which sections are made for: part.stretches. NULL:
    // there are none.
    void (*stretch)(void *of, const solve_instant *at, const configuration *c, double *out);
    // What contact did before is part of what it does in a step (friction, restitution). Changes of that along m directions:
    // `kept` (part.n_kept x m) are numbers of the state, `shape` (part.n_shape x m) follow from where the step began, where
    // the configuration moves by z (n x m); scratch: n_shape x m.
    void (*past_begin)(void *of, const solve_instant *at, const configuration *c, int m,
                       const double *z, double *shape);
    // rows (n x m) -= what r answers.
    void (*past_take)(void *of, const solve_instant *at, const configuration *c, int m,
                      const double *kept, const double *shape, double *scratch, double *rows);
    // to (n_kept x m): those that the step leaves, which ends here.
    void (*past_keep)(void *of, const solve_instant *at, const configuration *c, int m,
                      const double *z, const double *kept, const double *shape, double *scratch,
                      double *to);
    // One of part.n_relaxing sections that relax or rub. And how the strains of all of them answer to a change of the
    // coordinates, X (6 n_relaxing x n_q): r answers to wrenches w of theirs by X' weight w.
    relaxing_section (*relaxing)(void *of, int i);
    void (*strains)(void *of, const solve_instant *at, const configuration *c, double *X);
    // The strains themselves (6 n_relaxing), less those at rest.
    void (*strained)(void *of, const solve_instant *at, const configuration *c, double *x);
    // W (n x 6), so that a point moves by W'dr at rest, in world axes as `move`. By a shorter way than factors, which
    // leaves all that is kept alone. False: there is none for this point. NULL: for none.
    bool (*answer)(void *of, const solve_instant *at, const configuration *c, const model_point *p,
                   double *W);
    // r (n) += what a wrench at a point (world axes) asks for. NULL: by `move`, virtual work.
    void (*push)(void *of, const solve_instant *at, const configuration *c, const model_point *p,
                 const double wrench[6], double *r);
} mechanics;

// ---------------------------------------------------------------- the midpoint rule
// One that keeps momenta. The stage is the middle of a step: cv = 2/h, and q, v of the part's memory are where it began.
struct solve_memory;
typedef struct middle_rule {
    // Of the middle, with v its mean velocity, and on the way there, as in `mechanics`.
    void (*residual)(void *of, const solve_instant *at, const configuration *c, double *r,
                     double *powers);
    bool (*tangent)(void *of, const solve_instant *at, const configuration *c,
                    const tangent_weights *w, double *matrix, double *r, double *powers);
    void (*advance)(void *of, const double *from, double h, const double *v, double *to);
    void (*rate_change)(void *of, const double *q, const double *v, double cv, const double *dz,
                        double *dv);
    // From the middle in tq, tv to the end of the step of h.
    void (*reach)(void *of, double h, const struct solve_memory *m);
} middle_rule;

// ---------------------------------------------------------------- linear operations
struct solve_part;
typedef struct linear_ops {
    bool (*factor)(const struct solve_part *p, double *matrix, int *pivot);  // false: singular
    void (*solve)(const struct solve_part *p, const double *matrix, const int *pivot, double *b);
    // n right sides, one after another. NULL: one at a time.
    void (*solve_many)(const struct solve_part *p, const double *matrix, const int *pivot, int n,
                       double *b);
    void (*solve_transposed)(const struct solve_part *p, const double *matrix, const int *pivot,
                             double *b);
    void (*multiply)(const struct solve_part *p, const double *matrix, const double *x, double *y);
    // How many eigenvalues of the symmetric part are negative; the matrix is used up, scratch (2 n).
    // -1: not known.
    int (*negative)(const struct solve_part *p, double *matrix, double *scratch);
    // Which factors of an equilibrium are left from an earlier call, by number; 0: none. NULL: never any.
    double (*factored)(const struct solve_part *p);
    bool keeps;   // factors are worth keeping from step to step
    bool uneven;  // the matrix of an energy is symmetric but for what the discretisation leaves
} linear_ops;
extern const linear_ops dense_ops;
extern const linear_ops
    dense_uneven_ops;  // the same, where no mass matrix is symmetric: rows in the world, twists

// ---------------------------------------------------------------- a part and its memory
#define N_KRYLOV 48      // vectors for spectra
#define SOLVE_COLUMNS 8  // right sides that are solved together

typedef struct solve_memory {
    double *q, *l, *v, *a;  // kept (n_x), (n_l), (n_q), (n_q)
    double *powers;         // kept (N_POWERS) W, at the end of the last step
    double *factors, *pivots,
        *valid;  // (n_matrix), (n), (2): cv of the factors, or 0, and what touched; kept where
                 // the linear operations say so
    double *star, *star_v, *star_l;   // (n_x), (n_q), (n_l): where a stage or a load begins
    double *tq, *tl, *tv, *ta;        // in progress: (n_x), (n_l), (n_q), (n_q)
    double *bq, *bl, *bv, *ba;        // where a correction begins
    double *r, *dz, *next;            // (n each)
    double *mode, *tangent, *before;  // (n each) of paths
    double *probe, *plus, *minus;     // (n each) of differences
    double *walked;                   // (n) sum of the corrections of the last solve
    double *path_q, *path_l, *away;   // (n_x), (n_l), (n_x)
    double *try_q, *try_l;            // (n_x), (n_l) where a solve of a path begins
    double *start_q;                  // (n_x) where equilibria among obstacles are sought from
    double *matrix, *whole, *own;     // (n_matrix each)
    double *krylov;                   // (N_KRYLOV + 1) x n; of answers, the first SOLVE_COLUMNS
    int *pivot, *spare;               // (n each) of the factors; of spectra
} solve_memory;

typedef struct solve_part {
    const mechanics *how;
    const middle_rule *middle;  // its steps are those of the midpoint rule; NULL: SDIRK2
    void *of;                   // of the functions above
    const linear_ops *linear;   // NULL: dense_ops
    const char *name;           // of its rod, or of the first
    const char *noun;           // what that is: NULL: "rod"
    const char *needs;          // what it lacks if it has no mass, in words; NULL: "it needs mass"
    int n_x, n_q, n_l;
    int n_matrix;               // numbers of a matrix; 0: n x n
    const double *unit;         // (n_q) change of each coordinate that counts like a radian;
                                // HUGE_VAL: a multiplier has its place
    const double *effort_unit;  // (n_l) of each multiplier; NULL: they do not count
    int n_frames;               // of its coordinates the last 6 n_frames are frames: see chart.h
    bool twists;                // whose velocities are twists in their own axes
    int n_bases;                // that inputs may move, and that frames hang on: see carried.h
    int n_nodes;                // points and velocities come in so many equal groups; 0: one
    int band;                   // nodes answer to others at most so far away, by number; 0: to all
    const path_leg *legs;  // (n_legs) of its path from rest; n_legs 0: all shares grow together
    int n_legs;
    double longest;  // share of a path, of one step; 0: 1
    double
        softest;  // SHARE_STRETCH with which it is put together where it cannot be otherwise; 0: never
    bool floats;  // joints let something move that the material does not see
    bool led;  // joints hold the rates of what they hold in stages that end no step: instant.lead
    bool judged;       // stability is judged by the model: there is no room for spectra
    bool gives;        // in motion what is rigid gives a little: see instant.soft
    bool left_behind;  // its coordinates move with bases: where those jump in velocity momenta stay
    bool kinks;        // its forces have kinks: a small correction may be due to what it leaves
    int patience;      // corrections that a way to an equilibrium may take; 0: 50 000
    const touch *touch;           // what its points may touch; NULL: nothing
    const touch_memory *touched;  // of that
    bool slopes;  // the tangent of a motion comes in single tangent_weights too, for chosen steps
    size_t n_slopes;      // doubles that mechanics.slopes needs
    int n_kept, n_shape;  // see past_begin
    bool rubs_itself;     // its parts rub on one another
    int n_relaxing;       // sections that relax or rub,
    int n_flows;  // relaxing by so many numbers: of each section and term those of its free strains
    int n_stretches;  // that sections follow,
    double *
        stretches;  // kept: those of the shape with which a step began; who asks for r with others sets them
    solve_memory *m;
} solve_part;

static inline int part_n(const solve_part *p) {
    return p->n_q + p->n_l;
}
static inline size_t part_matrix(const solve_part *p) {
    return p->n_matrix ? (size_t)p->n_matrix : (size_t)part_n(p) * (size_t)part_n(p);
}
static inline const linear_ops *part_linear(const solve_part *p) {
    return p->linear ? p->linear : &dense_ops;
}
static inline void copy_doubles(int n, double *to, const double *from) {
    memcpy(to, from, sizeof(double) * (size_t)n);
}
void solve_layout(const solve_part *p, arena *keep, arena *work, solve_memory *out);
// Accelerations and factors of the past.
void solve_forget(const solve_part *p);

// ---------------------------------------------------------------- newton.c
typedef struct solve_stage {  // one part at one instant, in search of r = 0; the answer in m->t*
    const solve_part *p;
    solve_instant at;
    td_stats *stats;
    double powers[N_POWERS];
    double size;    // of the last correction
    double walked;  // sum of all corrections
    bool known;     // m->r is the residual of where it is
    bool neutral;   // something moved freely where stability was asked for last
    // Of the material's stiffness, added to the matrix of an equilibrium. What nothing holds, like a
    // buckled round column against turning about its axis, then stays where it is.
    double drag;
    bool rates_stay;  // of a shape in motion, whose stress they are part of: not 0 although cv is
} solve_stage;
typedef struct stage_rules {
    double tolerance;
    double longest;   // correction that is made at once; longer ones are shortened
    double shortest;  // share of a correction; 1: none is shortened by a search
    double loose;     // last correction that is still an answer
    int renewals;     // of the matrix
    bool exact;       // a new matrix for every correction
} stage_rules;
solve_instant instant_at_rest(const model_call *call);
configuration stage_here(const solve_stage *s);
void stage_residual(solve_stage *s, double *r, double *powers);
// The matrix with these tangent_weights where it is, not factored; also by differences (dense only).
bool stage_matrix(solve_stage *s, const tangent_weights *w, double *matrix);
bool stage_renew(solve_stage *s);  // the matrix K + cv D + ca M of where it is, factored
bool stage_solve(solve_stage *s, const stage_rules *rules);
// t* moved by scale dz, at rest
void stage_move(solve_stage *s, double scale, const double *dz);
double part_size(const solve_part *p, const double *dz);
// Whom a message is about: see mechanics.mover.
const char *part_culprit(const solve_part *p, const double *dz);
static inline const char *part_noun(const solve_part *p) {
    return p->noun ? p->noun : "rod";
}
// See mechanics.possible.
static inline td_status part_possible(const solve_part *p, const model_call *call) {
    return p->how->possible ? p->how->possible(p->of, call->inputs, call->message) : TD_OK;
}
// to = from, moved with the velocity v for h.
void part_advance(const solve_part *p, const double *from, double h, const double *v, double *to);
static inline void part_solve(const solve_part *p, double *b) {
    part_linear(p)->solve(p, p->m->factors, p->m->pivot, b);
}
void part_solve_many(const solve_part *p, int n, double *b);

// dr/d input (n), by differences where the part has no by_input.
void stage_by_input(solve_stage *s, const model_call *call, int input, double *dr);

// ---------------------------------------------------------------- through.c
// Does a point pass through an obstacle on its way from one shape to another, in words? `through_from` tells of the
// first; `kept`: obstacles were then where the accepted shape left them.
void through_from(const solve_part *p, const solve_instant *at, const double *q, bool kept);
bool through_to(const solve_part *p, const solve_instant *at, const double *q, char *message);
// See mechanics.depth.
#define MOST_PUSHES 40  // of obstacles that are hard, in one equilibrium or stage of a step
double part_depth(const solve_part *p, const solve_instant *at, const double *q, contact_push push,
                  char *message);
// How the one goes that has so many before it.
static inline contact_push push_after(int n) {
    return n == 0 ? PUSH_FIRST : n < MOST_PUSHES ? PUSH_AGAIN : PUSH_NOT;
}
// m->q moves to rest under these inputs, through nothing.
td_status through_relax(const solve_part *p, const model_call *call);

// ---------------------------------------------------------------- the questions
td_status solve_statics(const solve_part *p, const model_call *call);
td_status solve_jacobian(const solve_part *p, const model_call *call, const jacobian_part *asked,
                         double *J);
// The same where there is a way that leaves all that is kept alone; false: there is none.
bool solve_quick_jacobian(const solve_part *p, const model_call *call, const jacobian_part *asked,
                          double *J);
td_status solve_compliance(const solve_part *p, const model_call *call, const model_point *at,
                           const model_point *load, double *C);
// r (n) of the equilibrium that is kept; and how points move (n x 6) where r changes by dr (n, used up).
void solve_residual(const solve_part *p, const model_call *call, double *r);
td_status solve_answer(const solve_part *p, const model_call *call, const model_point *at, int n,
                       double *dr, double *out);

// ---------------------------------------------------------------- spectrum.c
// Why no energy has these forces, in words; NULL: one has.
const char *stage_lacks_potential(const solve_stage *s);
// How many directions lose energy in the shape m->t*, or grow where loads have none; -1: not known.
int spectrum_unstable(solve_stage *s);
// Negative eigenvalues of the symmetric m->matrix, which is used up, beyond those that multipliers bring;
// -1: not known.
int spectrum_negative(const solve_part *p);
// The smallest eigenvalue of the tangent against the material's, or real part where there is no
// energy, and into mode (n; NULL: not asked for) how it moves. False: not known.
bool spectrum_smallest(solve_stage *s, double *smallest, double *mode);
td_status solve_stability(const solve_part *p, const model_call *call, double *smallest);
