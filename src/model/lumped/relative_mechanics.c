// model/lumped/relative_mechanics.c - rods in relative states as src/solve asks for it: coordinates of
// their segments, on the blocks of the same net in absolute ones.
#include <math.h>
#include <string.h>

#include "model/lumped/point.h"
#include "model/lumped/relative.h"

// ---------------------------------------------------------------- evaluations
static net_job load(relative_memory *m, const solve_instant *at, const configuration *x) {
    begin_load(&m->net, at, x);
    move_rods(m, x);
    const net_job j = job_of(&m->net, at, x);
    find_frames(&j);
    for (int i = 0; i < j.c->n_segments; i++) find_crossing(&j, i);
    return j;
}

// Of the segments; what they leave in forces is garbage.
static bool add_tangents(const net_job *j, const configuration *x) {
    relative_memory *m = (relative_memory *)j->m;
    clear_matrix(j);
    find_follow(j);
    for (int i = 0; i < j->c->n_segments; i++)
        if (!invert_crossing(&m->crossings[i])) return false;
    for (int i = 0; i < j->c->n_segments && (j->w->q != 0.0 || j->w->v != 0.0); i++)
        add_joint_tangent(j, x, i);
    return true;
}

// What the world does by moving the base of a rod, where its first segment pulls.
static void add_base_power(const net_job *j, const configuration *x, int i) {
    const int node = j->c->segments[i].a.node;
    const node_state *base = &j->x[node];
    crossing cross = ((relative_memory *)j->m)->crossings[i];
    if (!invert_crossing(&cross)) return;
    const vec6 w =
        vec6_add(vec6_load(j->m->r + 6 * node),
                 near_pull(&cross, wrench_of(j, i, x->q + PER * i, x->v + PER * i).wrench));
    j->m->given_power += vec3_dot(w.l, base->v) + vec3_dot(w.a, quat_rotate(base->q, base->w));
}

static void add_forces(const net_job *j, const configuration *x) {
    const net *c = j->c;
    relative_memory *m = (relative_memory *)j->m;
    clear_forces(j);
    find_measures(m, x->q);
    for (int i = 0; i < c->n_actuators; i++)
        if (j->at->soft && c->unknown[i] >= 0)
            m->net.trial_efforts[i] =
                effort_at(&c->actuators[i], m->net.given[i], m->net.measures[i]);
    add_nodes(j);
    to_forces(m, m->net.r, m->residual);
    for (int i = 0; i < c->n_rods && j->moves; i++) add_base_power(j, x, c->rods[i].first);
    add_wrenches(j, x);
    for (int i = 0; i < c->n_actuators; i++) balance_effort(j, i);
}

static void give(const net_job *j, double *r, double *powers) {
    const relative_memory *m = (const relative_memory *)j->m;
    const size_t rows = PER * (size_t)j->c->n_segments;
    if (r) memcpy(r, m->residual, sizeof(double) * rows);
    for (int k = 0; k < j->c->n_unknown && r && !j->at->soft; k++)
        r[rows + (size_t)k] = m->net.gap[k];
    give_powers(&m->net, powers);
}

static void residual(void *of, const solve_instant *at, const configuration *x, double *r,
                     double *powers) {
    const net_job j = load(of, at, x);
    add_forces(&j, x);
    give(&j, r, powers);
}

static bool add_material(const net_job *j) {
    relative_memory *m = (relative_memory *)j->m;
    clear_matrix(j);
    for (int i = 0; i < j->c->n_segments; i++) {
        const segment *s = &m->net.segments[i];
        double C[36];
        law_stiffness(&s->law, (const double[6]){0.0}, C);
        if (!invert_crossing(&m->crossings[i])) return false;
        add_joint_stiffness(j, i, j->w->own / s->length, C);
    }
    return true;
}

static bool tangent(void *of, const solve_instant *at, const configuration *x,
                    const tangent_weights *w, double *matrix, double *r, double *powers) {
    relative_memory *m = of;
    net_job j = load(m, at, x);
    j.w = w;
    j.to = net_matrix_at(m->net.of, matrix);
    if (w->own != 0.0) return w->q == 0.0 && w->v == 0.0 && w->a == 0.0 && !r && add_material(&j);
    if (!add_tangents(&j, x)) return false;
    add_forces(&j, x);
    give(&j, r, powers);
    return true;
}

// ---------------------------------------------------------------- what follows, what jumps
static void rest(void *of, const solve_instant *at, double *q) {
    const net *c = ((const net_memory *)of)->of;
    (void)at;
    for (int i = 0; i < PER * c->n_segments; i++)
        q[i] = c->segments[i / PER].rest[i % PER] * c->segments[i / PER].length;
}

static double settle(void *of, const solve_instant *at, const configuration *x) {
    net_memory *m = of;
    load(of, at, x);
    return stretch_sections(m->of, m, m->trial);
}

static double begin(void *of, const solve_instant *at, bool fresh) {
    net_memory *m = of;
    double jumped = 0.0;
    if (fresh) {
        hold_nodes(m->of, m, at);
        keep_velocities(of);
        jumped = jump_nodes(m->of, m, at);
    }
    return jumped + follow_stretch(m->of, m);
}

static double energy(void *of, const solve_instant *at, const configuration *x) {
    net_memory *m = of;
    load(of, at, x);
    m->coordinates = x->q;
    const double sum = net_own_energy(m->of, m, m->trial, at->inputs);
    m->coordinates = m->solve.q;
    return sum;
}

// ---------------------------------------------------------------- points
static void move(void *of, const solve_instant *at, const configuration *x, const double *dz,
                 const model_point *p, double moved[6]) {
    net_memory *m = of;
    const net_point point = point_of(m->of, p);
    load(of, at, x);
    held_motion(m->of, m);
    to_motions(of, dz, m->y);
    vec6_store(moved, point_motion(m->of, m, &point));
}

static void push(void *of, const solve_instant *at, const configuration *x, const model_point *p,
                 const double wrench[6], double *r) {
    relative_memory *m = of;
    const net *c = m->net.of;
    const net_point point = point_of(c, p);
    load(m, at, x);
    memset(m->net.r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
    push_point(c, &m->net, &point, vec6_load(wrench));
    to_forces(m, m->net.r, m->residual);
    for (int i = 0; i < PER * c->n_segments; i++) r[i] += m->residual[i];
}

// ---------------------------------------------------------------- a part
static const mechanics relative_mechanics = {.residual = residual,
                                             .tangent = tangent,
                                             .rest = rest,
                                             .settle = settle,
                                             .begin = begin,
                                             .snapped = net_snapped,
                                             .energy = energy,
                                             .lacks_potential = net_lacks_energy,
                                             .anew = net_anew,
                                             .move = move,
                                             .push = push};

solve_part relative_part(const void *compiled, void *memory, int index) {
    const net *c = compiled;
    relative_memory *m = memory;
    (void)index;
    return (solve_part){.how = &relative_mechanics,
                        .of = m,
                        .linear = &relative_linear,
                        .name = c->rods[0].name,
                        .n_x = PER * c->n_segments,
                        .n_q = PER * c->n_segments,
                        .n_l = c->n_unknown,
                        .n_matrix = (int)net_matrix_size(c),
                        .unit = c->unit,
                        .m = m ? &m->net.solve : NULL};
}

double relative_finish(const void *compiled, void *memory, const model_call *call,
                       const solve_instant *at, shape_origin from, td_status *status) {
    net_memory *m = memory;
    solve_instant end = *at;
    const bool moved = from == SHAPE_MOVED;
    const bool rests = from == SHAPE_IN_EQUILIBRIUM;
    const configuration x = {m->solve.q, m->solve.l, rests ? NULL : m->solve.v, m->solve.a};
    end.soft = moved && chosen_needed(compiled);
    const net_job j = load(memory, &end, &x);
    if (!moved || end.soft) add_forces(&j, &x);
    return keep_net(m, call, from, status);
}
