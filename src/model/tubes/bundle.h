// model/tubes/bundle.h - tubes that share a centre line: the kernels of this model.
//
// The centre line has a frame R(s) without twist, R' = R (u_x, u_y, 0)^, and each tube an angle
// psi_j(s) in it, psi_j' = t_j. All tubes bend together, each twists on its own. With w_j the curvature at
// rest of tube j and e_j = (Rz(-psi_j) u, t_j) its strain in its own axes the energy is
//
//     W = sum_j int (e_j - w_j)' K_j (e_j - w_j)/2 ds
//
// so that aligned tubes are stiffest where they are curved alike, and turned ones twist to avoid one another. The base is a
// plate: behind it tubes are straight shafts that only twist, from their back end, at s = beta_j <= 0, where an input turns
// them by alpha_j:
//
//     psi_j(0) = alpha_j + int t_j ds  over (beta_j, 0)
//
// Coordinates: u_x, u_y and all t_j at Gauss nodes of elements, which lie between cuts: ends of tubes and of their pieces, and
// where something acts. Cuts move with the tubes, and are sorted anew for every beta; an element may have no length. Between
// nodes strains are polynomials, and all that grows along s is their integral, with c_q the nodes, b_q the weights:
//
//     psi_q = psi_b + h sum_k A_qk t_k,    p_q = p_b + h sum_k A_qk R_k e3
//     dtheta_q = dtheta_b + h sum_k A_qk R_k du_k,   dp_q = dp_b + h sum_k A_qk dtheta_k x R_k e3
//
// Forces come by virtual work, back from the tip. So rows are the collocation of the balance of moments, weighted by b: the
// matrix is symmetric where there is an energy, but for what the nodes leave unresolved.
#pragma once

#include "actuation/actuator.h"
#include "environment/load.h"
#include "model/base.h"
#include "model/model.h"
#include "model/touch.h"
#include "robot/places.h"
#include "solve/efforts.h"

#define MOST_TUBES 8    // in one another
#define MOST_NODES 16   // of an element
#define IDLE_TIME 1e-8  // s: what has no length has a mass that answers so fast

// ---------------------------------------------------------------- compiled
typedef struct shaft_def {  // of a tube behind the plate: a stretch that twists alike
    double from, to;        // m, from the back end
} shaft_def;

typedef struct tube_section {  // at a node, per length
    double K[3], D[3], rest[3];
    double mass, inertia[3];
    point_body around;  // what surroundings act on,
    vec3 added;         // kg, and of a fluid what moves along: both of the outermost tube alone
    double s;           // m, from its back end
} tube_section;

typedef struct tube_def {
    char *name;
    int rod;
    robot_rod as;                 // its pieces and length; nothing else
    const tube_section *uniform;  // (pieces) of those that have no taper; others: mass 0
    td_number rotation, translation;
    double friction, slip_rate;
    double fluid;         // kg/m^3, what is around
    bool rotary;          // its sections have inertia as they bend; as they twist they always have
    const double *marks;  // (n_marks) m, from its back end, where it is cut; the last is its tip
    int n_marks;
    const shaft_def *shafts;
    int n_shafts;
    int first, n_t;  // of its twists among the coordinates: those of shafts, then of nodes
} tube_def;

typedef struct rider {  // a body
    int tube, mark;
    double mass;
    vec3 moment;   // kg m, mass times centre of mass, in the axes of the tube
    mat3 inertia;  // kg m^2, about the axis
    td_number attached;
    point_body around;
    int body;  // in the robot
} rider;

typedef struct tube_load {
    int tube;
    int from, to;  // marks; a point load acts at `to`
    td_load_def of;
} tube_load;

typedef struct drive {  // a tendon, push-pull rod or chamber
    const actuator *a;
    int tube;
    int unknown;  // its effort's number among the multipliers of equilibria; -1: it is known
} drive;

typedef struct bundle_table {
    double c[MOST_NODES], b[MOST_NODES], bary[MOST_NODES];
    double A[MOST_NODES][MOST_NODES];          // of integrals up to the nodes
    double step[MOST_NODES + 1];               // from one node to the next, of the element
    double at[MOST_NODES + 1][3][MOST_NODES];  // values at the points of Magnus steps between them
} bundle_table;

typedef struct bundle {
    td_base_def base;
    bool moves;       // an input drives its base
    tube_def *tubes;  // (n) innermost first
    int n;
    int per, n_elements;  // nodes of an element
    int n_nodes;          // of all elements
    int n_u, n_q;         // 2 n_nodes, and with all twists
    double length;        // m, sets scales
    bundle_table gauss;
    rider *riders;
    int n_riders;
    tube_load *loads;
    int n_loads;
    touch touch;  // obstacles, at points of all tubes
    drive *drives;
    int n_drives, n_unknown;
    double *unit;         // (n_q)
    double *effort_unit;  // (n_unknown)
    void *allocation;
} bundle;

// ---------------------------------------------------------------- one trajectory
typedef struct element_now {
    double from, h;          // m, from the plate
    double weight;           // m: h, or a little where it has no length
    bool there[MOST_TUBES];  // which tubes reach to its end
    int tube, mark;          // whose cut is its end
    bool behind;             // that end is behind the plate
} element_now;

typedef struct shaft_now {
    double from, h, weight;  // m, from the back end
    double c, d, rest, inertia;
} shaft_now;

typedef struct knot {  // a place on the centre line: a node, or the end of an element. World
    mat3 R;
    vec3 p, w, v, w_t, v_t;
    double psi[MOST_TUBES], spin[MOST_TUBES], spin_t[MOST_TUBES];
} knot;

typedef struct pushes {         // on a place
    vec3 force, moment;         // N, N m, on all tubes together; world
    double torque[MOST_TUBES];  // N m, on each, about the tangent, from inside and outside
    vec3 own[MOST_TUBES];       // N m, moments from outside on each; world
} pushes;

typedef struct
    far_side {  // what acts beyond the end of an element: force, moment about it, torques
    vec3 force, moment;
    double torque[MOST_TUBES];
} far_side;

typedef struct spot {        // of a tube, that may touch
    int tube, element;       // -1: it touches nothing
    double row[MOST_NODES];  // of integrals up to it
    knot k;
    vec6 wrench;  // of obstacles, world
} spot;

typedef struct bundle_memory {
    double beta[MOST_TUBES];  // m, for which the rest was made
    element_now *elements;    // (n_elements)
    tube_section *sections;   // (n_nodes x n)
    shaft_now *shafts;        // (all shafts)
    knot base;
    knot *nodes, *ends;          // (n_nodes), (n_elements)
    pushes *on_nodes, *on_ends;  // likewise
    far_side *beyond;       // (1 + n_elements) at the plate, with torques at back ends; at ends
    vec3 *total;            // (n_nodes) h-weighted moment at nodes, world,
    vec3 *carried;          // (n_nodes) and force
    double *columns;        // of the tangent
    route_point *routes;    // (n_drives x n_nodes)
    double *runs;           // (n_drives) of their measures, behind the plate
    effort_state *efforts;  // (n_drives)
    double *measures;       // (n_drives)
    double *torques;        // (n_nodes)
    double *by_work, *by_measure;  // (n_q each)
    touch_memory touch;
    spot *spots;         // (points that touch)
    double lost, given;  // W
} bundle_memory;

typedef struct bundle_situation {
    const double *inputs;
    base_motion base;
    vec3 gravity;               // world, with its share
    const environment *around;  // what acts beside weight; NULL: nothing does
    double share, given;        // of loads, and of what drives are given
    const double *unknown;      // (n_unknown) efforts of rigid drives; NULL: 0
    bool soft;                  // rigid drives give way about them
    double alpha[MOST_TUBES], alpha_t[MOST_TUBES], alpha_tt[MOST_TUBES];
    bool moves;  // there are velocities
    bool rubs;
    engine_stage *engines;  // solve_instant
} bundle_situation;

// ---------------------------------------------------------------- cuts.c
bool bundle_table_make(int n, bundle_table *g);
double tube_beta(const tube_def *t, const double *inputs);
// Elements, sections and shafts for these inputs.
void bundle_cut(const bundle *b, bundle_memory *m, const double *inputs);
tube_section tube_section_at(const tube_def *t, double s);
tube_section piece_section(const tube_def *t, const td_piece_def *piece, double x);
// Number of the element whose end is that cut.
int bundle_end_of(const bundle *b, const bundle_memory *m, int tube, int mark);

// ---------------------------------------------------------------- motion.c
static inline const double *node_u(const double *q, int node) {
    return q + 2 * node;
}
static inline int twist_at(const bundle *b, int tube, int node) {
    const tube_def *t = &b->tubes[tube];
    return t->first + t->n_shafts * b->per + node;
}
// All places, after bundle_cut. v and a may be NULL: 0.
void bundle_move(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q,
                 const double *v, const double *a);
typedef struct tube_point {  // a point of a tube
    knot k;
    vec3 u;       // curvature and twist in the axes of the tube
    int element;  // -1: behind the plate
    double x;     // of the element
} tube_point;
// After bundle_move.
tube_point bundle_place(const bundle *b, const bundle_memory *m, int tube, double s,
                        const double *q, const double *v, const double *a);
mat3 tube_axes(const knot *k, int tube);

// ---------------------------------------------------------------- forces.c
typedef struct own_strain {  // of a tube at a node, in its axes
    double c, s;             // cosine and sine of its angle
    double e[3], e_t[3];     // curvatures and twist, and rates
    double m[3];             // N m, of its material and drives
    double power;            // W/m, given by drives
} own_strain;
own_strain bundle_strain(const bundle *b, const bundle_memory *m, int node, int tube,
                         const double *q, const double *v);
// r (n_q), after bundle_move.
void bundle_forces(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q,
                   const double *v, const double *a, double *r);
double bundle_elastic(const bundle *b, const bundle_memory *m, const double *q);

// ---------------------------------------------------------------- drives.c
// After sections were made; and efforts, after bundle_move.
void bundle_route(const bundle *b, bundle_memory *m);
void bundle_efforts(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q);
// Adds what drives in a tube do to it at a node, in its axes; returns their power, W/m. And how that answers to its strain.
double drive_moments(const bundle *b, const bundle_memory *m, int node, int tube, const double e[3],
                     const double e_t[3], double moments[3]);
void drive_stiffness(const bundle *b, const bundle_memory *m, int node, int tube, const double e[3],
                     double factor, double C[3][3]);
// Torque in a shaft of what changes its sections, and how that answers to the twist there.
double drive_shaft(const bundle *b, const bundle_memory *m, int tube, int shaft, double twist,
                   double *slope);
// out (n_q): the slope of what its effort works on, or of what its measure counts.
void drive_slopes(const bundle *b, bundle_memory *m, int drive, const double *q, bool as_counted,
                  double *out);

// ---------------------------------------------------------------- tangent.c
size_t bundle_columns(const bundle *b);  // doubles of bundle_memory.columns
// K (n_q x n_q), after bundle_forces there.
void bundle_tangent(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q,
                    const double *v, const tangent_weights *w, double *K);

// ---------------------------------------------------------------- loads.c
typedef struct body_now {  // what moves with a tube at a place
    double mass;
    vec3 moment;
    mat3 inertia;
    vec3 added;  // kg, of a fluid that moves along
} body_now;
typedef struct visit {
    int place;  // a node, or n_nodes + number of an element
    int tube;
    vec6 wrench;  // moment, force; world
    const double
        *S;  // (6 x 6) slope by turn and shift of the tube there, with all weights; NULL: not asked
} visit;
typedef void visitor(void *context, const visit *v);
// All that acts on tubes from outside along an element and at its end. w NULL: slopes are not asked for, and powers are
// counted.
void bundle_visit(const bundle *b, bundle_memory *m, const bundle_situation *at, int element,
                  const tangent_weights *w, visitor *to, void *context);
const knot *bundle_knot(const bundle *b, const bundle_memory *m, int place);

// ---------------------------------------------------------------- touching.c
// After bundle_cut; places, after bundle_move; and what obstacles do there.
void bundle_obstacles(const bundle *b, bundle_memory *m, const double *inputs, const double *rates,
                      double hardness);
void bundle_spots(const bundle *b, bundle_memory *m, const double *q, const double *v);
void bundle_touch(const bundle *b, bundle_memory *m, const bundle_situation *at, const double *q,
                  const double *v);
touch_now bundle_touch_now(const spot *s, bool moves);

// ---------------------------------------------------------------- friction.c
// What tubes do to one another at the end of an element (-1: at the plate): torque on the inner of two, and its slope by how
// much faster the outer one spins.
typedef struct rub {
    double torque, slope;
} rub;
rub bundle_rub(const bundle *b, const bundle_memory *m, int element, int inner, vec3 moment);
