// model/cosserat/lanes/kernel.h - one time step of a collocated rod, in arithmetic of any width.
//
// The equations are those of collocation/collocation.h, node by node, for one free rod on the world with
// efforts that are given. No branch depends on a robot's numbers: what one does is chosen by masks, so that
// a robot's result is the same alone and among others.
//
// Modified Newton: the matrix is that of body axes, without what velocities and turning rates add to it,
//
//     th_q = A_qj X_j,  dp_q = A_qj X_j x (p_q - p_j),  dV_q = c0 sum_k A_qk th_k x p'_k
//     df_q = (c0 rhoA + drag) dV_q,  dl_q = c0^2 J th_q
//
// so that an answer to X is X x (a vector), or a 3 x 3 matrix of products of two. It leaves out terms of the size
// (rate of turning)/c0, is that of the guess for all corrections of a step, and is
// factored without pivoting: it is near to symmetric and positive definite. It costs about as much as three evaluations,
// and saves one or two corrections over one that is kept for several steps, and its memory. Corrections
// are judged as in model/cosserat/pace.h. What does not arrive is left to the ordinary step.
//
// LANE_WIDTH is set by the file that includes this, and where they are known the sizes below; KERNEL_OWN:
// robots have numbers of their own, not those of the plan.
#include "model/cosserat/lanes/lane.h"
#include "model/cosserat/lanes/plan.h"

#ifndef KERNEL_NODES
#define KERNEL_NODES PLAN_NODES
#define KERNEL_UNKNOWNS PLAN_UNKNOWNS
#define KERNEL_ELEMENTS PLAN_ELEMENTS
#if defined(KERNEL_OWN)  // after what robots are given stand the numbers of each
#define KERNEL_NUMBERS(plan) ((const plan_number *)(given + (size_t)(plan)->n_driven * stride))
#else
#define KERNEL_NUMBERS(plan) ((plan)->numbers)
#endif
#define KERNEL_LOOP  // before loops that are not to be unrolled
#endif

#define MOST_CORRECTIONS 10
#define MOST_CORRECTION 20.0  // rad along the rod: nothing gets back from farther out
#define MOST_TURN 2.5  // rad^2 in a Magnus step: the series of exp is exact to rounding below

// A number of the plan: the same for all robots, or each its own.
#if defined(KERNEL_OWN)
typedef lane plan_number;

LANE_FUNCTION lane lane_of(plan_number a) {
    return a;
}

LANE_FUNCTION plan_number number_of(double a) {
    return lane_all(a);
}
#else
typedef double plan_number;

LANE_FUNCTION lane lane_of(plan_number a) {
    return lane_all(a);
}

LANE_FUNCTION plan_number number_of(double a) {
    return a;
}
#endif

typedef struct kernel {
    const lane_plan *plan;
    const plan_number *t;  // its numbers
    const double *given;   // of these robots
    double *record;
    size_t stride;  // from number to number of one robot
    lane c0;
    lane turn;  // largest squared angle of a Magnus step
} kernel;

typedef struct kernel_node {  // world unless it says body
    lane33 R;
    lane3 p, slope;  // p' = R v
    lane3 bend, nu;  // R u_t, R v_t
    lane3 Om, V;     // angular velocity, velocity
    lane3 w, q;      // body
    lane3 f, l, F;   // loads per length, and their sum from here to the far side
    lane3 N, M;      // internal force and moment
} kernel_node;

typedef struct kernel_bound {  // the base, and the far sides of elements
    lane33 R;
    lane3 p;
    lane3 a, v;  // spatial velocity
    lane3 N;     // force before the loads there; far sides
    lane3 W;     // force of what rides there
} kernel_bound;

typedef struct kernel_motion {
    kernel_node nodes[KERNEL_NODES];
    kernel_bound bounds[KERNEL_ELEMENTS + 1];
    lane x[KERNEL_UNKNOWNS];  // strains less those at rest
    lane past[KERNEL_UNKNOWNS + 6 * KERNEL_NODES +
              6 * KERNEL_ELEMENTS];  // y_t - c0 y, as in a record
    lane residual[KERNEL_UNKNOWNS];
} kernel_motion;

// ---------------------------------------------------------------- reading
LANE_FUNCTION lane at_lane(const double *a) {
#if LANE_WIDTH == 1
    return *a;
#else
    return *(const lane *)a;
#endif
}

LANE_FUNCTION void put_lane(double *a, lane x) {
#if LANE_WIDTH == 1
    *a = x;
#else
    *(lane *)a = x;
#endif
}

LANE_FUNCTION lane recorded(const kernel *k, int number) {
    return at_lane(k->record + (size_t)number * k->stride);
}

LANE_FUNCTION void record(const kernel *k, int number, lane_mask where, lane value) {
    double *to = k->record + (size_t)number * k->stride;
    put_lane(to, lane_pick(where, value, at_lane(to)));
}

LANE_FUNCTION lane given_at(const kernel *k, int slot) {
    const int own = k->plan->own[slot];
    return own >= 0 ? at_lane(k->given + (size_t)own * k->stride)
                    : lane_of(k->t[k->plan->shared + slot]);
}

LANE_FUNCTION lane3 given3(const kernel *k, int slot) {
    return lane3_make(given_at(k, slot), given_at(k, slot + 1), given_at(k, slot + 2));
}

LANE_FUNCTION lane3 number3(const plan_number *a) {
    return lane3_make(lane_of(a[0]), lane_of(a[1]), lane_of(a[2]));
}

LANE_FUNCTION const plan_number *station_of(const kernel *k, int node) {
    return k->t + k->plan->stations + STATION_SIZE * node;
}

#include "model/cosserat/lanes/kernel_kinematics.h"
#include "model/cosserat/lanes/kernel_loads.h"
#include "model/cosserat/lanes/kernel_matrix.h"

// ---------------------------------------------------------------- a step
// 1/2 (x'K x + rhoA q^2 + w'J w) of a node
LANE_FUNCTION lane node_energy(const plan_number *st, const lane *x, lane3 w, lane3 q,
                               const int d) {
    lane sum =
        st[STATION_MASS] * lane3_dot(q, q) + lane3_dot(w, lane3_mul(number3(st + STATION_J), w));
    for (int i = 0; i < d; i++) sum += st[STATION_K + i] * x[i] * x[i];
    return 0.5 * sum;
}

// Could the new shape follow from the old one, whatever the work? See step_is_plausible, which decides where
// this does not. Nor may a section be turned inside out: see memory_check.
LANE_FUNCTION lane_mask is_plausible(const kernel *k, const kernel_motion *m, const int d,
                                     const int one) {
    const lane_plan *plan = k->plan;
    lane before = lane_all(0.0), after = lane_all(0.0);
    lane_mask sound = lane_less(k->turn, lane_all(MOST_TURN));
    for (int index = 0; index < (one ? 1 : plan->n_elements); index++) {
        const plan_element *e = &plan->elements[index];
        for (int i = 0; i < (one ? one : e->n); i++) {
            const int node = e->node + i, w = plan->y1 + d * plan->n_nodes + 3 * node;
            const int q = w + 3 * plan->n_nodes;
            const plan_number *st = station_of(k, node);
            const lane b = lane_of(k->t[e->b + i]);
            lane x[6];
            for (int c = 0; c < d; c++) x[c] = recorded(k, plan->y1 + d * node + c);
            before +=
                b * node_energy(
                        st, x, lane3_make(recorded(k, w), recorded(k, w + 1), recorded(k, w + 2)),
                        lane3_make(recorded(k, q), recorded(k, q + 1), recorded(k, q + 2)), d);
            after += b * node_energy(st, m->x + d * node, m->nodes[node].w, m->nodes[node].q, d);
            if (d == 3) continue;
            const lane *v = m->x + d * node + 3;
            sound &= lane_less(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], lane_all(81.0));
            sound &= lane_less(lane_all(0.0), st[STATION_V + 2] + v[2]);
        }
    }
    return sound & lane_less(after, 10.0 * before + k->t[plan->scales + 1]);
}

// The history of every field, and the guess.
LANE_FUNCTION void begin_step(const kernel *k, const double *formula, kernel_motion *m,
                              const int fields, const int unknowns) {
    const lane_plan *plan = k->plan;
    const lane c1 = at_lane(formula + (FORMULA_C + 1) * k->stride);
    const lane c2 = at_lane(formula + (FORMULA_C + 2) * k->stride);
    const lane d1 = at_lane(formula + FORMULA_D1 * k->stride);
    const lane g0 = at_lane(formula + FORMULA_GUESS * k->stride);
    const lane g1 = at_lane(formula + (FORMULA_GUESS + 1) * k->stride);
    const lane g2 = at_lane(formula + (FORMULA_GUESS + 2) * k->stride);
    for (int i = 0; i < fields; i++) {
        const lane y1 = recorded(k, plan->y1 + i), y2 = recorded(k, plan->y2 + i);
        m->past[i] = c1 * y1 + c2 * y2 + d1 * recorded(k, plan->rate + i);
        if (i < unknowns) m->x[i] = g0 * y1 + g1 * y2 + g2 * recorded(k, plan->past + i);
    }
}

LANE_FUNCTION void shift_field(const kernel *k, int i, lane_mask where, lane now, lane past) {
    const lane_plan *plan = k->plan;
    const lane y1 = recorded(k, plan->y1 + i);
    record(k, plan->y2 + i, where, y1);
    record(k, plan->y1 + i, where, now);
    record(k, plan->rate + i, where, k->c0 * now + past);
}

// Shifts the past by one where a robot has arrived.
LANE_FUNCTION void accept(const kernel *k, const kernel_motion *m, lane_mask where, const int d,
                          const int nodes) {
    const lane_plan *plan = k->plan;
    for (int i = 0; i < d * nodes; i++) {
        record(k, plan->past + i, where, recorded(k, plan->y2 + i));
        shift_field(k, i, where, m->x[i], m->past[i]);
    }
    for (int i = 0; i < nodes; i++) {
        const int w = d * nodes + 3 * i, q = w + 3 * nodes;
        const kernel_node *at = &m->nodes[i];
        shift_field(k, w, where, at->w.x, m->past[w]);
        shift_field(k, w + 1, where, at->w.y, m->past[w + 1]);
        shift_field(k, w + 2, where, at->w.z, m->past[w + 2]);
        shift_field(k, q, where, at->q.x, m->past[q]);
        shift_field(k, q + 1, where, at->q.y, m->past[q + 1]);
        shift_field(k, q + 2, where, at->q.z, m->past[q + 2]);
    }
    for (int e = 0; e < plan->n_elements && plan->ends >= 0; e++) {
        const kernel_bound *far = &m->bounds[e + 1];
        const int at = plan->ends + 6 * e;
        const lane3 w = lane33_tmul(&far->R, far->a);
        const lane3 q = lane33_tmul(&far->R, lane3_sub(far->v, lane3_cross(far->p, far->a)));
        shift_field(k, at, where, w.x, m->past[at]);
        shift_field(k, at + 1, where, w.y, m->past[at + 1]);
        shift_field(k, at + 2, where, w.z, m->past[at + 2]);
        shift_field(k, at + 3, where, q.x, m->past[at + 3]);
        shift_field(k, at + 4, where, q.y, m->past[at + 4]);
        shift_field(k, at + 5, where, q.z, m->past[at + 5]);
    }
}

// Poses and velocities of all elements.
LANE_FUNCTION void move_out(kernel *k, kernel_motion *m, const int d, const int one) {
    k->turn = lane_all(0.0);
    start_at_base(k, m);
    for (int index = 0; index < (one ? 1 : k->plan->n_elements); index++) {
        const int n = one ? one : k->plan->elements[index].n;
        place_nodes(k, m, index, d, n);
        set_velocities(k, m, index, d, n);
    }
}

// Loads, wrenches and residuals, from the tip to the base.
LANE_FUNCTION void come_back(const kernel *k, kernel_motion *m, lane3 gravity, const int d,
                             const int one) {
    lane6 S = lane6_make(lane3_zero(), lane3_zero());
    for (int index = (one ? 1 : k->plan->n_elements) - 1; index >= 0; index--) {
        const plan_element *e = &k->plan->elements[index];
        const int n = one ? one : e->n;
        for (int i = 0; i < n; i++) set_loads(k, m, e, e->node + i, gravity);
        add_end(k, m, index, gravity, &S);
        sum_wrenches(k, m, index, &S, n);
        for (int i = 0; i < n; i++) set_residual(k, m, e->node + i, d);
    }
    add_actuators(k, m, d);
}

LANE_FUNCTION lane correction_size(const kernel *k, const lane *step, const int size, const int d) {
    const lane length = lane_of(k->t[k->plan->scales]);
    lane largest = lane_all(0.0);
    for (int i = 0; i < size; i++) {
        const lane a = lane_abs(step[i]) * (i % d < 3 ? length : lane_all(1.0));
        largest = lane_pick(lane_less(a, largest), largest, a);  // a NaN stays
    }
    return largest;
}

// How the iteration stands, robot by robot: newton_pace.
typedef struct kernel_pace {
    lane last, corrections;
    lane_mask left;  // goes on
    lane_mask arrived;
} kernel_pace;

// Judges a correction: what has arrived stops, and so does what is lost.
LANE_FUNCTION void judge(const kernel *k, kernel_pace *p, lane size) {
    const double tolerance = k->plan->tolerance;
    const lane shrunk = size / p->last, one = lane_all(1.0);
    const lane_mask shrinks = lane_less(shrunk, one) & lane_less(p->last, one);
    const lane left = lane_pick(shrinks, size * shrunk / (1.0 - shrunk), size);
    const lane_mask done = lane_not(lane_less(lane_all(tolerance), size)) |
                           lane_not(lane_less(lane_all(tolerance / 3.0), left));
    const lane_mask number = lane_less(size, lane_all(MOST_CORRECTION));  // and not NaN
    p->arrived |= p->left & done & number;
    p->left = p->left & number & lane_not(done);
    p->last = size;
}

// `one`: nodes of a rod of a single element, a constant; 0: any.
LANE_FUNCTION void step_robots(const lane_plan *plan, double *records, size_t stride,
                               const double *formula, const double *given, double *result,
                               const int d, const int one) {
    kernel k;
    k.plan = plan, k.t = KERNEL_NUMBERS(plan), k.given = given, k.record = records,
    k.stride = stride;
    k.c0 = at_lane(formula);
    const int nodes = one ? one : plan->n_nodes, size = d * nodes;
    const int fields = one && plan->ends < 0 ? (d + 6) * one : plan->n_fields;
    const lane3 gravity = given3(&k, GIVEN_GRAVITY);
    kernel_motion m;
    kernel_pace p;
    lane J[KERNEL_UNKNOWNS * KERNEL_UNKNOWNS];
    begin_step(&k, formula, &m, fields, size);
    const lane zero = lane_all(0.0);
    p.left = lane_less(zero, at_lane(formula + FORMULA_ON * stride));
    p.arrived = lane_less(zero, zero);
    p.last = lane_all(1e300), p.corrections = zero;
    KERNEL_LOOP
    for (int i = 0;; i++) {
        move_out(&k, &m, d, one);
        if (!lane_any(p.left) || i == MOST_CORRECTIONS) break;
        come_back(&k, &m, gravity, d, one);
        if (i == 0) {
            fill_matrix(&k, &m, gravity, J, size, d, one);
            factor(J, size);
        }
        solve(J, m.residual, size);
        const lane length = correction_size(&k, m.residual, size, d);
        for (int j = 0; j < size; j++) m.x[j] -= lane_pick(p.left, m.residual[j], zero);
        p.corrections += lane_pick(p.left, lane_all(1.0), zero);
        judge(&k, &p, length);
    }
    const lane_mask good = p.arrived & is_plausible(&k, &m, d, one);
    accept(&k, &m, good, d, nodes);
    put_lane(result + RESULT_ARRIVED * stride, lane_pick(good, lane_all(1.0), zero));
    put_lane(result + RESULT_CORRECTIONS * stride, p.corrections);
}
