// model/cosserat/cosserat.c - the Cosserat and Kirchhoff rod of Till, Aloi & Rucker 2019.
//
// Rods with bending, torsion, shear and extension (or, after Kirchhoff, without the last two),
// Kelvin-Voigt damping, drag, gravity, point and distributed loads, on bases that may move. Time is
// discretised first, by an implicit formula; what remains is a boundary value problem along each
// rod. u is the curvature in the body frame, s the arc length of the undeformed rod. Rods are free, or
// held together by bodies and joints; tendons and chambers actuate them.
#include <string.h>

#include "solve/engines.h"
#include "model/cosserat/assembly.h"
#include "model/cosserat/step_slopes.h"
#include "model/cosserat/contact.h"
#include "model/cosserat/lanes/lanes.h"
#include "model/cosserat/scheme.h"

extern const space_scheme scheme_shooting, scheme_collocation, scheme_chebyshev;

const space_scheme *scheme_of(td_space space) {
    static const space_scheme *const schemes[] = {[TD_SHOOTING] = &scheme_shooting,
                                                  [TD_COLLOCATION] = &scheme_collocation,
                                                  [TD_CHEBYSHEV] = &scheme_chebyshev};
    return schemes[space];
}

// ---------------------------------------------------------------- memory
static void *layout(const void *compiled, arena *keep, arena *work) {
    const cosserat *c = compiled;
    cosserat_memory *m = ARENA_TAKE(work, cosserat_memory, 1);
    rod_memory *rods = ARENA_TAKE(work, rod_memory, c->n_rods);
    cosserat_time *time = ARENA_TAKE(keep, cosserat_time, 1);
    double *half_loads = ARENA_TAKE(work, double, c->n_inputs);
    double *half_inputs = ARENA_TAKE(work, double, c->n_inputs);
    double *half_rates = ARENA_TAKE(work, double, c->n_inputs);
    cosserat_memory whole = {.time = time,
                             .rods = rods,
                             .half_loads = half_loads,
                             .half_inputs = half_inputs,
                             .half_rates = half_rates};
    for (int i = 0; i < c->n_rods; i++)
        rod_layout(c, &c->rods[i], keep, work, rods ? &rods[i] : NULL);
    assembly_layout(c, keep, work, &whole);
    if (m) *m = whole;
    return m;
}

// Tendons that do not pull at their start.
static int count_slack(const rod *r, const rod_memory *m) {
    int n = 0;
    for (int k = 0; k < r->n_actuators; k++) {
        const rod_actuator *ra = &r->actuators[k];
        bool given = ra->a->control == CONTROL_EFFORT;
        n += is_slack(ra, given ? m->given_now[k] : m->efforts[0][ra->effort + ra->n_efforts - 1]);
    }
    return n;
}

void note_resolution(const cosserat *c, const cosserat_memory *m, td_stats *stats) {
    stats->slack = 0;
    for (int i = 0; i < c->n_rods; i++) stats->slack += count_slack(&c->rods[i], &m->rods[i]);
    for (int i = 0; c->scheme->resolution && i < c->n_rods; i++) {
        double now = c->scheme->resolution(&c->rods[i], &m->rods[i]);
        if (now > stats->resolution) stats->resolution = now;
    }
}

// The rest shape: no loads, no wrench, no strain.
static void reset_rod(const cosserat *c, const rod *compiled, rod_memory *m,
                      const model_call *call) {
    if (compiled->follows) *m->stretch = 1.0;
    if (compiled->n_inner) memset(m->inner, 0, sizeof(double) * (size_t)compiled->n_inner);
    m->then = m->inner;
    m->elapsed = HUGE_VAL;
    rod_prepare(compiled, m, call->inputs, 0.0);
    const rod *r = m->r;
    memset(m->trial_slips, 0,
           sizeof(double) * CONTACT_KEPT * (size_t)r->n_obstacles * ((size_t)r->n_nodes + 1));
    if (r->meets)
        memset(m->pushes, 0, sizeof *m->pushes * (size_t)(r->n_nodes + r->n_elements + 1));
    memset(m->history, 0, sizeof(double) * F_SIZE * (size_t)r->n_nodes);
    memset(m->end_history, 0, r->ridden ? sizeof(double) * 6 * (size_t)r->n_elements : 0);
    memset(m->passed_history, 0, sizeof(double) * (size_t)r->n_points);
    memset(m->unknowns[0], 0, sizeof(double) * (size_t)c->scheme->n_unknowns(r));
    rod_problem p = {.r = r,
                     .options = &c->options,
                     .m = m,
                     .base = rod_base_at(r, 1.0, call->inputs, NULL),
                     .stats = call->stats};
    c->scheme->evaluate(&p, m->unknowns[0]);
    c->scheme->settle(r, m, m->unknowns[0]);
    memory_accept(r, m);
    memset(m->grips, 0, sizeof(double) * (size_t)r->n_points);
    *m->sticks = 0.0;
    memory_rest_tendons(r, m);
    m->lengths[1] = m->lengths[2] = m->lengths[0];
}

static void reset(const void *compiled, void *memory, const model_call *call) {
    const cosserat *c = compiled;
    cosserat_memory *m = memory;
    m->engines = engines_stages(call->engines);
    for (int i = 0; i < c->n_rods; i++) {
        m->rods[i].engines = engines_stages(call->engines);  // of the state, as long as it lives
        reset_rod(c, &c->rods[i], &m->rods[i], call);
    }
    cosserat_follow(c, m);
    assembly_reset(c, m, call);
    *call->stats = (td_stats){0};
}

// ---------------------------------------------------------------- helpers
// Threads are worth having where an assembly has several rods.
static bool wants_helpers(const void *compiled) {
    const cosserat *c = compiled;
    for (int i = 0; i < c->n_assemblies; i++)
        if (c->assemblies[i].n_rods > 1) return c->options.threads > 1;
    return false;
}

static bool attach_helpers(const void *compiled, void *memory) {
    cosserat_memory *m = memory;
    m->helpers = pool_create(((const cosserat *)compiled)->options.threads - 1);
    return m->helpers != NULL;
}

static void detach_helpers(void *memory) {
    cosserat_memory *m = memory;
    pool_destroy(m->helpers);
}

static td_sample sample(const void *compiled, const void *memory, int rod_index, double s) {
    const cosserat *c = compiled;
    const cosserat_memory *m = memory;
    const rod_memory *mr = &m->rods[rod_index];
    const rod *r = rod_of_length(&c->rods[rod_index], mr, mr->lengths[0]);
    td_sample out = c->scheme->sample(r, mr, s);
    if (r->n_obstacles) contact_sample(r, mr, s, &out);
    if (r->meets) pairs_along(c, (cosserat_memory *)memory, rod_index, s, &out);  // scratch
    return out;
}

static const char *note(const void *compiled, int index) {
    return notes_get(&((const cosserat *)compiled)->notes, index);
}

extern const td_model model_cosserat;
const td_model model_cosserat = {
    .name = "cosserat",
    .title = "Cosserat and Kirchhoff rods, implicit in time",
    .reference = "Till, Aloi & Rucker 2019",
    .reads = (const char *const[]){"theory", "rotary_inertia", "time", "space", "solver", NULL},
    .slopes = true,
    .features = 1ull << TD_FEATURE_STATICS | 1ull << TD_FEATURE_DYNAMICS |
                1ull << TD_FEATURE_SHEAR_EXTENSION | 1ull << TD_FEATURE_KIRCHHOFF |
                1ull << TD_FEATURE_PRE_CURVATURE | 1ull << TD_FEATURE_PIECES |
                1ull << TD_FEATURE_POINT_LOADS | 1ull << TD_FEATURE_DISTRIBUTED_LOADS |
                1ull << TD_FEATURE_FOLLOWER_LOADS | ANY_SURROUNDING |
                1ull << TD_FEATURE_ADDED_MASS | 1ull << TD_FEATURE_BASE_MOTION |
                1ull << TD_FEATURE_MANY_RODS | ANY_ACTUATOR | ANY_SECTION_DRIVE |
                1ull << TD_FEATURE_TENDON_FRICTION | 1ull << TD_FEATURE_BODIES |
                1ull << TD_FEATURE_JOINTS | 1ull << TD_FEATURE_FEED | 1ull << TD_FEATURE_RUBBER |
                1ull << TD_FEATURE_RELAXATION | 1ull << TD_FEATURE_FIBRES |
                1ull << TD_FEATURE_SUPERELASTIC | 1ull << TD_FEATURE_HYSTERESIS |
                1ull << TD_FEATURE_POWER_DAMPING | 1ull << TD_FEATURE_MEAN_STRETCH |
                1ull << TD_FEATURE_COUPLED_SECTIONS | 1ull << TD_FEATURE_OBSTACLES |
                1ull << TD_FEATURE_BODY_CONTACT | 1ull << TD_FEATURE_PART_CONTACT |
                1ull << TD_FEATURE_FREE_BASES | 1ull << TD_FEATURE_DRIVEN_ENDS |
                1ull << TD_FEATURE_SPRING_JOINTS | 1ull << TD_FEATURE_JOINT_MOTORS |
                1ull << TD_FEATURE_BODY_JOINTS,
    .compile = cosserat_compile,
    .release = cosserat_release,
    .note = note,
    .layout = layout,
    .outside = wants_helpers,
    .attach = attach_helpers,
    .detach = detach_helpers,
    .reset = reset,
    .step = cosserat_step,
    .step_slopes = cosserat_step_slopes,
    .n_parts = cosserat_n_parts,
    .part = cosserat_part,
    .part_of = cosserat_part_of,
    .motion = cosserat_motion,
    .coordinate = cosserat_coordinate,
    .take = cosserat_take,
    .finish = cosserat_finish,
    .scheme = cosserat_scheme,
    .sample = sample,
    .energy = cosserat_energy,
    .length = cosserat_length,
    .actuator = cosserat_actuator,
    .effort = cosserat_effort,
    .body = cosserat_body,
    .contacts = cosserat_contacts,
    .reaction = cosserat_reaction,
    .hold_reaction = cosserat_hold_reaction,
    .acceleration = cosserat_acceleration,
    .lanes = &cosserat_in_lanes,
};
