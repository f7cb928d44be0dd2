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
// LANE_WIDTH is set by the file that includes this, and where they are known the sizes below.
#include "model/cosserat/lanes/lane.h"
#include "model/cosserat/lanes/plan.h"

#ifndef KERNEL_NODES
#define KERNEL_NODES PLAN_NODES
#define KERNEL_UNKNOWNS PLAN_UNKNOWNS
#define KERNEL_ELEMENTS PLAN_ELEMENTS
#define KERNEL_NUMBERS(plan) ((plan)->numbers)
#define KERNEL_LOOP  // before loops that are not to be unrolled
#endif

#define MOST_CORRECTIONS 10
#define MOST_CORRECTION 20.0  // rad along the rod: nothing gets back from farther out
#define MOST_TURN 2.5  // rad^2 in a Magnus step: the series of exp is exact to rounding below

typedef struct kernel {
    const lane_plan *plan;
    const double *t;      // its numbers
    const double *given;  // of these robots
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
                    : lane_all(k->t[k->plan->shared + slot]);
}

LANE_FUNCTION lane3 given3(const kernel *k, int slot) {
    return lane3_make(given_at(k, slot), given_at(k, slot + 1), given_at(k, slot + 2));
}

LANE_FUNCTION lane3 number3(const double *a) {
    return lane3_make(lane_all(a[0]), lane_all(a[1]), lane_all(a[2]));
}

LANE_FUNCTION const double *station_of(const kernel *k, int node) {
    return k->t + k->plan->stations + STATION_SIZE * node;
}

// ---------------------------------------------------------------- poses
typedef struct lane6 {
    lane3 a, l;
} lane6;

LANE_FUNCTION lane6 lane6_make(lane3 a, lane3 l) {
    lane6 out;
    out.a = a, out.l = l;
    return out;
}

// [x, y]; `still`: the linear part of y is zero
LANE_FUNCTION lane6 lane6_bracket(lane6 x, lane6 y, int still) {
    lane3 l = lane3_cross(x.l, y.a);
    return lane6_make(lane3_cross(x.a, y.a), still ? l : lane3_add(l, lane3_cross(x.a, y.l)));
}

LANE_FUNCTION lane6 lane6_madd(lane6 x, double s, lane6 y) {
    return lane6_make(lane3_madd(x.a, lane_all(s), y.a), lane3_madd(x.l, lane_all(s), y.l));
}

LANE_FUNCTION lane6 lane6_scale(lane6 x, double s) {
    return lane6_make(lane3_scale(x.a, lane_all(s)), lane3_scale(x.l, lane_all(s)));
}

LANE_FUNCTION lane6 lane6_sub(lane6 x, lane6 y) {
    return lane6_make(lane3_sub(x.a, y.a), lane3_sub(x.l, y.l));
}

// se3_magnus4
LANE_FUNCTION lane6 magnus4(double d, const lane6 g[2]) {
    lane6 mean =
        lane6_scale(lane6_make(lane3_add(g[0].a, g[1].a), lane3_add(g[0].l, g[1].l)), 0.5 * d);
    return lane6_madd(mean, 0.14433756729740644113 * d * d, lane6_bracket(g[0], g[1], 0));
}

// se3_magnus6; `still`: the linear part of the strain is the same at all three points
LANE_FUNCTION lane6 magnus6(double d, const lane6 g[3], int still) {
    const double r = 1.2909944487358056284 * d, s = (10.0 / 3.0) * d;  // sqrt(15)/3
    lane6 y1 = lane6_scale(g[1], d), y2, y3;
    y2.a = lane3_scale(lane3_sub(g[2].a, g[0].a), lane_all(r));
    y3.a = lane3_scale(lane3_madd(lane3_add(g[0].a, g[2].a), lane_all(-2.0), g[1].a), lane_all(s));
    y2.l = y3.l = lane3_zero();
    if (!still) {
        y2.l = lane3_scale(lane3_sub(g[2].l, g[0].l), lane_all(r));
        y3.l =
            lane3_scale(lane3_madd(lane3_add(g[0].l, g[2].l), lane_all(-2.0), g[1].l), lane_all(s));
    }
    lane6 b = lane6_bracket(y1, y2, still);
    lane6 inner = lane6_sub(lane6_make(lane3_add(y3.a, y3.a), lane3_add(y3.l, y3.l)), b);
    lane6 c = lane6_bracket(y1, inner, 0);
    lane6 left = lane6_madd(lane6_madd(b, 20.0, y1), 1.0, y3),
          right = lane6_madd(y2, 1.0 / 60.0, c);
    lane6 psi = lane6_madd(y1, 1.0 / 12.0, y3);
    return lane6_madd(psi, 1.0 / 240.0, lane6_bracket(left, right, 0));
}

// exp of a twist, by series in the squared angle: c_k = 1/k! - t^2/(k+2)! + ...
LANE_FUNCTION void pose_step(kernel *k, lane6 x, lane33 *R, lane3 *p) {
    lane t2 = lane3_dot(x.a, x.a);
    k->turn = lane_pick(lane_less(t2, k->turn), k->turn, t2);  // a NaN stays
    lane c5 = lane_all(1.0 / 51090942171709440000.0), c4 = lane_all(1.0 / 2432902008176640000.0);
    c5 = 1.0 / -121645100408832000.0 + t2 * c5, c4 = 1.0 / -6402373705728000.0 + t2 * c4;
    c5 = 1.0 / 355687428096000.0 + t2 * c5, c4 = 1.0 / 20922789888000.0 + t2 * c4;
    c5 = 1.0 / -1307674368000.0 + t2 * c5, c4 = 1.0 / -87178291200.0 + t2 * c4;
    c5 = 1.0 / 6227020800.0 + t2 * c5, c4 = 1.0 / 479001600.0 + t2 * c4;
    c5 = 1.0 / -39916800.0 + t2 * c5, c4 = 1.0 / -3628800.0 + t2 * c4;
    c5 = 1.0 / 362880.0 + t2 * c5, c4 = 1.0 / 40320.0 + t2 * c4;
    c5 = 1.0 / -5040.0 + t2 * c5, c4 = 1.0 / -720.0 + t2 * c4;
    c5 = 1.0 / 120.0 + t2 * c5, c4 = 1.0 / 24.0 + t2 * c4;
    const lane c3 = 1.0 / 6.0 - t2 * c5, c2 = 0.5 - t2 * c4, c1 = 1.0 - t2 * c3;
    const lane3 u = x.a, cu = lane3_scale(u, c2), w = lane3_scale(u, c1);
    const lane xx = cu.x * u.x, yy = cu.y * u.y, zz = cu.z * u.z;
    const lane xy = cu.x * u.y, xz = cu.x * u.z, yz = cu.y * u.z;
    R->m[0] = 1.0 - (yy + zz), R->m[1] = xy - w.z, R->m[2] = xz + w.y;
    R->m[3] = xy + w.z, R->m[4] = 1.0 - (xx + zz), R->m[5] = yz - w.x;
    R->m[6] = xz - w.y, R->m[7] = yz + w.x, R->m[8] = 1.0 - (xx + yy);
    const lane3 uv = lane3_cross(u, x.l);
    *p = lane3_madd(lane3_madd(x.l, c2, uv), c3, lane3_cross(u, uv));
}

// The strain at a point of an element: at rest, plus the polynomial through the nodes.
LANE_FUNCTION lane6 strain_at(const kernel *k, const plan_element *e, const lane *x,
                              const double *row, const int d, const int n) {
    lane6 g = lane6_make(number3(k->t + e->rest), number3(k->t + e->rest + 3));
    for (int j = 0; j < n; j++) {
        const lane *at = x + d * j;
        g.a.x += row[j] * at[0], g.a.y += row[j] * at[1], g.a.z += row[j] * at[2];
        if (d == 3) continue;
        g.l.x += row[j] * at[3], g.l.y += row[j] * at[4], g.l.z += row[j] * at[5];
    }
    return g;
}

LANE_FUNCTION void place_nodes(kernel *k, kernel_motion *m, const int index, const int d,
                               const int n) {
    const plan_element *e = &k->plan->elements[index];
    const double *row = k->t + e->rows, *length = k->t + e->d;
    const lane *x = m->x + d * e->node;
    lane33 R = m->bounds[index].R;
    lane3 p = m->bounds[index].p;
    KERNEL_LOOP
    for (int step = 0; step <= n; step++) {
        lane6 g[3], psi;
        g[0] = strain_at(k, e, x, row, d, n), row += n;
        g[1] = strain_at(k, e, x, row, d, n), row += n;
        if (k->plan->points == 2) {
            psi = magnus4(length[step], g);
        } else {
            g[2] = strain_at(k, e, x, row, d, n), row += n;
            psi = magnus6(length[step], g, d == 3);
        }
        lane33 turn;
        lane3 move;
        pose_step(k, psi, &turn, &move);
        p = lane3_add(p, lane33_mul(&R, move));
        R = lane33_product(&R, &turn);
        if (step < n) m->nodes[e->node + step].R = R, m->nodes[e->node + step].p = p;
    }
    m->bounds[index + 1].R = R, m->bounds[index + 1].p = p;
}

// ---------------------------------------------------------------- velocities
// p' = R v, bend = R u_t, nu = R v_t; then sums from the near side, as in collocation.h.
LANE_FUNCTION void set_velocities(const kernel *k, kernel_motion *m, const int index, const int d,
                                  const int n) {
    const plan_element *e = &k->plan->elements[index];
    const double *A = k->t + e->A, *b = k->t + e->b;
    const kernel_bound *near = &m->bounds[index];
    kernel_bound *far = &m->bounds[index + 1];
    const lane3 V_b = lane3_sub(near->v, lane3_cross(near->p, near->a));
    far->a = near->a, far->v = near->v;
    kernel_node *nodes = m->nodes + e->node;
    for (int i = 0; i < n; i++) {
        kernel_node *at = &nodes[i];
        const int first = d * (e->node + i);
        const lane *x = m->x + first, *h = m->past + first;
        const double *v_rest = station_of(k, e->node + i) + STATION_V;
        lane3 v = number3(v_rest);
        at->bend = lane33_mul(
            &at->R, lane3_make(k->c0 * x[0] + h[0], k->c0 * x[1] + h[1], k->c0 * x[2] + h[2]));
        lane3 moves = lane3_cross(at->p, at->bend);
        if (d == 6) {
            v = lane3_add(v, lane3_make(x[3], x[4], x[5]));
            at->nu = lane33_mul(
                &at->R, lane3_make(k->c0 * x[3] + h[3], k->c0 * x[4] + h[4], k->c0 * x[5] + h[5]));
            moves = lane3_add(moves, at->nu);
        }
        at->slope = lane33_mul(&at->R, v);
        far->a = lane3_madd(far->a, lane_all(b[i]), at->bend);
        far->v = lane3_madd(far->v, lane_all(b[i]), moves);
    }
    for (int q = 0; q < n; q++) {
        lane3 O = lane3_zero();
        for (int j = 0; j < n; j++) O = lane3_madd(O, lane_all(A[q * n + j]), nodes[j].bend);
        nodes[q].Om = lane3_add(near->a, O);
        nodes[q].l = lane3_cross(O, nodes[q].slope);  // until the loads come
        if (d == 6) nodes[q].l = lane3_add(nodes[q].l, nodes[q].nu);
    }
    for (int q = 0; q < n; q++) {
        lane3 V = lane3_add(V_b, lane3_cross(near->a, lane3_sub(nodes[q].p, near->p)));
        for (int j = 0; j < n; j++) V = lane3_madd(V, lane_all(A[q * n + j]), nodes[j].l);
        nodes[q].V = V;
        nodes[q].w = lane33_tmul(&nodes[q].R, nodes[q].Om);
        nodes[q].q = lane33_tmul(&nodes[q].R, V);
    }
}

LANE_FUNCTION void start_at_base(const kernel *k, kernel_motion *m) {
    kernel_bound *base = &m->bounds[0];
    for (int i = 0; i < 9; i++) base->R.m[i] = given_at(k, GIVEN_R + i);
    base->p = given3(k, GIVEN_P);
    base->a = given3(k, GIVEN_OM);
    base->v = lane3_add(given3(k, GIVEN_V), lane3_cross(base->p, base->a));
}

// ---------------------------------------------------------------- loads
// f = R (rhoA (q_t + w x q) + drag) - rhoA g - f_ext and l = R (J w_t + w x J w) - l_ext.
LANE_FUNCTION void set_loads(const kernel *k, kernel_motion *m, const plan_element *e, int node,
                             lane3 gravity) {
    const double *st = station_of(k, node);
    kernel_node *at = &m->nodes[node];
    const lane *h = m->past + k->plan->d * k->plan->n_nodes;
    const lane *h_w = h + 3 * node, *h_q = h + 3 * k->plan->n_nodes + 3 * node;
    const lane mass = lane_all(st[STATION_MASS]);
    const lane3 J = number3(st + STATION_J), q = at->q;
    // body: drag, mass h_q; J w and J h_w
    const lane3 speed = lane3_make(lane_abs(q.x), lane_abs(q.y), lane_abs(q.z));
    const lane3 drag = lane3_mul(
        lane3_add(lane3_mul(number3(st + STATION_DRAG), speed), number3(st + STATION_LINEAR)), q);
    lane3 f = lane3_madd(drag, mass, lane3_make(h_q[0], h_q[1], h_q[2]));
    lane3 l = lane3_mul(J, lane3_make(h_w[0], h_w[1], h_w[2]));
    const lane3 j = lane33_mul(&at->R, lane3_mul(J, at->w));
    if (e->spread) {
        f = lane3_sub(f, given3(k, e->given + LOAD_SPREAD + 6));
        l = lane3_sub(l, given3(k, e->given + LOAD_SPREAD + 9));
    }
    lane3 inertia = lane3_madd(lane3_cross(at->Om, at->V), k->c0, at->V);
    at->f = lane3_madd(lane33_mul(&at->R, f), mass, lane3_sub(inertia, gravity));
    at->l = lane3_add(lane3_madd(lane33_mul(&at->R, l), k->c0, j), lane3_cross(at->Om, j));
    if (!e->spread) return;
    at->f = lane3_sub(at->f, given3(k, e->given + LOAD_SPREAD));
    at->l = lane3_sub(at->l, given3(k, e->given + LOAD_SPREAD + 3));
}

typedef struct lane_rigid {
    lane mass;
    lane3 moment;  // world: mass times centre
    lane33 J;      // world, about the origin of its frame
} lane_rigid;

LANE_FUNCTION lane_rigid rider_at(const kernel *k, const plan_element *e, const lane33 *R) {
    lane_rigid b;
    lane33 J, RJ, Rt;
    b.mass = given_at(k, e->given + LOAD_BODY);
    b.moment = lane33_mul(R, given3(k, e->given + LOAD_BODY + 1));
    for (int i = 0; i < 9; i++) J.m[i] = given_at(k, e->given + LOAD_BODY + 4 + i);
    for (int i = 0; i < 9; i++) Rt.m[i] = R->m[3 * (i % 3) + i / 3];
    RJ = lane33_product(R, &J);
    b.J = lane33_product(&RJ, &Rt);
    return b;
}

// What a body at the far side asks of the rod, about the point where it rides: rate of its momentum less its
// weight, world axes. Its velocity in the body has the rate c0 y + h.
LANE_FUNCTION void rider_asks(const kernel *k, const kernel_motion *m, int index, lane3 gravity,
                              lane3 *moment, lane3 *force) {
    const plan_element *e = &k->plan->elements[index];
    const kernel_bound *far = &m->bounds[index + 1];
    const lane_rigid b = rider_at(k, e, &far->R);
    const lane *h = m->past + k->plan->ends + 6 * index;
    const lane3 Om = far->a, V = lane3_sub(far->v, lane3_cross(far->p, far->a));
    const lane3 h_w = lane33_mul(&far->R, lane3_make(h[0], h[1], h[2]));
    const lane3 h_q = lane33_mul(&far->R, lane3_make(h[3], h[4], h[5]));
    const lane3 w_t = lane3_madd(h_w, k->c0, Om);
    const lane3 q_t = lane3_sub(lane3_madd(h_q, k->c0, V), gravity);
    const lane3 L = lane3_add(lane33_mul(&b.J, Om), lane3_cross(b.moment, V));
    const lane3 P = lane3_madd(lane3_cross(Om, b.moment), b.mass, V);
    *moment = lane3_add(lane3_add(lane33_mul(&b.J, w_t), lane3_cross(b.moment, q_t)),
                        lane3_add(lane3_cross(Om, L), lane3_cross(V, P)));
    *force = lane3_add(lane3_madd(lane3_cross(w_t, b.moment), b.mass, q_t), lane3_cross(Om, P));
}

// S at the far side += what acts there, spatial.
LANE_FUNCTION void add_end(const kernel *k, kernel_motion *m, int index, lane3 gravity, lane6 *S) {
    const plan_element *e = &k->plan->elements[index];
    kernel_bound *far = &m->bounds[index + 1];
    if (e->ends) {
        const int at = e->given + LOAD_END;
        lane3 F = lane3_add(given3(k, at), lane33_mul(&far->R, given3(k, at + 6)));
        lane3 M = lane3_add(given3(k, at + 3), lane33_mul(&far->R, given3(k, at + 9)));
        S->a = lane3_add(S->a, lane3_add(M, lane3_cross(far->p, F)));
        S->l = lane3_add(S->l, F);
    }
    if (e->riders) {
        lane3 M, F;
        rider_asks(k, m, index, gravity, &M, &F);
        S->a = lane3_sub(S->a, lane3_add(M, lane3_cross(far->p, F)));
        S->l = lane3_sub(S->l, F);
        far->W = F;
    }
    far->N = S->l;
}

// N_i, M_i from the far side's S, and S at the near side.
LANE_FUNCTION void sum_wrenches(const kernel *k, kernel_motion *m, const int index, lane6 *S,
                                const int n) {
    const plan_element *e = &k->plan->elements[index];
    const double *Q = k->t + e->Q, *b = k->t + e->b;
    kernel_node *nodes = m->nodes + e->node;
    lane3 asked[KERNEL_NODES];
    for (int i = 0; i < n; i++) {
        lane3 F = lane3_zero();
        for (int q = 0; q < n; q++) F = lane3_madd(F, lane_all(Q[i * n + q]), nodes[q].f);
        nodes[i].F = F;
        nodes[i].N = lane3_sub(S->l, F);
        asked[i] = lane3_add(nodes[i].l, lane3_cross(nodes[i].slope, F));
    }
    for (int i = 0; i < n; i++) {
        lane3 within = lane3_zero();
        for (int q = 0; q < n; q++) within = lane3_madd(within, lane_all(Q[i * n + q]), asked[q]);
        nodes[i].M = lane3_sub(lane3_sub(S->a, lane3_cross(nodes[i].p, S->l)), within);
    }
    if (index == 0) return;
    for (int q = 0; q < n; q++) {
        const lane minus = lane_all(-b[q]);
        S->l = lane3_madd(S->l, minus, nodes[q].f);
        S->a = lane3_madd(S->a, minus, lane3_add(nodes[q].l, lane3_cross(nodes[q].p, nodes[q].f)));
    }
}

// K x + B x_t - R' (M, N)
LANE_FUNCTION void set_residual(const kernel *k, kernel_motion *m, int node, const int d) {
    const double *st = station_of(k, node);
    const kernel_node *at = &m->nodes[node];
    const lane3 moment = lane33_tmul(&at->R, at->M);
    lane body[6];
    body[0] = moment.x, body[1] = moment.y, body[2] = moment.z;
    if (d == 6) {
        const lane3 force = lane33_tmul(&at->R, at->N);
        body[3] = force.x, body[4] = force.y, body[5] = force.z;
    }
    for (int i = 0; i < d; i++) {
        const lane x = m->x[d * node + i], rate = k->c0 * x + m->past[d * node + i];
        m->residual[d * node + i] = st[STATION_K + i] * x + st[STATION_B + i] * rate - body[i];
    }
}

// ---------------------------------------------------------------- actuators
typedef struct lane_path {  // of a tendon at a node
    lane l;                 // its length per arc length,
    lane3 t;                // direction,
    lane3 w;                // and r x t
} lane_path;

// g = v + u x r + r_s, as path_density
LANE_FUNCTION lane_path path_at(const kernel *k, const kernel_motion *m, const plan_actuator *a,
                                int i, const int d) {
    const int node = a->first + i;
    const double *st = station_of(k, node), *at = k->t + a->at + 6 * i;
    const lane *x = m->x + d * node;
    const lane ux = st[STATION_U] + x[0], uy = st[STATION_U + 1] + x[1],
               uz = st[STATION_U + 2] + x[2];
    lane3 v = number3(st + STATION_V);
    if (d == 6) v = lane3_add(v, lane3_make(x[3], x[4], x[5]));
    const lane3 g = lane3_make(v.x - uz * at[1] + at[2], v.y + uz * at[0] + at[3],
                               v.z + (ux * at[1] - uy * at[0]) + at[4]);
    lane_path path;
    path.l = lane_sqrt(lane3_dot(g, g) + 1e-16);
    path.t = lane3_scale(g, 1.0 / path.l);
    path.w = lane3_make(at[1] * path.t.z, -at[0] * path.t.z, at[0] * path.t.y - at[1] * path.t.x);
    return path;
}

// The section law of each node += sign effort d(density)/d(u, v).
LANE_FUNCTION void add_actuators(const kernel *k, kernel_motion *m, const int d) {
    KERNEL_LOOP
    for (int which = 0; which < k->plan->n_actuators; which++) {
        const plan_actuator *a = &k->plan->actuators[which];
        const lane effort = a->sign * given_at(k, GIVEN_EFFORTS + which);
        for (int i = 0; i < a->n; i++) {
            lane *r = m->residual + d * (a->first + i);
            const double *slope = k->t + a->at + 6 * i;
            if (a->linear) {
                for (int c = 0; c < d; c++) r[c] += effort * slope[c];
                continue;
            }
            const lane_path path = path_at(k, m, a, i, d);
            r[0] += effort * path.w.x, r[1] += effort * path.w.y, r[2] += effort * path.w.z;
            if (d == 3) continue;
            r[3] += effort * path.t.x, r[4] += effort * path.t.y, r[5] += effort * path.t.z;
        }
    }
}

// J += effort d^2(density)/d(u, v)^2 = effort (G'G - w w')/l with w = (r x t, t), G = [-r^, I]: see
// density_add_curvature.
LANE_FUNCTION void add_curvatures(const kernel *k, const kernel_motion *m, lane *J, int size,
                                  const int d) {
    KERNEL_LOOP
    for (int which = 0; which < k->plan->n_actuators; which++) {
        const plan_actuator *a = &k->plan->actuators[which];
        if (a->linear) continue;
        const lane effort = a->sign * given_at(k, GIVEN_EFFORTS + which);
        for (int i = 0; i < a->n; i++) {
            const lane_path path = path_at(k, m, a, i, d);
            const double x = k->t[a->at + 6 * i], y = k->t[a->at + 6 * i + 1];
            const double G[6][6] = {{y * y, -x * y, 0, 0, 0, y},
                                    {-x * y, x * x, 0, 0, 0, -x},
                                    {0, 0, x * x + y * y, -y, x, 0},
                                    {0, 0, -y, 1, 0, 0},
                                    {0, 0, x, 0, 1, 0},
                                    {y, -x, 0, 0, 0, 1}};
            const lane w[6] = {path.w.x, path.w.y, path.w.z, path.t.x, path.t.y, path.t.z};
            const lane c = effort / path.l;
            lane *to = J + (d * (a->first + i)) * (size + 1);
            for (int row = 0; row < d; row++)
                for (int col = 0; col < d; col++)
                    to[row * size + col] += c * (G[row][col] - w[row] * w[col]);
        }
    }
}

// ---------------------------------------------------------------- the matrix
// G += s (a b' - (a.b) 1) = s [b]^[a]^
LANE_FUNCTION void add_product(lane33 *G, lane s, lane3 a, lane3 b) {
    const lane3 sa = lane3_scale(a, s);
    const lane x = sa.x * b.x, y = sa.y * b.y, z = sa.z * b.z;
    G->m[0] -= y + z, G->m[1] += sa.x * b.y, G->m[2] += sa.x * b.z;
    G->m[3] += sa.y * b.x, G->m[4] -= x + z, G->m[5] += sa.y * b.z;
    G->m[6] += sa.z * b.x, G->m[7] += sa.z * b.y, G->m[8] -= x + y;
}

// G += s [v]^
LANE_FUNCTION void add_hat(lane33 *G, lane s, lane3 v) {
    const lane3 w = lane3_scale(v, s);
    G->m[1] -= w.z, G->m[2] += w.y;
    G->m[3] += w.z, G->m[5] -= w.x;
    G->m[6] -= w.y, G->m[7] += w.x;
}

LANE_FUNCTION void add_scaled(lane33 *G, lane s, const lane33 *H) {
    for (int i = 0; i < 9; i++) G->m[i] += s * H->m[i];
}

LANE_FUNCTION lane33 lane33_zero(void) {
    lane33 out;
    for (int i = 0; i < 9; i++) out.m[i] = lane_all(0.0);
    return out;
}

// The block of rows of node i and columns of node j: - R_i' G R_j, G in the world.
LANE_FUNCTION void put_block(lane *to, int size, const lane33 *R_i, const lane33 *G,
                             const lane33 *R_j) {
    const lane33 GR = lane33_product(G, R_j);
    for (int c = 0; c < 3; c++) {
        const lane3 column = lane33_tmul(R_i, lane3_make(GR.m[c], GR.m[3 + c], GR.m[6 + c]));
        to[c] = -column.x, to[size + c] = -column.y, to[2 * size + c] = -column.z;
    }
}

// c0 (c0 rhoA + drag), drag as the mean of its three axes
LANE_FUNCTION lane inertia_of(const kernel *k, const kernel_node *at, const double *st) {
    const lane3 drag =
        lane3_make(2.0 * st[STATION_DRAG] * lane_abs(at->q.x) + st[STATION_LINEAR],
                   2.0 * st[STATION_DRAG + 1] * lane_abs(at->q.y) + st[STATION_LINEAR + 1],
                   2.0 * st[STATION_DRAG + 2] * lane_abs(at->q.z) + st[STATION_LINEAR + 2]);
    return k->c0 * (k->c0 * st[STATION_MASS] + (1.0 / 3.0) * (drag.x + drag.y + drag.z));
}

LANE_FUNCTION lane33 rotary_of(const kernel *k, const kernel_node *at, const double *st) {
    return lane33_turned(&at->R, lane3_scale(number3(st + STATION_J), k->c0 * k->c0));
}

// The columns of the curvature u of one node, with world increments X: th = w X, dp = X x lever, and for the wrench
// beyond, spatial, dS = (Sa X, X x sl).
typedef struct bend_columns {
    lane33 Sa;
    lane3 sl;
    lane w[KERNEL_NODES];  // in the element at hand
    lane3 lever[KERNEL_NODES];
    lane3 f[KERNEL_NODES];       // df = X x f
    lane3 F[KERNEL_NODES];       // dF = X x F
    lane33 asked[KERNEL_NODES];  // d(l + p' x F)
} bend_columns;

// What acts at a far side, which turns with weight b about node j.
LANE_FUNCTION void bend_end(const kernel *k, const kernel_motion *m, int index, lane b, lane3 pivot,
                            lane3 gravity, bend_columns *c) {
    const plan_element *e = &k->plan->elements[index];
    const kernel_bound *far = &m->bounds[index + 1];
    const lane one = lane_all(1.0);
    const lane3 L = lane3_scale(lane3_sub(far->p, pivot), b);
    if (e->ends) {
        const int at = e->given + LOAD_END;
        const lane3 F_body = lane33_mul(&far->R, given3(k, at + 6));
        const lane3 M_body = lane33_mul(&far->R, given3(k, at + 9));
        add_hat(&c->Sa, -b, M_body);
        add_product(&c->Sa, one, L, lane3_add(given3(k, at), F_body));
        add_product(&c->Sa, -b, F_body, far->p);
        c->sl = lane3_madd(c->sl, b, F_body);
    }
    if (!e->riders) return;
    const lane_rigid body = rider_at(k, e, &far->R);
    const lane c2 = k->c0 * k->c0;
    const lane3 v = lane3_scale(lane3_madd(lane3_scale(L, body.mass), b, body.moment), c2);
    add_scaled(&c->Sa, -c2 * b, &body.J);
    add_product(&c->Sa, c2, L, body.moment);
    add_product(&c->Sa, b, body.moment, gravity);
    add_product(&c->Sa, -one, L, far->W);
    add_product(&c->Sa, one, v, far->p);
    c->sl = lane3_sub(c->sl, v);
}

// The element of node j (`within`), or one beyond it, which is carried along.
LANE_FUNCTION void bend_element(const kernel *k, const kernel_motion *m, const plan_element *e,
                                int within, int j, lane b, lane3 pivot, bend_columns *c,
                                const int n) {
    const double *A = k->t + e->A, *Q = k->t + e->Q;
    const kernel_node *nodes = m->nodes + e->node;
    for (int q = 0; q < n; q++) {
        c->w[q] = within ? lane_all(A[q * n + j]) : b;
        c->lever[q] = lane3_scale(lane3_sub(nodes[q].p, pivot), c->w[q]);
        lane3 a = c->lever[q];
        if (within) {
            a = lane3_zero();
            for (int i = 0; i < n; i++)
                a = lane3_madd(a, lane_all(A[q * n + i] * A[i * n + j]), nodes[i].slope);
        }
        c->f[q] = lane3_scale(a, inertia_of(k, &nodes[q], station_of(k, e->node + q)));
    }
    for (int q = 0; q < n; q++) {
        lane3 F = lane3_zero();
        for (int i = 0; i < n; i++) F = lane3_madd(F, lane_all(Q[q * n + i]), c->f[i]);
        c->F[q] = F;
        c->asked[q] = lane33_zero();
        const lane33 J = rotary_of(k, &nodes[q], station_of(k, e->node + q));
        add_scaled(&c->asked[q], c->w[q], &J);
        add_product(&c->asked[q], c->w[q], nodes[q].slope, nodes[q].F);
        add_product(&c->asked[q], lane_all(-1.0), F, nodes[q].slope);
    }
}

// dS at the near side of an element that is moved.
LANE_FUNCTION void bend_near(const kernel *k, const kernel_motion *m, const plan_element *e,
                             bend_columns *c, const int n) {
    const double *b = k->t + e->b;
    for (int q = 0; q < n; q++) {
        const kernel_node *at = &m->nodes[e->node + q];
        const lane33 J = rotary_of(k, at, station_of(k, e->node + q));
        add_scaled(&c->Sa, -b[q] * c->w[q], &J);
        add_product(&c->Sa, lane_all(-b[q]), c->lever[q], at->f);
        add_product(&c->Sa, lane_all(b[q]), c->f[q], at->p);
        c->sl = lane3_madd(c->sl, lane_all(-b[q]), c->f[q]);
    }
}

LANE_FUNCTION void bend_rows(const kernel *k, const kernel_motion *m, int index, int moved,
                             const lane33 *R_j, const bend_columns *c, lane *J, const int size,
                             const int d, const int n) {
    const plan_element *e = &k->plan->elements[index];
    const double *Q = k->t + e->Q;
    const lane3 N_far = m->bounds[index + 1].N;
    const lane one = lane_all(1.0);
    KERNEL_LOOP
    for (int i = 0; i < n; i++) {
        const kernel_node *at = &m->nodes[e->node + i];
        lane *to = J + d * (e->node + i) * size;
        lane33 G = c->Sa;
        lane3 dN = lane3_scale(c->sl, -one);
        add_product(&G, one, c->sl, at->p);
        if (moved) {
            for (int q = 0; q < n; q++) add_scaled(&G, lane_all(-Q[i * n + q]), &c->asked[q]);
            add_product(&G, -one, c->lever[i], N_far);
            add_hat(&G, c->w[i], at->M);
            dN = lane3_madd(lane3_add(dN, c->F[i]), c->w[i], at->N);
        }
        put_block(to, size, &at->R, &G, R_j);
        if (d == 3) continue;
        lane33 hat = lane33_zero();
        add_hat(&hat, one, dN);
        put_block(to + 3 * size, size, &at->R, &hat, R_j);
    }
}

LANE_FUNCTION void fill_bends(const kernel *k, const kernel_motion *m, lane3 gravity, int own,
                              int j, lane *J, const int size, const int d, const int one) {
    const lane_plan *plan = k->plan;
    const kernel_node *at = &m->nodes[plan->elements[own].node + j];
    const lane b = lane_all(k->t[plan->elements[own].b + j]);
    bend_columns c;
    c.Sa = lane33_zero(), c.sl = lane3_zero();
    for (int index = (one ? 1 : plan->n_elements) - 1; index >= 0; index--) {
        const plan_element *e = &plan->elements[index];
        const int n = one ? one : e->n, moved = index >= own;
        if (moved) {
            bend_end(k, m, index, b, at->p, gravity, &c);
            bend_element(k, m, e, index == own, j, b, at->p, &c, n);
        }
        bend_rows(k, m, index, moved, &at->R, &c, J, size, d, n);
        if (moved && index) bend_near(k, m, e, &c, n);
    }
}

// The columns of shear and stretch v: dp = w X, df = f X, dS = (sa x X, s X).
typedef struct stretch_columns {
    lane3 sa;
    lane s;
    lane w[KERNEL_NODES], f[KERNEL_NODES], F[KERNEL_NODES];
    lane3 asked[KERNEL_NODES];  // d(l + p' x F) = asked x X
} stretch_columns;

LANE_FUNCTION void stretch_end(const kernel *k, const kernel_motion *m, int index, lane b,
                               stretch_columns *c) {
    const plan_element *e = &k->plan->elements[index];
    const kernel_bound *far = &m->bounds[index + 1];
    if (e->ends) {
        const int at = e->given + LOAD_END;
        c->sa =
            lane3_madd(c->sa, -b, lane3_add(given3(k, at), lane33_mul(&far->R, given3(k, at + 6))));
    }
    if (!e->riders) return;
    const lane_rigid body = rider_at(k, e, &far->R);
    const lane c2 = k->c0 * k->c0;
    c->s -= c2 * body.mass * b;
    c->sa = lane3_madd(
        c->sa, -b, lane3_sub(lane3_scale(lane3_madd(body.moment, body.mass, far->p), c2), far->W));
}

LANE_FUNCTION void stretch_element(const kernel *k, const kernel_motion *m, const plan_element *e,
                                   int within, int j, lane b, stretch_columns *c, const int n) {
    const double *A = k->t + e->A, *Q = k->t + e->Q;
    const kernel_node *nodes = m->nodes + e->node;
    for (int q = 0; q < n; q++) {
        c->w[q] = within ? lane_all(A[q * n + j]) : b;
        c->f[q] = c->w[q] * inertia_of(k, &nodes[q], station_of(k, e->node + q));
    }
    for (int q = 0; q < n; q++) {
        lane F = lane_all(0.0);
        for (int i = 0; i < n; i++) F += Q[q * n + i] * c->f[i];
        c->F[q] = F;
        c->asked[q] = lane3_scale(nodes[q].slope, F);
    }
    if (within) c->asked[j] = lane3_sub(c->asked[j], nodes[j].F);
}

LANE_FUNCTION void stretch_rows(const kernel *k, const kernel_motion *m, int index, int moved,
                                const lane33 *R_j, const stretch_columns *c, lane *J,
                                const int size, const int n) {
    const plan_element *e = &k->plan->elements[index];
    const double *Q = k->t + e->Q;
    const lane3 N_far = m->bounds[index + 1].N;
    KERNEL_LOOP
    for (int i = 0; i < n; i++) {
        const kernel_node *at = &m->nodes[e->node + i];
        lane *to = J + 6 * (e->node + i) * size;
        lane3 dM = lane3_madd(c->sa, -c->s, at->p);
        lane dN = c->s;
        if (moved) {
            for (int q = 0; q < n; q++) dM = lane3_madd(dM, lane_all(-Q[i * n + q]), c->asked[q]);
            dM = lane3_madd(dM, c->w[i], N_far);
            dN -= c->F[i];
        }
        lane33 G = lane33_zero();
        add_hat(&G, lane_all(1.0), dM);
        put_block(to, size, &at->R, &G, R_j);
        G = lane33_zero();
        G.m[0] = G.m[4] = G.m[8] = dN;
        put_block(to + 3 * size, size, &at->R, &G, R_j);
    }
}

LANE_FUNCTION void fill_stretches(const kernel *k, const kernel_motion *m, int own, int j, lane *J,
                                  const int size, const int one) {
    const lane_plan *plan = k->plan;
    const kernel_node *at = &m->nodes[plan->elements[own].node + j];
    const lane b = lane_all(k->t[plan->elements[own].b + j]);
    stretch_columns c;
    c.sa = lane3_zero(), c.s = lane_all(0.0);
    for (int index = (one ? 1 : plan->n_elements) - 1; index >= 0; index--) {
        const plan_element *e = &plan->elements[index];
        const int n = one ? one : e->n, moved = index >= own;
        if (moved) {
            stretch_end(k, m, index, b, &c);
            stretch_element(k, m, e, index == own, j, b, &c, n);
        }
        stretch_rows(k, m, index, moved, &at->R, &c, J, size, n);
        for (int q = 0; q < n && moved && index; q++) {
            const kernel_node *node = &m->nodes[e->node + q];
            const double weight = k->t[e->b + q];
            c.sa = lane3_madd(c.sa, weight * c.w[q], node->f);
            c.sa = lane3_madd(c.sa, -weight * c.f[q], node->p);
            c.s -= weight * c.f[q];
        }
    }
}

LANE_FUNCTION void fill_matrix(const kernel *k, const kernel_motion *m, lane3 gravity, lane *J,
                               const int size, const int d, const int one) {
    for (int own = 0; own < (one ? 1 : k->plan->n_elements); own++) {
        const plan_element *e = &k->plan->elements[own];
        KERNEL_LOOP
        for (int j = 0; j < (one ? one : e->n); j++) {
            const int first = d * (e->node + j);
            const double *st = station_of(k, e->node + j);
            fill_bends(k, m, gravity, own, j, J + first, size, d, one);
            if (d == 6) fill_stretches(k, m, own, j, J + first + 3, size, one);
            for (int i = 0; i < d; i++)
                J[(first + i) * (size + 1)] += st[STATION_K + i] + k->c0 * st[STATION_B + i];
        }
    }
    add_curvatures(k, m, J, size, d);
}

// Takes what rows `from` to `to` - 1 of a block say out of row i: J_i -= sum_k f_k J_k.
LANE_FUNCTION void eliminate(lane *J, int i, int from, int to, const int size) {
    lane f[3];
    for (int c = from; c < to; c++) {
        lane x = J[i * size + c];
        for (int k = from; k < c; k++) x -= f[k - from] * J[k * size + c];
        f[c - from] = J[i * size + c] = x * J[c * size + c];
    }
    for (int j = to; j < size; j++) {
        lane x = J[i * size + j];
        for (int k = from; k < to; k++) x -= f[k - from] * J[k * size + j];
        J[i * size + j] = x;
    }
}

// L U in place, without pivoting, three rows at a time; the diagonal becomes its reciprocals.
LANE_FUNCTION void factor(lane *J, const int size) {
    KERNEL_LOOP
    for (int c = 0; c < size; c += 3) {
        J[c * size + c] = 1.0 / J[c * size + c];
        eliminate(J, c + 1, c, c + 1, size);
        J[(c + 1) * size + c + 1] = 1.0 / J[(c + 1) * size + c + 1];
        eliminate(J, c + 2, c, c + 2, size);
        J[(c + 2) * size + c + 2] = 1.0 / J[(c + 2) * size + c + 2];
        KERNEL_LOOP
        for (int i = c + 3; i < size; i++) eliminate(J, i, c, c + 3, size);
    }
}

// x = (L U)^-1 x
LANE_FUNCTION void solve(const lane *J, lane *x, const int size) {
    for (int i = 1; i < size; i++) {
        lane sum = x[i];
        for (int j = 0; j < i; j++) sum -= J[i * size + j] * x[j];
        x[i] = sum;
    }
    for (int i = size - 1; i >= 0; i--) {
        lane sum = x[i];
        for (int j = i + 1; j < size; j++) sum -= J[i * size + j] * x[j];
        x[i] = sum * J[i * size + i];
    }
}

// ---------------------------------------------------------------- a step
// 1/2 (x'K x + rhoA q^2 + w'J w) of a node
LANE_FUNCTION lane node_energy(const double *st, const lane *x, lane3 w, lane3 q, const int d) {
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
            const double *st = station_of(k, node);
            const lane b = lane_all(k->t[e->b + i]);
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
    return sound & lane_less(after, 10.0 * before + plan->little);
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
    lane largest = lane_all(0.0);
    for (int i = 0; i < size; i++) {
        const lane a = lane_abs(step[i]) * (i % d < 3 ? k->plan->length : 1.0);
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
