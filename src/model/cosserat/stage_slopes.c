// model/cosserat/stage_slopes.c - see step_slopes.h: what a formula of a step does to changes of all that has a rate. At a
// stage, with r = 0 the equations, x the unknowns, h the histories and u what inputs give,
//
//     J dx = - r_h dh - r_u du,     dw = w_x dx + w_h dh + w_u du,     dy_t = c0 dy + dh
//
// and dh is the same combination of past changes as h is of past fields. J and all slopes but those against
// inputs are exact (slopes.h); those are differences of the equations, which are linear in loads.
#include "model/cosserat/stage_slopes.h"

#include <math.h>
#include <string.h>

#include "math/dense.h"
#include "math/quadrature.h"
#include "model/cosserat/columns.h"
#include "model/cosserat/contact.h"
#include "model/cosserat/drive_columns.h"
#include "model/cosserat/motion.h"

#define PLACE_REACH 1e-3  // m or rad, between places of a difference of fourth order
#define RATE_REACH 1e-3   // m/s or rad/s: drag has kinks
#define NARROW 1e-6       // below it two places must do: what is pulled has edges nearby
#define TOUCH_REACH 1e-9  // and so has what touches: four places lie so far apart at least

// ---------------------------------------------------------------- fields
// The fields of the shape in progress, in the order of slopes.h; strains and poses are left out.
static void read_fields(const assembly_problem *p, double *to) {
    const assembly *a = p->a;
    memset(to, 0, sizeof(double) * (size_t)n_fields(p->c, a));
    assembly_publish(p);
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = p->own->problems[i].r;
        const rod_memory *m = p->own->problems[i].m;
        double *at = to + rod_field(p->c, a, i);
        for (int k = 0; k < r->n_nodes; k++) {
            memcpy(at + F_SIZE * k + F_W, m->trial + k * Y_SIZE + Y_W, 3 * sizeof *to);
            memcpy(at + F_SIZE * k + F_Q, m->trial + k * Y_SIZE + Y_Q, 3 * sizeof *to);
        }
        at = to + end_field(p->c, a, i);
        for (int k = 0; k < r->n_elements && r->ridden; k++) {
            memcpy(at + 6 * k, m->trial_bounds + (k + 1) * Y_SIZE + Y_W, 3 * sizeof *to);
            memcpy(at + 6 * k + 3, m->trial_bounds + (k + 1) * Y_SIZE + Y_Q, 3 * sizeof *to);
        }
    }
}

// Pose of a point of a rod in the shape in progress: of a node, or behind the last the tip.
static const double *point_of(const rod *r, const rod_memory *m, int k) {
    return k < r->n_nodes ? m->trial + k * Y_SIZE : m->trial_bounds + r->n_elements * Y_SIZE;
}

void stage_keep_center(const step_columns *s, const assembly_problem *p) {
    double *to = s->center;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = p->own->problems[i].r;
        for (int k = 0; k <= r->n_nodes && rod_remembers(r); k++, to += 7)
            memcpy(to, point_of(r, p->own->problems[i].m, k) + Y_P, 7 * sizeof *to);
    }
}

// Turns from where points are now, and places; then what contact keeps.
static void read_beside(const step_columns *s, const assembly_problem *p, double *to) {
    const double *from = s->center;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = p->own->problems[i].r;
        for (int k = 0; k <= r->n_nodes && rod_remembers(r); k++, to += 6, from += 7) {
            const double *y = point_of(r, p->own->problems[i].m, k);
            const quat back = quat_conj(quat_load(from + 3));
            const quat turn = quat_mul(quat_load(y + Y_H), back);
            vec3_store(to, vec3_scale(quat_vector(turn), 2.0));
            memcpy(to + 3, y + Y_P, 3 * sizeof *to);
        }
    }
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod *r = p->own->problems[i].r;
        const int n = n_kept_of(p->c, r->n_nodes + 1);
        if (!rod_remembers(r)) continue;
        memcpy(to, p->own->problems[i].m->trial_slips, sizeof *to * (size_t)n);
        to += n;
    }
}

// ---------------------------------------------------------------- against inputs
// The residual and the fields with one number of the inputs changed by e.
static void side(const step_columns *s, assembly_problem *p, const double *point, input_role role,
                 int input, double e, double *out) {
    double *const changed = &s->inputs[role][input], before = *changed;
    *changed += e;
    assembly_prepare(p);
    if (!assembly_evaluate(p, point, out)) out[0] = (double)NAN;
    read_fields(p, out + n_change(p->a));
    read_beside(s, p, out + n_change(p->a) + n_fields(p->c, p->a));
    *changed = before;
}

static double reach_of(const assembly_problem *p, input_role role, int input, double now) {
    const input_span over = input_span_of(p, input, now);
    const double span = over.high - now;
    if (role == AS_RATE) return RATE_REACH;
    return role == AS_PLACE && span > NARROW ? fmin(span, PLACE_REACH) : span;
}

// Four values of the equations about a place. False: other points touch at some of them.
static bool four_sides(const step_columns *s, assembly_problem *p, const double *point, int input,
                       double e, double *by) {
    const int n = n_change(p->a) + n_fields(p->c, p->a) + n_beside(p->c, p->a);
    const double touching = assembly_touching(p);
    bool same = true;
    for (int i = 0; i < 4; i++) {
        side(s, p, point, AS_PLACE, input, (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e),
             s->sides + i * n);
        same = same && assembly_touching(p) == touching;
    }
    for (int i = 0; i < n; i++) {
        const double *f = s->sides + i, g1 = f[0] - f[n], g2 = f[2 * n] - f[3 * n];
        by[i] = (8.0 * g1 - g2) / (12.0 * e);
    }
    return same;
}

// by (n_change + n_fields + n_beside): two values for what is linear, four for places, as far as the same points touch.
void stage_slope_of_input(const step_columns *s, assembly_problem *p, const double *point,
                          input_role role, int input, double *by) {
    const int n = n_change(p->a) + n_fields(p->c, p->a) + n_beside(p->c, p->a);
    const double e = reach_of(p, role, input, s->inputs[role][input]);
    const input_span over = input_span_of(p, input, s->inputs[role][input]);
    const bool one_sided = role != AS_RATE && over.low == s->inputs[role][input];
    if (role == AS_PLACE && e > NARROW) {
        four_sides(s, p, point, input, PLACE_REACH, by);
        return;
    }
    for (double reach = NARROW; role == AS_PLACE && e < TOUCH_REACH && reach > TOUCH_REACH;
         reach *= 0.1) {
        if (four_sides(s, p, point, input, reach, by)) return;
        side(s, p, point, role, input, 0.0, s->sides);  // whose points touch is asked for again
    }
    side(s, p, point, role, input, e, s->sides);
    side(s, p, point, role, input, one_sided ? 0.0 : -e, s->sides + n);
    for (int i = 0; i < n; i++) by[i] = (s->sides[i] - s->sides[n + i]) / (one_sided ? e : 2.0 * e);
}

static void slope_of_efforts(const assembly_problem *p, int input, double *by) {
    memset(by, 0,
           sizeof(double) * (size_t)(n_change(p->a) + n_fields(p->c, p->a) + n_beside(p->c, p->a)));
    add_by_efforts(p, input, by);
}

// See set_between.
void stage_input_weights(const step_columns *s, const substep *sub, double w[N_ROLES][3]) {
    const double x = sub->at, left = 1.0 - x, dt = s->dt;
    const bool ends = sub->base_inputs == s->call->inputs;
    const double load[3] = {1.0 - x, x, 0.0}, at_end[3] = {0.0, 1.0, 0.0},
                 rate_at_end[3] = {0.0, 0.0, 1.0};
    const double within[3] = {left * left, 1.0 - left * left, left * left * dt - left * dt};
    const double rate[3] = {-2.0 * left / dt, 2.0 * left / dt, 1.0 - 2.0 * left};
    memcpy(w[AS_LOAD], sub->inputs == s->call->inputs ? at_end : load, sizeof load);
    memcpy(w[AS_PLACE], ends ? at_end : within, sizeof load);
    memcpy(w[AS_RATE], ends ? rate_at_end : rate, sizeof load);
}

// row (m) += gain times what places are made of
static void add_by_place(const step_columns *s, int input, double gain, const double w[3],
                         double *row) {
    row[start_column(s, input)] += gain * w[0];
    row[end_column(s, input)] += gain * w[1];
    row[end_rate_column(s, input)] += gain * w[2];
}

void stage_add_column(int n, const double *by, double factor, int m, int column, double *to) {
    for (int i = 0; i < n && factor != 0.0; i++)
        to[(size_t)i * (size_t)m + column] += factor * by[i];
}

// What inputs alone do to points and to what is kept there.
static void add_beside(const step_columns *s, const assembly_problem *p, const double *by,
                       double factor, int column) {
    const int points = touch_points(p->c, p->a), index = (int)(p->a - p->c->assemblies);
    const size_t first = (size_t)first_point(p->c, index) * (size_t)s->m;
    stage_add_column(6 * points, by, factor, s->m, column, s->poses_next + 6 * first);
    stage_add_column(n_kept_of(p->c, points), by + 6 * points, factor, s->m, column,
                     s->kept_next + (size_t)n_kept_of(p->c, 1) * first);
}

// R += r_u du and `fields` += w_u du. The shape is then that of the point again.
static void add_inputs(const step_columns *s, assembly_problem *p, const substep *sub,
                       const double *point, double *fields) {
    const int n = n_change(p->a), f = n_fields(p->c, p->a);
    double w[N_ROLES][3];
    bool moved = false;
    stage_input_weights(s, sub, w);
    const size_t bytes = sizeof(double) * (size_t)s->n_u;
    memcpy(s->inputs[AS_LOAD], sub->inputs, bytes);
    memcpy(s->inputs[AS_PLACE], sub->base_inputs, bytes);
    memcpy(s->inputs[AS_RATE], sub->base_rates, bytes);
    p->inputs = s->inputs[AS_LOAD], p->base_inputs = s->inputs[AS_PLACE];
    p->base_rates = s->inputs[AS_RATE];
    for (int input = 0; input < s->n_u; input++) {
        if (!is_asked(s, input)) continue;
        const bool plain = input_gives_efforts(p, input), loads = input_only_loads(p, input);
        for (int role = 0; role < N_ROLES; role++) {
            if ((loads && role > AS_LOAD) || (role == AS_RATE && !input_moves(p, input))) continue;
            if (plain) slope_of_efforts(p, input, s->by_input);
            else stage_slope_of_input(s, p, point, (input_role)role, input, s->by_input);
            moved = moved || !plain;
            const int columns[3] = {start_column(s, input), end_column(s, input),
                                    end_rate_column(s, input)};
            for (int k = 0; k < 3; k++) {
                if (columns[k] >= s->m) continue;
                stage_add_column(n, s->by_input, w[role][k], s->m, columns[k], s->R);
                stage_add_column(f, s->by_input + n, w[role][k], s->m, columns[k], fields);
                add_beside(s, p, s->by_input + n + f, w[role][k], columns[k]);
            }
        }
    }
    if (!moved) return;
    assembly_prepare(p);
    assembly_evaluate(p, point, p->own->residual);
    assembly_publish(p);
}

// ---------------------------------------------------------------- one formula
static void combine(const step_columns *s, const time_formula *f) {
    const int n = s->n_fields * s->m;
    const double *const terms[4] = {s->Y[0], s->Y[1], s->Y[2], s->rate};
    const double by[4] = {f->c[0], f->c[1], f->c[2], f->d1};
    bool any = false;
    for (int i = 0; i < 4; i++) {
        if (by[i] == 0.0) continue;
        if (any) columns_add(n, by[i], terms[i], s->H);
        else columns_scale(n, by[i], terms[i], s->H);
        any = true;
    }
}

// ---------------------------------------------------------------- rods that are fed
// Level after level as in dynamics.c. The material of a node was, when the rod had the length of a level, at places x with
// factors f, where nodes of an element have the weights w(x), so that of y = sum f w Y
//
//     dy = sum (f w dY + (f w'(x) dx + w df) Y)
//
// with dx and df by the lengths of then and of one level later.
typedef struct fed_rod {
    const rod *r;
    const rod_memory *m;
    int first, length;  // its first field, and that of its length
} fed_rod;

// to (F_SIZE x m) += what one place gives, by the columns of m->carried (n_nodes F_SIZE x m).
static void add_past_place(const cosserat *c, const step_columns *s, const fed_rod *x,
                           const past_place *at, const double *columns, const double *d_now,
                           const double *d_past, double *to) {
    const element *e = at->of;
    const size_t w = (size_t)s->m;
    const double *fields = x->m->carried + (size_t)e->node * F_SIZE;
    double row[GAUSS_MAX], slope[GAUSS_MAX], value[F_SIZE] = {0.0}, by_x[F_SIZE] = {0.0};
    c->scheme->weights(x->r, (int)(e - x->r->elements), at->x, row);
    past_weight_slopes(c->scheme, x->r, e, at->x, slope);
    for (int j = 0; j < e->n_nodes; j++) {
        columns_add(F_SIZE * s->m, at->factor * row[j],
                    columns + (size_t)(F_SIZE * (e->node + j)) * w, to);
        for (int k = 0; k < F_SIZE; k++) {
            value[k] += row[j] * fields[F_SIZE * j + k];
            by_x[k] += at->factor * slope[j] * fields[F_SIZE * j + k];
        }
    }
    for (int k = 0; k < F_SIZE; k++) {
        columns_add(s->m, by_x[k] * at->x_by[0] + value[k] * at->factor_by[0], d_now,
                    to + (size_t)k * w);
        columns_add(s->m, by_x[k] * at->x_by[1] + value[k] * at->factor_by[1], d_past,
                    to + (size_t)k * w);
    }
}

static void combine_fed(const cosserat *c, const step_columns *s, const time_formula *f,
                        const fed_rod *x) {
    const rod *r = x->r;
    const size_t w = (size_t)s->m, first = (size_t)x->first * w;
    const int n = F_SIZE * r->n_nodes, all = n * s->m;
    double *H = s->H + first, *sums = s->next + first;  // which nothing is in yet
    memset(H, 0, sizeof(double) * (size_t)all);
    memset(x->m->history, 0, sizeof(double) * (size_t)n);
    for (int l = past_levels(f) - 1; l >= 0; l--) {
        const double *d_now = (l ? s->Y[l - 1] : s->next) + (size_t)x->length * w;
        const double *d_past = s->Y[l] + (size_t)x->length * w;
        memcpy(sums, H, sizeof(double) * (size_t)all);
        columns_add(all, f->c[l], s->Y[l] + first, sums);
        if (l == 0 && f->d1 != 0.0) columns_add(all, f->d1, s->rate + first, sums);
        past_sum(x->m, f, l);
        memset(H, 0, sizeof(double) * (size_t)all);
        for (int k = 0; k < n / F_SIZE; k++) {
            const element *e = &r->elements[0];
            while (k >= e->node + e->n_nodes) e++;
            past_place at[2];
            const int places = past_places(x->m, e, k - e->node, l, at);
            for (int j = 0; j < places; j++)
                add_past_place(c, s, x, &at[j], sums, d_now, d_past, H + (size_t)(F_SIZE * k) * w);
        }
        past_carry(c->scheme, x->m, l);
    }
}

// Histories of what is fed, once the lengths of this part of the step are known.
static void feed(const cosserat *c, const cosserat_memory *m, const substep *sub) {
    const step_columns *s = m->columns;
    double w[N_ROLES][3];
    stage_input_weights(s, sub, w);
    for (int k = 0; k < c->n_assemblies; k++)
        for (int i = 0; i < c->assemblies[k].n_rods; i++) {
            const assembly *a = &c->assemblies[k];
            const rod_memory *mr = &m->rods[a->rods[i]];
            const fed_rod x = {.r = mr->r,
                               .m = mr,
                               .first = first_field(c, k) + rod_field(c, a, i),
                               .length = first_field(c, k) + length_field(c, a, i)};
            const td_number by = c->rods[a->rods[i]].feed;
            if (!rod_is_fed(&c->rods[a->rods[i]])) continue;
            double *row = s->next + (size_t)x.length * (size_t)s->m;
            memset(row, 0, sizeof(double) * (size_t)s->m);
            if (by.gain != 0.0 && is_asked(s, by.input))
                add_by_place(s, by.input, by.gain, w[AS_PLACE], row);
            combine_fed(c, s, &sub->formula, &x);
        }
}

// X = - J^-1 R. False: singular.
static bool solve_columns(const step_columns *s, int n) {
    if (!lu_factor(n, s->J, s->pivot)) return false;
    columns_scale(n * s->m, -1.0, s->R, s->X);
    lu_solve_many(n, s->J, s->pivot, s->m, s->X);
    return true;
}

// The same with rows and columns made alike, which in a chain are motions, forces and gaps.
static bool solve_scaled(const step_columns *s, int n) {
    double *rows = s->scale, *columns = s->scale + n;
    for (int k = 0; k < n; k++) columns[k] = 0.0;
    for (int i = 0; i < n; i++) {
        double most = 0.0;
        for (int k = 0; k < n; k++) most = fmax(most, fabs(s->J[i * n + k]));
        rows[i] = most > 0.0 ? 1.0 / most : 1.0;
        for (int k = 0; k < n; k++) {
            s->J[i * n + k] *= rows[i];
            columns[k] = fmax(columns[k], fabs(s->J[i * n + k]));
        }
    }
    for (int k = 0; k < n; k++) columns[k] = columns[k] > 0.0 ? 1.0 / columns[k] : 1.0;
    for (int i = 0; i < n * n; i++) s->J[i] *= columns[i % n];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < s->m; j++) s->R[i * s->m + j] *= rows[i];
    if (!solve_columns(s, n)) return false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < s->m; j++) s->X[i * s->m + j] *= columns[i];
    return true;
}

// fields += by_unknown X; strains are X themselves. Where nobody asks for velocities they are left out.
static void add_unknowns(const step_columns *s, const assembly_problem *p, bool last,
                         double *fields) {
    const assembly *a = p->a;
    const int n = n_change(a), m = s->m;
    const size_t w = (size_t)m;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = p->own->problems[i].r;
        const int d = unknowns_per_node(r), first = rod_field(p->c, a, i);
        for (int k = 0; k < r->n_nodes; k++) {
            const int row = first + F_SIZE * k;
            memcpy(fields + (size_t)row * w, s->X + (size_t)(a->first[i] + d * k) * w,
                   sizeof(double) * (size_t)d * w);
            if (!last)
                dense_madd(6, n, m, 1.0, s->by_unknown + (row + F_W) * n, s->X,
                           fields + (size_t)(row + F_W) * w);
        }
        const int ends = end_field(p->c, a, i);
        if (r->ridden && !last)
            dense_madd(6 * r->n_elements, n, m, 1.0, s->by_unknown + ends * n, s->X,
                       fields + (size_t)ends * w);
    }
    const int bodies = body_field(p->c, a, 0);
    dense_madd(B_SIZE * a->n_bodies, n, m, 1.0, s->by_unknown + bodies * n, s->X,
               fields + (size_t)bodies * w);
}

// The unknowns that were found.
static void found_point(const assembly_problem *p, double *point) {
    const assembly *a = p->a;
    memcpy(point, p->own->now, sizeof(double) * (size_t)n_point(a));
    for (int i = 0; i < a->n_rods && a->alone; i++) {
        const rod *r = p->own->problems[i].r;
        const rod_memory *m = p->own->problems[i].m;
        const int d = unknowns_per_node(r);
        double *to = point + a->first[i];
        for (int k = 0; k < r->n_nodes; k++, to += d)
            memcpy(to, m->strains + 6 * k, sizeof(double) * (size_t)d);
        memcpy(to, m->trial_efforts, sizeof(double) * (size_t)r->n_efforts);
    }
}

void stage_put_row(const step_columns *s, const double *from, double *to) {
    const int n = s->out->n;
    memcpy(to, from, sizeof(double) * (size_t)n);
    memset(to + n, 0, sizeof(double) * (size_t)(s->out->n_columns - n));
    for (int j = n; j < s->m; j++) to[told_column(s, j)] = from[j];
}

// Multipliers after the step, in the order of td_linear: efforts of rods, then reactions.
static void put_multipliers(const step_columns *s, const assembly_problem *p, double *to) {
    const assembly *a = p->a;
    const int n_c = n_coordinates_of(p->c, a), n = n_change(a);
    for (int k = n_c; k < n; k++, to += s->out->n_columns)
        stage_put_row(s, s->X + (size_t)coordinate_at(p->c, a, k).change * (size_t)s->m, to);
}

// The problem of this part of a step, evaluated where the step ended, at the point that is returned.
static const double *evaluate_end(const cosserat *c, cosserat_memory *m, int index,
                                  const substep *sub, assembly_problem *p) {
    *p = assembly_at(c, index, m, m->columns->call);
    double *point = p->own->points[3];
    p->c0 = sub->formula.c0, p->dt = sub->dt;
    p->inputs = sub->inputs, p->base_inputs = sub->base_inputs, p->base_rates = sub->base_rates;
    found_point(p, point);
    assembly_prepare(p);
    if (!assembly_evaluate(p, point, p->own->residual)) m->columns->incomplete = true;
    return point;
}

// R += r_s ds
static void add_stretches(const step_columns *s, const assembly_problem *p, const double *point) {
    const int n = n_change(p->a);
    for (int i = 0; i < p->a->n_rods; i++) {
        const int index = p->a->rods[i];
        const double *ds = s->stretch + (size_t)index * (size_t)s->m;
        if (!rod_has_sections_that_follow(&p->c->rods[index])) continue;
        if (!assembly_by_stretch(p, i, point, s->sides, s->by_input)) s->R[0] = (double)NAN;
        for (int k = 0; k < n; k++)
            columns_add(s->m, s->by_input[k], ds, s->R + (size_t)k * (size_t)s->m);
    }
}

// Rod i of an assembly, with its part of what contact remembers.
static contact_columns contact_columns_of(const step_columns *s, const assembly_problem *p, int i) {
    const cosserat *c = p->c;
    const int index = (int)(p->a - c->assemblies);
    const size_t w = (size_t)s->m;
    const size_t at = (size_t)(first_point(c, index) + touch_point_of(c, p->a, i)) * w;
    const size_t length = (size_t)(first_field(c, index) + length_field(c, p->a, i)) * w;
    return (contact_columns){.m = s->m,
                             .kept = s->kept + (size_t)n_kept_of(c, 1) * at,
                             .before = s->poses + 6 * at,
                             .length =
                                 rod_is_fed(&c->rods[p->a->rods[i]]) ? s->Y[0] + length : NULL,
                             .scratch = s->one + 4 * w};
}

// What was before goes on as loads of this part of the step.
static void find_past_loads(const step_columns *s, const assembly_problem *p) {
    for (int i = 0; i < p->a->n_rods; i++) {
        const contact_columns x = contact_columns_of(s, p, i);
        if (!rod_remembers(p->own->problems[i].r)) continue;
        contact_past_loads(&p->own->problems[i], &x,
                           s->loads + 6 * (size_t)touch_point_of(p->c, p->a, i) * (size_t)s->m);
    }
}

// The same of the shape that was found, whose points move with X.
static void keep_contact(const step_columns *s, const assembly_problem *p) {
    const int n = n_change(p->a), points = touch_points(p->c, p->a);
    const size_t w = (size_t)s->m;
    const size_t first = (size_t)first_point(p->c, (int)(p->a - p->c->assemblies));
    double *now = s->loads;
    dense_mul(6 * points, n, s->m, 1.0, s->pose_by, s->X, now);
    for (int i = 0; i < p->a->n_rods; i++) {
        const contact_columns x = contact_columns_of(s, p, i);
        const size_t at = (size_t)touch_point_of(p->c, p->a, i);
        if (!rod_remembers(p->own->problems[i].r)) continue;
        contact_add_kept(&p->own->problems[i], &x, now + 6 * at * w, s->one,
                         s->kept_next + (size_t)n_kept_of(p->c, 1) * (first + at) * w);
    }
    columns_add(6 * points * s->m, 1.0, now, s->poses_next + 6 * first * w);
}

// R += what grips do that the step began with.
static void add_grips(const step_columns *s, const assembly_problem *p) {
    const size_t w = (size_t)s->m;
    for (int i = 0; i < p->a->n_rods; i++) {
        const rod_problem *one = &p->own->problems[i];
        if (rod_rubs(one->r))
            p->c->scheme->ports->by_grips(one, s->m,
                                          s->grips + (size_t)first_grip(p->c, p->a->rods[i]) * w,
                                          s->R + (size_t)p->a->first[i] * w);
    }
}

// What is remembered of the shape that was found: where an edge slides, its grip stays +-1.
static void keep_grips(const step_columns *s, const assembly_problem *p, int i) {
    const rod_problem *one = &p->own->problems[i];
    const size_t w = (size_t)s->m, first = (size_t)first_grip(p->c, p->a->rods[i]);
    const double *X = s->X + (size_t)p->a->first[i] * w;
    p->c->scheme->ports->passed(one, s->m, X, true, s->passed[0]);
    p->c->scheme->ports->passed(one, s->m, X, false, s->passed[1]);
    for (int a = 0; a < one->r->n_actuators; a++) {
        const rod_actuator *ra = &one->r->actuators[a];
        if (!actuator_rubs(ra->a)) continue;
        for (int k = ra->first_point; k < ra->first_point + ra->n_nodes; k++) {
            double *c = s->grips + (first + (size_t)k) * w;
            double *g = s->state_grips + (first + (size_t)k) * w;
            const bool sticks = fabs(one->m->trial_grips[k]) < 1.0;
            const double per = 1.0 / ra->a->presliding;
            if (!sticks) columns_scale(s->m, -per, s->passed[0] + (size_t)k * w, c);
            memcpy(g, c, sizeof *g * w);
            columns_add(s->m, per, s->passed[1] + (size_t)k * w, g);
        }
    }
}

static void take_assembly(const cosserat *c, cosserat_memory *m, int index, const substep *sub,
                          double *multipliers) {
    step_columns *s = m->columns;
    const assembly *a = &c->assemblies[index];
    const int n = n_change(a);
    const size_t at = (size_t)first_field(c, index) * (size_t)s->m;
    assembly_problem p;
    const double *point = evaluate_end(c, m, index, sub, &p);
    const bool remembers = touch_points(c, a) > 0;
    assembly_directions d = {.m = n, .change = s->unit, .residual = s->J, .fields = s->by_unknown};
    if (remembers) {
        assembly_publish(&p);
        stage_keep_center(s, &p);
        find_past_loads(s, &p);
        d.poses = s->pose_by;
    }
    memset(s->unit, 0, sizeof(double) * (size_t)(n * n));
    for (int i = 0; i < n; i++) s->unit[i * (n + 1)] = 1.0;
    directions_of_assembly(&p, &d, s->scratch);
    d = (assembly_directions){
        .m = s->m, .history = s->H + at, .residual = s->R, .fields = s->next + at};
    if (remembers) d.loads = s->loads;
    directions_of_assembly(&p, &d, s->scratch);
    drive_columns_load(&p, s, sub);
    drive_columns_fix(s, true);
    add_inputs(s, &p, sub, point, s->next + at);
    add_stretches(s, &p, point);
    drive_columns_fix(s, false);
    add_grips(s, &p);
    flow_columns_load(&p, s, sub->dt);
    if (!(n_border(a) ? solve_scaled : solve_columns)(s, n)) s->incomplete = true;
    // of one-step formulas z and z' are the state, which the velocities of rods follow
    add_unknowns(s, &p, sub->last && is_one_step(c), s->next + at);
    drive_columns_take(&p, s, sub);
    flow_columns_take(&p, s, sub->dt);
    if (remembers) keep_contact(s, &p);
    if (s->n_grips > 0) assembly_publish(&p);
    for (int i = 0; i < a->n_rods; i++)
        if (rod_rubs(&c->rods[a->rods[i]])) keep_grips(s, &p, i);
    put_multipliers(s, &p, multipliers);
}

// ---------------------------------------------------------------- inputs alone
// R += r_u du of the inputs at the end of the step.
static void add_ends_of_inputs(const step_columns *s, assembly_problem *p, const substep *sub,
                               const double *point) {
    double w[N_ROLES][3];
    bool moved = false;
    stage_input_weights(s, sub, w);
    memcpy(s->inputs[AS_LOAD], sub->inputs, sizeof(double) * (size_t)s->n_u);
    p->inputs = s->inputs[AS_LOAD];
    for (int input = 0; input < s->n_u; input++) {
        if (input_gives_efforts(p, input)) slope_of_efforts(p, input, s->by_input);
        else stage_slope_of_input(s, p, point, AS_LOAD, input, s->by_input), moved = true;
        stage_add_column(n_change(p->a), s->by_input, w[AS_LOAD][1], s->m, input, s->R);
    }
    if (!moved) return;
    assembly_prepare(p);
    assembly_evaluate(p, point, p->own->residual);
}

// A rod alone: its sharp factors in place of all of J, and its fields along the answers alone.
static void take_rod(const cosserat *c, cosserat_memory *m, int index, const substep *sub) {
    step_columns *s = m->columns;
    const assembly *a = &c->assemblies[index];
    const scheme_ports *ports = c->scheme->ports;
    double *H = s->H + (size_t)first_field(c, index) * (size_t)s->m;
    double *next = s->next + (size_t)first_field(c, index) * (size_t)s->m, *ends = s->unit;
    double tip[6 * SOLVE_COLUMNS], base[6 * SOLVE_COLUMNS];
    assembly_problem p;
    const double *point = evaluate_end(c, m, index, sub, &p);
    const rod_problem *one = &p.own->problems[0];
    const size_t end = (size_t)end_field(c, a, 0) * (size_t)s->m,
                 n_ends = 6 * (size_t)one->r->n_elements * (size_t)s->m;
    rod_directions d = {.m = s->m,
                        .unit = -1,
                        .history = H,
                        .ends = one->r->ridden ? H + end : NULL,
                        .residual = s->R,
                        .fields = next,
                        .end_fields = ends,
                        .tip_motion = tip,
                        .bounds = s->bounds,
                        .base_wrench = base};
    ports->directions(one, &d, s->scratch);
    add_ends_of_inputs(s, &p, sub, point);
    flow_columns_load(&p, s, sub->dt);
    if (!ports->factor(one, true, NULL)) s->incomplete = true;
    ports->respond(one, s->m, s->R, NULL, NULL, s->X, NULL, NULL);
    d.x = s->X, d.residual = NULL;
    ports->directions(one, &d, s->scratch);
    if (one->r->ridden) memcpy(next + end, ends, sizeof(double) * n_ends);
    flow_columns_take(&p, s, sub->dt);
    const output_slopes outputs = {.outputs = s->out->outputs,
                                   .n_outputs = s->out->n_outputs,
                                   .n = s->m,
                                   .n_inputs = s->m,
                                   .by_z = s->out->by_end,
                                   .by_input = s->out->by_end};
    assembly_publish(&p);
    if (!outputs_along(&p, s->m, s->X, next, s->bounds, &outputs, s->by_input))
        s->incomplete = true;
}

void slopes_take(const cosserat *c, cosserat_memory *m, const substep *sub) {
    step_columns *s = m->columns;
    const time_formula *f = &sub->formula;
    for (int i = 0; i < 3; i++)
        if (f->c[i] != 0.0 && i >= s->levels) s->incomplete = true;
    if (f->d1 != 0.0 && !s->rated) s->incomplete = true;
    combine(s, f);
    feed(c, m, sub);
    memset(s->kept_next, 0, sizeof(double) * (size_t)s->n_kept * (size_t)s->m);
    memset(s->poses_next, 0, sizeof(double) * 6 * (size_t)s->n_points * (size_t)s->m);
    const size_t wide = (size_t)s->out->n_columns;
    double *multipliers = s->out->beside + (size_t)s->n_c * wide;
    if (s->out->short_way)  // the last formula tells
        memset(s->out->by_end, 0, sizeof(double) * (size_t)s->out->n_y * (size_t)s->m);
    for (int i = 0; i < c->n_assemblies; i++) {
        const assembly *a = &c->assemblies[i];
        if (s->out->short_way) {
            take_rod(c, m, i, sub);
            continue;
        }
        take_assembly(c, m, i, sub, multipliers);
        multipliers += (size_t)(n_change(a) - n_coordinates_of(c, a)) * wide;
    }
    columns_add(s->n_fields * s->m, f->c0, s->next, s->H);  // y_t = c0 y + h
    double *const rate = s->H, *const next = s->next;
    s->H = s->rate, s->rate = rate;
    s->next = s->Y[2], s->Y[2] = s->Y[1], s->Y[1] = s->Y[0], s->Y[0] = next;
    drive_columns_accept(s);
    double *const kept = s->kept, *const poses = s->poses;
    s->kept = s->kept_next, s->kept_next = kept;
    s->poses = s->poses_next, s->poses_next = poses;
    s->levels = s->levels < 3 ? s->levels + 1 : 3;
    s->rated = true;
}

void slopes_join(cosserat_memory *m) {
    step_columns *s = m->columns;
    memcpy(s->Y[1], s->Y[2], sizeof(double) * (size_t)s->n_fields * (size_t)s->m);
    drive_columns_join(s);
}
