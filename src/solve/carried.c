// solve/carried.c - see carried.h.
#include "solve/carried.h"

#include "solve/chart.h"

typedef struct carriage {  // of a base at one time, in the space where it began
    se3 moved;             // D
    vec6 b, b_t;
} carriage;

static void nudge(step_inputs *within, input_nudge by, double t) {
    if (by.size == 0.0) return;
    const input_slopes s = step_inputs_slopes(within, by.input, t);
    within->places[by.input] += by.size * s.place[by.which];
    within->rates[by.input] += by.size * s.rate[by.which];
    within->accelerations[by.input] += by.size * s.acceleration[by.which];
}

static base_course course_at(const solve_part *p, step_inputs *within, double t, bool led, int base,
                             input_nudge by) {
    const bool before = within->led;
    within->led = led;
    step_inputs_at(within, t);
    nudge(within, by, t);
    within->led = before;
    const solve_instant at = {.t = t,
                              .places = within->places,
                              .place_rates = within->rates,
                              .place_accelerations = within->accelerations};
    base_course out;
    p->how->base(p->of, &at, base, &out);
    return out;
}

static vec6 in_space(const se3 *g, vec6 x) {
    const vec3 a = mat3_mul_vec(&g->R, x.a);
    return (vec6){a, vec3_add(mat3_mul_vec(&g->R, x.l), vec3_cross(g->p, a))};
}

static carriage carriage_of(const se3 *start, const base_course *x) {
    const se3 back = se3_inverse(start);
    return (carriage){se3_mul(&x->pose, &back), in_space(start, x->twist),
                      in_space(start, x->twist_rate)};
}

static bool stays(const base_course *x) {
    return vec6_dot(x->twist, x->twist) + vec6_dot(x->twist_rate, x->twist_rate) == 0.0;
}

bool carried_find(const solve_part *p, step_inputs *within, const stage_way *way, int base,
                  input_nudge by, base_carry *out) {
    const bool leads = way->led && way->from_first == 0.0;
    const base_course from = course_at(p, within, way->start, false, base, by);
    const base_course first = course_at(p, within, way->first, way->led, base, by);
    const base_course now = course_at(p, within, way->now, leads, base, by);
    if (stays(&from) && stays(&first) && stays(&now)) return false;
    const carriage x0 = carriage_of(&from.pose, &from), x1 = carriage_of(&from.pose, &first);
    const carriage x = carriage_of(&from.pose, &now);
    const se3 own = se3_exp(vec6_scale(x.b, -way->own));
    const se3 before = se3_exp(vec6_scale(x1.b, -way->from_first));
    const se3 both = se3_mul(&own, &before);
    out->c = se3_mul(&x.moved, &both);
    out->y = vec6_sub(x.b, x0.b);
    out->y = vec6_madd(out->y, -way->from_first, x1.b_t);
    out->y = vec6_madd(out->y, -way->own, x.b_t);
    return true;
}

// Of a frame that began at `from`; what only turns has no place.
static void carry_frame(const base_carry *x, const double *from, bool turns, double *q, double *v) {
    const se3 start = {quat_to_mat3(quat_load(from + 3)), vec3_load(from)};
    const vec6 y = turns ? (vec6){mat3_tmul_vec(&start.R, x->y.a), vec3_zero()}
                         : se3_adjoint_inv_vec(&start, x->y);
    if (!turns) vec3_store(q, se3_mul_point(&x->c, vec3_load(q)));
    const quat turned = quat_mul(quat_from_mat3(&x->c.R), quat_load(q + 3));
    quat_store(q + 3, quat_normalise(turned));
    vec6_store(v, vec6_add(vec6_load(v), y));
}

void carry_along(const solve_part *p, step_inputs *within, const stage_way *way) {
    const int plain = n_plain(p);
    for (int base = 0; base < p->n_bases; base++) {
        base_carry x;
        if (!carried_find(p, within, way, base, (input_nudge){0}, &x)) continue;
        for (int i = 0; i < p->n_frames; i++) {
            bool turns;
            if (p->how->carrier(p->of, i, &turns) != base) continue;
            carry_frame(&x, p->m->q + plain + 7 * i, turns, p->m->star + plain + 7 * i,
                        p->m->star_v + plain + 6 * i);
        }
    }
}
