// hinge - the smallest model there can be, to start a new one from (docs/adding-a-model.md).
//
// Each rod is a stiff bar on an elastic hinge at its base, which turns about its local y axis. The
// hinge has the stiffness 4 EI/L: the tip of a horizontal bar then sinks as that of a uniform beam
// under its own weight.
// No shear, extension, torsion, tendons, chambers, loads; gravity alone moves it.
//
// It gives what it is: a residual, how its points move, its energy. Equilibria, steps, stability,
// Jacobians, compliance, sensitivities and inverse statics are made of that by src/solve.
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "math/quat.h"
#include "model/base.h"
#include "model/model.h"

typedef struct bar {
    vec3 base;
    quat turned;
    double length, mass, inertia;  // m, kg, kg m^2 about the hinge
    double stiffness, damping;     // N m/rad, N m s/rad
} bar;

typedef struct hinges {  // what compile makes: never changes, shared by all states
    int n;
    td_number gravity[3];
    bar bars[];
} hinges;

typedef struct moving_bar {  // what residual and its like are about
    const hinges *h;
    const bar *b;
    solve_memory solve;  // angle and rate of the bar, and what the solver needs
} moving_bar;

// ---------------------------------------------------------------- compile
static bar make_bar(const robot_rod *rod) {
    const td_piece_def *piece = &rod->pieces[0];
    td_section_properties p = piece_properties(piece, 0.0);
    double L = rod->length, m = p.mass * L;
    const td_number *at = rod->base.position;
    return (bar){.base = {at[0].value, at[1].value, at[2].value},
                 .turned = quat_load(rod->base.orientation),
                 .length = L,
                 .mass = m,
                 .inertia = m * L * L / 3.0,
                 .stiffness = 4.0 * p.stiffness[1] / L,
                 .damping = 4.0 * p.damping[1] / L};
}

static void *compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                     td_error *err) {
    (void)actuators;
    (void)options;
    hinges *h = malloc(sizeof *h + sizeof(bar) * (size_t)robot->n_rods);
    if (!h) {
        error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    h->n = robot->n_rods;
    for (int k = 0; k < 3; k++) h->gravity[k] = robot->gravity[k];
    for (int i = 0; i < h->n; i++) h->bars[i] = make_bar(&robot->rods[i]);
    return h;
}

static void release(void *compiled) {
    free(compiled);
}

// ---------------------------------------------------------------- what it is
//     r = I a + d v + k q - m L/2 (g_x cos q - g_z sin q)
static void residual(void *of, const solve_instant *at, const configuration *c, double *r,
                     double *powers) {
    const moving_bar *m = of;
    const bar *b = m->b;
    const vec3 g = quat_rotate(quat_conj(b->turned), numbers_at(m->h->gravity, at->inputs));
    const double pull = g.x * cos(*c->q) - g.z * sin(*c->q);
    *r = b->stiffness * *c->q - at->shares[SHARE_LOADS] * 0.5 * b->mass * b->length * pull;
    if (c->v) *r += b->damping * *c->v;
    if (c->a) *r += b->inertia * *c->a;
    if (powers) powers[POWER_LOST] = c->v ? b->damping * *c->v * *c->v : 0.0;
    if (powers) powers[POWER_GIVEN] = 0.0;
}

static quat turned_by(const bar *b, double angle) {
    return quat_mul(b->turned, (quat){cos(0.5 * angle), 0.0, sin(0.5 * angle), 0.0});
}

static td_pose pose_at(const bar *b, double angle, double s) {
    const quat turned = turned_by(b, angle);
    td_pose out;
    vec3_store(out.p, vec3_add(b->base, quat_rotate(turned, (vec3){0.0, 0.0, s})));
    quat_store(out.q, turned);
    return out;
}

static td_pose move(void *of, const solve_instant *at, const configuration *c, const double *dz,
                    const model_point *p, double moved[6]) {
    const bar *b = ((const moving_bar *)of)->b;
    (void)at;
    if (dz) vec3_store(moved, quat_rotate(b->turned, (vec3){0.0, *dz, 0.0}));
    if (dz) vec3_store(moved + 3, quat_rotate(turned_by(b, *c->q), (vec3){p->s * *dz, 0.0, 0.0}));
    return pose_at(b, *c->q, p->s);
}

static void rest(void *of, const solve_instant *at, double *q) {
    (void)of, (void)at;
    *q = 0.0;
}

static const mechanics bar_mechanics = {.residual = residual, .rest = rest, .move = move};
static const double one_radian = 1.0;

// ---------------------------------------------------------------- parts and memory
static int n_bars(const void *compiled) {
    return ((const hinges *)compiled)->n;
}

static solve_part bar_part(const void *compiled, void *memory, int index) {
    const hinges *h = compiled;
    moving_bar *m = memory ? (moving_bar *)memory + index : NULL;
    if (m) m->h = h, m->b = &h->bars[index];
    return (solve_part){.how = &bar_mechanics,
                        .of = m,
                        .name = "bar",
                        .n_x = 1,
                        .n_q = 1,
                        .unit = &one_radian,
                        .m = m ? &m->solve : NULL};
}

static void *layout(const void *compiled, arena *keep, arena *work) {
    const hinges *h = compiled;
    moving_bar *m = ARENA_TAKE(work, moving_bar, h->n);
    for (int i = 0; i < h->n; i++) {
        const solve_part p = bar_part(h, NULL, i);
        solve_layout(&p, keep, work, m ? &m[i].solve : NULL);
    }
    return m;
}

// ---------------------------------------------------------------- reading
static td_sample sample(const void *compiled, const void *memory, int rod, double s) {
    const bar *b = &((const hinges *)compiled)->bars[rod];
    const solve_memory *m = &((const moving_bar *)memory)[rod].solve;
    td_sample out = {.pose = pose_at(b, *m->q, s),
                     .strain = {0, 0, 0, 0, 0, 1},
                     .velocity = {0, *m->v, 0, s * *m->v, 0, 0}};
    return out;
}

// What is dissipated and what is given is summed up by the solver.
static td_energy energy(const void *compiled, const void *memory, const double *inputs) {
    const hinges *h = compiled;
    td_energy e = {0};
    for (int i = 0; i < h->n; i++) {
        const bar *b = &h->bars[i];
        const solve_memory *m = &((const moving_bar *)memory)[i].solve;
        const td_sample centre = sample(compiled, memory, i, 0.5 * b->length);
        e.kinetic += 0.5 * b->inertia * *m->v * *m->v;
        e.elastic += 0.5 * b->stiffness * *m->q * *m->q;
        e.gravity -= b->mass * vec3_dot(numbers_at(h->gravity, inputs), vec3_load(centre.pose.p));
    }
    return e;
}

extern const td_model model_hinge;
const td_model model_hinge = {
    .name = "hinge",
    .title = "stiff bars on elastic hinges, to start a model from",
    .reference = "docs/adding-a-model.md",
    .features = 1ull << TD_FEATURE_STATICS | 1ull << TD_FEATURE_DYNAMICS |
                1ull << TD_FEATURE_KIRCHHOFF | 1ull << TD_FEATURE_MANY_RODS,
    .compile = compile,
    .release = release,
    .layout = layout,
    .n_parts = n_bars,
    .part = bar_part,
    .sample = sample,
    .energy = energy,
};
