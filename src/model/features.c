#include "model/model.h"

#include <string.h>

static bool any_nonzero(const double *a, int n) {
    for (int i = 0; i < n; i++)
        if (a[i] != 0.0) return true;
    return false;
}

static bool any_driven(const td_number *a, int n) {
    for (int i = 0; i < n; i++)
        if (a[i].gain != 0.0) return true;
    return false;
}

static unsigned piece_features(const td_piece_def *piece) {
    static const double straight[3] = {0.0, 0.0, 1.0};
    unsigned needed = 0;
    if (any_nonzero(piece->rest_curvature, 3) ||
        memcmp(piece->rest_stretch, straight, sizeof straight) != 0)
        needed |= 1u << TD_FEATURE_PRE_CURVATURE;
    if (any_nonzero(piece->drag, 3) || any_nonzero(piece->linear_drag, 3))
        needed |= 1u << TD_FEATURE_DRAG;
    td_section_properties start = piece_properties(piece, 0.0), end = piece_properties(piece, 1.0);
    if (memcmp(&start, &end, sizeof start) != 0)  // doubles only
        needed |= 1u << TD_FEATURE_PIECES;
    return needed;
}

static unsigned load_features(const td_load_def *load) {
    unsigned needed = load->distributed ? 1u << TD_FEATURE_DISTRIBUTED_LOADS
                                        : 1u << TD_FEATURE_POINT_LOADS;
    if (load->frame == TD_FRAME_BODY) needed |= 1u << TD_FEATURE_FOLLOWER_LOADS;
    return needed;
}

unsigned features_needed(const td_robot *robot, const td_options *options) {
    unsigned needed = options->theory == TD_KIRCHHOFF ? 1u << TD_FEATURE_KIRCHHOFF
                                                      : 1u << TD_FEATURE_SHEAR_EXTENSION;
    if (robot->n_rods > 1) needed |= 1u << TD_FEATURE_MANY_RODS;
    for (int i = 0; i < robot->n_rods; i++) {
        const robot_rod *rod = &robot->rods[i];
        if (rod->n_pieces > 1) needed |= 1u << TD_FEATURE_PIECES;
        for (int k = 0; k < rod->n_pieces; k++) needed |= piece_features(&rod->pieces[k]);
        if (any_driven(rod->base.position, 3) || any_driven(rod->base.rotation, 3))
            needed |= 1u << TD_FEATURE_BASE_MOTION;
    }
    for (int i = 0; i < robot->n_loads; i++) needed |= load_features(&robot->loads[i].def);
    return needed;
}
