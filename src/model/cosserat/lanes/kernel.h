// model/cosserat/lanes/kernel.h - one time step of a collocated rod, in arithmetic of any width.
//
// The equations are those of collocation/collocation.h, node by node, for one free rod on the world. No branch depends on a robot's numbers: what one does is chosen by masks, so that
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
// robots have numbers of their own, not those of the plan; KERNEL_CONTACT: they may touch obstacles.
#include "model/cosserat/lanes/lane.h"
#include "model/cosserat/lanes/plan.h"

#ifndef KERNEL_NODES
#define KERNEL_NODES PLAN_NODES
#define KERNEL_UNKNOWNS PLAN_UNKNOWNS
#define KERNEL_ELEMENTS PLAN_ELEMENTS
#if defined(KERNEL_NUMBERS)
#elif defined(KERNEL_OWN)  // after what robots are given stand the numbers of each
#define KERNEL_NUMBERS(plan) ((const plan_number *)(given + (size_t)(plan)->n_driven * stride))
#else
#define KERNEL_NUMBERS(plan) ((plan)->numbers)
#endif
#define n_nodes_of(plan) ((plan)->n_nodes)
#define n_nodes_in(element) ((element)->n)
#define CARRIES(element, what) ((element)->what)  // spread, ends, riders
#define KERNEL_LOOP                               // before loops that are not to be unrolled
#define KERNEL_UNROLLED
#endif

// A robot's team: the threads that step it together. On a processor it is one, which takes all nodes; where KERNEL_TEAM is
// defined, on a GPU, each node has its own thread. A thread keeps what is its nodes' own, `own`; what others
// read stands where all of a team see it, and they meet between writing and reading. Numbers of a robot as a
// whole are the same in each of its threads.
#ifndef KERNEL_TIP
#define KERNEL_TIP 0  // 1: the pose of the tip is wanted, whether or not it matters
#endif

#ifndef KERNEL_TEAM
#define EACH_NODE(i, n) for (int i = 0; i < (n); i++)
#define OWN(node) (node)
#define TEAM_MEETS(k) (void)(k)
#define TEAM_ANY(k, mask) lane_any(mask)
#define TEAM_LEADS(k) 1
#define n_efforts_of(plan) ((plan)->n_efforts)  // that are not given,
#define n_border_of(plan) ((plan)->n_border)    // and their rows
#else
#define n_efforts_of(plan) 0
#define n_border_of(plan) 0
#endif

#ifdef KERNEL_CONTACT
#define TOUCHES(k) ((k)->plan->n_obstacles > 0)
#else
#define TOUCHES(k) 0
#endif

#define MOST_CORRECTIONS 16
#define MOST_CORRECTION 20.0  // rad along the rod: nothing gets back from farther out
#define MOST_TURN 2.5  // rad^2 in a Magnus step: the series of exp is exact to rounding below

// A number of the plan: the same for all robots, or each its own.
#if defined(KERNEL_OWN) || defined(LANE_FLOAT)
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

LANE_FUNCTION int n_elements_of(const lane_plan *plan) {
    return KERNEL_ELEMENTS == 1 ? 1 : plan->n_elements;
}

LANE_FUNCTION int has_riders(const lane_plan *plan) {
    return (KERNEL_ELEMENTS > 1 || CARRIES(plan->elements, riders)) && plan->ends >= 0;
}

typedef struct kernel {
    const lane_plan *plan;
    const plan_number *t;  // its numbers
    const double *given;   // of these robots
    double *record;
    size_t stride;  // from number to number of one robot
    lane c0;
    lane turn;  // largest squared angle of a Magnus step
#ifdef KERNEL_TEAM
    int node;        // of this thread
    unsigned mates;  // those that it meets
#endif
} kernel;

typedef struct kernel_node {  // world
    lane33 R;
    lane3 p, slope;  // p' = R v
    lane3 f;         // R u_t, then the load per length
    lane3 term;      // of a sum over nodes
    lane33 asked;    // for the columns of the matrix: see bend_columns
#ifdef KERNEL_TEAM
    lane apart[KERNEL_APART];  // so that neighbours stand in different banks
#endif
} kernel_node;

typedef struct kernel_own {  // of a node too; world unless it says body
    lane3 nu;                // R v_t
    lane3 Om, V;             // angular velocity, velocity
    lane3 w, q;              // body
    lane3 l, F;              // moment per length; sum of f from here to the far side
    lane3 N, M;              // internal force and moment
    lane h[6];               // y_t - c0 y of strains,
    lane3 h_w, h_q;          // w and q
    lane inertia;            // for the matrix
    lane33 rotary;
} kernel_own;

typedef struct kernel_bound {  // the base, and the far sides of elements
    lane33 R;
    lane3 p;
    lane3 a, v;  // spatial velocity
    lane3 W;     // force of what rides there
} kernel_bound;

typedef struct kernel_touch kernel_touch;

typedef struct kernel_motion {
#ifdef KERNEL_CONTACT
    kernel_touch *touch;  // among obstacles
#endif
#ifdef KERNEL_TEAM
    kernel_node *nodes;
    kernel_bound *bounds;
    lane *x, *residual;
    kernel_own own[1];
#else
    kernel_node nodes[KERNEL_NODES];
    kernel_bound bounds[KERNEL_ELEMENTS + 1];
    lane x[KERNEL_UNKNOWNS];  // strains less those at rest, then efforts that are not given
    lane residual[KERNEL_UNKNOWNS];
    kernel_own own[KERNEL_NODES];
    lane by_measure[PLAN_ACTUATORS],
        by_effort[PLAN_ACTUATORS];  // slopes of unknown efforts' residuals
#endif
    lane3 N_far[KERNEL_ELEMENTS];        // force at the far sides
    lane end_past[6 * KERNEL_ELEMENTS];  // h of the far ends
} kernel_motion;

LANE_FUNCTION lane larger(lane a, lane b) {
    return lane_pick(lane_less(a, b), b, a);  // a NaN stays
}

// ---------------------------------------------------------------- reading
LANE_FUNCTION lane at_lane(const double *a) {
#if LANE_WIDTH == 1
    return lane_all(*a);
#else
    return *(const lane *)a;
#endif
}

LANE_FUNCTION void put_lane(double *a, lane x) {
#if LANE_WIDTH == 1
    *a = lane_number(x);
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
#ifndef KERNEL_TEAM
#include "model/cosserat/lanes/kernel_efforts.h"
#include "model/cosserat/lanes/kernel_power.h"
#endif
#include "model/cosserat/lanes/kernel_matrix.h"
#ifdef KERNEL_CONTACT
#include "model/cosserat/lanes/kernel_touching.h"
#endif

// ---------------------------------------------------------------- a step
// 1/2 (x'K x + rhoA q^2 + w'J w) of a node
LANE_FUNCTION lane node_energy(const plan_number *st, const lane *x, lane3 w, lane3 q,
                               const int d) {
    lane sum =
        st[STATION_MASS] * lane3_dot(q, q) + lane3_dot(w, lane3_mul(number3(st + STATION_J), w));
    for (int i = 0; i < d; i++) sum += st[STATION_K + i] * x[i] * x[i];
    return 0.5 * sum;
}

#ifdef KERNEL_CONTACT
// J, kinetic and elastic: nodes, bodies that ride along, and actuators.
LANE_FUNCTION lane stored_energy(const kernel *k, const kernel_motion *m, const int d) {
    const lane_plan *plan = k->plan;
    lane sum = riders_kinetic(k, m);
    for (int index = 0; index < n_elements_of(plan); index++) {
        const plan_element *e = &plan->elements[index];
        for (int i = e->node; i < e->node + n_nodes_in(e); i++)
            sum += k->t[e->b + i - e->node] *
                   node_energy(station_of(k, i), m->x + d * i, m->own[i].w, m->own[i].q, d);
    }
    for (int which = 0; which < plan->n_actuators; which++) {
        const lane effort = effort_of(k, m, which, d);
        sum += 0.5 * k->t[plan->actuators[which].law + LAW_STORED] * effort * effort;
    }
    return sum;
}
#endif

#if !defined(__CUDACC__)  // there robots that start are not stepped
// About what weight and actuators may have done at a node, per length: forces times how far it went, V/c0, and
// efforts times what their measure changed.
LANE_FUNCTION lane node_work(const kernel *k, const kernel_motion *m, int node, lane weight,
                             const int d) {
    const plan_number *st = station_of(k, node);
    const lane3 q = m->own[OWN(node)].q;
    const lane6 after = strain_of(k, node, m->x + d * node, d);
    lane change[6];
    for (int c = 0; c < d; c++)
        change[c] = m->x[d * node + c] - recorded(k, k->plan->y1 + d * node + c);
    lane6 before = after;
    before.a = lane3_sub(before.a, lane3_make(change[0], change[1], change[2]));
    if (d == 6) before.l = lane3_sub(before.l, lane3_make(change[3], change[4], change[5]));
    lane sum = st[STATION_MASS] * weight * lane_sqrt(lane3_dot(q, q)) / k->c0;
    for (int which = 0; which < k->plan->n_actuators; which++) {
        const plan_actuator *a = &k->plan->actuators[which];
        const plan_number *at = actuator_at(k, a, node);
        if (!at) continue;
        lane measure = lane_all(0.0);
        if (!a->linear) measure = path_at(&after, at).l - path_at(&before, at).l;
        for (int c = 0; c < d && a->linear; c++) measure += at[c] * change[c];
        lane effort = lane_abs(effort_of(k, m, which, d));
        if (a->effort >= 0)
            effort =
                larger(lane_abs(recorded(k, k->plan->y1 + k->plan->efforts + a->effort)), effort);
        sum += effort * lane_abs(measure);
    }
    return sum;
}

LANE_FUNCTION lane most_work(const kernel *k, const kernel_motion *m, const int d) {
    const lane_plan *plan = k->plan;
    const lane3 gravity = given3(k, GIVEN_GRAVITY);
    const lane weight = lane_sqrt(lane3_dot(gravity, gravity));
    lane sum = lane_all(0.0);
    for (int index = 0; index < n_elements_of(plan); index++) {
        const plan_element *e = &plan->elements[index];
        const kernel_bound *far = &m->bounds[index + 1];
        const lane3 V = lane3_sub(far->v, lane3_cross(far->p, far->a));
        for (int i = 0; i < n_nodes_in(e); i++)
            sum += lane_of(k->t[e->b + i]) * node_work(k, m, e->node + i, weight, d);
        if (e->riders)
            sum += lane_abs(given_at(k, e->given + LOAD_BODY)) * weight *
                   lane_sqrt(lane3_dot(V, V)) / k->c0;
    }
    return sum;
}
#endif

// Could the new shape follow from the old one? See step_is_plausible, which decides where this does not. Nor
// may a section be turned inside out: see memory_check.
LANE_FUNCTION lane_mask is_plausible(const kernel *k, kernel_motion *m, const int d) {
    const lane_plan *plan = k->plan;
    const int nodes = n_nodes_of(plan);
    const lane zero = lane_all(0.0);
    TEAM_MEETS(k);
    EACH_NODE(i, nodes) {
        const plan_number *st = station_of(k, i);
        const int w = plan->y1 + d * nodes + 3 * i, q = w + 3 * nodes;
        const lane *now = m->x + d * i;
        lane_mask sound = lane_less(k->turn, lane_all(MOST_TURN));
        lane x[6];
        for (int c = 0; c < d; c++) x[c] = recorded(k, plan->y1 + d * i + c);
        m->nodes[i].term.x =
            node_energy(st, x, lane3_make(recorded(k, w), recorded(k, w + 1), recorded(k, w + 2)),
                        lane3_make(recorded(k, q), recorded(k, q + 1), recorded(k, q + 2)), d);
        m->nodes[i].term.y = node_energy(st, now, m->own[OWN(i)].w, m->own[OWN(i)].q, d);
        if (d == 6) {
            const lane *v = now + 3;
            sound &= lane_less(v[0] * v[0] + v[1] * v[1] + v[2] * v[2], lane_all(81.0));
            sound &= lane_less(zero, st[STATION_V + 2] + v[2]);
        }
        m->nodes[i].term.z = lane_pick(sound, zero, lane_all(1.0));
    }
    TEAM_MEETS(k);
    lane before = zero, after = zero, unsound = zero;
#ifdef KERNEL_CONTACT
    if (TOUCHES(k)) after = m->touch->energy;
#endif
    for (int index = 0; index < n_elements_of(plan); index++) {
        const plan_element *e = &plan->elements[index];
        for (int i = 0; i < n_nodes_in(e); i++) {
            const lane b = lane_of(k->t[e->b + i]);
            const lane3 term = m->nodes[e->node + i].term;
            before += b * term.x, after += b * term.y, unsound += term.z;
        }
    }
    const lane little = lane_of(k->t[plan->scales + 1]);
    lane_mask possible = lane_less(after, 10.0 * before + little);  // whatever the work
#if !defined(__CUDACC__)
    if (lane_any(lane_not(possible)))
        possible |= lane_less(after, 10.0 * (before + most_work(k, m, d)) + little);
#endif
    return lane_less(unsound, lane_all(0.5)) & possible;
}

// The time formula of the robots at hand, whether they take part (1), and whether given efforts jumped (1).
typedef struct kernel_formula {
    lane c[3], d1, guess[3], on, jumped;
} kernel_formula;

LANE_FUNCTION lane history_of(const kernel *k, const kernel_formula *f, int i) {
    const lane_plan *plan = k->plan;
    return f->c[1] * recorded(k, plan->y1 + i) + f->c[2] * recorded(k, plan->y2 + i) +
           f->d1 * recorded(k, plan->rate + i);
}

LANE_FUNCTION lane3 history3_of(const kernel *k, const kernel_formula *f, int i) {
    return lane3_make(history_of(k, f, i), history_of(k, f, i + 1), history_of(k, f, i + 2));
}

// The history of every field, and the guess.
LANE_FUNCTION void begin_step(const kernel *k, const kernel_formula *f, kernel_motion *m,
                              const int d, const int nodes) {
    const lane_plan *plan = k->plan;
    EACH_NODE(i, nodes) {
        kernel_own *own = &m->own[OWN(i)];
        for (int c = 0; c < d; c++) {
            const int at = d * i + c;
            own->h[c] = history_of(k, f, at);
            m->x[at] = f->guess[0] * recorded(k, plan->y1 + at) +
                       f->guess[1] * recorded(k, plan->y2 + at) +
                       f->guess[2] * recorded(k, plan->past + at);
        }
        own->h_w = history3_of(k, f, d * nodes + 3 * i);
        own->h_q = history3_of(k, f, (d + 3) * nodes + 3 * i);
    }
    for (int i = 0; i < n_efforts_of(plan); i++)
        m->x[d * nodes + i] = f->guess[0] * recorded(k, plan->y1 + plan->efforts + i) +
                              f->guess[1] * recorded(k, plan->y2 + plan->efforts + i) +
                              f->guess[2] * recorded(k, plan->past + d * nodes + i);
    for (int i = 0; has_riders(plan) && i < 6 * n_elements_of(plan); i++)
        m->end_past[i] = history_of(k, f, plan->ends + i);
    start_at_base(k, m);
    TEAM_MEETS(k);
}

LANE_FUNCTION void shift_field(const kernel *k, int i, lane_mask where, lane now, lane past) {
    const lane_plan *plan = k->plan;
    const lane y1 = recorded(k, plan->y1 + i);
    record(k, plan->y2 + i, where, y1);
    record(k, plan->y1 + i, where, now);
    record(k, plan->rate + i, where, k->c0 * now + past);
}

LANE_FUNCTION void shift3(const kernel *k, int i, lane_mask where, lane3 now, lane3 past) {
    shift_field(k, i, where, now.x, past.x);
    shift_field(k, i + 1, where, now.y, past.y);
    shift_field(k, i + 2, where, now.z, past.z);
}

// Shifts the past by one where a robot has arrived.
LANE_FUNCTION void accept(const kernel *k, const kernel_motion *m, lane_mask where, const int d,
                          const int nodes) {
    const lane_plan *plan = k->plan;
    EACH_NODE(i, nodes) {
        const kernel_own *own = &m->own[OWN(i)];
        for (int c = 0; c < d; c++) {
            const int at = d * i + c;
            record(k, plan->past + at, where, recorded(k, plan->y2 + at));
            shift_field(k, at, where, m->x[at], own->h[c]);
        }
        shift3(k, d * nodes + 3 * i, where, own->w, own->h_w);
        shift3(k, (d + 3) * nodes + 3 * i, where, own->q, own->h_q);
    }
    for (int i = 0; i < n_efforts_of(plan); i++) {
        record(k, plan->past + d * nodes + i, where, recorded(k, plan->y2 + plan->efforts + i));
        shift_field(k, plan->efforts + i, where, m->x[d * nodes + i], lane_all(0.0));
    }
    EACH_NODE(first, nodes) {  // each its share of them
        for (int i = first; i < plan->n_actuators; i += nodes)
            record(k, plan->given_past + i, where, given_at(k, GIVEN_EFFORTS + i));
    }
    for (int e = 0; has_riders(plan) && TEAM_LEADS(k) && e < n_elements_of(plan); e++) {
        const kernel_bound *far = &m->bounds[e + 1];
        const int at = plan->ends + 6 * e;
        const lane *h = m->end_past + 6 * e;
        const lane3 w = lane33_tmul(&far->R, far->a);
        const lane3 q = lane33_tmul(&far->R, lane3_sub(far->v, lane3_cross(far->p, far->a)));
        shift3(k, at, where, w, lane3_make(h[0], h[1], h[2]));
        shift3(k, at + 3, where, q, lane3_make(h[3], h[4], h[5]));
    }
}

// Poses and velocities of all elements.
LANE_FUNCTION void move_out(kernel *k, kernel_motion *m, const int d) {
    k->turn = lane_all(0.0);
    for (int index = 0; index < n_elements_of(k->plan); index++) {
        const int n = n_nodes_in(&k->plan->elements[index]);
        place_nodes(k, m, index, d, n);
        set_velocities(k, m, index, d, n);
    }
}

// Loads, wrenches and residuals, from the tip to the base; returns what holds that, where it matters.
LANE_FUNCTION lane6 come_back(const kernel *k, kernel_motion *m, lane3 gravity, int near_matters,
                              const int d) {
    lane6 S = lane6_make(lane3_zero(), lane3_zero());
#ifdef KERNEL_CONTACT
    if (TOUCHES(k)) S = tip_contact(k, m);
#endif
    for (int index = n_elements_of(k->plan) - 1; index >= 0; index--) {
        const plan_element *e = &k->plan->elements[index];
        const int n = n_nodes_in(e);
        EACH_NODE(i, n) set_loads(k, m, e, e->node + i, gravity);
#ifdef KERNEL_CONTACT
        if (TOUCHES(k)) take_contacts(m, e, n);
#endif
        add_end(k, m, index, gravity, &S);
        sum_wrenches(k, m, index, &S, near_matters, n);
        EACH_NODE(i, n) {
            set_residual(k, m, e->node + i, d);
            add_actuators(k, m, e->node + i, d);
        }
    }
#ifndef KERNEL_TEAM
    if (n_border_of(k->plan)) set_balances(k, m, d * n_nodes_of(k->plan), d);
#endif
    return S;
}

// x -= part J^-1 residual where a robot is `left`; how large the whole of it is.
LANE_FUNCTION lane correct(const kernel *k, kernel_motion *m, const lane *J, lane_mask left,
                           lane part, const int size, const int d) {
    const int nodes = n_nodes_of(k->plan);
    const lane length = lane_of(k->t[k->plan->scales]);
    lane largest = lane_all(0.0);
    solve(k, m, J, size);
    EACH_NODE(node, nodes) {
        lane own = lane_all(0.0);
        for (int i = d * node; i < d * node + d; i++) {
            own =
                larger(lane_abs(m->residual[i]) * (i - d * node < 3 ? length : lane_all(1.0)), own);
            m->x[i] -= lane_pick(left, part * m->residual[i], lane_all(0.0));
        }
        m->nodes[node].term.x = own;
    }
    TEAM_MEETS(k);
    for (int node = 0; node < nodes; node++) largest = larger(m->nodes[node].term.x, largest);
#ifndef KERNEL_TEAM
    if (n_border_of(k->plan)) largest = correct_efforts(k, m, left, part, largest, d * nodes);
#endif
    return largest;
}

// How the iteration stands, robot by robot: newton_pace.
typedef struct kernel_pace {
    lane last, corrections;
    lane_mask left;  // goes on
    lane_mask arrived;
} kernel_pace;

// Judges a correction of which `part` was taken: what has arrived stops, and so does what is lost. A part says nothing
// but that.
LANE_FUNCTION void judge(const kernel *k, kernel_pace *p, lane size, lane part) {
    const double tolerance = k->plan->tolerance;
    const lane shrunk = size / p->last, one = lane_all(1.0);
    const lane_mask whole = lane_not(lane_less(part, one));
    const lane_mask shrinks = lane_less(shrunk, one) & lane_less(p->last, one);
    const lane left = lane_pick(shrinks, size * shrunk / (1.0 - shrunk), size);
    const lane_mask done = lane_not(lane_less(lane_all(tolerance), size)) |
                           lane_not(lane_less(lane_all(tolerance / 3.0), left));
    const lane_mask number = lane_less(size, lane_all(MOST_CORRECTION));  // and not NaN
    p->arrived |= p->left & done & number & whole;
    p->left = p->left & number & lane_not(done & whole);
    p->last = lane_pick(whole, size, p->last);
}

#ifdef KERNEL_CONTACT
#define MOST_CYCLES 8.0  // see iterate_newton of collocation/newton.c
#define MOST_GROWTH 10.0

LANE_FUNCTION lane_mask touches_anew(const kernel_touch *t) {
    return lane_less(t->set, t->of_matrix) | lane_less(t->of_matrix, t->set);
}

// Where corrections shrink by no more than this, for five more of them, and the matrix is older than two, a new one is
// due: it was that of the guess, before the impact.
LANE_FUNCTION lane_mask is_slow(const kernel *k, const kernel_touch *t, const kernel_pace *p) {
    const lane shrunk = t->size / t->size_before, two = shrunk * shrunk;
    return p->left & lane_less(lane_all(0.3), shrunk) & lane_less(lane_all(1.5), t->age) &
           lane_less(lane_all(k->plan->tolerance), t->size * (two * two * shrunk));
}

// Where a robot's points that touch are others than those of its matrix, it gets a new one, and what its corrections were
// says nothing of the next; one that is as large as the last is taken by half. What was done at once with points
// held, and lets go of some of them, is not. The robots that get a new matrix.
LANE_FUNCTION lane_mask begin_anew(const kernel *k, kernel_touch *t, kernel_pace *p, int i) {
    const lane one = lane_all(1.0), half = lane_all(0.5), zero = lane_all(0.0);
    const lane_mask other = touches_anew(t);
    if (i == 1) p->left |= p->arrived & other, p->arrived = p->arrived & lane_not(other);
    const lane_mask changed = p->left & other;
    const lane_mask grown = changed & lane_less(half * t->size_before, t->size);
    const lane_mask slow = is_slow(k, t, p) & lane_not(changed);
    t->part = lane_pick(grown, half, one);
    t->cycles += lane_pick(grown, one, zero);
    const lane_mask lost = changed & (lane_less(MOST_GROWTH * t->size_before, t->size) |
                                      lane_less(lane_all(MOST_CYCLES), t->cycles));
    const lane_mask anew = (changed | slow) & lane_not(lost);
    p->left = p->left & lane_not(lost);
    p->last = lane_pick(changed | slow, lane_all(1e300), p->last);
    t->size_before = t->size;
    t->age = lane_pick(anew, zero, t->age) + 1.0;
    return anew;
}

// The second of two matrices becomes the first, of robots that have it `anew`.
LANE_FUNCTION void take_matrix(kernel_touch *t, lane *J, lane_mask anew, int first,
                               const int size) {
    const lane *from = J + KERNEL_UNKNOWNS * KERNEL_UNKNOWNS;
    for (int i = 0; !first && i < size * size; i++) J[i] = lane_pick(anew, from[i], J[i]);
    t->of_matrix = lane_pick(anew, t->set, t->of_matrix);
}
#endif

// The iteration, from the guess. Among obstacles there is room for a second matrix behind J.
LANE_FUNCTION void iterate(kernel *k, kernel_motion *m, kernel_pace *p, lane *J, const int d) {
    const int size = d * n_nodes_of(k->plan) + n_border_of(k->plan);
    const lane3 gravity = given3(k, GIVEN_GRAVITY);
    lane part = lane_all(1.0);
#ifdef KERNEL_CONTACT
    const lane_mask on = p->left;
    lane_mask anew = on;
#endif
    KERNEL_LOOP
    for (int i = 0;; i++) {
        int renew = i == 0;
        lane *fresh = J;
        move_out(k, m, d);
#ifdef KERNEL_CONTACT
        if (TOUCHES(k)) {
            find_contacts(k, m, on, i == 0);
            if (i > 0)
                anew = begin_anew(k, m->touch, p, i), fresh = J + KERNEL_UNKNOWNS * KERNEL_UNKNOWNS;
            renew = lane_any(anew), part = m->touch->part;
        }
#endif
        if (!TEAM_ANY(k, p->left) || i == MOST_CORRECTIONS) break;
        come_back(k, m, gravity, 0, d);
        if (renew) {
            fill_matrix(k, m, gravity, fresh, size, d);
#ifdef KERNEL_CONTACT
            if (TOUCHES(k)) add_contacts(k, m, fresh, size, d);
#endif
            factor(k, m, fresh, size);
#ifdef KERNEL_CONTACT
            if (TOUCHES(k)) take_matrix(m->touch, J, anew, i == 0, size);
#endif
        }
        const lane length = correct(k, m, J, p->left, part, size, d);
        p->corrections += lane_pick(p->left, lane_all(1.0), lane_all(0.0));
        judge(k, p, length, part);
#ifdef KERNEL_CONTACT
        if (TOUCHES(k)) m->touch->size = length;
#endif
    }
}

#ifdef KERNEL_CONTACT
// Which robots have arrived without passing through anything; what is to be kept of their contacts, and their energy.
LANE_FUNCTION lane_mask end_touching(const kernel_motion *m, lane_mask arrived, lane *result) {
    kernel_touch *t = m->touch;
    return mask_of(obstacles_end(t->obstacles, bits_of(arrived), (double *)t->places,
                                 (double *)t->deepest, (double *)&t->energy, (double *)result));
}

LANE_FUNCTION void keep_touching(const kernel *k, const kernel_motion *m, lane_mask good) {
    const lane_plan *plan = k->plan;
    const kernel_touch *t = m->touch;
    const int points = n_nodes_of(plan) + 1;
    for (int i = 0; i < 3 * points; i++) record(k, plan->places + i, good, t->places[i / 3][i % 3]);
    for (int i = 0; i < points * plan->n_obstacles; i++)
        record(k, plan->deepest + i, good, t->deepest[i]);
}
#endif

// A step; J: room for the matrix; result: of RESULT_SIZE numbers those of all of it. Returns which robots have arrived.
LANE_FUNCTION lane_mask step_team(kernel *k, kernel_motion *m, lane *J, const kernel_formula *f,
                                  lane *result, const int d) {
    const lane zero = lane_all(0.0);
    const int nodes = n_nodes_of(k->plan);
    kernel_pace p;
    k->c0 = f->c[0];
    begin_step(k, f, m, d, nodes);
    p.left = lane_less(zero, f->on);
    p.arrived = lane_less(zero, zero);
    p.last = lane_all(1e300), p.corrections = zero;
    iterate(k, m, &p, J, d);
#ifdef KERNEL_CONTACT
    if (TOUCHES(k)) p.arrived = p.arrived & end_touching(m, p.arrived, result);
#endif
    const lane_mask good = p.arrived & is_plausible(k, m, d);
#if !defined(KERNEL_TEAM) && !defined(__CUDACC__)  // on a GPU they are not counted
    lane6 S = lane6_make(lane3_zero(), lane3_zero());
    if (k->plan->base_moves) S = come_back(k, m, given3(k, GIVEN_GRAVITY), 1, d);
    count_step(k, m, S, lane_less(zero, f->jumped), result, d);
#endif
#ifdef KERNEL_CONTACT
    if (TOUCHES(k)) {
        result[RESULT_STORED] = stored_energy(k, m, d) + m->touch->energy;
        result[RESULT_WEIGHT] = weight_energy(k, m);
        keep_touching(k, m, good);
    }
#endif
    accept(k, m, good, d, nodes);
    result[RESULT_CORRECTIONS] = p.corrections;
    result[RESULT_ARRIVED] = lane_pick(good, lane_all(1.0), zero);
    return good;
}

#ifndef KERNEL_TEAM
// The motion that a record tells of: with c0 = 0 what is added to a field times it is its rate.
LANE_FUNCTION void recall(kernel *k, kernel_motion *m, const int d) {
    const lane_plan *plan = k->plan;
    k->c0 = lane_all(0.0);
    for (int i = 0; i < d * n_nodes_of(plan); i++) {
        m->x[i] = recorded(k, plan->y1 + i);
        m->own[i / d].h[i % d] = recorded(k, plan->rate + i);
    }
    start_at_base(k, m);
    move_out(k, m, d);
}
#endif

#if !defined(KERNEL_TEAM) && !defined(__CUDACC__)
LANE_FUNCTION void step_robots(const lane_plan *plan, double *records, size_t stride,
                               const double *formula, const double *given,
                               const lane_obstacles *obstacles, double *result, const int d) {
    kernel k;
    kernel_motion m;
    kernel_formula f;
    lane results[RESULT_SIZE] = {0};
#ifdef KERNEL_CONTACT
    lane J[2 * KERNEL_UNKNOWNS * KERNEL_UNKNOWNS];
    kernel_touch touch;
    begin_touching(&touch, obstacles);
    m.touch = &touch;
#else
    lane J[KERNEL_UNKNOWNS * KERNEL_UNKNOWNS];
    (void)obstacles;
#endif
    k.plan = plan, k.t = KERNEL_NUMBERS(plan), k.given = given, k.record = records;
    k.stride = stride;
    for (int i = 0; i < 3; i++) {
        f.c[i] = at_lane(formula + (FORMULA_C + i) * stride);
        f.guess[i] = at_lane(formula + (FORMULA_GUESS + i) * stride);
    }
    f.d1 = at_lane(formula + FORMULA_D1 * stride), f.on = at_lane(formula + FORMULA_ON * stride);
    f.jumped = at_lane(formula + FORMULA_JUMPED * stride);
    step_team(&k, &m, J, &f, results, d);
    for (int i = 0; i < RESULT_SIZE; i++) put_lane(result + (size_t)i * stride, results[i]);
}

LANE_FUNCTION void look_at_robots(const lane_plan *plan, double *records, size_t stride,
                                  const double *given, double *result, const int d) {
    kernel k;
    kernel_motion m;
    k.plan = plan, k.t = KERNEL_NUMBERS(plan), k.given = given, k.record = records;
    k.stride = stride;
    recall(&k, &m, d);
    put_lane(result + LOOK_LOAD * stride, loads_power(&k, &m));
    put_lane(result + LOOK_ENERGY * stride, energy_of_inputs(&k, &m));
}
#endif
