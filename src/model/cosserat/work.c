// model/cosserat/work.c - energy of tendons and gas, work of actuators, dissipation of friction.
//
// With tensions tau at the nodes, material eps = l - l_rest tau/EA per unit s, material passed
// del_i and friction q_i = tau_(i-1) - tau_i at the edges, summation by parts gives, in the
// discrete equations,
//
//     T0 d(del_1) = sum_i q_i d(del_i) - sum_k b_k tau_k d(l_k)
//                   + d(sum_k b_k l_rest tau_k^2/(2 EA))
//
// work in = dissipation + work on the rod + energy of the tendon. Over a step each effort is
// taken as the mean of its ends.
#include <math.h>

#include "model/cosserat/assembly.h"

typedef struct running {  // an actuator in one shape
    double measure;       // what its effort works on
    double counted;       // the volume that its input counts
    double stretch;       // int l_rest tau ds
    double stretch2;      // int l_rest tau^2 ds
    double effort;        // at its start
    double given;
} running;

// A tendon of given displacement stretches as it does at rest (actuator.yield), however far its rod is fed.
static double stretching_share(const rod *r, const element *e, const actuator *a) {
    const bool own = a->control == CONTROL_MEASURE && a->from_rest;
    return own ? 1.0 / element_ratio(r, e, r->length) : 1.0;
}

// x: strains less the rest strains of the rod's nodes, at the given stride.
static running running_over(const rod *r, const rod_actuator *ra, int first, int n_elements,
                            const double *x, size_t stride, const double *tensions) {
    running out = {0};
    for (int k = 0; k < n_elements; k++) {
        const element *e = &r->elements[first + k];
        const double share = stretching_share(r, e, ra->a);
        for (int i = 0; i < e->n_nodes; i++) {
            const int node = e->node + i, at = node - ra->first_node;
            const station *st = &e->stations[i];
            const double *here = x + (size_t)node * stride, tau = tensions[ra->first_point + at];
            vec3 u = vec3_add(st->u_rest, vec3_load(here));
            vec3 v = vec3_add(st->v_rest, vec3_load(here + 3));
            const double b = e->quadrature[i];
            double rest = actuator_density(ra->a, &ra->at[at], st->u_rest, st->v_rest).value;
            out.measure += b * actuator_density(ra->a, &ra->at[at], u, v).value;
            out.counted += b * actuator_counted(ra->a, &ra->at[at], u, v).value;
            out.stretch += share * b * rest * tau;
            out.stretch2 += share * b * rest * tau * tau;
        }
    }
    return out;
}

static running running_in(const rod *r, const rod_actuator *ra, const double *x, size_t stride,
                          const double *tensions) {
    return running_over(r, ra, ra->first_element, ra->n_elements, x, stride, tensions);
}

// What an engine supplies follows from the shape.
static double supplied(const actuator *a, const running *now) {
    if (a->control == CONTROL_GAS) return actuator_supplied(a, 0.0, now->effort, now->counted);
    if (!a->from_rest) return now->measure + a->compliance * now->effort;
    return a->rest - now->measure + a->inverse_stiffness * now->stretch +
           a->compliance * now->effort;
}

static double effort_of(const rod_actuator *ra, double given, const double *efforts) {
    if (ra->a->control == CONTROL_EFFORT) return given;
    return efforts[ra->effort + ra->n_efforts - 1];
}

// Those of its elements that are longer for being fed: all that lie in the stretch, which it runs along or not at all.
static int growing_elements(const rod *r, const rod_actuator *ra, int *first) {
    int n = 0;
    *first = ra->first_element;
    for (int k = 0; k < ra->n_elements; k++) {
        if (!element_grows(r, &r->elements[ra->first_element + k])) continue;
        if (n++ == 0) *first = ra->first_element + k;
    }
    return n;
}

// Share of what grows now that was not there before.
static double grown_share(const rod *r, const rod_memory *m) {
    return rod_is_fed(r) ? (r->length - m->lengths[0]) / grown_length(r, r->length) : 0.0;
}

// The shape of before in its own length.
static running running_before(const rod *r, const rod_memory *m, int which, running out) {
    const rod_actuator *ra = &r->actuators[which];
    const double grown = grown_share(r, m);
    int first;
    const int n = grown != 0.0 ? growing_elements(r, ra, &first) : 0;
    if (n == 0) return out;
    const running all = running_over(r, ra, first, n, m->fields[0] + F_U, F_SIZE, m->tensions);
    out.measure -= grown * all.measure, out.counted -= grown * all.counted;
    return out;
}

// The shape of before in the length of now; what was given is that of then.
static running running_now(const rod *r, const rod_memory *m, int which) {
    const rod_actuator *ra = &r->actuators[which];
    running out = running_in(r, ra, m->fields[0] + F_U, F_SIZE, m->tensions);
    out.given = m->given_now[which];
    out.effort = effort_of(ra, out.given, m->efforts[0]);
    if (!actuator_is_driven(ra->a)) return out;
    const running before = running_before(r, m, which, out);
    out.given = supplied(ra->a, &before);
    return out;
}

static running running_next(const rod *r, const rod_memory *m, int which) {
    const rod_actuator *ra = &r->actuators[which];
    running out = running_in(r, ra, m->strains, 6, m->trial_tensions);
    out.given = m->given[which];
    out.effort = effort_of(ra, out.given, m->trial_efforts);
    if (actuator_is_driven(ra->a)) out.given = supplied(ra->a, &out);
    return out;
}

// ---------------------------------------------------------------- energy
double actuators_energy(const rod *r, const rod_memory *m) {
    double sum = 0.0;
    for (int i = 0; i < r->n_actuators; i++) {
        const actuator *a = r->actuators[i].a;
        const running now = running_now(r, m, i);
        sum += 0.5 * a->inverse_stiffness * now.stretch2;
        if (a->control == CONTROL_MEASURE) sum += 0.5 * a->compliance * now.effort * now.effort;
        if (a->control == CONTROL_GAS) sum += gas_potential(a, now.given, now.counted + a->line);
    }
    return sum;
}

// ---------------------------------------------------------------- work over a step
static double work_of(const actuator *a, const running *from, const running *to, double effort) {
    const bool pumped_in = actuator_is_driven(a) && a->control == CONTROL_MEASURE;
    if (a->control == CONTROL_MEASURE && (a->from_rest || pumped_in))
        return effort * (to->given - from->given);
    const double stretched = a->inverse_stiffness * (to->stretch - from->stretch);
    double work = -a->sign * effort * (to->measure - from->measure - stretched);
    if (a->control != CONTROL_GAS) return work;
    double ratio = (effort + a->atmosphere) / a->atmosphere;
    double pumped = ratio > 0.0 ? a->gas_energy * log(ratio) * (to->given - from->given) : 0.0;
    return pumped + work - effort * (to->counted - from->counted);
}

// ---------------------------------------------------------------- work on a rod that is fed
// Material moves past the shares of the stretch that gets longer at which strains are kept, by c for a metre
// (element_passed): what an actuator does to the rod is its effort times the change of its density l at points of the
// material,
//
//     int dl/dt ds = d/dt int l ds + dL/dt [c l] between where it begins and ends in that stretch,
//
// of which work_of counts the change at given shares, in the present length. What enters at the base is
// pushed in by it with the total wrench, tendon included; what is added at the tip comes with that wrench.

// Density at share x of an element, from strains less those at rest; it is parallel to the axis there.
static double density_at(const space_scheme *scheme, const rod *r, const rod_memory *m,
                         const rod_actuator *ra, int k, double x, const double *strains,
                         size_t stride) {
    const element *e = &r->elements[k];
    vec3 u = vec3_zero(), v = vec3_zero();
    scheme->weights(r, k, x, m->view_row);
    for (int i = 0; i < e->n_nodes; i++) {
        const double *here = strains + (size_t)(e->node + i) * stride, w = m->view_row[i];
        u = vec3_madd(u, w, vec3_add(e->stations[i].u_rest, vec3_load(here)));
        v = vec3_madd(v, w, vec3_add(e->stations[i].v_rest, vec3_load(here + 3)));
    }
    const route_point at = actuator_route(ra->a, x > 0.5 ? ra->a->to : ra->a->from);
    return actuator_density(ra->a, &at, u, v).value;
}

// - [c l] between its ends in the stretch, elements `first` to `last`, in one shape.
static double carried(const space_scheme *scheme, const rod *r, const rod_memory *m,
                      const rod_actuator *ra, int first, int last, const double *strains,
                      size_t stride) {
    const double in = element_passed(r, &r->elements[first], 0.0),
                 out = element_passed(r, &r->elements[last], 1.0);
    double sum = 0.0;
    if (in != 0.0) sum += in * density_at(scheme, r, m, ra, first, 0.0, strains, stride);
    if (out != 0.0) sum -= out * density_at(scheme, r, m, ra, last, 1.0, strains, stride);
    return sum;
}

static double fed_work(const space_scheme *scheme, const rod *r, const rod_memory *m,
                       const rod_actuator *ra, double effort) {
    const actuator *a = ra->a;
    int first;
    const int n = growing_elements(r, ra, &first), last = first + n - 1;
    if (n == 0) return 0.0;
    const running from = running_over(r, ra, first, n, m->fields[0] + F_U, F_SIZE, m->tensions);
    const double fed = r->length - m->lengths[0];
    const double grown = grown_share(r, m);
    const double enters = 0.5 * fed *
                          (carried(scheme, r, m, ra, first, last, m->fields[0] + F_U, F_SIZE) +
                           carried(scheme, r, m, ra, first, last, m->strains, 6));
    if (a->control == CONTROL_MEASURE && (a->from_rest || actuator_is_driven(a)))
        return a->sign * effort * enters;
    double work = -a->sign * effort * (grown * from.measure - enters) +
                  0.5 * a->inverse_stiffness * grown * from.stretch2;
    if (a->control == CONTROL_GAS) work -= effort * grown * from.counted;
    return work;
}

static double friction_loss(const rod_actuator *ra, const rod_memory *m, const running *from,
                            const running *to) {
    const int at = ra->first_point;
    double sum = 0.0;
    for (int i = 0; i < ra->n_nodes; i++) {
        double before = i ? m->tensions[at + i - 1] : from->effort;
        double after = i ? m->trial_tensions[at + i - 1] : to->effort;
        double q = 0.5 * (before - m->tensions[at + i] + after - m->trial_tensions[at + i]);
        sum += q * (m->trial_passed[at + i] - m->passed[0][at + i]);
    }
    return sum;
}

void actuators_account(const space_scheme *scheme, const rod *r, const rod_memory *m, bool jumped,
                       cosserat_time *time) {
    for (int i = 0; i < r->n_actuators; i++) {
        const rod_actuator *ra = &r->actuators[i];
        running from = running_now(r, m, i), to = running_next(r, m, i);
        if (jumped && ra->a->control == CONTROL_EFFORT) from.effort = to.effort;
        const double effort = 0.5 * (from.effort + to.effort);
        time->work += work_of(ra->a, &from, &to, effort);
        if (rod_is_fed(r) && r->length != m->lengths[0])
            time->work += fed_work(scheme, r, m, ra, effort);
        if (actuator_rubs(ra->a)) time->dissipated += friction_loss(ra, m, &from, &to);
    }
}

double actuators_most_work(const rod *r, const rod_memory *m) {
    double sum = 0.0;
    for (int a = 0; a < r->n_actuators; a++) {
        const rod_actuator *ra = &r->actuators[a];
        const double given = ra->a->control == CONTROL_EFFORT ? fabs(m->given[a]) : 0.0;
        for (int k = 0; k < ra->n_elements; k++) {
            const element *e = &r->elements[ra->first_element + k];
            for (int i = 0; i < e->n_nodes; i++) {
                const int node = e->node + i, at = node - ra->first_node;
                const station *st = &e->stations[i];
                const double *now = m->fields[0] + (size_t)node * F_SIZE + F_U;
                const double *next = m->strains + (size_t)node * 6;
                vec3 u0 = vec3_add(st->u_rest, vec3_load(now));
                vec3 v0 = vec3_add(st->v_rest, vec3_load(now + 3));
                vec3 u1 = vec3_add(st->u_rest, vec3_load(next));
                vec3 v1 = vec3_add(st->v_rest, vec3_load(next + 3));
                double change = actuator_density(ra->a, &ra->at[at], u1, v1).value -
                                actuator_density(ra->a, &ra->at[at], u0, v0).value;
                double effort = fmax(fabs(m->tensions[ra->first_point + at]),
                                     fabs(m->trial_tensions[ra->first_point + at]));
                sum += e->quadrature[i] * fmax(effort, given) * fabs(change);
            }
        }
    }
    return sum;
}
