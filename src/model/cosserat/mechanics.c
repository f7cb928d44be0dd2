// model/cosserat/mechanics.c - an assembly as src/solve asks for it: how its equilibrium answers to
// inputs, loads and parameters. A point of its manifold is that of assembly.h, with all reactions; the
// matrix lives in the sweeps and the border of the assembly.
#include <math.h>
#include <string.h>

#include "model/cosserat/assembly.h"

#define PROBE_ANGLE 1e-5  // how far differences reach, as an angle over a rod

static const scheme_ports *ports_of(const cosserat *c) {
    const scheme_ports *ports = c->scheme->ports;
    return ports && ports->pose && ports->push ? ports : NULL;
}

int assembly_of_point(const cosserat *c, const model_point *at) {
    if (at->body < 0) return c->rods[at->rod].assembly;
    for (int k = 0; k < c->n_bodies; k++)
        if (c->bodies[k].body == at->body) return c->bodies[k].assembly;
    return -1;
}

static int rod_in(const assembly *a, int rod_index) {
    int i = 0;
    while (a->rods[i] != rod_index) i++;
    return i;
}

static int body_in(const cosserat *c, const assembly *a, int body) {
    int k = 0;
    while (c->bodies[a->bodies[k]].body != body) k++;
    return k;
}

// A point keeps its share of the length while a rod is fed: the tip stays the tip.
static double place_on_rod(const assembly_problem *p, int i, const model_point *at) {
    return at->s * (p->own->problems[i].r->length / p->m->rods[at->rod].lengths[0]);
}

se3 assembly_pose(const assembly_problem *p, const model_point *at) {
    if (at->body >= 0) return p->own->bodies[body_in(p->c, p->a, at->body)].T;
    const int i = rod_in(p->a, at->rod);
    return ports_of(p->c)->pose(&p->own->problems[i], place_on_rod(p, i, at));
}

// ---------------------------------------------------------------- the residual
// The shape of a point under the inputs of an instant. False: there is none.
static bool evaluate(assembly_problem *p, const solve_instant *at, const double *point, double *r) {
    p->inputs = at->inputs;
    p->base_inputs = at->places;
    assembly_prepare(p);
    return assembly_evaluate(p, point, r);
}

static void residual(void *of, const solve_instant *at, const configuration *c, double *r,
                     double *powers) {
    assembly_problem *p = of;
    (void)powers;
    if (!evaluate(p, at, c->q, r)) r[0] = (double)NAN;  // what follows is refused as not finite
}

// At rest; the matrix itself is made when it is factored.
static bool tangent(void *of, const solve_instant *at, const configuration *c,
                    const tangent_weights *w, double *matrix, double *r, double *powers) {
    if (w->q != 1.0 || w->v != 0.0 || w->a != 0.0 || w->own != 0.0 || !r) return false;
    (void)matrix;
    residual(of, at, c, r, powers);
    return isfinite(r[0]);
}

static void retract(void *of, const double *from, double scale, const double *dz, double *to) {
    assembly_move(of, from, scale, dz, to);
}

static double size(void *of, int n, const double *dz) {
    (void)n;
    return assembly_size(of, dz);
}

// Sections take the mean stretch of this shape.
static double settle(void *of, const solve_instant *at, const configuration *c) {
    const assembly_problem *p = of;
    double change = 0.0;
    (void)at;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = &p->c->rods[p->a->rods[i]];
        rod_memory *m = &p->m->rods[p->a->rods[i]];
        if (!r->follows || r->kirchhoff) continue;
        const double before = *m->stretch;
        rod_stretch(r, m, c->q + p->a->first[i], 6);
        change = fmax(change, fabs(*m->stretch - before));
    }
    return change;
}

// ---------------------------------------------------------------- linear operations
static bool factor(const solve_part *part, double *matrix, int *pivot) {
    (void)matrix, (void)pivot;
    return assembly_factor(part->of, true, NULL);
}

// The tangents of the joints are those of the shape last evaluated.
static void solve(const solve_part *part, const double *matrix, const int *pivot, double *b) {
    const assembly_problem *p = part->of;
    const int n = n_change(p->a);
    (void)matrix, (void)pivot;
    assembly_evaluate(p, part->m->tq, p->own->residual);
    for (int i = 0; i < n; i++) p->own->residual[i] = -b[i];
    assembly_solve(p, p->own->residual, b);
}

static const linear_ops sweep_ops = {.factor = factor, .solve = solve};

// ---------------------------------------------------------------- points
static td_pose place(void *of, const solve_instant *at, const configuration *c,
                     const model_point *point) {
    assembly_problem *p = of;
    td_pose out = {.q = {1.0}};
    if (!evaluate(p, at, c->q, p->own->residual)) return out;
    const se3 pose = assembly_pose(p, point);
    vec3_store(out.p, pose.p);
    quat_store(out.q, quat_from_mat3(&pose.R));
    return out;
}

// The pose of a point where the change dz leads.
static se3 pose_along(assembly_problem *p, const configuration *c, double reach, const double *dz,
                      const model_point *point) {
    assembly_move(p, c->q, reach, dz, p->own->points[1]);
    assembly_evaluate(p, p->own->points[1], p->own->points[2]);
    return assembly_pose(p, point);
}

// The input that moves bases at the rate 1; -1: none.
static int moving_input(const solve_instant *at, int n) {
    for (int i = 0; at->place_rates && i < n; i++)
        if (at->place_rates[i] != 0.0) return i;
    return -1;
}

static void move(void *of, const solve_instant *at, const configuration *c, const double *dz,
                 const model_point *point, double moved[6]) {
    assembly_problem *p = of;
    const double by = assembly_size(p, dz), reach = PROBE_ANGLE / by;
    const int input = moving_input(at, p->c->n_inputs);
    memset(moved, 0, 6 * sizeof *moved);
    evaluate(p, at, c->q, p->own->residual);
    if (by > 0.0) {
        const se3 before = pose_along(p, c, -reach, dz, point);
        const se3 after = pose_along(p, c, reach, dz, point);
        motion_between(&before, &after, 2.0 * reach, moved);
    }
    if (input < 0) return;
    double own[6], *inputs = p->m->half_inputs;
    const input_span over = input_span_of(p, input, at->inputs[input]);
    solve_instant side = *at;
    memcpy(inputs, at->inputs, sizeof(double) * (size_t)p->c->n_inputs);
    side.inputs = side.places = inputs;
    inputs[input] = over.low;
    evaluate(p, &side, c->q, p->own->residual);
    const se3 low = assembly_pose(p, point);
    inputs[input] = over.high;
    evaluate(p, &side, c->q, p->own->residual);
    const se3 high = assembly_pose(p, point);
    motion_between(&low, &high, over.high - over.low, own);
    for (int i = 0; i < 6; i++) moved[i] += own[i];
    evaluate(p, at, c->q, p->own->residual);
}

// ---------------------------------------------------------------- inputs and wrenches
// The residual is linear in loads, so one difference is exact for them, and nearly so for the rest.
static void by_input(void *of, const solve_instant *at, const configuration *c, int input,
                     double *dr) {
    assembly_problem *p = of;
    double *inputs = p->m->half_inputs, *low = p->own->points[2];
    const input_span over = input_span_of(p, input, at->inputs[input]);
    solve_instant side = *at;
    memcpy(inputs, at->inputs, sizeof(double) * (size_t)p->c->n_inputs);
    side.inputs = side.places = inputs;
    inputs[input] = over.low;
    residual(p, &side, c, low, NULL);
    inputs[input] = over.high;
    residual(p, &side, c, dr, NULL);
    for (int i = 0; i < n_change(p->a); i++) dr[i] = (dr[i] - low[i]) / (over.high - over.low);
    evaluate(p, at, c->q, p->own->residual);
}

static void push(void *of, const solve_instant *at, const configuration *c, const model_point *load,
                 const double wrench_world[6], double *r) {
    assembly_problem *p = of;
    double *bodies = r + p->a->first[p->a->n_rods];
    int body = -1;
    evaluate(p, at, c->q, p->own->residual);
    if (load->body >= 0) {
        body = body_in(p->c, p->a, load->body);
    } else {
        const int i = rod_in(p->a, load->rod), base = p->own->problems[i].r->base_body;
        ports_of(p->c)->push(&p->own->problems[i], place_on_rod(p, i, load), wrench_world,
                             r + p->a->first[i]);
        if (base >= 0) body = p->c->bodies[base].place;  // the rod hands it down
    }
    if (body < 0) return;
    const vec6 w = vec6_load(wrench_world);
    vec6_store(bodies + 6 * body, wrench_at(assembly_pose(p, load).p, w.a, w.l));
}

#define ANSWERS                                                                                    \
    .residual = residual, .tangent = tangent, .retract = retract, .size = size,                    \
    .by_input = by_input, .move = move, .place = place, .push = push
static const mechanics assembly_mechanics = {ANSWERS};
static const mechanics following_mechanics = {ANSWERS, .settle = settle};
static const mechanics no_mechanics = {.residual = residual};

int cosserat_n_parts(const void *compiled) {
    return ((const cosserat *)compiled)->n_assemblies;
}

int cosserat_part_of(const void *compiled, const model_point *at) {
    return assembly_of_point(compiled, at);
}

static const mechanics *mechanics_of(const cosserat *c, const assembly *a) {
    if (!ports_of(c)) return &no_mechanics;
    for (int i = 0; i < a->n_rods; i++)
        if (c->rods[a->rods[i]].follows) return &following_mechanics;
    return &assembly_mechanics;
}

solve_part cosserat_part(const void *compiled, void *memory, int index) {
    static const double present[3] = {1.0, 0.0, 0.0};
    const cosserat *c = compiled;
    const assembly *a = &c->assemblies[index];
    solve_part out = {.how = mechanics_of(c, a),
                      .linear = &sweep_ops,
                      .name = c->rods[a->rods[0]].name,
                      .n_x = n_point(a),
                      .n_q = n_change(a),
                      .n_matrix = 1,
                      .judged = true};
    if (!memory) return out;
    assembly_memory *own = &((cosserat_memory *)memory)->assemblies[index];
    own->asked = (assembly_problem){.c = c,
                                    .a = a,
                                    .m = memory,
                                    .own = own,
                                    .fraction = 1.0,
                                    .turn = 1.0,
                                    .stats = &own->asked_stats};
    out.of = &own->asked;
    out.m = &own->solve;
    for (int i = 0; i < a->n_rods; i++) {
        rod_memory *m = &own->asked.m->rods[a->rods[i]];
        m->r = rod_of_length(&c->rods[a->rods[i]], m, m->lengths[0]);
    }
    assembly_forget(&own->asked);
    assembly_recall(&own->asked, present, own->solve.q);
    return out;
}
