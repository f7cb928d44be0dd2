// model/lumped/mechanics.c - a net in absolute states as src/solve asks for it: points (p, Q) and
// twists (w, V) of its free nodes, which move along screws. Reactions of joints are inside the blocks, unknown efforts border them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/lumped/point.h"

#define N_X 7        // numbers of a node's point
#define COARSE 0.03  // stats.resolution: a segment that bends by 49 deg

// ---------------------------------------------------------------- evaluations
static node_state load_point(const double *q) {
    return (node_state){.p = vec3_load(q), .q = quat_load(q + 3)};
}

// Into the world: v = R V, v' = R (V' + w x V). a NULL: the twist stays.
static void load_twist(const double *v, const double *a, node_state *x, node_rates *t) {
    const mat3 R = quat_to_mat3(x->q);
    const vec3 V = vec3_load(v + 3), swing = vec3_cross(vec3_load(v), V);
    x->w = vec3_load(v);
    x->v = mat3_mul_vec(&R, V);
    t->w = a ? vec3_load(a) : vec3_zero();
    t->v = mat3_mul_vec(&R, a ? vec3_add(swing, vec3_load(a + 3)) : swing);
}

static void store_point(const node_state *x, double *q) {
    vec3_store(q, x->p);
    quat_store(q + 3, x->q);
}

void begin_load(net_memory *m, const solve_instant *at, const configuration *x) {
    const net *c = m->of;
    use_sections(c, m);
    hold_nodes(c, m, at);
    for (int i = 0; i < c->n_actuators; i++)
        m->trial_efforts[i] = c->unknown[i] >= 0 && !at->soft ? x->l[c->unknown[i]] : 0.0;
}

static void load(net_memory *m, const solve_instant *at, const configuration *x) {
    begin_load(m, at, x);
    for (int i = 0; i < m->of->n_free; i++) {
        m->trial[i] = load_point(x->q + N_X * i);
        m->trial_rates[i] = (node_rates){vec3_zero(), vec3_zero()};
        if (x->v)
            load_twist(x->v + 6 * i, x->a ? x->a + 6 * i : NULL, &m->trial[i], &m->trial_rates[i]);
    }
}

net_job job_of(net_memory *m, const solve_instant *at, const configuration *x) {
    return (net_job){.c = m->of,
                     .m = m,
                     .at = at,
                     .x = m->trial,
                     .rates = x->v ? m->trial_rates : NULL,
                     .moves = x->v != NULL,
                     .efforts = m->trial_efforts};
}

// What gives way decides the efforts, then all forces follow.
static void soften(net_job j) {
    const net *c = j.c;
    j.w = NULL;
    assemble(&j);
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] >= 0)
            j.m->trial_efforts[i] = effort_at(&c->actuators[i], j.m->given[i], j.m->measures[i]);
}

void give_powers(const net_memory *m, double *powers) {
    if (!powers) return;
    powers[POWER_LOST] = m->lost;
    powers[POWER_GIVEN] = m->given_power;
}

static void evaluate(const net_job *j, double *r, double *powers) {
    net_memory *m = j->m;
    const size_t rows = 6 * (size_t)j->c->n_free;
    if (j->at->soft && j->c->n_unknown > 0) soften(*j);
    assemble(j);
    if (r) memcpy(r, m->r, sizeof(double) * rows);
    for (int k = 0; k < j->c->n_unknown && r && !j->at->soft; k++) r[rows + (size_t)k] = m->gap[k];
    give_powers(m, powers);
}

static void residual(void *of, const solve_instant *at, const configuration *x, double *r,
                     double *powers) {
    load(of, at, x);
    const net_job j = job_of(of, at, x);
    evaluate(&j, r, powers);
}

static bool tangent(void *of, const solve_instant *at, const configuration *x,
                    const tangent_weights *w, double *matrix, double *r, double *powers) {
    net_memory *m = of;
    load(m, at, x);
    net_job j = job_of(m, at, x);
    j.w = w;
    j.by_velocity = w->q == 0.0 && w->own == 0.0;
    j.to = net_matrix_at(m->of, matrix);
    if (w->own != 0.0) {
        j.moves = false;
        assemble_material(&j);
        return w->q == 0.0 && w->v == 0.0 && w->a == 0.0 && !r;
    }
    evaluate(&j, r, powers);
    return true;
}

// ---------------------------------------------------------------- the manifold
static void advance(void *of, const double *from, double h, const double *v, double *to) {
    const net *c = ((const net_memory *)of)->of;
    for (int i = 0; i < c->n_free; i++, from += N_X, v += 6, to += N_X) {
        const vec3 multipliers = vec3_madd(vec3_load(from), h, vec3_load(v + 3));
        screw_advance(from, h, v, to);
        if (c->only_turns[i]) vec3_store(to, multipliers);
    }
}

static void rate_change(void *of, const double *q, const double *v, double cv, const double *dz,
                        double *dv) {
    const net *c = ((const net_memory *)of)->of;
    for (int i = 0; i < c->n_free; i++, q += N_X, v += 6, dz += 6, dv += 6) {
        screw_rate_change(q, v, cv, dz, dv);
        if (c->only_turns[i]) vec3_store(dv + 3, vec3_scale(vec3_load(dz + 3), cv));
    }
}

static void retract(void *of, const double *from, double scale, const double *dz, double *to) {
    net_memory *m = of;
    const net *c = m->of;
    for (int i = 0; i < c->n_free; i++) m->trial[i] = load_point(from + N_X * i);
    memcpy(m->y, dz, sizeof(double) * 6 * (size_t)c->n_free);
    bend_and_shift(c, m, scale, m->trial);
    for (int i = 0; i < c->n_free; i++) store_point(&m->trial[i], to + N_X * i);
}

static void flow(void *of, const double *q, const double *v, double *x_t) {
    const net *c = ((const net_memory *)of)->of;
    for (int i = 0; i < c->n_free; i++, q += N_X, v += 6, x_t += N_X) {
        vec3_store(x_t, quat_rotate(quat_load(q + 3), vec3_load(v + 3)));
        quat_store(x_t + 3, quat_rate(quat_load(q + 3), vec3_load(v)));
    }
}

// The largest turn, or shift by the length of the longest rod.
static double size(void *of, int n, const double *dz) {
    const net *c = ((const net_memory *)of)->of;
    double most = 0.0;
    (void)n;
    for (int i = 0; i < c->n_free; i++) {
        const double turn = vec3_norm(vec3_load(dz + 6 * i));
        const double shift = vec3_norm(vec3_load(dz + 6 * i + 3)) / c->size;
        if (!(turn <= most)) most = turn;  // takes a NaN along
        if (!(shift <= most) && !c->only_turns[i]) most = shift;
    }
    return most;
}

static void rest(void *of, const solve_instant *at, double *q) {
    net_memory *m = of;
    place_nodes(m->of, at->places, m->trial);
    for (int i = 0; i < m->of->n_free; i++) store_point(&m->trial[i], q + N_X * i);
}

// ---------------------------------------------------------------- what follows, what jumps
static double settle(void *of, const solve_instant *at, const configuration *x) {
    net_memory *m = of;
    load(m, at, x);
    return stretch_sections(m->of, m, m->trial);
}

static double begin(void *of, const solve_instant *at, bool fresh) {
    net_memory *m = of;
    const double jumped = fresh ? jump_nodes(m->of, m, at) : 0.0;
    return jumped + follow_stretch(m->of, m);
}

// Is a string that does not stretch taut now and was slack before, or the other way round?
bool net_snapped(void *of, const double *before, const double *l) {
    const net *c = ((const net_memory *)of)->of;
    for (int i = 0; i < c->n_actuators; i++) {
        const actuator *a = &c->actuators[i];
        const double least = 1e-12 * a->rest;
        const int k = c->unknown[i];
        if (is_rigid_string(c, i) &&
            (a->slack_scale * before[k] > least) != (a->slack_scale * l[k] > least))
            return true;
    }
    return false;
}

static double energy(void *of, const solve_instant *at, const configuration *x) {
    net_memory *m = of;
    load(m, at, x);
    return net_own_energy(m->of, m, m->trial, at->inputs);
}

#define MOST_TURN 1.0  // rad, of what the world holds, from one shape to the next
bool net_anew(void *of, const double *before, const double *inputs) {
    return turn_between(((const net_memory *)of)->of, before, inputs) > MOST_TURN;
}

const char *net_lacks_energy(void *of, const solve_instant *at) {
    const net *c = ((const net_memory *)of)->of;
    const char *why = NULL;
    for (int i = 0; i < c->n_loads && !why; i++)
        why = load_lacks_potential(&c->loads[i].of, at->inputs);
    return why;
}

// ---------------------------------------------------------------- points
static void move(void *of, const solve_instant *at, const configuration *x, const double *dz,
                 const model_point *p, double moved[6]) {
    net_memory *m = of;
    const net *c = m->of;
    const net_point point = point_of(c, p);
    load(m, at, x);
    memcpy(m->y, dz, sizeof(double) * 6 * (size_t)c->n_free);
    held_motion(c, m);
    vec6_store(moved, point_motion(c, m, &point));
}

static void push(void *of, const solve_instant *at, const configuration *x, const model_point *p,
                 const double wrench[6], double *r) {
    net_memory *m = of;
    const net *c = m->of;
    const net_point point = point_of(c, p);
    load(m, at, x);
    memset(m->r, 0, sizeof(double) * 6 * (size_t)c->n_nodes);
    push_point(c, m, &point, vec6_load(wrench));
    for (int i = 0; i < 6 * c->n_free; i++) r[i] += m->r[i];
}

// ---------------------------------------------------------------- a part
static const mechanics net_mechanics = {.residual = residual,
                                        .tangent = tangent,
                                        .retract = retract,
                                        .advance = advance,
                                        .rate_change = rate_change,
                                        .flow = flow,
                                        .size = size,
                                        .rest = rest,
                                        .settle = settle,
                                        .begin = begin,
                                        .snapped = net_snapped,
                                        .energy = energy,
                                        .lacks_potential = net_lacks_energy,
                                        .anew = net_anew,
                                        .move = move,
                                        .push = push};

int net_n_parts(const void *compiled) {
    (void)compiled;
    return 1;
}

solve_part net_part(const void *compiled, void *memory, int index) {
    const net *c = compiled;
    net_memory *m = memory;
    (void)index;
    return (solve_part){.how = &net_mechanics,
                        .of = m,
                        .linear = &net_linear,
                        .name = c->rods[0].name,
                        .n_x = N_X * c->n_free,
                        .n_q = 6 * c->n_free,
                        .n_l = c->n_unknown,
                        .n_matrix = (int)net_matrix_size(c),
                        .unit = c->unit,
                        .n_frames = c->n_free,
                        .twists = true,
                        .n_nodes = c->n_free,
                        .band = c->band,
                        .m = m ? &m->solve : NULL};
}

// ---------------------------------------------------------------- after a solve or a step
double keep_net(net_memory *m, const model_call *call, shape_origin from, td_status *status) {
    const net *c = m->of;
    memcpy(m->nodes, m->trial, sizeof(node_state) * (size_t)c->n_nodes);
    memcpy(m->rates, m->trial_rates, sizeof(node_rates) * (size_t)c->n_nodes);
    for (int i = 0; i < c->n_actuators; i++) {
        const int k = c->unknown[i];
        m->efforts[i] = k < 0 ? m->given[i] : m->trial_efforts[i];
        if (k >= 0) m->solve.l[k] = m->efforts[i];
    }
    if (from != SHAPE_MOVED) stretch_sections(c, m, m->nodes);
    call->stats->slack = m->slack;
    *status = check_turns(c, m, call);
    if (*status == TD_OK && from == SHAPE_IN_EQUILIBRIUM && call->stats->resolution > COARSE &&
        !call->message[0])
        *status = say_coarse(c, m, call->message);
    return stored_energy(c, m, m->given);
}

double net_finish(const void *compiled, void *memory, const model_call *call,
                  const solve_instant *at, shape_origin from, td_status *status) {
    net_memory *m = memory;
    solve_instant end = *at;
    const bool moved = from == SHAPE_MOVED;
    const bool rests = from == SHAPE_IN_EQUILIBRIUM;
    const configuration x = {m->solve.q, m->solve.l, rests ? NULL : m->solve.v, m->solve.a};
    end.soft = moved && chosen_needed(compiled);
    load(m, &end, &x);
    const net_job j = job_of(m, &end, &x);
    if (!moved || end.soft) evaluate(&j, NULL, NULL);
    return keep_net(m, call, from, status);
}
