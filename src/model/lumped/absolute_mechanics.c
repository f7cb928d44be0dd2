// model/lumped/absolute_mechanics.c - a net in absolute states: points (p, Q) and
// twists (w, V) of its free nodes, which move along screws. Reactions of joints are inside the blocks, unknown efforts border them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/lumped/point.h"

#define N_X 7       // numbers of a node's point
#define STOUT 1e-4  // EI/(EA L^2): as thick as a 50th of its length

// ---------------------------------------------------------------- evaluations
static node_state load_point(const double *q) {
    return (node_state){.p = vec3_load(q), .q = quat_load(q + 3)};
}

static void store_point(const node_state *x, double *q) {
    vec3_store(q, x->p);
    quat_store(q + 3, x->q);
}

static net_job load(net_memory *m, const solve_instant *at, const configuration *x) {
    begin_load(m, at, x);
    for (int i = 0; i < m->of->n_free; i++) {
        m->trial[i] = load_point(x->q + N_X * i);
        m->trial_rates[i] = (node_rates){vec3_zero(), vec3_zero()};
        if (x->v)
            put_twist(x->v + 6 * i, x->a ? x->a + 6 * i : NULL, &m->trial[i], &m->trial_rates[i]);
    }
    return job_of(m, at, x);
}

// What gives way decides the efforts, then all forces follow.
static void soften(net_job j) {
    const net *c = j.c;
    j.w = NULL;
    assemble(&j);
    for (int i = 0; i < c->n_actuators; i++)
        if (c->unknown[i] >= 0) j.m->trial_efforts[i] = effort_at(&j, i);
}

static void evaluate(const net_job *j, const configuration *x) {
    (void)x;
    if (j->at->soft && j->c->n_unknown > 0) soften(*j);
    assemble(j);
}

bool net_tangent(void *of, const solve_instant *at, const configuration *x,
                 const tangent_weights *w, double *matrix, double *r, double *powers) {
    net_memory *m = of;
    net_job j = load(m, at, x);
    j.w = w;
    j.by_velocity = w->q == 0.0 && w->own == 0.0;
    j.to = net_matrix_at(m->of, matrix);
    if (w->own != 0.0) {
        j.moves = false;
        assemble_material(&j);
        return w->q == 0.0 && w->v == 0.0 && w->a == 0.0 && !r;
    }
    evaluate(&j, x);
    net_give(&j, r, powers);
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
    for (int i = 0; i < c->n_free; i++, q += N_X, v += 6, x_t += N_X) screw_flow(q, v, x_t);
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

// ---------------------------------------------------------------- a part
static void to_nodes(const net_memory *m, const double *dz, double *z) {
    memcpy(z, dz, sizeof(double) * 6 * (size_t)m->of->n_free);
}

// What nodes leave is what is solved for.
static void from_nodes(net_memory *m) {
    (void)m;
}

static const net_states states = {load, evaluate, to_nodes, from_nodes};

static const mechanics net_mechanics = {NET_MECHANICS,
                                        .tangent = net_tangent,
                                        .slopes = net_slopes,
                                        .strains = net_strains,
                                        .retract = retract,
                                        .advance = advance,
                                        .rate_change = rate_change,
                                        .flow = flow,
                                        .size = size,
                                        .rest = rest,
                                        .begin = net_begin,
                                        .base = net_base,
                                        .carrier = net_carrier};

void use_absolute_states(net_memory *m) {
    m->states = &states;
    m->balance = m->r;
}

// Nodes of a rod are numbered from its base, which is 0 and has coordinates only where it turns in a joint; its last
// is its tip.
coordinate_words net_coordinate(const void *compiled, int part, int k) {
    const net *c = compiled;
    const int node = k / 6;
    coordinate_words out = {.rod = -1, .body = -1, .unit = frame_units[k % 6]};
    (void)part;
    if (node >= c->first_body) {
        out.body = 0;
        while (c->bodies[out.body].node != node || c->bodies[out.body].apart) out.body++;
        snprintf(out.what, sizeof out.what, "%s", frame_words[k % 6]);
        return out;
    }
    int number = 0, i = 0;
    for (; i < c->n_segments; i++) {
        const segment *s = &c->segments[i];
        number = i - c->rods[s->rod].first;
        if (number == 0 && place_is_on(&s->a, node)) break;
        number++;
        if (place_is_on(&s->b, node)) break;
    }
    ASSERT(i < c->n_segments);
    out.rod = c->segments[i].rod;
    snprintf(out.what, sizeof out.what, "node%d.%s", number, frame_words[k % 6]);
    return out;
}

// Of rods that are held at both ends, EI/(EA L^2) against that of one which is put together easily.
static double softest(const net *c) {
    double least = 1.0;
    for (int i = 0; i < c->n_rods; i++) {
        const net_rod *r = &c->rods[i];
        const double *K = c->segments[r->first].law.stiffness;
        if (!r->free_tip)
            least = fmin(least, fmin(K[0], K[1]) / (K[5] * r->length * r->length) / STOUT);
    }
    return least < 1.0 ? least : 0.0;
}

solve_part net_part(const void *compiled, void *memory, int index) {
    const net *c = compiled;
    net_memory *m = memory;
    (void)index;
    if (m) net_use(c, m);
    solve_part p = {.how = &net_mechanics,
                    .middle = keeps_momenta(c) ? &net_middle : NULL,
                    .of = m,
                    .linear = &net_linear,
                    .name = c->rods[0].name,
                    .noun = c->n_rods ? NULL : "body",
                    .n_x = N_X * c->n_free,
                    .n_q = 6 * c->n_free,
                    .n_l = c->n_border,
                    .n_matrix = (int)net_matrix_size(c),
                    .unit = c->unit,
                    .n_frames = c->n_free,
                    .twists = true,
                    .n_bases = c->n_nodes - c->n_free,
                    .n_nodes = c->n_free,
                    .band = c->band,
                    .n_slopes = net_slopes_size(c),
                    .softest = softest(c),
                    .floats = c->n_pivots + c->n_bonds > 0,
                    .led = c->n_bonds > 0,
                    .n_kept = net_n_kept(c),
                    .n_shape = net_n_shape(c),
                    .rubs_itself = pairs_rub(&c->contacts),
                    .n_stretches = c->follows ? c->n_rods : 0,
                    .stretches = m ? m->stretches : NULL,
                    .m = m ? &m->solve : NULL};
    p.n_relaxing = net_n_relaxing(c, &p.n_flows);
    touch_part(&c->touch, m ? &m->touch : NULL, &p);
    if (c->contacts.n) touch_kinks(&p);
    return p;
}
