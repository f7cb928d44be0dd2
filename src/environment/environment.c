// environment/environment.c - the environment that a robot describes, and what it does to a point.
#include "environment/environment.h"

#include <math.h>
#include <string.h>

static bool is_zero(const double a[3]) {
    return a[0] == 0.0 && a[1] == 0.0 && a[2] == 0.0;
}

environment environment_of(const td_robot *robot) {
    environment e = {.drags = false};
    memcpy(e.gravity, robot->gravity, sizeof e.gravity);
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < robot->rods[i].n_pieces; k++) {
            const td_piece_def *p = &robot->rods[i].pieces[k];
            e.drags = e.drags || !is_zero(p->drag) || !is_zero(p->linear_drag);
        }
    e.fluid = robot->fluid;
    if (robot_has_magnets(robot))
        for (int i = 0; i < robot->n_fields; i++) {
            e.fields[e.n_fields] = robot->fields[i].def;
            e.fields[e.n_fields++].name = NULL;
        }
    return e;
}

void point_body_add(point_body *b, const section_surface *of, double length) {
    b->magnet = vec3_madd(b->magnet, length, vec3_load(of->magnet));
    b->wet_drag = vec3_madd(b->wet_drag, length, vec3_load(of->drag));
    b->displaced += length * of->displaced;
}

void point_body_add_piece(point_body *b, const td_piece_def *piece, double x, double density,
                          double length) {
    const section_surface surface = piece_surface(piece, x, density);
    b->drag = vec3_madd(b->drag, length, vec3_load(piece->drag));
    b->linear_drag = vec3_madd(b->linear_drag, length, vec3_load(piece->linear_drag));
    point_body_add(b, &surface, length);
}

void point_body_join(point_body *to, const point_body *from, double share) {
    to->drag = vec3_madd(to->drag, share, from->drag);
    to->linear_drag = vec3_madd(to->linear_drag, share, from->linear_drag);
    to->wet_drag = vec3_madd(to->wet_drag, share, from->wet_drag);
    to->magnet = vec3_madd(to->magnet, share, from->magnet);
    to->displaced += share * from->displaced;
    to->displaced_at = vec3_madd(to->displaced_at, share, from->displaced_at);
}

point_body point_body_of(const td_body_def *def, double density) {
    const double displaced = density * def->volume;
    return (point_body){.magnet = vec3_load(def->magnet),
                        .displaced = displaced,
                        .displaced_at = vec3_scale(vec3_load(def->centre), displaced)};
}

surroundings surroundings_at(const environment *e, const double *inputs, double share,
                             const se3 *stand) {
    surroundings out = {.current = numbers_at(e->fluid.velocity, inputs),
                        .lift = vec3_neg(environment_gravity(e, inputs, share)),
                        .magnetic.n = 0};
    if (stand) out.current = mat3_tmul_vec(&stand->R, out.current);
    if (stand) out.lift = mat3_tmul_vec(&stand->R, out.lift);
    if (e->n_fields) out.magnetic = fields_at(e->fields, e->n_fields, inputs, share, stand);
    return out;
}

surroundings surroundings_rate(const environment *e, const double *inputs, const double *rates,
                               double share, const se3 *stand) {
    surroundings out = {.current = number_rates_at(e->fluid.velocity, rates),
                        .lift = vec3_scale(environment_gravity_rate(e, rates), -share),
                        .magnetic.n = 0};
    if (stand) out.current = mat3_tmul_vec(&stand->R, out.current);
    if (stand) out.lift = mat3_tmul_vec(&stand->R, out.lift);
    if (e->n_fields)
        out.magnetic = fields_rate(e->fields, e->n_fields, inputs, rates, share, stand);
    return out;
}

// Three rows of a column of a 6 x 6 matrix, from `row` on.
static void add_column(double *m, int row, int column, vec3 x) {
    m[6 * row + column] += x.x;
    m[6 * (row + 1) + column] += x.y;
    m[6 * (row + 2) + column] += x.z;
}

// The moment c x m g answers to a small turn th by (th x c) x g.
static void add_weight(vec3 g, const point_body *b, const point_now *at, point_answer *sum,
                       point_slopes *slopes) {
    const vec3 c = mat3_mul_vec(at->R, b->moment);
    sum->wrench.a = vec3_add(sum->wrench.a, vec3_cross(c, g));
    sum->wrench.l = vec3_madd(sum->wrench.l, b->mass, g);
    for (int k = 0; k < 3 && slopes; k++) {
        const vec3 th = {k == 0, k == 1, k == 2};
        add_column(slopes->by_motion, 0, k, vec3_cross(vec3_cross(th, c), g));
    }
}

// Of a point with the velocity v against the fluid, in its own axes: the force against it, and its slope S.
static vec3 drag_of(const point_body *b, vec3 v, mat3 *S) {
    const vec3 size = {fabs(v.x), fabs(v.y), fabs(v.z)}, by_size = vec3_mul(b->drag, size);
    const double across = sqrt(v.x * v.x + v.y * v.y);
    const vec3 wet = {b->wet_drag.x * across, b->wet_drag.y * across, b->wet_drag.z * size.z};
    if (S) {
        *S = mat3_diag(vec3_add(vec3_madd(b->linear_drag, 2.0, by_size), wet));
        S->m[2][2] += wet.z;
        const double x = across > 0.0 ? v.x / across : 0.0, y = across > 0.0 ? v.y / across : 0.0;
        S->m[0][0] += b->wet_drag.x * v.x * x, S->m[0][1] += b->wet_drag.x * v.x * y;
        S->m[1][0] += b->wet_drag.y * v.y * x, S->m[1][1] += b->wet_drag.y * v.y * y;
    }
    return vec3_mul(vec3_add(vec3_add(b->linear_drag, by_size), wet), v);
}

static bool is_dragged(const point_body *b) {
    return vec3_dot(b->drag, b->drag) + vec3_dot(b->linear_drag, b->linear_drag) +
               vec3_dot(b->wet_drag, b->wet_drag) >
           0.0;
}

// With the force f and the slope S in the axes of the point: a turn th and a change dv of the velocity
// change R f by th x R f + R S R' (th x v - dv), v against the current.
static void add_drag(vec3 current, const point_body *b, const point_now *at, point_answer *sum,
                     point_slopes *slopes) {
    const mat3 *R = at->R;
    if (!is_dragged(b)) return;
    mat3 S;
    const vec3 v = mat3_tmul_vec(R, vec3_sub(at->v, current));
    const vec3 f = drag_of(b, v, slopes ? &S : NULL), force = mat3_mul_vec(R, f);
    sum->wrench.l = vec3_sub(sum->wrench.l, force);
    sum->lost += vec3_dot(f, v);
    sum->given -= vec3_dot(force, current);
    for (int k = 0; k < 3 && slopes; k++) {
        const vec3 unit = {k == 0, k == 1, k == 2}, local = mat3_tmul_vec(R, unit);
        const vec3 turned = mat3_mul_vec(R, mat3_mul_vec(&S, vec3_cross(local, v)));
        add_column(slopes->by_motion, 3, k, vec3_sub(turned, vec3_cross(unit, force)));
        add_column(slopes->by_velocity, 3, 3 + k,
                   vec3_neg(mat3_mul_vec(R, mat3_mul_vec(&S, local))));
    }
}

static bool is_magnetic(const surroundings *around, const point_body *b) {
    return around->magnetic.n && vec3_dot(b->magnet, b->magnet) > 0.0;
}

void environment_add(vec3 gravity, const surroundings *around, const point_body *b,
                     const point_now *at, point_answer *sum, point_slopes *slopes) {
    add_weight(gravity, b, at, sum, slopes);
    add_drag(around ? around->current : vec3_zero(), b, at, sum, slopes);
    if (!around) return;
    const point_body displaced = {.mass = b->displaced, .moment = b->displaced_at};
    if (b->displaced > 0.0) add_weight(around->lift, &displaced, at, sum, slopes);
    if (!is_magnetic(around, b)) return;
    sum->wrench =
        vec6_add(sum->wrench, fields_wrench(&around->magnetic, mat3_mul_vec(at->R, b->magnet),
                                            at->p, slopes ? slopes->by_motion : NULL));
}

vec6 environment_by(const surroundings *around, const surroundings *by, const point_body *b,
                    const point_now *at) {
    vec6 out = {vec3_cross(mat3_mul_vec(at->R, b->displaced_at), by->lift),
                vec3_scale(by->lift, b->displaced)};
    if (is_magnetic(around, b))
        out = vec6_add(out, fields_wrench_by(&around->magnetic, &by->magnetic,
                                             mat3_mul_vec(at->R, b->magnet), at->p));
    if (!is_dragged(b)) return out;
    mat3 S;
    drag_of(b, mat3_tmul_vec(at->R, vec3_sub(at->v, around->current)), &S);
    const vec3 faster = mat3_mul_vec(&S, mat3_tmul_vec(at->R, by->current));
    out.l = vec3_add(out.l, mat3_mul_vec(at->R, faster));
    return out;
}

double environment_energy(vec3 gravity, const point_body *b, const point_now *at) {
    return -vec3_dot(gravity, vec3_madd(mat3_mul_vec(at->R, b->moment), b->mass, at->p));
}

// J, of what a fluid carries under this lift.
static double lift_energy(vec3 lift, const point_body *b, const point_now *at) {
    return environment_energy(lift, &(point_body){.mass = b->displaced, .moment = b->displaced_at},
                              at);
}

double surrounding_energy(const surroundings *around, const point_body *b, const point_now *at) {
    double sum = lift_energy(around->lift, b, at);
    if (is_magnetic(around, b))
        sum += fields_energy(&around->magnetic, mat3_mul_vec(at->R, b->magnet), at->p);
    return sum;
}

double surrounding_power(const surroundings *around, const surroundings *by, const point_body *b,
                         const point_now *at) {
    double sum = lift_energy(by->lift, b, at);
    if (is_magnetic(around, b))
        sum +=
            fields_power(&around->magnetic, &by->magnetic, mat3_mul_vec(at->R, b->magnet), at->p);
    return sum;
}
