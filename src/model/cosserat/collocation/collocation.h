// model/cosserat/collocation/collocation.h - rods by collocation of the section law.
//
// The unknowns are the strains at Gauss-Legendre nodes of each element. Poses follow from Magnus
// steps between the nodes, velocities from the strain rates, and the section law is asked to carry the
// total wrench, which is summed from the far side L of an element, as velocities are from its near
// side b. World vectors, with w = R u_t, nu = R v_t, p' = R v and f, l what inertia, drag, weight
// and loads ask of the rod per length:
//
//     Om_q = Om_b + O_q,                                  O_q = sum_j A_qj w_j
//     V_q  = V_b + Om_b x (p_q - p_b) + sum_k A_qk (O_k x p'_k + nu_k)
//     N_i  = N_L - F_i,                                   F_i = sum_q Q_iq f_q
//     M_i  = M_L + (p_L - p_i) x N_L - sum_k Q_ik (l_k + p'_k x F_k)
//     K x_i + B x_t,i = R_i' (M_i, N_i)
//
// With A and Q of Gauss-Legendre nodes b_q A_qj = b_j Q_jq. Used twice, it makes this collocation
// Galerkin's method with the same quadrature: the mass matrix is symmetric and space conserves energy
// exactly. There is no differentiation matrix and no boundary row, and nothing is ever interpolated in
// time.
//
// Both sums are taken in turn, O before V and F before M, and each integrates what the nodes can
// hold. Summed at once, V_q = sum_j A_qj w_j x (p_q - p_j), the integrand is of degree n, one too
// many: its last term is lost, the last polynomial of the strain drags far too much mass, and every
// element has a slow bending mode that does not exist (docs/models/cosserat.md). At the sides, where
// the weights b are exact to degree 2n - 1, sums at once serve, in the spatial frame, where
// transport is the identity:
//
//     a_L = a_b + sum_j b_j (w_j, p_j x w_j + nu_j),      S_b = S_L - sum_q b_q (l_q + p_q x f_q, f_q)
//
// Kirchhoff's rod has three unknowns a node, u alone; the force is then a pure reaction.
#pragma once

#include "math/lanes.h"
#include "model/cosserat/collocation/gauss.h"
#include "model/cosserat/scheme.h"

typedef struct node_motion {  // one node of an iterate; world unless it says body
    se3 T;
    vec3 slope;       // p' = R v
    vec3 bend, nu;    // R u_t and R v_t, the rates of the strain
    vec3 Om, V;       // angular velocity, velocity
    vec3 w, q;        // the same, body
    vec3 Rh_q, Rh_w;  // mass R h_q and R J h_w, the history's part of the momentum rates
    vec3 j;           // angular momentum
    vec3 drag;        // drag force
    vec3 f, l;        // what inertia, drag, weight and loads ask of the rod, per length
    vec3 N, M;        // internal force and moment
} node_motion;

// Four nodes of an element side by side, field by field as node_motion; beyond the last node are
// numbers that nothing is made of.
typedef struct node_lanes {
    lanes33 R;
    lanes3 p, slope, bend, nu, Om, V, w, q, Rh_q, Rh_w, j, drag, f, l, N, M;
} node_lanes;

typedef struct bound_motion {  // the base, or an element's far end before the loads there
    se3 T;
    vec6 a, S;  // spatial velocity and internal wrench
} bound_motion;

typedef struct iterate {
    double *x;               // (n_nodes x 6) strain less the rest strain
    node_lanes *lanes;       // the nodes, four at once, each element from a new four
    node_motion *nodes;      // (n_nodes) the same one by one, after iterate_unpack
    bound_motion *bounds;    // (n_elements + 1)
    double *residual;        // (n_unknowns) of the section law, body frame; then of the efforts
    double *efforts;         // (n_efforts) unknown efforts
    double *tensions;        // (n_points) efforts at the nodes of the actuators
    density *points;         // (n_points) and the densities of their measures
    double *grips, *passed;  // (n_points) friction: see rod_memory
    double *edges;           // scratch of friction
} iterate;

// The factored equations of one element, in a form that a sweep over the elements can use: see
// sweep.c. A motion has w numbers: z and da, or at rest z alone. All doubles but the pivots, which are too
// small to be a NaN in disguise.
typedef struct element_factor {
    double *lu;    // (m x m), m = unknowns of the element
    int *pivot;    // (m)
    double *rows;  // (m x 6) Ad_i': how a wrench from the tip side enters
    double *out;   // (6 x m) how the unknowns change the wrench at the base side
    double *lean;  // (m x w) how they answer to a motion of the base side
    double *tip;   // (w x m) how they move the tip side
    double
        *carry;  // (12 x 12) how a motion of the base side moves the tip side; at rest not there: 1
    double *
        plain;  // among obstacles: lu, lean and out before all beyond is folded in, and the near side's H
    double *touching;  // among obstacles: the nodes that touched in it
} element_factor;

static inline int motions_of(double c0) {  // w
    return c0 != 0.0 ? 12 : 6;
}

typedef struct kept_matrix {
    double valid;  // 0 or 1
    double c0;
    double touching;  // of the shape that it was made for: see rod_memory
    double H[72];     // (6 x w) how the wrench at a moving base answers to its motion
} kept_matrix;

// The border of unknown efforts: see efforts.h.
typedef struct border {
    int *kept;       // (k + 2) the efforts whose equations are kept; their number q <= k; 1: rough
    int *column;     // (k) an effort = share times this one of them (k: of none), less what its own
    double *share;   // (k) residual asks: that of the one before it, times pass
    double *pass;    // (k)
    double *slopes;  // (k x 6) what a tension that varies adds to the section law at its node
    double *weight;  // (k) rough: of the node in an integral along the tendon,
    double *give;    // (k) how much less material lies there per tension, m/N,
    double *coefficient;  // (k) and what a kept equation counts of the material beyond its edge
    double *Y;            // (n x q) answers of the strains to the kept efforts
    double *R, *D;  // (q x n), (q x k) their equations against the strains and all efforts; those
                    // of tendons that rub are empty in a rough matrix: coefficient says them
    double *C;      // (q x q) factors of D P - R Y
    int *pivot;     // (q)
    double *tip, *base;  // (12 x q), (6 x q) what goes with Y at the ends
} border;

#define SWEEP_WIDEST 16  // columns that sweep_respond takes at a time

typedef struct collocation_memory {
    kept_matrix *kept;        // kept
    element_factor *factors;  // (n_elements) pointers into the kept block
    iterate now;              // the iterate in progress
    node_motion *frozen;      // (n_nodes) forces and rates of the last accepted step
    double *step;             // (n_unknowns)
    double *blocks;           // scratch of the tangent: see tangent.c
    border edge;              // pointers into the kept block
    double *columns;          // scratch: (n x k) or (k + 2 x k)
    double *friction;         // scratch of friction.c
    double *shifted;          // scratch: (n x SHIFTED)
    int *own_row;             // scratch: (k) of the border's matrices, for each effort; -1: none
    double *saved;            // (2 x (6 n_nodes + n_efforts)) iterates to come back to
    double *wide;             // scratch of sweep_respond: (2 x n_strains x SWEEP_WIDEST)
    double *answer;           // scratch of answer.c
} collocation_memory;

// ---------------------------------------------------------------- compile.c
bool collocation_prepare(rod *r, const td_options *options);
void collocation_discard(rod *r);

// ---------------------------------------------------------------- collocation.c
// The motion along an element from `from` to `to` (shares of its length, within one Magnus step), for
// nodal strains x at the given stride.
se3 collocation_step(const element *e, const gauss_table *t, const double *x, size_t stride,
                     double from, double to);
// The shares (points x n) of the nodes in the strains at the Magnus points of that step.
void collocation_shares(const gauss_table *t, double from, double to, double *rows);

// Strains and efforts from a vector of unknowns.
void collocation_take_unknowns(const rod *r, const double *unknowns, iterate *it);

// ---------------------------------------------------------------- iterate.c
// Everything from it->x: poses, velocities, loads, wrenches, residual. False: not finite.
bool iterate_evaluate(const rod_problem *p, iterate *it);
// The same in two halves: poses, velocities and loads; then wrenches and residual.
void iterate_go_out(const rod_problem *p, iterate *it);
bool iterate_come_back(const rod_problem *p, iterate *it);
// it->nodes from it->lanes.
void iterate_unpack(const rod *r, iterate *it);
int iterate_blocks(const rod *r);  // fours of nodes
// Writes an iterate to p->m->trial, trial_bounds and strains; its ends alone to trial_bounds.
void iterate_publish(const rod_problem *p, iterate *it);
void iterate_publish_bounds(const rod_problem *p, const iterate *it);
// Strains and efforts: a mean of the last three shapes.
void iterate_recall(const rod *r, const rod_memory *m, const double w[3], iterate *it);
// Forces and rates of the shape that p->m holds as the current one; it->lanes is scratch.
void iterate_of_present(const rod_problem *p, const iterate *it, node_motion *out);

// ---------------------------------------------------------------- magnus.c
// How the poses of an element answer to its n d unknowns by the Magnus product: th and dp of its nodes (n x 3 x
// n d each), and spatial motion of its far side (6 x n d); x (n x 6) its strains less those at rest.
void magnus_poses(const element *e, const gauss_table *t, const double *x, const se3 *near,
                  const node_motion *nodes, int d, double *th, double *dp, double *far);
// z (6 x n d) = the spatial motion of the section at `to`, of the element's length, against its near side.
void magnus_section(const element *e, const gauss_table *t, const double *x, const se3 *near,
                    const node_motion *nodes, double to, int d, double *z);

// ---------------------------------------------------------------- tangent.c
size_t tangent_doubles(int n, int per_node);  // scratch for one element
// The tangent of element k, into `out` with J in place of its factors, and the raw `lean`; base (6 x w) is
// minus the load of the element against the base side's motion. Poses are those of `it`; forces
// and rates are taken from `forces` (n_nodes of the rod), which are it->nodes unless they are to be
// frozen. Without ports `lean`, `carry` and `base` are left alone.
typedef enum tangent_kind {
    TANGENT_BY_QUADRATURE,  // of the exact kinematics, by the quadrature of the equations
    TANGENT_SHARP,          // of the Magnus product
    TANGENT_EVEN,           // the first, symmetric where loads answer to shifts: for counting
} tangent_kind;
void tangent_element(const rod_problem *p, const iterate *it, const node_motion *forces, int k,
                     bool ports, tangent_kind kind, element_factor *out, double *base,
                     double *scratch);
// H (6 x w) += how the wrench of the loads at the far end of element k answers to the motion there, w = 12, or 6:
// of the pose alone. even: as a potential would have it.
void tangent_end_load(const rod_problem *p, const iterate *it, int k, int w, bool even, double *H);

// ---------------------------------------------------------------- law.c
// it->residual += what the laws of sections add to those of stations.
void laws_evaluate(const rod_problem *p, iterate *it);
// The same for J (m x m) of element k, which has laws.
void laws_add_tangent(const rod_problem *p, const iterate *it, int k, double *J);

// ---------------------------------------------------------------- sweep.c
size_t sweep_scratch(const rod *r);  // doubles
size_t sweep_plain(size_t m);        // doubles of element_factor.plain
// Factors the equations of the strains of a whole rod, from the tip to the base, with H (6 x w) of a moving
// base, and the number of negative eigenvalues of the second variation of the energy, b_i J_ij: none, where
// loads have a potential, is stability; the factors then are of a matrix whose end moments are `even`. Either may be NULL. all false: once more, with new matrices for those
// elements alone in which other nodes touch now. False: singular.
bool sweep_factor(const rod_problem *p, const iterate *it, const node_motion *forces, bool sharp,
                  bool all, element_factor *factors, double *scratch, double *H, int *negative);
// The sign of the determinant of the factored equations.
int sweep_sign(const rod *r, const element_factor *factors);
// scheme_ports.respond for the strains alone: X and residual (n_strains x n). One column: - J^-1 residual.
void sweep_respond(const rod *r, const collocation_memory *m, int n, const double *residual,
                   const double *tip, const double *base, double *X, double *tip_motion,
                   double *base_wrench);

// ---------------------------------------------------------------- answer.c
size_t answer_scratch(const rod *r);  // doubles
bool answer_rows(const rod_problem *p, double s, double *W);

// ---------------------------------------------------------------- places.c
// See scheme_ports.
part_end place_of_rod(const rod_problem *p, int place);
void press_place(const rod_problem *p, int place, vec3 at, const double wrench_world[6],
                 double *residual);
void place_moves(const rod_problem *p, int place, vec3 at, double *rows);

// ---------------------------------------------------------------- ports.c
// Factors everything: strains, moving base, efforts. False: singular.
bool rod_factor(const rod_problem *p, collocation_memory *m, const node_motion *forces, bool sharp,
                int *negative);
// The same where other nodes touch than in the kept matrix: most of it still serves.
bool rod_factor_touched(const rod_problem *p, collocation_memory *m, const node_motion *forces,
                        bool sharp);
// step (n_unknowns) = - (equations)^-1 residual
void rod_solve(const rod *r, const collocation_memory *m, const double *residual, double *step);
extern const scheme_ports collocation_ports;
