// model/tubes/mechanics.c - a bundle as src/solve asks for it: residual, tangent, and how its points move.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model/tubes/tubes.h"

#define PROBE 1e-6  // of inputs, over which differences reach

// ---------------------------------------------------------------- an instant
bundle_situation tubes_situation(const tubes *c, const bundle *b, const double *inputs,
                                 const double *rates, const double *accelerations) {
    bundle_situation s = {.inputs = inputs,
                          .base = base_moved(&b->base, inputs, b->moves ? rates : NULL,
                                             b->moves ? accelerations : NULL),
                          .gravity = environment_gravity(&c->around, inputs, 1.0),
                          .around = environment_is_uniform(&c->around) ? NULL : &c->around,
                          .share = 1.0,
                          .given = 1.0,
                          .soft = true};
    for (int j = 0; j < b->n; j++) {
        const td_number n = b->tubes[j].rotation;
        s.alpha[j] = number_value(n, inputs);
        s.alpha_t[j] = rates ? number_rate(n, rates) : 0.0;
        s.alpha_tt[j] = accelerations ? number_rate(n, accelerations) : 0.0;
    }
    return s;
}

// What moves tubes goes smoothly through a step, what else is given straight.
static bundle_situation situation_at(const bundle_at *w, const solve_instant *at,
                                     const configuration *x) {
    const bool moves = x->v || x->a || at->place_accelerations;
    bundle_situation s = tubes_situation(w->c, w->b, at->places, moves ? at->place_rates : NULL,
                                         moves ? at->place_accelerations : NULL);
    s.inputs = at->inputs;
    s.share = at->shares[SHARE_LOADS];
    s.gravity = environment_gravity(&w->c->around, at->inputs, s.share);
    s.given = at->shares[SHARE_DRIVES];
    s.unknown = at->soft ? w->m->held : x->l;
    s.soft = at->soft;
    s.moves = moves;
    s.engines = at->engines;
    s.rubs = x->v && at->shares[SHARE_FRICTION] > 0.0;
    for (int j = 0; j < w->b->n; j++) s.alpha[j] *= at->shares[SHARE_TURNS];
    w->m->shown = NULL;
    bundle_cut(w->b, &w->m->now, at->places);
    bundle_obstacles(w->b, &w->m->now, at->places, at->place_rates, at->shares[SHARE_HARDNESS]);
    return s;
}

// ---------------------------------------------------------------- the residual
static bool is_pushed(const bundle *b) {
    for (int j = 0; j < b->n; j++)
        if (b->tubes[j].translation.gain != 0.0) return true;
    return false;
}

// W, of tubes that are pushed and of a gravity that changes while strains are what they are; after which the shape is
// what it was.
static double power_of_pushing(const bundle_at *w, const solve_instant *at, bundle_situation s,
                               const configuration *x) {
    bundle_memory *m = &w->m->now;
    double power[2], most = 0.0;
    const bool weighs = vec3_norm(environment_gravity_rate(
                            &w->c->around, at->input_rates ? at->input_rates : w->m->probe)) > 0.0;
    if (!at->place_rates || (!is_pushed(w->b) && !(at->input_rates && weighs))) return 0.0;
    for (int i = 0; i < w->c->n_inputs; i++) most = fmax(most, fabs(at->place_rates[i]));
    const double e = most > 0.0 ? PROBE * w->b->length / fmax(most, 1e-3) : PROBE;
    const vec3 g = s.gravity, g_t = at->input_rates
                                        ? environment_gravity_rate(&w->c->around, at->input_rates)
                                        : vec3_zero();
    for (int side = 0; side < 2; side++) {
        const double h = side ? e : -e;
        for (int i = 0; i < w->c->n_inputs; i++)
            w->m->probe[i] = at->places[i] + h * at->place_rates[i];
        s.gravity = vec3_madd(g, h, g_t);
        bundle_cut(w->b, m, w->m->probe);
        bundle_move(w->b, m, &s, x->q, NULL, NULL);
        power[side] = bundle_potential(w->b, m, &s, x->q);
    }
    bundle_cut(w->b, m, at->places);
    s.gravity = g;
    bundle_move(w->b, m, &s, x->q, x->v, x->a);
    return (power[1] - power[0]) / (2.0 * e);
}

// After bundle_forces there.
static balance balance_at(const bundle_at *w, const solve_instant *at, const configuration *x,
                          int k) {
    const drive *d = &w->b->drives[k];
    const double given = actuator_given(d->a, at->inputs, at->shares[SHARE_DRIVES]);
    const supply from = actuator_supply(d->a, given, at->shares[SHARE_DRIVES], at->engines);
    return actuator_balance(d->a, from, x->l[d->unknown], w->m->now.measures[k]);
}

static void residual(void *of, const solve_instant *at, const configuration *x, double *r,
                     double *powers) {
    const bundle_at *w = of;
    bundle_memory *m = &w->m->now;
    const bundle_situation s = situation_at(w, at, x);
    bundle_move(w->b, m, &s, x->q, x->v, x->a);
    bundle_forces(w->b, m, &s, x->q, x->v, x->a, r);
    for (int k = 0; k < w->b->n_drives && !at->soft; k++)
        if (w->b->drives[k].unknown >= 0)
            r[w->b->n_q + w->b->drives[k].unknown] = balance_at(w, at, x, k).residual;
    if (!powers || !x->v) return;
    powers[POWER_LOST] = m->lost;
    powers[POWER_GIVEN] = m->given;
    powers[POWER_GIVEN] += bundle_field_power(w->b, m, &s, at->input_rates);
    powers[POWER_GIVEN] += power_of_pushing(w, at, s, x);
}

static bool tangent(void *of, const solve_instant *at, const configuration *x,
                    const tangent_weights *o, double *K, double *r, double *powers) {
    const bundle_at *w = of;
    const bundle *b = w->b;
    bundle_memory *m = &w->m->now;
    residual(of, at, x, r ? r : w->m->r, powers);
    const bundle_situation s = situation_at(w, at, x);
    bundle_tangent(w->b, m, &s, x->q, x->v, o, K);
    const int n = b->n_q + (at->soft ? 0 : b->n_unknown);
    efforts_make_room(b->n_q, n, K);
    for (int k = 0; k < b->n_drives && o->q != 0.0 && !at->soft; k++) {
        const drive *d = &b->drives[k];
        if (d->unknown < 0) continue;
        const balance eq = balance_at(w, at, x, k);
        drive_slopes(b, m, k, x->q, false, m->by_work);
        drive_slopes(b, m, k, x->q, true, m->by_measure);
        effort_put(d->a, &eq, o, b->n_q, m->by_work, m->by_measure, b->n_q + d->unknown, n, K);
    }
    return true;
}

// ---------------------------------------------------------------- shapes
// As if nothing twisted: the mean of what the tubes would like, by their stiffness.
static void rest(void *of, const solve_instant *at, double *q) {
    const bundle_at *w = of;
    const bundle *b = w->b;
    bundle_memory *m = &w->m->now;
    const shaft_now *shaft = m->shafts;
    const configuration none = {0};
    bundle_situation s = situation_at(w, at, &none);
    for (int j = 0; j < b->n; j++) {
        for (int i = 0; i < b->tubes[j].n_shafts; i++, shaft++)
            for (int k = 0; k < b->per; k++) q[b->tubes[j].first + i * b->per + k] = shaft->rest;
        for (int node = 0; node < b->n_nodes; node++)
            q[twist_at(b, j, node)] = m->sections[node * b->n + j].rest[2];
    }
    memset(q, 0, sizeof(double) * (size_t)b->n_u);
    bundle_move(b, m, &s, q, NULL, NULL);
    for (int node = 0; node < b->n_nodes; node++) {
        double sum[2] = {0.0, 0.0}, K = 0.0;
        for (int j = 0; j < b->n; j++) {
            const tube_section *sec = &m->sections[node * b->n + j];
            const double psi = m->nodes[node].psi[j], c = cos(psi), d = sin(psi);
            if (!m->elements[node / b->per].there[j]) continue;
            K += sec->K[0];
            sum[0] += sec->K[0] * (c * sec->rest[0] - d * sec->rest[1]);
            sum[1] += sec->K[0] * (d * sec->rest[0] + c * sec->rest[1]);
        }
        for (int i = 0; i < 2 && K > 0.0; i++) q[2 * node + i] = sum[i] / K;
    }
}

static double turn(void *of, const double *before, const double *inputs) {
    const bundle *b = ((const bundle_at *)of)->b;
    double most = 0.0;
    for (int j = 0; j < b->n; j++) {
        const td_number n = b->tubes[j].rotation;
        most = fmax(most, fabs(number_value(n, inputs) - (before ? number_value(n, before) : 0.0)));
    }
    return most;
}

static td_status possible(void *of, const double *inputs, char *message) {
    const bundle *b = ((const bundle_at *)of)->b;
    for (int j = 0; j < b->n; j++) {
        const tube_def *t = &b->tubes[j];
        const double beta = tube_beta(t, inputs);
        if (beta <= 1e-12 * b->length && t->as.length + beta > 1e-9 * b->length) continue;
        return tell(message, TD_ERR_VALUE,
                    "rod '%s': tube.translation is %.6g m: its back end must be at the base or "
                    "behind it, and its tip, %.6g m farther, beyond it",
                    t->name, beta, t->as.length);
    }
    return TD_OK;
}

static const char *lacks_potential(void *of, const solve_instant *at) {
    const bundle *b = ((const bundle_at *)of)->b;
    if (touch_rubs(&b->touch)) return "obstacles rub";
    for (int i = 0; i < b->n_loads; i++) {
        const char *why = load_lacks_potential(&b->loads[i].of, at->inputs);
        if (why) return why;
    }
    for (int i = 0; i < b->n_drives; i++)
        if (b->drives[i].a->path_volume) return "pressure does not work on the volume that counts";
    return NULL;
}

static void explain(void *of, const solve_instant *at, const configuration *x, char *message) {
    const bundle_at *w = of;
    effort_gap widest = {0};
    residual(of, at, x, w->m->r, NULL);
    for (int k = 0; k < w->b->n_drives; k++) {
        if (w->b->drives[k].unknown < 0) continue;
        const balance b = balance_at(w, at, x, k);
        effort_compare(w->b->drives[k].a, &b, &widest);
    }
    effort_explain(w->b->tubes[w->b->n - 1].name, &widest, message);
}

// ---------------------------------------------------------------- points
static tube_point place_of(const bundle_at *w, const model_point *p, const double *q,
                           const double *v) {
    return bundle_place(w->b, &w->m->now, w->c->tube_of[p->rod], p->s, q, v, NULL);
}

static td_pose pose_of(const tube_point *x, int tube) {
    const mat3 axes = tube_axes(&x->k, tube);
    return pose_from(&axes, x->k.p);
}

// With these inputs, which turn and push tubes, and this shape.
static tube_point place_under(const bundle_at *w, const solve_instant *at, const double *places,
                              const configuration *x, const model_point *p) {
    solve_instant now = *at;
    now.places = places;
    const bundle_situation s = situation_at(w, &now, &(configuration){.q = x->q});
    bundle_move(w->b, &w->m->now, &s, x->q, NULL, NULL);
    return place_of(w, p, x->q, NULL);
}

// What tubes do as inputs turn and push them and strains stay: by differences.
static void add_driven(const bundle_at *w, const solve_instant *at, const configuration *x,
                       const model_point *p, double moved[6]) {
    const int j = w->c->tube_of[p->rod], n = w->c->n_inputs;
    double most = 0.0;
    for (int i = 0; i < n; i++) most = fmax(most, fabs(at->place_rates[i]));
    if (most == 0.0) return;
    const double e = PROBE / most;
    tube_point side[2];
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++)
            w->m->probe[i] = at->places[i] + (k ? e : -e) * at->place_rates[i];
        side[k] = place_under(w, at, w->m->probe, x, p);
    }
    const mat3 a = tube_axes(&side[0].k, j), b = tube_axes(&side[1].k, j);
    const mat3 back = mat3_transpose(&a), by = mat3_mul(&b, &back);
    const vec3 turned = vec3_scale(so3_log(&by), 0.5 / e);
    const vec3 shifted = vec3_scale(vec3_sub(side[1].k.p, side[0].k.p), 0.5 / e);
    for (int i = 0; i < 3; i++) {
        moved[i] += (&turned.x)[i];
        moved[3 + i] += (&shifted.x)[i];
    }
}

static td_pose move(void *of, const solve_instant *at, const configuration *x, const double *dz,
                    const model_point *p, double moved[6]) {
    const bundle_at *w = of;
    const int j = w->c->tube_of[p->rod];
    solve_instant still = *at;
    still.place_rates = still.place_accelerations = NULL;
    const bundle_situation s = situation_at(w, &still, &(configuration){.q = x->q});
    bundle_move(w->b, &w->m->now, &s, x->q, dz, NULL);
    const tube_point at_p = place_of(w, p, x->q, dz);
    if (dz) {
        const vec3 t = mat3_column(&at_p.k.R, 2);
        vec3_store(moved, vec3_madd(at_p.k.w, at_p.k.spin[j], t));
        vec3_store(moved + 3, at_p.k.v);
        if (at->place_rates) add_driven(w, at, x, p, moved);
    }
    return pose_of(&at_p, j);
}

static void points(void *of, const solve_instant *at, const double *q, vec3 *p) {
    const bundle_at *w = of;
    const configuration x = {.q = q, .l = w->m->solve.l};
    const bundle_situation s = situation_at(w, at, &x);
    bundle_move(w->b, &w->m->now, &s, q, NULL, NULL);
    bundle_spots(w->b, &w->m->now, q, NULL);
    for (int i = 0; i < w->b->touch.n_points; i++) p[i] = w->m->now.spots[i].k.p;
}

// Where inputs jump in velocity, energies are of a base and of back ends that have the new one.
static double begin(void *of, const solve_instant *at, bool fresh) {
    const bundle_at *w = of;
    if (!fresh || !at->place_rates) return 0.0;
    memcpy(w->m->rates, at->place_rates, sizeof(double) * (size_t)w->c->n_inputs);
    w->m->shown = NULL;
    return 0.0;
}

static const mechanics bundle_mechanics = {.residual = residual,
                                           .tangent = tangent,
                                           .rest = rest,
                                           .begin = begin,
                                           .turn = turn,
                                           .possible = possible,
                                           .lacks_potential = lacks_potential,
                                           .explain = explain,
                                           .points = points,
                                           .move = move};

// ---------------------------------------------------------------- parts
int tubes_n_bundles(const void *compiled) {
    return ((const tubes *)compiled)->n_bundles;
}

int tubes_part_of(const void *compiled, const model_point *at) {
    return ((const tubes *)compiled)->bundle_of[at->rod];
}

solve_part tubes_part(const void *compiled, void *memory, int index) {
    const tubes *c = compiled;
    const bundle *b = &c->bundles[index];
    tubes_memory *m = memory;
    solve_part p = {.how = &bundle_mechanics,
                    .name = b->tubes[b->n - 1].name,
                    .needs = "tubes need a density",
                    .n_x = b->n_q,
                    .n_q = b->n_q,
                    .n_l = b->n_unknown,
                    .effort_unit = b->effort_unit,
                    .gives = true,
                    .unit = b->unit,
                    .left_behind = true,
                    .slopes = true};
    touch_part(&b->touch, m ? &m->bundles[index].now.touch : NULL, &p);
    if (!m) return p;
    m->at[index] = (bundle_at){c, b, &m->bundles[index]};
    p.of = &m->at[index];
    p.m = &m->bundles[index].solve;
    return p;
}

// "node3.curvature_x" of the outermost; "node3.twist" and "shaft1.node2.twist" of each.
coordinate_words tubes_coordinate(const void *compiled, int part, int k) {
    const bundle *b = &((const tubes *)compiled)->bundles[part];
    coordinate_words out = {.rod = b->tubes[b->n - 1].rod, .body = -1, .unit = "1/m"};
    if (k < b->n_u) {
        snprintf(out.what, sizeof out.what, "node%d.curvature_%c", k / 2 + 1, "xy"[k % 2]);
        return out;
    }
    int j = 0;
    while (k >= b->tubes[j].first + b->tubes[j].n_t) j++;
    const tube_def *t = &b->tubes[j];
    const int i = k - t->first, behind = t->n_shafts * b->per;
    out.rod = t->rod;
    if (i < behind)
        snprintf(out.what, sizeof out.what, "shaft%d.node%d.twist", i / b->per + 1, i % b->per + 1);
    else snprintf(out.what, sizeof out.what, "node%d.twist", i - behind + 1);
    return out;
}

// J, stored in drives.
static double keep_efforts(const bundle *b, bundle_state *m, const bundle_situation *at,
                           const model_call *call) {
    double stored = 0.0;
    if (b->n_drives == 0) return 0.0;
    m->shown = NULL;
    bundle_cut(b, &m->now, at->inputs);
    bundle_move(b, &m->now, at, m->solve.q, NULL, NULL);
    bundle_efforts(b, &m->now, at, m->solve.q);
    for (int k = 0; k < b->n_drives; k++) {
        const actuator *a = b->drives[k].a;
        m->efforts[k] = m->now.efforts[k].effort;
        m->measures[k] = m->now.measures[k];
        call->stats->slack += actuator_is_slack(a, m->efforts[k]);
        stored += actuator_energy(a, actuator_given(a, at->inputs, at->given), m->efforts[k],
                                  m->measures[k]);
    }
    return stored;
}

static void keep_touches(const tubes *c, const bundle *b, bundle_state *m, const model_call *call,
                         shape_origin from) {
    const bool moved = from == SHAPE_MOVED;
    if (b->touch.n == 0) return;
    const bundle_situation s =
        tubes_situation(c, b, call->inputs, moved ? call->rates : NULL, NULL);
    m->shown = NULL;
    bundle_cut(b, &m->now, call->inputs);
    bundle_obstacles(b, &m->now, call->inputs, NULL, 1.0);
    bundle_move(b, &m->now, &s, m->solve.q, NULL, NULL);
    bundle_spots(b, &m->now, m->solve.q, NULL);
    for (int i = 0; i < b->touch.n_points; i++) {
        const touch_now now = bundle_touch_now(&m->now.spots[i], moved);
        touch_stick(&b->touch, &m->now.touch, i, &now);
    }
    touch_keep(&b->touch, &m->now.touch, from);
}

double tubes_finish(const void *compiled, void *memory, const model_call *call,
                    const solve_instant *at, shape_origin from, td_status *status) {
    const tubes *c = compiled;
    const bool moved = from == SHAPE_MOVED;
    double stored = 0.0;
    (void)status;
    for (int i = 0; i < c->n_bundles; i++) {
        bundle_state *m = &((tubes_memory *)memory)->bundles[i];
        for (int k = 0; k < c->n_inputs; k++) {
            m->inputs[k] = call->inputs[k];
            m->rates[k] = moved ? call->rates[k] : 0.0;
            m->accelerations[k] =
                moved && at->place_accelerations ? at->place_accelerations[k] : 0.0;
        }
        const bundle *b = &c->bundles[i];
        if (!moved) memcpy(m->held, m->solve.l, sizeof(double) * (size_t)b->n_unknown);
        bundle_situation s = tubes_situation(c, b, call->inputs, NULL, NULL);
        keep_touches(c, b, m, call, from);
        s.unknown = m->held;
        s.soft = from != SHAPE_IN_EQUILIBRIUM;
        s.engines = at->engines;
        stored += keep_efforts(b, m, &s, call);
    }
    return stored;
}
