// model/features.c - which features a robot needs of a model.
#include "model/model.h"

#include <string.h>

#include "math/dense.h"
#include "robot/loads.h"

static feature_set piece_features(const td_piece_def *piece) {
    static const double straight[3] = {0.0, 0.0, 1.0};
    feature_set needed = 0;
    if (!dense_is_zero(3, piece->rest_curvature) ||
        memcmp(piece->rest_stretch, straight, sizeof straight) != 0)
        needed |= 1ull << TD_FEATURE_PRE_CURVATURE;
    if (piece->law == TD_NEO_HOOKEAN) needed |= 1ull << TD_FEATURE_RUBBER;
    if (piece->law == TD_RUBBER) needed |= 1ull << TD_FEATURE_FIBRES;
    if (piece->law == TD_SUPERELASTIC) needed |= 1ull << TD_FEATURE_SUPERELASTIC;
    if (piece->hysteresis.moment > 0.0) needed |= 1ull << TD_FEATURE_HYSTERESIS;
    if (piece_relaxations(piece)) needed |= 1ull << TD_FEATURE_RELAXATION;
    if (piece->damping_power != 1.0) needed |= 1ull << TD_FEATURE_POWER_DAMPING;
    if (piece_is_coupled(piece)) needed |= 1ull << TD_FEATURE_COUPLED_SECTIONS;
    if (!dense_is_zero(3, piece->drag) || !dense_is_zero(3, piece->linear_drag))
        needed |= 1ull << TD_FEATURE_DRAG;
    if (!dense_is_zero(3, piece->added_mass)) needed |= 1ull << TD_FEATURE_ADDED_MASS;
    td_section_properties start = piece_properties(piece, 0.0), end = piece_properties(piece, 1.0);
    if (memcmp(&start, &end, sizeof start) != 0)  // doubles only
        needed |= 1ull << TD_FEATURE_PIECES;
    return needed;
}

static bool slides(td_joint joint, const td_spring_def *spring) {
    return joint == TD_PRISMATIC || has_spring(spring);
}

static feature_set hold_features(const td_tip_def *hold) {
    feature_set needed = 1ull << TD_FEATURE_JOINTS;
    if (!hold->held) return 0;
    if (any_driven(hold->position, 3) || any_driven(hold->rotation, 3))
        needed |= 1ull << TD_FEATURE_DRIVEN_ENDS;
    return needed | (slides(hold->joint, &hold->spring) ? 1ull << TD_FEATURE_SPRING_JOINTS : 0);
}

static feature_set rod_features(const robot_rod *rod) {
    feature_set needed = rod->n_pieces > 1 ? 1ull << TD_FEATURE_PIECES : 0u;
    for (int k = 0; k < rod->n_pieces; k++) needed |= piece_features(&rod->pieces[k]);
    if (any_driven(rod->base.position, 3) || any_driven(rod->base.rotation, 3))
        needed |= 1ull << TD_FEATURE_BASE_MOTION;
    if (rod->tip.held || rod->base.body != TD_WORLD ||
        (rod->base.joint != TD_CLAMP && rod->base.joint != TD_FREE))
        needed |= 1ull << TD_FEATURE_JOINTS;
    needed |= hold_features(&rod->tip);
    if (slides(rod->base.joint, &rod->base.spring)) needed |= 1ull << TD_FEATURE_SPRING_JOINTS;
    if (rod->mean_stretch) needed |= 1ull << TD_FEATURE_MEAN_STRETCH;
    if (is_fed(rod->feed)) needed |= 1ull << TD_FEATURE_FEED;
    return needed;
}

feature_set features_needed(const td_robot *robot, const td_options *options) {
    // Shear and extension are what models may leave out; their absence is what can be asked for.
    feature_set needed = options->theory == TD_KIRCHHOFF ? 1ull << TD_FEATURE_KIRCHHOFF : 0u;
    if (robot->n_rods > 1) needed |= 1ull << TD_FEATURE_MANY_RODS;
    if (robot->n_bodies > 0) needed |= 1ull << TD_FEATURE_BODIES;
    if (robot->n_obstacles > 0) needed |= 1ull << TD_FEATURE_OBSTACLES;
    for (int i = 0; i < robot->n_bodies; i++) {
        const td_tip_def *hold = &robot->bodies[i].def.hold;
        needed |= hold_features(hold);
        if (hold->held && hold->body != TD_WORLD) needed |= 1ull << TD_FEATURE_BODY_JOINTS;
    }
    for (int i = 0; i < robot->n_bodies; i++)
        if (body_touches(robot, i)) needed |= 1ull << TD_FEATURE_BODY_CONTACT;
    for (int i = 0; i < robot->n_obstacles; i++)
        if (robot->obstacles[i].def.body != TD_WORLD)
            needed |= 1ull << TD_FEATURE_CARRIED_OBSTACLES;
    if (robot_has_magnets(robot)) needed |= 1ull << TD_FEATURE_MAGNETS;
    if (robot->fluid.density > 0.0) needed |= 1ull << TD_FEATURE_FLUID;
    if (robot->n_contacts > 0) needed |= 1ull << TD_FEATURE_PART_CONTACT;
    for (int i = 0; i < robot->n_rods; i++) {
        needed |= rod_features(&robot->rods[i]);
        if (is_tube(robot, i)) needed |= 1ull << TD_FEATURE_TUBES;
        if (rod_floats(robot, i)) needed |= 1ull << TD_FEATURE_FREE_BASES;
    }
    for (int i = 0; i < robot->n_actuators; i++)
        needed |= robot->actuators[i].kind->features(robot->actuators[i].def);
    for (int i = 0; i < robot->n_loads; i++) needed |= load_features(&robot->loads[i].def);
    return needed;
}
