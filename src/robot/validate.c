// robot/validate.c - the rules that signals and pieces of rods obey before they are accepted.
//
// A value that passes here is finite, within +-LARGEST_QUANTITY and of the right sign, and so are
// the stiffness and mass made from it; the models rely on that and check nothing again.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/positive.h"
#include "robot/formula.h"
#include "robot/rules.h"

static const char *const mode_keys[6] = {"bending.x", "bending.y", "torsion",
                                         "shear.x",   "shear.y",   "extension"};
static const char *const stiffness_units[6] = {"N m^2", "N m^2", "N m^2", "N", "N", "N"};
static const char *const damping_units[6] = {"N m^2 s", "N m^2 s", "N m^2 s", "N s", "N s", "N s"};

// ---------------------------------------------------------------- signals
static td_status points_validate(const td_signal *s, const char *where, td_error *err) {
    if (!s->points || s->n_points < 1)
        return error_set(err, TD_ERR_VALUE, where, "a signal of points needs at least one point");
    for (int i = 0; i < s->n_points; i++) {
        const double *p = s->points + 2 * i;
        td_status status = finite_value((place){where, "points", "time"}, p[0], "s", err);
        if (!status) status = finite_value((place){where, "points", "value"}, p[1], "", err);
        if (status) return status;
        if (i == 0) continue;
        if (p[0] < p[-2])
            return error_set(err, TD_ERR_VALUE, where,
                             "times must not decrease, but point %d at %g s follows %g s", i + 1,
                             p[0], p[-2]);
        if (p[0] > p[-2] && !isfinite((p[1] - p[-1]) / (p[0] - p[-2])))
            return error_set(err, TD_ERR_VALUE, where,
                             "the slope before point %d, at %g s, overflows", i + 1, p[0]);
    }
    return TD_OK;
}

static td_status formula_validate(const td_signal *s, const char *where, td_error *err) {
    formula made;
    formula_error wrong;
    if (!s->formula) return error_set(err, TD_ERR_VALUE, where, "a formula needs its text");
    if (!formula_parse(s->formula, &signal_names, &made, &wrong))
        return error_set(err, TD_ERR_VALUE, where, "at %d of '%.60s': %s", wrong.at + 1, s->formula,
                         wrong.why);
    const double start = formula_at_time(&made, 0.0, TD_BEFORE).v;
    if (isfinite(start) && fabs(start) <= LARGEST_QUANTITY) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where, "'%.60s' is not finite at t = 0", s->formula);
}

td_status signal_validate(const td_signal *s, const char *where, td_error *err) {
    if ((int)s->kind < 0 || (int)s->kind > TD_SIGNAL_FORMULA)
        return error_set(err, TD_ERR_VALUE, where, "%d is not a kind of signal", (int)s->kind);
    if (signal_has_points(s)) return points_validate(s, where, err);
    if (s->kind == TD_SIGNAL_FORMULA) return formula_validate(s, where, err);
    td_status status = finite_value((place){where, NULL, "from"}, s->from, "", err);
    if (status || s->kind == TD_SIGNAL_CONSTANT) return status;
    status = finite_value((place){where, NULL, "to"}, s->to, "", err);
    if (!status) status = finite_value((place){where, NULL, "start"}, s->start, "s", err);
    if (status || s->kind == TD_SIGNAL_STEP) return status;
    if (s->kind != TD_SIGNAL_SINE)
        return positive((place){where, NULL, "duration"}, s->duration, "s", err);
    status = not_negative((place){where, NULL, "duration"}, s->duration, "s", err);
    if (!status) status = positive((place){where, NULL, "frequency"}, s->frequency, "Hz", err);
    if (!status) status = finite_value((place){where, NULL, "phase"}, s->phase, "rad", err);
    return status;
}

// ---------------------------------------------------------------- sections
static td_status circle_validate(const char *owner, const char *group, const td_section *s,
                                 td_error *err) {
    td_status status = positive((place){owner, group, "radius"}, s->radius, "m", err);
    if (!status)
        status = not_negative((place){owner, group, "inner_radius"}, s->inner_radius, "m", err);
    if (!status && s->inner_radius >= s->radius)
        return refuse((place){owner, group, "inner_radius"}, s->inner_radius, "m",
                      "must be smaller than the radius", err);
    return status;
}

static td_status section_validate(const char *owner, const char *group, const td_section *s,
                                  td_error *err) {
    td_status status = TD_OK;
    switch (s->shape) {
    case TD_SECTION_CIRCLE: return circle_validate(owner, group, s, err);
    case TD_SECTION_RECTANGLE:
        status = positive((place){owner, group, "width"}, s->width, "m", err);
        if (!status) status = positive((place){owner, group, "height"}, s->height, "m", err);
        return status;
    case TD_SECTION_GENERAL:
        status = positive((place){owner, group, "area"}, s->area, "m^2", err);
        if (!status) status = positive((place){owner, group, "ixx"}, s->ixx, "m^4", err);
        if (!status) status = positive((place){owner, group, "iyy"}, s->iyy, "m^4", err);
        if (!status) status = positive((place){owner, group, "torsion"}, s->torsion, "m^4", err);
        if (!status) status = not_negative((place){owner, group, "polar"}, s->polar, "m^4", err);
        return status;
    }
    return refuse((place){owner, group, "shape"}, (int)s->shape, "", "is not a section shape", err);
}

static td_status sections_validate(const char *owner, const td_piece_def *p, td_error *err) {
    td_status status = section_validate(owner, "section", &p->section, err);
    if (status || !section_is_given(&p->section_end)) return status;
    if (p->section_end.shape != p->section.shape)
        return error_set(err, TD_ERR_VALUE, owner,
                         "section and section_end have different shapes; only the dimensions of "
                         "one shape can vary along a piece");
    return section_validate(owner, "section_end", &p->section_end, err);
}

// ---------------------------------------------------------------- pieces
static td_status modes_validate(const char *owner, const td_piece_def *p, td_error *err) {
    for (int i = 0; i < 6; i++) {
        place stiffness = {owner, "stiffness", mode_keys[i]};
        place damping = {owner, "damping", mode_keys[i]};
        td_status status = not_negative(stiffness, p->stiffness[i], stiffness_units[i], err);
        if (!status) status = not_negative(damping, p->damping[i], damping_units[i], err);
        if (status) return status;
    }
    return not_negative((place){owner, "damping", "time"}, p->damping_time, "s", err);
}

static td_status power_validate(const char *owner, const td_piece_def *p, td_error *err) {
    place power = {owner, "damping", "power"};
    td_status status = finite_value(power, p->damping_power, "", err);
    if (!status && !(p->damping_power >= 1.0 && p->damping_power <= 4.0))
        status = refuse(power, p->damping_power, "", "must be between 1 and 4", err);
    return status;
}

// Each term has a share and a time, and none is left out.
static td_status relaxation_validate(const char *owner, const td_relaxation *r, td_error *err) {
    const place shares = {owner, "material.relaxation", "shares"},
                times = {owner, "material.relaxation", "times"};
    td_status status = TD_OK;
    for (int k = 0; k < TD_MOST_RELAXATIONS && !status; k++) {
        status = not_negative(times, r->times[k], "s", err);
        if (!status) status = not_negative(shares, r->shares[k], "", err);
        const bool there = k == 0 || r->times[k - 1] > 0.0;
        if (!status && (r->shares[k] > 0.0) != (r->times[k] > 0.0))
            status = r->shares[k] > 0.0
                         ? refuse(times, r->times[k], "s",
                                  "must be above 0: there is one for each share", err)
                         : refuse(shares, r->shares[k], "",
                                  "must be above 0: there is one for each time", err);
        if (!status && r->times[k] > 0.0 && !there)
            status = refuse(times, r->times[k - 1], "s", "must be above 0: terms follow it", err);
    }
    return status;
}

static td_status alloy_validate(const char *owner, const td_piece_def *p, td_error *err) {
    const td_superelastic *a = &p->superelastic, none = {0};
    const char *group = "material.superelastic";
    if (p->law != TD_SUPERELASTIC)
        return memcmp(a, &none, sizeof none) == 0
                   ? TD_OK
                   : refuse((place){owner, group, "strain"}, a->strain, "",
                            "is of no use: the law of the material is another one", err);
    td_status status =
        positive((place){owner, group, "martensite_modulus"}, a->martensite_modulus, "Pa", err);
    if (!status && a->martensite_modulus > p->youngs_modulus)
        status = refuse((place){owner, group, "martensite_modulus"}, a->martensite_modulus, "Pa",
                        "must be at most youngs_modulus, which is that of austenite", err);
    if (!status) status = positive((place){owner, group, "strain"}, a->strain, "", err);
    if (!status && a->strain > 0.2)
        status = refuse((place){owner, group, "strain"}, a->strain, "", "must be at most 0.2", err);
    for (int i = 0; i < 2 && !status; i++) {
        status = positive((place){owner, group, "forward"}, a->forward[i], "Pa", err);
        if (!status)
            status = positive((place){owner, group, "backward"}, a->backward[i], "Pa", err);
    }
    if (!status && !(a->forward[1] > a->forward[0]))
        status = refuse((place){owner, group, "forward"}, a->forward[1], "Pa",
                        "must be above the stress where it begins", err);
    if (!status && !(a->backward[1] < a->backward[0]))
        status = refuse((place){owner, group, "backward"}, a->backward[1], "Pa",
                        "must be below the stress where it begins", err);
    if (!status && !(a->backward[0] < a->forward[1] && a->backward[1] < a->forward[0]))
        status = refuse((place){owner, group, "backward"}, a->backward[0], "Pa",
                        "must be below the way forward", err);
    return status;
}

// Fibres need a section that says where they are, and are all of its stiffness.
static td_status fibres_validate(const char *owner, const td_piece_def *p, td_error *err) {
    char where[256];
    td_status status = alloy_validate(owner, p, err);
    const place mooney = {owner, "material", "mooney_share"};
    if (!status) status = not_negative(mooney, p->mooney_share, "", err);
    if (!status && p->mooney_share > 1.0)
        status = refuse(mooney, p->mooney_share, "", "must be at most 1", err);
    if (!status && p->mooney_share > 0.0 && p->law != TD_RUBBER)
        status = refuse(mooney, p->mooney_share, "", "needs the law 'rubber'", err);
    if (status || !piece_has_fibres(p)) return status;
    snprintf(where, sizeof where, "%s.section", owner);
    if (p->section.shape == TD_SECTION_GENERAL || !section_is_given(&p->section))
        return error_set(err, TD_ERR_VALUE, where,
                         "a law of fibres needs a circle, a tube or a rectangle");
    snprintf(where, sizeof where, "%s.stiffness", owner);
    for (int i = 0; i < 6; i++)
        if (p->stiffness[i] != 0.0)
            return error_set(err, TD_ERR_VALUE, where,
                             "the fibres of the section are its stiffness, but '%s' is given",
                             mode_keys[i]);
    return TD_OK;
}

static td_status hysteresis_validate(const char *owner, const td_hysteresis *h, td_error *err) {
    const place moment = {owner, "hysteresis", "moment"},
                curvature = {owner, "hysteresis", "curvature"};
    if (h->moment == 0.0 && h->curvature == 0.0) return TD_OK;
    td_status status = positive(moment, h->moment, "N m", err);
    if (!status) status = positive(curvature, h->curvature, "1/m", err);
    if (!status && h->exponent != 0.0 && !(h->exponent >= 1.0 && h->exponent <= 20.0))
        status = refuse((place){owner, "hysteresis", "exponent"}, h->exponent, "",
                        "must be between 1 and 20", err);
    if (!status && h->shape != 0.0 && !(h->shape >= 0.5 && h->shape <= 4.0))
        status = refuse((place){owner, "hysteresis", "shape"}, h->shape, "",
                        "must be between 0.5, below which it would give energy, and 4", err);
    return status;
}

static td_status coupled_damping_validate(const char *where, const td_piece_def *p, td_error *err) {
    if (p->damping_power != 1.0 && p->damping_time != 0.0)
        return error_set(err, TD_ERR_VALUE, where,
                         "with a damping power of %g there is no damping time for modes that "
                         "couple: give the damping of each mode",
                         p->damping_power);
    return TD_OK;
}

// A matrix says all of the stiffness: nothing else may, and what its law would make of the modes
// one by one has no meaning.
static td_status matrix_alone(const char *owner, const td_piece_def *p, td_error *err) {
    char where[256];
    snprintf(where, sizeof where, "%s.stiffness.matrix", owner);
    for (int i = 0; i < 6; i++)
        if (p->stiffness[i] != 0.0)
            return error_set(err, TD_ERR_VALUE, where,
                             "the matrix is all of the stiffness, but '%s' is given beside it",
                             mode_keys[i]);
    if (p->law != TD_HOOKEAN)
        return error_set(err, TD_ERR_VALUE, where,
                         "a stiffness by a matrix is linear, but the law of the material is not");
    return coupled_damping_validate(where, p, err);
}

static td_status centre_validate(const char *owner, const td_piece_def *p, td_error *err) {
    char where[256];
    td_status status = finite_values(owner, "shear_centre", p->shear_centre, 2, "m", err);
    if (status || (p->shear_centre[0] == 0.0 && p->shear_centre[1] == 0.0)) return status;
    snprintf(where, sizeof where, "%s.shear_centre", owner);
    if (piece_has_matrix(p))
        return error_set(err, TD_ERR_VALUE, where,
                         "the matrix is all of the stiffness: it has the shear centre in it");
    if (p->law != TD_HOOKEAN)
        return error_set(err, TD_ERR_VALUE, where,
                         "a shear centre beside the axis needs the law 'hookean'");
    return coupled_damping_validate(where, p, err);
}

static td_status matrix_validate(const char *owner, const td_piece_def *p, td_error *err) {
    const double *K = p->stiffness_matrix;
    double scaled[36];
    char where[256];
    if (!piece_has_matrix(p)) return TD_OK;
    td_status status = matrix_alone(owner, p, err);
    snprintf(where, sizeof where, "%s.stiffness.matrix", owner);
    for (int i = 0; i < 36 && !status; i++)
        status = finite_value((place){owner, "stiffness", "matrix"}, K[i], "", err);
    for (int i = 0; i < 6 && !status; i++)
        status = positive((place){owner, "stiffness.matrix", mode_keys[i]}, K[7 * i],
                          stiffness_units[i], err);
    for (int i = 0; i < 36 && !status; i++) {
        const int row = i / 6, column = i % 6, across = 6 * column + row;
        const double size = sqrt(K[7 * row]) * sqrt(K[7 * column]);
        scaled[i] = 0.5 * (K[i] / size + K[across] / size);
        if (fabs(K[i] - K[across]) > 1e-9 * size)
            return error_set(err, TD_ERR_VALUE, where,
                             "must be symmetric, but row %d has %g in column %d and row %d has %g "
                             "in column %d",
                             row + 1, K[i], column + 1, column + 1, K[across], row + 1);
    }
    if (!status && !positive_factor(6, scaled))
        return error_set(
            err, TD_ERR_VALUE, where,
            "must be positive definite: some strain would store no energy, or free it");
    return status;
}

static td_status rest_and_drag_validate(const char *owner, const td_piece_def *p, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < 3 && !status; i++) {
        status = not_negative((place){owner, "drag", axis_names[i]}, p->drag[i], "kg/m^2", err);
        if (!status)
            status = not_negative((place){owner, "linear_drag", axis_names[i]}, p->linear_drag[i],
                                  "kg/(m s)", err);
        if (!status)
            status = finite_value((place){owner, "rest.curvature", axis_names[i]},
                                  p->rest_curvature[i], "1/m", err);
        if (!status)
            status = finite_value((place){owner, "rest.stretch", axis_names[i]}, p->rest_stretch[i],
                                  "", err);
    }
    for (int i = 0; i < 3 && !status; i++) {
        status = finite_value((place){owner, "magnetisation", axis_names[i]}, p->magnetisation[i],
                              "A/m", err);
        if (!status)
            status = not_negative((place){owner, "added_mass", axis_names[i]}, p->added_mass[i], "",
                                  err);
    }
    for (int i = 0; i < 2 && !status; i++)
        status =
            not_negative((place){owner, NULL, "drag_coefficient"}, p->drag_coefficient[i], "", err);
    if (!status && !section_is_given(&p->section) && piece_is_magnetic(p))
        return error_set(err, TD_ERR_VALUE, owner,
                         "has a magnetisation, but no section whose area it fills");
    // The rod's local z axis is its tangent: a rest shape that runs backwards is no rod.
    if (!status)
        status = positive((place){owner, "rest.stretch", "z"}, p->rest_stretch[2], "", err);
    return status;
}

static td_status material_validate(const char *owner, const td_piece_def *p, td_error *err) {
    const double *k = p->stiffness;
    const bool whole = piece_has_matrix(p);
    bool needs_youngs = !whole && (k[0] <= 0.0 || k[1] <= 0.0 || k[5] <= 0.0);
    bool needs_shear = !whole && (k[2] <= 0.0 || k[3] <= 0.0 || k[4] <= 0.0);
    bool needs_density = p->mass_per_length <= 0.0;
    place youngs = {owner, "material", "youngs_modulus"};
    place shear = {owner, "material", "shear_modulus"};
    place density = {owner, "material", "density"};
    td_status status = needs_youngs ? positive(youngs, p->youngs_modulus, "Pa", err)
                                    : not_negative(youngs, p->youngs_modulus, "Pa", err);
    if (!status)
        status = needs_shear ? positive(shear, p->shear_modulus, "Pa", err)
                             : not_negative(shear, p->shear_modulus, "Pa", err);
    if (!status)
        status = needs_density ? positive(density, p->density, "kg/m^3", err)
                               : not_negative(density, p->density, "kg/m^3", err);
    if (status) return status;
    // A rod that is given by its stiffness and mass alone needs no section.
    if (needs_youngs || needs_shear || needs_density || section_is_given(&p->section))
        return sections_validate(owner, p, err);
    return TD_OK;
}

// What the mechanics sees must neither overflow nor vanish, at any place of the piece.
static td_status properties_validate(const char *owner, const td_piece_def *p, td_error *err) {
    for (int end = 0; end <= 2; end++) {
        td_section_properties at = piece_properties(p, 0.5 * end);
        td_status status = positive((place){owner, NULL, "mass_per_length"}, at.mass, "kg/m", err);
        for (int i = 0; i < 6 && !status; i++) {
            place stiffness = {owner, "stiffness", mode_keys[i]};
            place damping = {owner, "damping", mode_keys[i]};
            status = positive(stiffness, at.stiffness[i], stiffness_units[i], err);
            if (!status) status = finite_value(damping, at.damping[i], damping_units[i], err);
        }
        for (int i = 0; i < 3 && !status; i++)
            status = finite_value((place){owner, "section", "inertia"}, at.inertia[i], "kg m", err);
        if (status) return status;
    }
    return TD_OK;
}

td_status piece_validate(const char *owner, const td_piece_def *given, td_error *err) {
    td_piece_def p = *given;
    if (!section_is_given(&p.section_end)) p.section_end = p.section;
    td_status status = positive((place){owner, NULL, "length"}, p.length, "m", err);
    if (!status) status = modes_validate(owner, &p, err);
    if (!status) status = power_validate(owner, &p, err);
    if (!status)
        status = enumerator((place){owner, "material", "law"}, (int)p.law, TD_SUPERELASTIC,
                            "a law of a material", err);
    if (!status) status = relaxation_validate(owner, &p.relaxation, err);
    if (!status) status = fibres_validate(owner, &p, err);
    if (!status) status = hysteresis_validate(owner, &p.hysteresis, err);
    if (!status) status = matrix_validate(owner, &p, err);
    if (!status) status = centre_validate(owner, &p, err);
    if (!status)
        status =
            not_negative((place){owner, NULL, "mass_per_length"}, p.mass_per_length, "kg/m", err);
    if (!status) status = positive((place){owner, NULL, "shear_factor"}, p.shear_factor, "", err);
    if (!status) status = material_validate(owner, &p, err);
    if (!status) status = rest_and_drag_validate(owner, &p, err);
    if (!status) status = properties_validate(owner, &p, err);
    return status;
}
