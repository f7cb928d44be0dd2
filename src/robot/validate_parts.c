// robot/validate_parts.c - the rules of rods and how their ends are held, of bodies and of loads.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "math/symmetric.h"
#include "robot/inertia.h"
#include "robot/loads.h"
#include "robot/rules.h"
#include "math/pi.h"

static const part_kind rod_kind = {"rods", "rod", find_rod};
static const part_kind body_kind = {"bodies", "body", find_body};
static const part_kind load_kind = {"loads", "load", find_load};

static double norm3(const double a[3]) {
    return sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

// ---------------------------------------------------------------- joints
static td_status axis_validate(place p, const double axis[3], td_error *err) {
    double norm = norm3(axis);
    if (norm > SMALLEST_QUANTITY && norm < LARGEST_QUANTITY) return TD_OK;
    return refuse(p, norm, "", "is its length; an axis needs a direction", err);
}

// `axis` turns with what holds the end, `axis2` with the rod.
static td_status joint_validate(const char *owner, const char *end, td_joint joint,
                                const double axis[3], const double axis2[3], td_error *err) {
    td_status status =
        enumerator((place){owner, end, "joint"}, (int)joint, TD_FREE, "a kind of joint", err);
    if (status || joint == TD_CLAMP || joint == TD_BALL || joint == TD_FREE) return status;
    status = axis_validate((place){owner, end, "axis"}, axis, err);
    if (status || joint != TD_UNIVERSAL) return status;
    status = axis_validate((place){owner, end, "axis2"}, axis2, err);
    if (status) return status;
    double cosine = 0.0;
    for (int i = 0; i < 3; i++) cosine += axis[i] / norm3(axis) * (axis2[i] / norm3(axis2));
    if (fabs(cosine) <= 1e-3) return TD_OK;
    return refuse((place){owner, end, "axis2"}, 180.0 / PI * acos(fmax(-1.0, fmin(1.0, cosine))),
                  "deg", "is its angle with `axis`, which must be 90 deg in a universal joint",
                  err);
}

bool has_spring(const td_spring_def *spring) {
    return spring->stiffness != 0.0 || spring->damping != 0.0;
}

// A spring works against the one way that a joint lets free.
static td_status spring_validate(const td_robot *robot, const char *owner, const char *end,
                                 td_joint joint, const td_spring_def *spring, td_error *err) {
    const bool turns = joint == TD_REVOLUTE, one = turns || joint == TD_PRISMATIC;
    char group[64], where[256];
    snprintf(group, sizeof group, "%s.spring", end);
    td_status status = not_negative((place){owner, group, "stiffness"}, spring->stiffness,
                                    turns ? "N m/rad" : "N/m", err);
    if (!status)
        status = not_negative((place){owner, group, "damping"}, spring->damping,
                              turns ? "N m s/rad" : "N s/m", err);
    if (!status)
        status = number_validate(robot, (place){owner, group, "rest"}, spring->rest,
                                 turns ? "rad" : "m", err);
    if (status || one || !has_spring(spring)) return status;
    snprintf(where, sizeof where, "%s.%s", owner, group);
    return error_set(err, TD_ERR_VALUE, where,
                     "only the joints revolute and prismatic have a spring or a damper");
}

// The world, or a free body that is there already.
static td_status holder_validate(const td_robot *robot, const char *owner, const char *end,
                                 int body, td_error *err) {
    if (body == TD_WORLD) return TD_OK;
    place p = {owner, end, "body"};
    if (body < 0 || body >= robot->n_bodies)
        return refuse(p, body, "", "is not the index of a body; add it before what it holds", err);
    const robot_body *b = &robot->bodies[body];
    if (b->def.rod < 0) return TD_OK;
    char where[256];
    snprintf(where, sizeof where, "%s.%s.body", owner, end);
    return error_set(err, TD_ERR_VALUE, where,
                     "the body '%s' rides on rod '%s'; only a free body can hold an end of a rod",
                     b->name, robot->rods[b->def.rod].name);
}

// ---------------------------------------------------------------- ends of rods
static td_status not_driven(const char *owner, const char *group, const td_number n[3],
                            const char *but, td_error *err) {
    for (int i = 0; i < 3; i++) {
        char where[256];
        if (n[i].gain == 0.0) continue;
        snprintf(where, sizeof where, "%s.%s.%s", owner, group, axis_names[i]);
        return error_set(err, TD_ERR_VALUE, where, "an input drives it, but %s", but);
    }
    return TD_OK;
}

// Nothing is there to stand on, to be driven by or to be pushed out of.
static td_status free_base_validate(const char *owner, const td_base_def *base, td_error *err) {
    char where[256];
    if (base->joint != TD_FREE || base->body == TD_WORLD) return TD_OK;
    snprintf(where, sizeof where, "%s.base.body", owner);
    return error_set(err, TD_ERR_VALUE, where,
                     "a base that is free stands on nothing; leave out the body, or the joint");
}

static td_status base_validate(const td_robot *robot, const char *owner, const td_base_def *base,
                               td_error *err) {
    td_status status = vector_validate(robot, owner, "base.position", base->position, "m", err);
    if (!status)
        status = vector_validate(robot, owner, "base.motion.rotation", base->rotation, "rad", err);
    if (!status)
        status = quaternion_validate((place){owner, "base", "quaternion"}, base->orientation, err);
    if (!status) status = holder_validate(robot, owner, "base", base->body, err);
    if (!status) status = joint_validate(owner, "base", base->joint, base->axis, base->axis2, err);
    if (!status) status = spring_validate(robot, owner, "base", base->joint, &base->spring, err);
    if (!status) status = free_base_validate(owner, base, err);
    if (status || (base->body == TD_WORLD && base->joint != TD_FREE)) return status;
    const char *but = base->joint == TD_FREE ? "nothing holds a base that is free"
                                             : "a base that stands on a body moves with the body";
    status = not_driven(owner, "base.position", base->position, but, err);
    if (!status) status = not_driven(owner, "base.motion.rotation", base->rotation, but, err);
    return status;
}

// `end`: "tip", or "held" of a body.
static td_status hold_validate(const td_robot *robot, const char *owner, const char *end,
                               const td_tip_def *hold, td_error *err) {
    char position[64], rotation[64], where[256];
    if (!hold->held) return TD_OK;
    snprintf(position, sizeof position, "%s.position", end);
    snprintf(rotation, sizeof rotation, "%s.motion.rotation", end);
    td_status status = vector_validate(robot, owner, position, hold->position, "m", err);
    if (!status) status = vector_validate(robot, owner, rotation, hold->rotation, "rad", err);
    if (!status)
        status = quaternion_validate((place){owner, end, "quaternion"}, hold->orientation, err);
    if (!status) status = holder_validate(robot, owner, end, hold->body, err);
    if (!status) status = joint_validate(owner, end, hold->joint, hold->axis, hold->axis2, err);
    if (!status) status = spring_validate(robot, owner, end, hold->joint, &hold->spring, err);
    if (!status && hold->joint == TD_FREE) {
        snprintf(where, sizeof where, "%s.%s.joint", owner, end);
        return error_set(err, TD_ERR_VALUE, where,
                         "what is not held is free; leave out '%s' altogether", end);
    }
    // one body may be moved on another, as in an arm with motors
    if (status || hold->body == TD_WORLD || strcmp(end, "held") == 0) return status;
    const char *but = "what is held by a body moves with the body";
    status = not_driven(owner, position, hold->position, but, err);
    return status ? status : not_driven(owner, rotation, hold->rotation, but, err);
}

// ---------------------------------------------------------------- rods
double rod_def_length(const td_rod_def *def) {
    double length = 0.0;
    for (int i = 0; i < def->n_pieces; i++) length += def->pieces[i].length;
    return length;
}

bool is_fed(td_number feed) {
    return feed.gain != 0.0 || feed.value != 0.0;
}

bool piece_is_uniform(const td_piece_def *piece) {
    td_piece_def p = *piece;
    if (!section_is_given(&p.section_end)) p.section_end = p.section;
    td_section_properties start = piece_properties(&p, 0.0), end = piece_properties(&p, 1.0);
    return memcmp(&start, &end, sizeof start) == 0;  // doubles only
}

// What leaves the base, or is added at the tip, must be like what is there already.
static td_status feed_validate(const td_robot *robot, const char *owner, const td_rod_def *def,
                               td_error *err) {
    place p = {owner, NULL, "feed"};
    td_status status = number_validate(robot, p, def->feed, "m", err);
    if (status || !is_fed(def->feed)) return status;
    char where[256];
    snprintf(where, sizeof where, "%s.feed", owner);
    if (def->base.joint == TD_FREE)
        return error_set(err, TD_ERR_VALUE, where,
                         "nothing pushes a rod out of a base that is free");
    const bool tip = def->feed_at_tip;
    const td_piece_def *piece = &def->pieces[tip ? def->n_pieces - 1 : 0];
    if (!piece_is_uniform(piece))
        return error_set(err, TD_ERR_VALUE, where, "what is %s must be uniform, and %s has a taper",
                         tip ? "added at a tip" : "pushed out of a base",
                         def->n_pieces == 1 ? "this rod"
                         : tip              ? "the last piece of this rod"
                                            : "the first piece of this rod");
    if (tip && def->tip.held)
        return error_set(err, TD_ERR_UNSUPPORTED, where,
                         "a rod that grows at its tip has that free, and this one is held there");
    if (tip && def->feed.gain == 0.0 && !(piece->length + def->feed.value > 0.0))
        return refuse(p, def->feed.value, "m", "leaves nothing of what grows at the tip", err);
    if (def->feed.gain == 0.0 && !(piece->length + def->feed.value > 0.0))
        return refuse(p, def->feed.value, "m",
                      def->n_pieces > 1 ? "leaves nothing of the first piece outside the base"
                                        : "leaves nothing of the rod outside its base",
                      err);
    return TD_OK;
}

// What becomes of a section follows from its moduli, and what is cut out of it.
static td_status stretching_validate(const char *piece, const td_piece_def *p, td_error *err) {
    char where[256];
    snprintf(where, sizeof where, "%s.%s", piece,
             piece_has_matrix(p) ? "stiffness.matrix" : "shear_centre");
    if (piece_is_coupled(p))
        return error_set(err, TD_ERR_VALUE, where,
                         "a section %s cannot follow the mean stretch of its rod",
                         piece_has_matrix(p) ? "given by a matrix" : "that couples modes");
    snprintf(where, sizeof where, "%s.material.law", piece);
    if (piece_has_fibres(p))
        return error_set(err, TD_ERR_VALUE, where,
                         "fibres are stretched where they are: such a section cannot follow the "
                         "mean stretch of its rod");
    td_status status =
        positive((place){piece, "material", "youngs_modulus"}, p->youngs_modulus, "Pa", err);
    if (!status)
        status = positive((place){piece, "material", "shear_modulus"}, p->shear_modulus, "Pa", err);
    return status;
}

td_status rod_validate(const td_robot *robot, const td_rod_def *def, td_error *err) {
    char owner[OWNER_SIZE], piece[OWNER_SIZE + 32];
    td_status status = part_validate(robot, &rod_kind, def->name, robot->n_rods, owner, err);
    if (status) return status;
    if (!def->pieces || def->n_pieces < 1 || def->n_pieces > MOST_PIECES)
        return error_set(err, TD_ERR_VALUE, owner, "%d pieces: a rod has 1 to %d", def->n_pieces,
                         MOST_PIECES);
    for (int i = 0; i < def->n_pieces; i++) {
        snprintf(piece, sizeof piece, "%s.pieces.%d", owner, i);
        status = piece_validate(piece, &def->pieces[i], err);
        if (!status && def->mean_stretch) status = stretching_validate(piece, &def->pieces[i], err);
        if (status) return status;
    }
    status = positive((place){owner, NULL, "length"}, rod_def_length(def), "m", err);
    if (!status) status = not_negative((place){owner, NULL, "envelope"}, def->envelope, "m", err);
    if (!status) status = base_validate(robot, owner, &def->base, err);
    if (!status) status = hold_validate(robot, owner, "tip", &def->tip, err);
    if (!status) status = feed_validate(robot, owner, def, err);
    return status ? status : tube_validate(robot, owner, def, err);
}

// ---------------------------------------------------------------- bodies
// No moment of inertia of a body exceeds the sum of the other two.
static td_status inertia_validate(const char *owner, const double inertia[3], td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < 3 && !status; i++)
        status = not_negative((place){owner, "inertia", axis_names[i]}, inertia[i], "kg m^2", err);
    double sum = inertia[0] + inertia[1] + inertia[2];
    for (int i = 0; i < 3 && !status; i++) {
        double others = sum - inertia[i];
        char rule[96];
        if (inertia[i] <= others * (1.0 + 1e-3)) continue;  // rounded numbers of a thin plate
        snprintf(rule, sizeof rule, "exceeds the sum of the other two, %g kg m^2: no body has that",
                 others);
        status = refuse((place){owner, "inertia", axis_names[i]}, inertia[i], "kg m^2", rule, err);
    }
    return status;
}

// The same of its principal moments, which are those of no frame that is written.
static td_status products_validate(const char *owner, const td_body_def *def, td_error *err) {
    td_status status = finite_values(owner, "products", def->products, 3, "kg m^2", err);
    if (status || !has_products(def)) return status;
    mat3 J = body_inertia(def);
    double d[3], e[3], principal[3];
    tridiagonalise(3, &J.m[0][0], d, e);
    for (int i = 0; i < 3; i++) principal[i] = tridiagonal_eigenvalue(3, d, e, i);
    const double sum = principal[0] + principal[1] + principal[2];
    char path[OWNER_SIZE + 16];
    snprintf(path, sizeof path, "%s.products", owner);
    if (principal[0] >= -1e-6 * sum && principal[2] <= 0.5 * sum * (1.0 + 1e-3)) return TD_OK;
    return error_set(
        err, TD_ERR_VALUE, path,
        "with `inertia` they have principal moments %.4g, %.4g and %.4g kg m^2: none is "
        "negative, or exceeds the sum of the other two, in a body",
        principal[0], principal[1], principal[2]);
}

static td_status riding_validate(const td_robot *robot, const char *owner, const td_body_def *def,
                                 td_error *err) {
    td_status status = rod_index_validate(robot, owner, def->rod, err);
    if (!status) status = positive((place){owner, NULL, "mass"}, def->mass, "kg", err);
    if (!status) status = on_rod(robot, (place){owner, NULL, "at"}, def->rod, def->at, err);
    if (!status && !(def->at > 0.0))
        status = refuse((place){owner, NULL, "at"}, def->at, "m",
                        "is the base, where a body would not move; it rides beyond", err);
    place attached = {owner, NULL, "attached"};
    if (!status) status = number_validate(robot, attached, def->attached, "", err);
    if (!status && def->attached.gain == 0.0 &&
        !(def->attached.value >= 0.0 && def->attached.value <= 1.0))
        status =
            refuse(attached, def->attached.value, "", "must be between 0 (not there) and 1", err);
    return status;
}

static td_status surface_validate(const char *owner, const td_body_def *def, td_error *err) {
    const bool round = def->shape == TD_BODY_SPHERE || def->shape == TD_BODY_CAPSULE;
    td_status status =
        enumerator((place){owner, NULL, "shape"}, (int)def->shape, TD_BODY_BOX, "a shape", err);
    if (!status && round)
        status = positive((place){owner, "shape", "radius"}, def->radius, "m", err);
    if (!status && def->shape == TD_BODY_CAPSULE && !(def->height >= 2.0 * def->radius))
        status = refuse((place){owner, "shape", "height"}, def->height, "m",
                        "is less than the two round ends of a capsule", err);
    for (int k = 0; k < 3 && !status && def->shape == TD_BODY_BOX; k++)
        status = positive((place){owner, "shape.box", axis_names[k]}, def->sides[k], "m", err);
    return status;
}

td_status body_validate(const td_robot *robot, const td_body_def *def, td_error *err) {
    char owner[OWNER_SIZE];
    td_status status = part_validate(robot, &body_kind, def->name, robot->n_bodies, owner, err);
    if (status) return status;
    if (strcmp(def->name, "world") == 0)
        return error_set(err, TD_ERR_VALUE, owner,
                         "a body cannot be called 'world', which is "
                         "what rods stand on without a body");
    status = not_negative((place){owner, NULL, "mass"}, def->mass, "kg", err);
    if (!status) status = inertia_validate(owner, def->inertia, err);
    if (!status) status = products_validate(owner, def, err);
    if (!status) status = finite_values(owner, "centre", def->centre, 3, "m", err);
    if (!status) status = finite_values(owner, "magnet", def->magnet, 3, "A m^2", err);
    if (!status) status = not_negative((place){owner, NULL, "volume"}, def->volume, "m^3", err);
    if (!status) status = not_negative((place){owner, "shape", "radius"}, def->radius, "m", err);
    if (!status) status = not_negative((place){owner, "shape", "height"}, def->height, "m", err);
    if (!status) status = surface_validate(owner, def, err);
    if (status) return status;
    if (def->rod != FREE_BODY) return riding_validate(robot, owner, def, err);
    status = finite_values(owner, "position", def->position, 3, "m", err);
    if (!status)
        status = quaternion_validate((place){owner, NULL, "quaternion"}, def->orientation, err);
    return status ? status : hold_validate(robot, owner, "held", &def->hold, err);
}

// ---------------------------------------------------------------- loads
static td_status load_body_validate(const td_robot *robot, const char *owner,
                                    const td_load_def *def, td_error *err) {
    char where[256];
    place p = {owner, NULL, "body"};
    snprintf(where, sizeof where, "%s.body", owner);
    if (def->body < 0 || def->body >= robot->n_bodies)
        return refuse(p, def->body, "", "is not the index of a body", err);
    const robot_body *b = &robot->bodies[def->body];
    if (b->def.rod >= 0)
        return error_set(err, TD_ERR_VALUE, where,
                         "the body '%s' rides on rod '%s': put the load on that rod, at %g m",
                         b->name, robot->rods[b->def.rod].name, b->def.at);
    if (def->distributed)
        return error_set(err, TD_ERR_VALUE, owner,
                         "a load on a body is a force and a moment, not per length");
    return TD_OK;
}

static td_status load_place_validate(const td_robot *robot, const char *owner,
                                     const td_load_def *def, td_error *err) {
    if (def->rod == FREE_BODY) return load_body_validate(robot, owner, def, err);
    td_status status = rod_index_validate(robot, owner, def->rod, err);
    if (status) return status;
    if (def->distributed)
        return stretch_validate(robot, owner, def->rod, def->from, def->to, "the load", err);
    return on_rod(robot, (place){owner, NULL, "at"}, def->rod, def->from, err);
}

td_status load_validate(const td_robot *robot, const td_load_def *def, td_error *err) {
    char owner[OWNER_SIZE];
    td_status status = part_validate(robot, &load_kind, def->name, robot->n_loads, owner, err);
    if (!status)
        status = enumerator((place){owner, NULL, "frame"}, (int)def->frame, N_LOAD_KINDS - 1,
                            "a frame", err);
    if (!status) status = load_place_validate(robot, owner, def, err);
    const char *force = def->distributed ? "N/m" : "N";
    const char *moment = def->distributed ? "N m/m" : "N m";
    if (!status) status = vector_validate(robot, owner, "force", def->force, force, err);
    if (!status) status = vector_validate(robot, owner, "moment", def->moment, moment, err);
    return status;
}
