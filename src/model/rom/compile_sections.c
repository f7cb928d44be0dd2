// model/rom/compile_sections.c - what sections are made of, and the shape of a rod at rest.
#include <string.h>

#include "model/rom/compile.h"
#include "model/rom/fit.h"

// Push-pull rods and wires stiffen the section and weigh along it.
static void add_wires(const td_robot *robot, const actuator *actuators, int rod, double s,
                      section *out) {
    const double none[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < robot->n_actuators; i++) {
        const td_tendon_def *t = &actuators[i].path;
        if (t->rod != rod || s < t->from || s > t->to) continue;
        for (int k = 0; k < 3; k++) out->law.stiffness[k] += k == 2 ? t->torsion : t->bending;
        double centre[3];
        vec3_store(centre, actuator_route(&actuators[i], s).r);
        const lump wire = curve_lump_make(t->mass_per_length * out->weight, none, centre);
        curve_lump_add(&out->lump, &wire, 1.0);
    }
}

section section_at(const td_robot *robot, const actuator *actuators, int rod, double s,
                   double weight, bool rotary) {
    const double none[3] = {0.0, 0.0, 0.0};
    double x;
    const td_piece_def *piece = piece_at(&robot->rods[rod], s, &x);
    const td_section_properties p = piece_properties(piece, x);
    section out = {.weight = weight,
                   .law = law_of_piece(piece, x),
                   .youngs_modulus = piece->youngs_modulus,
                   .shear_modulus = piece->shear_modulus};
    memcpy(out.rest, piece->rest_curvature, sizeof piece->rest_curvature);
    memcpy(out.rest + 3, piece->rest_stretch, sizeof piece->rest_stretch);
    point_body_add_piece(&out.around, piece, x, robot->fluid.density, weight);
    out.added = vec3_scale(vec3_load(piece_surface(piece, x, robot->fluid.density).added), weight);
    double J[3];
    for (int k = 0; k < 3; k++) J[k] = rotary ? p.inertia[k] * weight : 0.0;
    out.lump = curve_lump_make(p.mass * weight, J, none);
    add_wires(robot, actuators, rod, s, &out);
    return out;
}

// ---------------------------------------------------------------- the rest shape
static mat3 rest_turn(const robot_rod *rod, double s) {
    mat3 R = mat3_identity();
    double start = 0.0;
    for (int i = 0; i < rod->n_pieces && start < s; i++) {
        const td_piece_def *p = &rod->pieces[i];
        const double length = i + 1 < rod->n_pieces ? fmin(p->length, s - start) : s - start;
        const mat3 part = so3_exp(vec3_scale(vec3_load(p->rest_curvature), length));
        R = mat3_mul(&R, &part);
        start += p->length;
    }
    return R;
}

// Where the basis cannot follow, the nearest in the mean.
void fill_rest_shape(const robot_rod *rod, curve *c) {
    fit turns = {.n = c->n_a}, slopes = {.n = c->n_p};
    vec3 a = vec3_zero();
    for (int i = 0; i < c->n_rule; i++) {
        const mat3 R = rest_turn(rod, c->places[i].s);
        a = turn_parameters(c->kind, &R, a);
        fit_add(&turns, c->places[i].psi, c->sections[i].weight, a);
    }
    fit_solve(&turns, c->rest + 3 * c->n_p);
    for (int i = 0; i < c->n_thin; i++) {
        const place *at = &c->places[c->n_rule + i];
        const section *x = &c->sections[c->n_rule + i];
        const mat3 R = curve_at(c, at->s, c->rest, NULL, NULL).turn.R;
        const vec3 slope = vec3_sub(mat3_mul_vec(&R, vec3_load(x->rest + 3)), at->p_s);
        fit_add(&slopes, at->phi_s, x->weight, slope);
    }
    fit_solve(&slopes, c->rest);
}
