// model/rom/outputs.c - what can be read off a trajectory.
#include "model/rom/rom.h"

td_pose rod_pose(const base_motion *b, const place_motion *m) {
    const mat3 world = mat3_mul(&b->pose.R, &m->turn.R);
    return pose_from(&world, se3_mul_point(&b->pose, m->p));
}

static void store_velocity(const place_motion *m, double out[6]) {
    vec3_store(out, m->w);
    vec3_store(out + 3, mat3_tmul_vec(&m->turn.R, m->p_t));
}

// The station next to s has what s is made of.
static int nearest(const curve *c, double s) {
    int best = c->station;
    for (int i = best + 1; i < c->station_end; i++)
        if (fabs(c->places[i].s - s) < fabs(c->places[best].s - s)) best = i;
    return best;
}

vec6 rod_wrench(const curve *c, const rod_memory *m, int i, const place_motion *p, double s) {
    vec6 sum = curve_material_wrench(c, m->stretched, i, p);
    for (int k = 0; k < c->n_drives; k++) {
        const drive *d = &c->drives[k];
        if (s < d->a->from || s > d->a->to) continue;
        const route_point at = actuator_route(d->a, s);
        const drive here = {.a = d->a, .routes = &at};
        const density along = curve_drive_density(&here, m->stretched, 0, p);
        sum = vec6_add(sum, vec6_scale(along.slope, d->a->sign * m->efforts[k]));
    }
    return sum;
}

// The force inside is what shear and stretch leave it to be, which are right only at stations; and only there is known what
// the material remembers. Between them it is the polynomial through the wrenches there, in the axes of the base:
// f = sum_k P_k(s) (2 k + 1)/l sum_i w_i P_k(s_i) f_i.
static vec6 wrench_between(const curve *c, const rod_memory *m, const place_motion *p, double s) {
    double rows[4 * MOST_FUNCTIONS];
    place here;
    int part = 0;
    const int each = c->n_p / c->n_parts, per_part = c->n_thin / c->n_parts;
    while (part + 1 < c->n_parts && s > c->cuts[part + 1]) part++;
    curve_fill_place(c, s, rows, &here);
    vec6 sum = vec6_zero();
    for (int j = 0; j < per_part; j++) {
        const int i = c->n_rule + part * per_part + j;
        const place *at = &c->places[i];
        const place_motion q = curve_place_motion(c, i, m->solve.q, m->solve.v);
        const vec6 w = rod_wrench(c, m, i, &q, at->s);
        double weight = 0.0;
        for (int k = 0; k < each; k++)
            weight += (2.0 * k + 1.0) * at->phi_s[part * each + k] * here.phi_s[part * each + k];
        weight *= c->sections[i].weight / (c->cuts[part + 1] - c->cuts[part]);
        sum.a = vec3_madd(sum.a, weight, mat3_mul_vec(&q.turn.R, w.a));
        sum.l = vec3_madd(sum.l, weight, mat3_mul_vec(&q.turn.R, w.l));
    }
    return (vec6){mat3_tmul_vec(&p->turn.R, sum.a), mat3_tmul_vec(&p->turn.R, sum.l)};
}

td_pose rom_pose(const void *compiled, const void *memory, int rod, double s) {
    const rod_memory *m = &((const rom_memory *)memory)->rods[rod];
    const base_motion base = base_kept(m->base);
    const place_motion p =
        curve_at(&((const rom *)compiled)->rods[rod].curve, s, m->solve.q, NULL, NULL);
    return rod_pose(&base, &p);
}

td_sample rom_sample(const void *compiled, const void *memory, int rod, double s) {
    const rom *c = compiled;
    const rom_rod *r = &c->rods[rod];
    const rod_memory *m = &((const rom_memory *)memory)->rods[rod];
    const base_motion base = base_kept(m->base);
    curve_use_stretch(&r->curve, m->stretched);
    m->stretched->elapsed = 0.0;
    place_motion p = curve_at(&r->curve, s, m->solve.q, m->solve.v, NULL);
    const int near = nearest(&r->curve, s);
    vec6 wrench = rod_wrench(&r->curve, m, near, &p, s);
    if (r->curve.station > 0) {
        const vec6 between = wrench_between(&r->curve, m, &p, s);
        if (law_remembers(&r->curve.sections[near].law)) wrench.a = between.a;
        wrench.l = between.l;
    }
    base_carry(&base, &p);
    td_sample out = {.pose = rod_pose(&base, &p)};
    store_velocity(&p, out.velocity);
    vec3_store(out.strain, p.u);
    vec3_store(out.strain + 3, p.v);
    vec6_store(out.wrench, wrench);
    touch_sample(&r->touch, &m->touch, rod, s, &out);
    return out;
}

void rom_contacts(const void *compiled, const void *memory, contact_visit *visit, void *context) {
    const rom *c = compiled;
    for (int i = 0; i < c->n_rods; i++)
        touch_visit(&c->rods[i].touch, &((const rom_memory *)memory)->rods[i].touch, visit,
                    context);
}

td_body_state rom_body(const void *compiled, const void *memory, int body) {
    const rom *c = compiled;
    const int rod = c->body_rod[body];
    const rod_memory *m = &((const rom_memory *)memory)->rods[rod];
    const base_motion base = base_kept(m->base);
    place_motion p = curve_at(&c->rods[rod].curve, c->body_s[body], m->solve.q, m->solve.v, NULL);
    base_carry(&base, &p);
    td_body_state out = {.pose = rod_pose(&base, &p), .attached = true};
    store_velocity(&p, out.velocity);
    return out;
}

// ---------------------------------------------------------------- reactions
vec6 rom_reaction(const void *compiled, const void *memory, int rod, td_end end,
                  const double *inputs) {
    const rom *c = compiled;
    const rom_rod *r = &c->rods[rod];
    rod_memory *m = &((const rom_memory *)memory)->rods[rod];
    const base_motion base = base_kept(m->base);
    situation at = rom_moving(c, inputs, &base);
    if (end == TD_TIP || r->floats) return vec6_zero();
    at.accelerations = m->solve.a;
    touch_stay(&r->touch, &m->touch, inputs);
    curve_use_stretch(&r->curve, m->stretched);
    m->stretched->elapsed = 0.0;
    rod_forces(r, m, &at, m->solve.q, m->solve.v);
    for (int i = 0; i < r->curve.n_places; i++)
        if (r->curve.places[i].s <= 0.0) m->outside[i] = vec6_zero();
    const vec6 w = base_reaction(r, m);
    return (vec6){mat3_mul_vec(&base.pose.R, w.a), mat3_mul_vec(&base.pose.R, w.l)};
}

vec6 rom_acceleration(const void *compiled, const void *memory, int body) {
    const rom *c = compiled;
    const int rod = c->body_rod[body];
    const rod_memory *m = &((const rom_memory *)memory)->rods[rod];
    const base_motion base = base_kept(m->base);
    place_motion p =
        curve_at(&c->rods[rod].curve, c->body_s[body], m->solve.q, m->solve.v, m->solve.a);
    base_carry(&base, &p);
    return (vec6){p.w_t, mat3_tmul_vec(&p.turn.R, p.p_tt)};
}

// ---------------------------------------------------------------- actuators
td_actuator_state rom_actuator(const void *compiled, const void *memory, int index) {
    const rom *c = compiled;
    const int rod = c->drive_rod[index], k = c->drive_index[index];
    const curve *cu = &c->rods[rod].curve;
    const rod_memory *m = &((const rom_memory *)memory)->rods[rod];
    curve_use_stretch(cu, m->stretched);
    curve_move(cu, m->solve.q, NULL, NULL, m->moved);  // scratch
    return actuator_state_of(&c->actuators[index], m->efforts[k],
                             curve_drive_measure(cu, &cu->drives[k], m->stretched, m->moved));
}

// ---------------------------------------------------------------- energy
static void add_lumps(const curve *c, const base_motion *base, const place_motion *moved,
                      vec3 gravity, const double *inputs, td_energy *sum) {
    for (int i = 0; i < c->n_rule; i++) {
        const lump *b = &c->sections[i].lump;
        sum->kinetic += curve_lump_kinetic(b, &moved[i]);
        sum->gravity += rod_weight_energy(base, b, &moved[i], gravity);
    }
    for (int k = 0; k < c->n_riders; k++) {
        const rider *b = &c->riders[k];
        const double share = number_value(b->attached, inputs);
        sum->kinetic += share * curve_lump_kinetic(&b->lump, &moved[b->place]);
        sum->gravity += share * rod_weight_energy(base, &b->lump, &moved[b->place], gravity);
    }
}

double rod_elastic_energy(const rom_rod *r, const rod_memory *m) {
    const curve *c = &r->curve;
    double sum = 0.0;
    for (int i = c->station; i < c->station_end; i++)
        sum += c->sections[i].weight * curve_material_energy(c, m->stretched, i, &m->moved[i]);
    return sum;
}

td_energy rom_energy(const void *compiled, const void *memory, const double *inputs) {
    const rom *c = compiled;
    const rom_memory *all = memory;
    td_energy sum = {0};
    for (int k = 0; k < c->n_rods; k++) {
        const rom_rod *r = &c->rods[k];
        const curve *cu = &r->curve;
        const rod_memory *m = &all->rods[k];
        const base_motion base = base_kept(m->base);
        const vec3 gravity = mat3_tmul_vec(&base.pose.R, rom_gravity(c, inputs));
        curve_use_stretch(cu, m->stretched);
        m->stretched->elapsed = 0.0;
        curve_move(cu, m->solve.q, m->solve.v, NULL, m->moved);  // scratch
        for (int i = 0; i < cu->n_places; i++) base_carry(&base, &m->moved[i]);
        add_lumps(cu, &base, m->moved, gravity, inputs, &sum);
        if (!environment_is_uniform(&c->around)) {
            const surroundings around = surroundings_at(&c->around, inputs, 1.0, NULL);
            const vec3 current = mat3_tmul_vec(&base.pose.R, around.current);
            sum.gravity += rod_surrounding_energy(r, m, &base, inputs, &around, NULL);
            for (int i = 0; i < cu->n_rule; i++)
                sum.kinetic += curve_wet_kinetic(cu->sections[i].added, &m->moved[i], current);
        }
        sum.elastic += rod_elastic_energy(r, m);
        for (int i = 0; i < r->touch.n_points; i++)
            sum.elastic += touch_energy(&r->touch, &m->touch, m->touch.frames, inputs, i,
                                        se3_mul_point(&base.pose, m->moved[i].p));
    }
    return sum;
}
