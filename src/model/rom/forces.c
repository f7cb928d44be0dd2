// model/rom/forces.c - all that acts on a rod, as generalised forces.
#include <string.h>

#include "model/rom/rom.h"
#include "math/pi.h"

vec3 rom_gravity(const rom *c, const double *inputs) {
    return environment_gravity(&c->around, inputs, 1.0);
}

situation rom_moving(const rom *c, const double *inputs, const base_motion *base) {
    return (situation){.inputs = inputs,
                       .base = *base,
                       .gravity = mat3_tmul_vec(&base->pose.R, rom_gravity(c, inputs)),
                       .share = 1.0,
                       .given = 1.0,
                       .soft = true,
                       .around = environment_is_uniform(&c->around) ? NULL : &c->around};
}

situation rom_situation(const rom *c, const rom_rod *r, const rod_memory *m, const double *inputs) {
    const base_motion base = rod_base(r, inputs, m->solve.q, NULL, NULL);
    return rom_moving(c, inputs, &base);
}

// ---------------------------------------------------------------- from outside
static void compose_lumps(const curve *c, rod_memory *m, const double *inputs) {
    for (int i = 0; i < c->n_places; i++) m->lumps[i] = (lump){0};
    for (int i = 0; i < c->n_rule; i++) m->lumps[i] = c->sections[i].lump;
    for (int i = 0; i < c->n_riders; i++)
        curve_lump_add(&m->lumps[c->riders[i].place], &c->riders[i].lump,
                       number_value(c->riders[i].attached, inputs));
}

static void add_inertia(const curve *c, rod_memory *m, const situation *at) {
    const vec3 gravity = vec3_scale(at->gravity, at->share);
    for (int i = 0; i < c->n_places; i++) {
        m->outside[i] = vec6_zero();
        if (m->lumps[i].mass > 0.0 || i < c->n_rule || i >= c->n_rule + c->n_thin)
            m->outside[i] = vec6_neg(curve_lump_wrench(&m->lumps[i], &m->moved[i], gravity));
    }
}

// What acts on sections and riders by their pose and motion; weight comes with inertia.
static void surround(rod_memory *m, const surroundings *around, const point_body *b, double share,
                     int i) {
    const place_motion *p = &m->moved[i];
    point_answer out = {.lost = 0.0};
    environment_add(vec3_zero(), around, b, &(point_now){&p->turn.R, p->p, p->p_t}, &out, NULL);
    m->outside[i] = vec6_madd(m->outside[i], share, out.wrench);
    if (!m->moves) return;
    m->lost += share * out.lost;
    m->given += share * out.given;
}

static void add_wet(const curve *c, rod_memory *m, vec3 current, int i) {
    const vec3 added = c->sections[i].added;
    if (vec3_dot(added, added) == 0.0) return;
    const vec6 w = curve_wet_wrench(added, &m->moved[i], current);
    m->outside[i] = vec6_sub(m->outside[i], w);
    if (m->moves) m->given -= vec3_dot(w.l, current);
}

static void add_surroundings(const curve *c, rod_memory *m, const situation *at) {
    const surroundings around = surroundings_at(at->around, at->inputs, at->share, &at->base.pose);
    for (int i = 0; i < c->n_rule; i++) {
        surround(m, &around, &c->sections[i].around, 1.0, i);
        add_wet(c, m, around.current, i);
    }
    for (int k = 0; k < c->n_riders; k++)
        if (!point_body_is_plain(&c->riders[k].around))
            surround(m, &around, &c->riders[k].around,
                     number_value(c->riders[k].attached, at->inputs), c->riders[k].place);
}

static void add_loads(const curve *c, rod_memory *m, const situation *at) {
    for (int k = 0; k < c->n_loads; k++) {
        const curve_load *load = &c->loads[k];
        for (int i = load->place; i < load->end; i++) {
            const place_motion *p = &m->moved[i];
            const double weight = load->of.distributed ? c->sections[i].weight : 1.0;
            const point_now here = {&p->turn.R, p->p, p->p_t};
            const vec6 w =
                load_at(&load->of, at->inputs, weight * at->share, &at->base.pose, &here, NULL);
            m->outside[i] = vec6_add(m->outside[i], w);
            m->given += vec3_dot(w.l, p->p_t) + vec3_dot(mat3_tmul_vec(&p->turn.R, w.a), p->w);
        }
    }
}

touch_now rod_touch(const rod_memory *m, const base_motion *base, int i, bool moves) {
    const place_motion *p = &m->moved[i];
    return touch_on(&base->pose, &p->turn.R, p->p, mat3_mul_vec(&p->turn.R, p->w), p->p_t, moves);
}

static void add_touches(const rom_rod *r, rod_memory *m, const situation *at) {
    for (int i = 0; i < r->touch.n_points && !at->alone; i++) {
        const touch_now now = rod_touch(m, &at->base, i, m->moves);
        const touch_answer out = touch_in(&r->touch, &m->touch, i, &at->base.pose.R, &now, NULL);
        m->outside[i] = vec6_add(m->outside[i], out.wrench);
        m->lost += out.lost;
        m->given += out.given;
    }
}

// ---------------------------------------------------------------- from inside
static effort_state effort_of(const drive *d, const situation *at, double measure) {
    const double unknown = d->unknown >= 0 && at->unknown ? at->unknown[d->unknown] : 0.0;
    if (at->idle) return (effort_state){0};
    if (d->unknown >= 0 && !at->soft) return (effort_state){.effort = unknown};
    const double given = actuator_given(d->a, at->inputs, at->given);
    return effort_now(d->a, actuator_supply(d->a, given, at->given, at->engines), unknown, measure);
}

static void find_efforts(const curve *c, rod_memory *m, const situation *at) {
    m->slack = 0;
    for (int k = 0; k < c->n_drives; k++) {
        const drive *d = &c->drives[k];
        m->measures[k] = curve_drive_measure(c, d, m->stretched, m->moved);
        m->now[k] = effort_of(d, at, m->measures[k]);
        m->slack += actuator_is_slack(d->a, m->now[k].effort);
    }
}

// w_u of Sadati 2019 (7), against elasticity (errata, Eq. 7).
static void add_drives(const curve *c, rod_memory *m) {
    for (int k = 0; k < c->n_drives; k++) {
        const drive *d = &c->drives[k];
        for (int i = d->first; i < d->end; i++) {
            const place_motion *p = &m->moved[i];
            const density at = curve_drive_density(d, m->stretched, i, p);
            const vec6 w = vec6_scale(at.slope, d->a->sign * m->now[k].effort);
            m->inside[i] = vec6_add(m->inside[i], w);
            m->given -= c->sections[i].weight * vec6_dot(w, (vec6){p->u_t, p->v_t});
        }
    }
}

static void add_material(const curve *c, rod_memory *m) {
    for (int i = 0; i < c->n_rule + c->n_thin; i++) m->inside[i] = vec6_zero();
    for (int i = c->station; i < c->station_end; i++) {
        m->inside[i] = curve_material_wrench(c, m->stretched, i, &m->moved[i]);
        m->lost += c->sections[i].weight * curve_damping_power(c, m->stretched, i, &m->moved[i]);
    }
}

// ---------------------------------------------------------------- all of it
// T' of Sadati 2019 (6) for what acts from outside, T_b' of (7) for what does inside.
static void collect(const curve *c, rod_memory *m) {
    memset(m->Q, 0, sizeof(double) * (size_t)c->n_q);
    for (int i = 0; i < c->n_places; i++) {
        const place_motion *p = &m->moved[i];
        const turn *t = &p->turn;
        pull f = {.p = m->outside[i].l,
                  .a = mat3_tmul_vec(&t->T, mat3_tmul_vec(&t->R, m->outside[i].a))};
        if (i < c->n_rule + c->n_thin) {
            const double w = c->sections[i].weight;
            const vec3 moment = vec3_scale(m->inside[i].a, w);
            const vec3 force = vec3_scale(m->inside[i].l, w);
            f.a_s = vec3_neg(mat3_tmul_vec(&t->T, moment));
            f.p_s = vec3_neg(mat3_mul_vec(&t->R, force));
            f.a = vec3_sub(f.a, turn_slope(t, moment, p->a_s));
            f.a = vec3_sub(f.a, mat3_tmul_vec(&t->T, vec3_cross(force, p->v)));
        }
        curve_spread(c, &c->places[i], &f, m->Q);
    }
}

void rod_forces(const rom_rod *r, rod_memory *m, const situation *at, const double *q,
                const double *rates) {
    const curve *c = &r->curve;
    m->moves = rates != NULL;
    m->lost = m->given = 0.0;
    curve_move(c, q, rates, at->accelerations, m->moved);
    for (int i = 0; (r->moves || r->floats) && i < c->n_places; i++)
        base_carry(&at->base, &m->moved[i]);
    compose_lumps(c, m, at->inputs);
    add_inertia(c, m, at);
    if (at->around) add_surroundings(c, m, at);
    add_loads(c, m, at);
    add_touches(r, m, at);
    find_efforts(c, m, at);
    add_material(c, m);
    add_drives(c, m);
    collect(c, m);
}

// ---------------------------------------------------------------- how forces answer to an input
static void weight_by(const rom *c, const curve *cu, rod_memory *m, const situation *at,
                      const double *unit, vec3 w) {
    const vec3 rate = mat3_tmul_vec(&at->base.pose.R, environment_gravity_rate(&c->around, unit));
    const vec3 change = vec3_scale(vec3_sub(rate, vec3_cross(w, at->gravity)), at->share);
    const vec3 gravity = vec3_scale(at->gravity, at->share);
    for (int i = 0; i < cu->n_places; i++)
        m->outside[i] = vec6_neg(curve_lump_wrench(&m->lumps[i], &m->moved[i], change));
    for (int i = 0; i < cu->n_riders; i++) {
        const rider *b = &cu->riders[i];
        const vec6 held = curve_lump_wrench(&b->lump, &m->moved[b->place], gravity);
        m->outside[b->place] =
            vec6_sub(m->outside[b->place], vec6_scale(held, number_rate(b->attached, unit)));
    }
}

static void loads_by(const curve *c, rod_memory *m, const situation *at, const double *unit,
                     vec6 moving) {
    for (int k = 0; k < c->n_loads; k++) {
        const curve_load *load = &c->loads[k];
        for (int i = load->place; i < load->end; i++) {
            const point_now here = {&m->moved[i].turn.R, m->moved[i].p, vec3_zero()};
            const double weight = load->of.distributed ? c->sections[i].weight : 1.0;
            const vec6 by = load_rate(&load->of, at->inputs, unit, weight * at->share,
                                      &at->base.pose, moving, &here);
            m->outside[i] = vec6_add(m->outside[i], by);
        }
    }
}

// Axes that turn and move carry the point along, as in load_rate.
static void surroundings_by(const curve *c, rod_memory *m, const situation *at, const double *unit,
                            vec6 moving) {
    const surroundings now = surroundings_at(at->around, at->inputs, at->share, &at->base.pose),
                       by = surroundings_rate(at->around, at->inputs, unit, at->share,
                                              &at->base.pose);
    for (int k = 0; k < c->n_rule + c->n_riders; k++) {
        const rider *r = k < c->n_rule ? NULL : &c->riders[k - c->n_rule];
        const point_body *b = r ? &r->around : &c->sections[k].around;
        const int i = r ? r->place : k;
        const point_now here = {&m->moved[i].turn.R, m->moved[i].p, vec3_zero()};
        point_answer out = {.lost = 0.0};
        point_slopes slopes = {{0.0}, {0.0}};
        double along[6], sum[6] = {0.0};
        if (r && point_body_is_plain(b)) continue;
        environment_add(vec3_zero(), &now, b, &here, &out, &slopes);
        vec6_store(along, (vec6){moving.a, vec3_add(moving.l, vec3_cross(moving.a, here.p))});
        for (int n = 0; n < 36; n++) sum[n / 6] += slopes.by_motion[n] * along[n % 6];
        vec6 change = vec6_add(environment_by(&now, &by, b, &here), vec6_load(sum));
        change = vec6_sub(
            change, (vec6){vec3_cross(moving.a, out.wrench.a), vec3_cross(moving.a, out.wrench.l)});
        if (!r) {
            const vec3 stream = vec3_sub(by.current, vec3_cross(moving.a, now.current));
            change = vec6_sub(change, curve_wet_by_current(c->sections[k].added, &m->moved[i],
                                                           now.current, stream));
        }
        if (r) {
            change = vec6_scale(change, number_value(r->attached, at->inputs));
            change = vec6_madd(change, number_rate(r->attached, unit), out.wrench);
        }
        m->outside[i] = vec6_add(m->outside[i], change);
    }
}

static void drives_by(const curve *c, rod_memory *m, const situation *at, const double *unit) {
    const int n = c->n_rule + c->n_thin;
    for (int i = 0; i < n; i++) m->inside[i] = vec6_zero();
    for (int k = 0; k < c->n_drives; k++) {
        const drive *d = &c->drives[k];
        const double change =
            effort_given_rate(d->a, at->inputs, unit) * at->given * m->now[k].by_given;
        if (change == 0.0) continue;
        for (int i = d->first; i < d->end; i++) {
            const density here = curve_drive_density(d, m->stretched, i, &m->moved[i]);
            m->inside[i] = vec6_add(m->inside[i], vec6_scale(here.slope, d->a->sign * change));
        }
    }
}

void rod_forces_by(const rom *c, const rom_rod *r, rod_memory *m, const situation *at,
                   const double *unit) {
    const base_motion base = base_moved(&r->base, at->inputs, unit, NULL);
    weight_by(c, &r->curve, m, at, unit, base.w);
    loads_by(&r->curve, m, at, unit, (vec6){base.w, base.v});
    if (at->around) surroundings_by(&r->curve, m, at, unit, (vec6){base.w, base.v});
    drives_by(&r->curve, m, at, unit);
    collect(&r->curve, m);
}

double rod_keep_efforts(const rom_rod *r, rod_memory *m, const situation *at) {
    const curve *c = &r->curve;
    double stored = 0.0;
    curve_use_stretch(c, m->stretched);
    curve_move(c, m->solve.q, NULL, NULL, m->moved);
    find_efforts(c, m, at);
    for (int k = 0; k < c->n_drives; k++) {
        const actuator *a = c->drives[k].a;
        m->efforts[k] = m->now[k].effort;
        stored += actuator_energy(a, actuator_given(a, at->inputs, at->given), m->efforts[k],
                                  m->measures[k]);
    }
    return stored;
}

double rod_weight_energy(const base_motion *base, const lump *b, const place_motion *m,
                         vec3 gravity) {
    const vec3 p = mat3_tmul_vec(&base->pose.R, base->pose.p);
    return curve_lump_weight_energy(b, m, gravity) - b->mass * vec3_dot(gravity, p);
}

double rod_surrounding_energy(const rom_rod *r, const rod_memory *m, const base_motion *base,
                              const double *inputs, const surroundings *around,
                              const surroundings *by) {
    const curve *c = &r->curve;
    double sum = 0.0;
    for (int k = 0; k < c->n_rule + c->n_riders; k++) {
        const rider *on = k < c->n_rule ? NULL : &c->riders[k - c->n_rule];
        const point_body *b = on ? &on->around : &c->sections[k].around;
        const place_motion *p = &m->moved[on ? on->place : k];
        if (point_body_is_plain(b)) continue;
        const double share = on ? number_value(on->attached, inputs) : 1.0;
        const mat3 R = mat3_mul(&base->pose.R, &p->turn.R);
        const point_now now = {&R, se3_mul_point(&base->pose, p->p), vec3_zero()};
        sum += share *
               (by ? surrounding_power(around, by, b, &now) : surrounding_energy(around, b, &now));
    }
    return sum;
}

td_status rod_check(const rom_rod *r, const double *q, char *message) {
    const curve *c = &r->curve;
    for (int i = 0; i < c->n_places; i++) {
        vec3 a = vec3_zero();
        for (int k = 0; k < c->n_a; k++)
            a = vec3_madd(a, c->places[i].psi[k], vec3_load(q + 3 * (c->n_p + k)));
        if (turn_angle(c->kind, a) < turn_most(c->kind)) continue;
        return tell(
            message, TD_ERR_VALUE,
            "rod '%s': at s = %.4g m it would be turned by %.3g deg, beyond the range of its "
            "%s (%.3g deg): %s",
            r->name, c->places[i].s, DEGREES * turn_angle(c->kind, a),
            c->kind == TURN_VECTOR ? "rotation vector" : "quaternion's vector part",
            DEGREES * turn_most(c->kind),
            c->kind == TURN_VECTOR ? "cosserat has no such limit"
                                   : "rom.rotation: vector reaches twice as far");
    }
    return TD_OK;
}
