// robot/section.c - from dimensions and moduli to the stiffness and inertia of a cross-section.
#include <math.h>

#include "robot/places.h"
#include "robot/robot.h"
#include "math/pi.h"

// Saint-Venant torsion of a rectangle with sides a >= b (Timoshenko & Goodier, art. 109):
//     J = a b^3 (1/3 - 64/pi^5 (b/a) sum_{n odd} tanh(n pi a / 2b) / n^5).
// The sum is split as sum 1/n^5 - sum (1 - tanh)/n^5: the first is known, the second falls like
// exp(-n pi), so that seven terms reach double precision.
static double rectangle_torsion(double width, double height) {
    const double sum_inverse_fifth = 1.0045237627951396;  // 31/32 zeta(5)
    double a = fmax(width, height), b = fmin(width, height);
    double rest = 0.0;
    for (int n = 1; n <= 13; n += 2) {
        double fifth = (double)n * n * n * n * n;
        rest += 2.0 / (1.0 + exp(n * PI * a / b)) / fifth;
    }
    double series = sum_inverse_fifth - rest;
    return a * b * b * b * (1.0 / 3.0 - 64.0 / pow(PI, 5) * (b / a) * series);
}

static td_section circle(double radius, double inner) {
    double r2 = radius * radius, i2 = inner * inner;
    double second = 0.25 * PI * (r2 - i2) * (r2 + i2);
    td_section s = {.shape = TD_SECTION_CIRCLE, .radius = radius, .inner_radius = inner};
    s.area = PI * (radius - inner) * (radius + inner);
    s.ixx = s.iyy = second;
    s.torsion = s.polar = 2.0 * second;
    return s;
}

static td_section rectangle(double width, double height) {
    td_section s = {.shape = TD_SECTION_RECTANGLE, .width = width, .height = height};
    s.area = width * height;
    s.ixx = width * height * height * height / 12.0;
    s.iyy = height * width * width * width / 12.0;
    s.torsion = rectangle_torsion(width, height);
    s.polar = s.ixx + s.iyy;
    return s;
}

static double between(double a, double b, double x) {
    return (1.0 - x) * a + x * b;
}

static double polar_moment(const td_section *s) {
    return s->polar > 0.0 ? s->polar : s->ixx + s->iyy;
}

static td_section general(const td_section *a, const td_section *b, double x) {
    td_section s = {.shape = TD_SECTION_GENERAL};
    s.area = between(a->area, b->area, x);
    s.ixx = between(a->ixx, b->ixx, x);
    s.iyy = between(a->iyy, b->iyy, x);
    s.torsion = between(a->torsion, b->torsion, x);
    s.polar = between(polar_moment(a), polar_moment(b), x);
    return s;
}

bool section_is_given(const td_section *s) {
    switch (s->shape) {
    case TD_SECTION_CIRCLE: return s->radius != 0.0 || s->inner_radius != 0.0;
    case TD_SECTION_RECTANGLE: return s->width != 0.0 || s->height != 0.0;
    case TD_SECTION_GENERAL:
        return s->area != 0.0 || s->ixx != 0.0 || s->iyy != 0.0 || s->torsion != 0.0 ||
               s->polar != 0.0;
    }
    return true;
}

// The section at x, with area and moments filled in. Dimensions vary linearly.
td_section section_of_piece(const td_piece_def *piece, double x) {
    const td_section *a = &piece->section, *b = &piece->section_end;
    if (!section_is_given(a)) return (td_section){.shape = TD_SECTION_GENERAL};
    switch (a->shape) {
    case TD_SECTION_CIRCLE:
        return circle(between(a->radius, b->radius, x),
                      between(a->inner_radius, b->inner_radius, x));
    case TD_SECTION_RECTANGLE:
        return rectangle(between(a->width, b->width, x), between(a->height, b->height, x));
    case TD_SECTION_GENERAL: break;
    }
    return general(a, b, x);
}

td_section td_robot_section(const td_robot *robot, int rod, double s) {
    if (!robot || rod < 0 || rod >= robot->n_rods || !isfinite(s)) return (td_section){0};
    double x;
    const td_piece_def *piece = piece_at(&robot->rods[rod], s, &x);
    return section_of_piece(piece, fmin(fmax(x, 0.0), 1.0));
}

bool piece_has_matrix(const td_piece_def *piece) {
    for (int i = 0; i < 36; i++)
        if (piece->stiffness_matrix[i] != 0.0) return true;
    return false;
}

bool piece_is_coupled(const td_piece_def *piece) {
    return piece_has_matrix(piece) || piece->shear_centre[0] != 0.0 ||
           piece->shear_centre[1] != 0.0;
}

// Shear is that of the shear centre (x, y): it stores kGA ((v_x - u_z y)^2 + (v_y + u_z x)^2)/2.
static void add_shear_centre(const td_piece_def *piece, td_section_properties *p) {
    const double x = piece->shear_centre[0], y = piece->shear_centre[1];
    const double by_x = -p->stiffness[3] * y, by_y = p->stiffness[4] * x;
    p->stiffness[2] += p->stiffness[3] * y * y + p->stiffness[4] * x * x;
    p->coupling[15] = p->coupling[20] = by_x;
    p->coupling[16] = p->coupling[26] = by_y;
}

int piece_relaxations(const td_piece_def *piece) {
    int n = 0;
    while (n < TD_MOST_RELAXATIONS && piece->relaxation.times[n] != 0.0) n++;
    return n;
}

bool piece_has_fibres(const td_piece_def *piece) {
    return piece->law == TD_RUBBER || piece->law == TD_SUPERELASTIC;
}

bool piece_remembers_ways(const td_piece_def *piece) {
    return piece->law == TD_SUPERELASTIC || piece->hysteresis.moment > 0.0;
}

bool piece_remembers(const td_piece_def *piece) {
    return piece_relaxations(piece) > 0 || piece_remembers_ways(piece);
}

const td_piece_def *growing_piece(const robot_rod *rod) {
    return &rod->pieces[rod->feed_at_tip ? rod->n_pieces - 1 : 0];
}

static bool any_piece(const td_robot *robot, bool (*is)(const td_piece_def *)) {
    for (int i = 0; i < robot->n_rods; i++)
        for (int k = 0; k < robot->rods[i].n_pieces; k++)
            if (is(&robot->rods[i].pieces[k])) return true;
    return false;
}

bool robot_remembers(const td_robot *robot) {
    return any_piece(robot, piece_remembers);
}

bool robot_remembers_ways(const td_robot *robot) {
    return any_piece(robot, piece_remembers_ways);
}

section_surface piece_surface(const td_piece_def *piece, double x, double density) {
    const td_section s = section_of_piece(piece, fmin(fmax(x, 0.0), 1.0));
    section_surface out = {.displaced = density * s.area};
    double across[2], around;  // heights seen by a flow along x and y; m
    switch (s.shape) {
    case TD_SECTION_RECTANGLE:
        across[0] = s.height, across[1] = s.width, around = 2.0 * (s.width + s.height);
        break;
    case TD_SECTION_CIRCLE:
        across[0] = across[1] = 2.0 * s.radius, around = 2.0 * PI * s.radius;
        out.displaced = density * PI * s.radius * s.radius;  // closed
        break;
    case TD_SECTION_GENERAL:
    default: across[0] = across[1] = 2.0 * sqrt(s.area / PI), around = PI * across[0]; break;
    }
    for (int i = 0; i < 3; i++) out.magnet[i] = piece->magnetisation[i] * s.area;
    for (int i = 0; i < 2; i++) {
        out.added[i] = piece->added_mass[i] * density * 0.25 * PI * across[i] * across[i];
        out.drag[i] = 0.5 * piece->drag_coefficient[0] * density * across[i];
    }
    out.added[2] = piece->added_mass[2] * out.displaced;
    out.drag[2] = 0.5 * piece->drag_coefficient[1] * density * around;
    return out;
}

td_section_properties piece_properties(const td_piece_def *piece, double x) {
    td_section s = section_of_piece(piece, fmin(fmax(x, 0.0), 1.0));
    double E = piece->youngs_modulus, G = piece->shear_modulus;
    double shear = piece->shear_factor * G * s.area;
    const bool coupled = piece_has_matrix(piece);
    td_section_properties p = {
        .stiffness = {E * s.ixx, E * s.iyy, G * s.torsion, shear, shear, E * s.area},
        .mass = piece->mass_per_length > 0.0 ? piece->mass_per_length : piece->density * s.area,
    };
    for (int i = 0; i < 6; i++) {
        if (piece->stiffness[i] > 0.0) p.stiffness[i] = piece->stiffness[i];
        if (coupled) p.stiffness[i] = piece->stiffness_matrix[7 * i];
        for (int k = 0; k < 6 && coupled; k++)
            if (k != i)
                p.coupling[6 * i + k] =
                    0.5 * (piece->stiffness_matrix[6 * i + k] + piece->stiffness_matrix[6 * k + i]);
    }
    if (!coupled) add_shear_centre(piece, &p);
    for (int i = 0; i < 6; i++)
        p.damping[i] = piece->damping[i] + piece->damping_time * p.stiffness[i];
    // Written with the mass, so that an overridden mass scales the rotary inertia along.
    double mass_per_area = s.area > 0.0 ? p.mass / s.area : 0.0;
    p.inertia[0] = mass_per_area * s.ixx;
    p.inertia[1] = mass_per_area * s.iyy;
    p.inertia[2] = mass_per_area * s.polar;
    return p;
}
