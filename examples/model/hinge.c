// hinge - the smallest model there can be, to start a new one from (docs/adding-a-model.md).
//
// Each rod is a stiff bar on an elastic hinge at its base, which turns about its local y axis. The
// hinge has the stiffness 4 EI/L: the tip of a horizontal bar then sinks as that of a uniform beam
// under its own weight.
// No shear, extension, torsion, tendons, chambers, loads; gravity alone moves it.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "math/quat.h"
#include "model/model.h"

typedef struct bar {
    vec3 base;
    quat turned;
    double length, mass, inertia;  // m, kg, kg m^2 about the hinge
    double stiffness, damping;     // N m/rad, N m s/rad
} bar;

typedef struct hinges {  // what compile makes: never changes, shared by all states
    int n, max_iterations;
    double tolerance;
    td_number gravity[3];
    bar bars[];
} hinges;

typedef struct hinges_memory {
    double *angles, *rates;  // (n each) rad, rad/s; kept
    double *dissipated;      // (1) J; kept
} hinges_memory;

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

static void *compile(const td_robot *robot, const td_options *options, td_error *err) {
    hinges *h = malloc(sizeof *h + sizeof(bar) * (size_t)robot->n_rods);
    if (!h) {
        error_set(err, TD_ERR_MEMORY, NULL, "out of memory");
        return NULL;
    }
    h->n = robot->n_rods;
    h->max_iterations = options->max_iterations;
    h->tolerance = options->tolerance;
    for (int k = 0; k < 3; k++) h->gravity[k] = robot->gravity[k];
    for (int i = 0; i < h->n; i++) h->bars[i] = make_bar(&robot->rods[i]);
    return h;
}

static void release(void *compiled) {
    free(compiled);
}

// ---------------------------------------------------------------- memory
static void *layout(const void *compiled, arena *keep, arena *work) {
    const hinges *h = compiled;
    hinges_memory *m = ARENA_TAKE(work, hinges_memory, 1);
    hinges_memory placed = {.angles = ARENA_TAKE(keep, double, h->n),
                            .rates = ARENA_TAKE(keep, double, h->n),
                            .dissipated = ARENA_TAKE(keep, double, 1)};
    if (m) *m = placed;
    return m;
}

static void reset(const void *compiled, void *memory, const model_call *call) {
    (void)call;
    const hinges *h = compiled;
    hinges_memory *m = memory;
    for (int i = 0; i < h->n; i++) m->angles[i] = m->rates[i] = 0.0;
    *m->dissipated = 0.0;
}

// ---------------------------------------------------------------- solving
// Gravity in the frame of the base.
static vec3 gravity_on(const hinges *h, const bar *b, const double *inputs) {
    vec3 g = {number_value(h->gravity[0], inputs), number_value(h->gravity[1], inputs),
              number_value(h->gravity[2], inputs)};
    return quat_rotate(quat_conj(b->turned), g);
}

// Newton for  c (angle - predicted) + d (angle - before) + k angle = m L/2 (g_x cos - g_z sin).
// c = I/dt^2 and d = damping/dt; both are 0 in statics.
static td_status solve(const hinges *h, const bar *b, const model_call *call, double c, double d,
                       double predicted, double before, double *angle) {
    vec3 g = gravity_on(h, b, call->inputs);
    double weight = 0.5 * b->mass * b->length, a = before, change = 0.0;
    for (int i = 0; i < h->max_iterations; i++) {
        double pull = weight * (g.x * cos(a) - g.z * sin(a));
        double slope = weight * (g.x * sin(a) + g.z * cos(a));
        change = -(c * (a - predicted) + d * (a - before) + b->stiffness * a - pull) /
                 (c + d + b->stiffness + slope);
        a += change;
        call->stats->iterations++;
        call->stats->residual = fabs(change);
        if (fabs(change) < h->tolerance) {
            *angle = a;
            return TD_OK;
        }
    }
    snprintf(call->message, MODEL_MESSAGE_SIZE,
             "hinge: the last correction of the angle is %.3g rad after %d iterations (tolerance "
             "%.3g); try a smaller step",
             change, h->max_iterations, h->tolerance);
    return TD_ERR_NOT_CONVERGED;
}

static td_status statics(const void *compiled, void *memory, const model_call *call) {
    const hinges *h = compiled;
    hinges_memory *m = memory;
    *m->dissipated = 0.0;
    for (int i = 0; i < h->n; i++) {
        td_status status = solve(h, &h->bars[i], call, 0, 0, 0, m->angles[i], &m->angles[i]);
        if (status < 0) return status;
        m->rates[i] = 0.0;
    }
    return TD_OK;
}

// Backward Euler. It needs no past, so `fresh` makes no difference.
static td_status step(const void *compiled, void *memory, const model_call *call, double dt,
                      bool fresh) {
    (void)fresh;
    const hinges *h = compiled;
    hinges_memory *m = memory;
    for (int i = 0; i < h->n; i++) {
        const bar *b = &h->bars[i];
        double before = m->angles[i], predicted = before + dt * m->rates[i];
        td_status status = solve(h, b, call, b->inertia / (dt * dt), b->damping / dt, predicted,
                                 before, &m->angles[i]);
        if (status < 0) return status;
        m->rates[i] = (m->angles[i] - before) / dt;
        *m->dissipated += dt * b->damping * m->rates[i] * m->rates[i];
    }
    return TD_OK;
}

// ---------------------------------------------------------------- reading
static td_sample sample(const void *compiled, const void *memory, int rod, double s) {
    const bar *b = &((const hinges *)compiled)->bars[rod];
    const hinges_memory *m = memory;
    double half = 0.5 * m->angles[rod];
    quat q = quat_mul(b->turned, (quat){cos(half), 0.0, sin(half), 0.0});
    vec3 p = vec3_add(b->base, quat_rotate(q, (vec3){0.0, 0.0, s}));
    td_sample out = {.pose = {.p = {p.x, p.y, p.z}},
                     .strain = {0, 0, 0, 0, 0, 1},
                     .velocity = {0, m->rates[rod], 0, s * m->rates[rod], 0, 0}};
    quat_store(out.pose.q, q);
    return out;
}

static td_energy energy(const void *compiled, const void *memory, const double *inputs) {
    const hinges *h = compiled;
    const hinges_memory *m = memory;
    td_energy e = {.dissipated = *m->dissipated};
    for (int i = 0; i < h->n; i++) {
        const bar *b = &h->bars[i];
        const td_sample centre = sample(compiled, memory, i, 0.5 * b->length);
        e.kinetic += 0.5 * b->inertia * m->rates[i] * m->rates[i];
        e.elastic += 0.5 * b->stiffness * m->angles[i] * m->angles[i];
        for (int k = 0; k < 3; k++)
            e.gravity -= b->mass * number_value(h->gravity[k], inputs) * centre.pose.p[k];
    }
    return e;
}

extern const td_model model_hinge;
const td_model model_hinge = {
    .name = "hinge",
    .title = "stiff bars on elastic hinges, to start a model from",
    .reference = "docs/adding-a-model.md",
    .features = 1u << TD_FEATURE_STATICS | 1u << TD_FEATURE_DYNAMICS | 1u << TD_FEATURE_KIRCHHOFF |
                1u << TD_FEATURE_MANY_RODS,
    .compile = compile,
    .release = release,
    .layout = layout,
    .reset = reset,
    .statics = statics,
    .step = step,
    .sample = sample,
    .energy = energy,
};
