// model/constant_curvature/compile_check.c - robots that this model refuses, and why.
#include <string.h>

#include "base/error.h"
#include "model/constant_curvature/compile.h"

static td_status check_pieces(const robot_rod *rod, td_error *err) {
    for (int i = 0; i < rod->n_pieces; i++) {
        const td_piece_def *p = &rod->pieces[i];
        td_section_properties start = piece_properties(p, 0.0), end = piece_properties(p, 1.0);
        if (p->rest_stretch[0] != 0.0 || p->rest_stretch[1] != 0.0 || p->rest_stretch[2] != 1.0)
            return refuse_part(
                "rods", rod->name, "rest",
                "constant_curvature has no shear and rests at its length; cosserat may "
                "differ",
                err);
        if (p->rest_curvature[2] != 0.0)
            return refuse_part("rods", rod->name, "rest",
                               "constant_curvature has no torsion, also at rest; cosserat has",
                               err);
        if (memcmp(&start, &end, sizeof start) != 0)  // doubles only
            return refuse_part(
                "rods", rod->name, "section",
                "a taper: in constant_curvature mass and stiffness do not vary along a "
                "segment; several pieces, or cosserat, may",
                err);
    }
    return TD_OK;
}

static td_status check_tendon(const td_tendon_def *t, td_error *err) {
    if (t->routing != TD_ROUTING_STRAIGHT || t->offset[0] != t->offset_end[0] ||
        t->offset[1] != t->offset_end[1])
        return refuse_part(
            "tendons", t->name, "routing",
            "in constant_curvature tendons run parallel to the axis; others would bend a "
            "segment unevenly or twist it: cosserat",
            err);
    if (t->bending > 0.0 || t->torsion > 0.0 || t->mass_per_length > 0.0)
        return refuse_part(
            "tendons", t->name, "bending",
            "constant_curvature has push-pull rods without bending, torsion and mass of "
            "their own; virtual_power has them",
            err);
    return TD_OK;
}

static td_status check_parts(const td_robot *robot, int rod, td_error *err) {
    td_status status = TD_OK;
    for (int i = 0; i < robot_n_actuators(robot, KIND_tendon) && !status; i++)
        if (robot_tendon(robot, i)->rod == rod) status = check_tendon(robot_tendon(robot, i), err);
    for (int i = 0; i < robot->n_bodies && !status; i++) {
        const robot_body *b = &robot->bodies[i];
        if (b->def.rod == rod && b->def.attached.gain != 0.0)
            status =
                refuse_part("bodies", b->name, "attached",
                            "constant_curvature has bodies that stay; cosserat lets them go", err);
    }
    return status;
}

static bool is_printed(const td_constant_curvature_options *o) {
    return o->present_length || o->radial_damping || o->printed_scaling;
}

// As printed, the energy of segments is not that of their sections.
td_status arcs_check_material(const td_constant_curvature_options *o, const robot_rod *rod,
                              td_error *err) {
    for (int i = 0; i < rod->n_pieces && is_printed(o); i++) {
        const section_law law = law_of_piece(&rod->pieces[i], 0.0);
        if (law_is_plain(&law)) continue;
        return refuse_part("rods", rod->name, "material",
                           "constant_curvature as printed (present_length, radial_damping, "
                           "printed_scaling) has linear material alone",
                           err);
    }
    return TD_OK;
}

// What changes sections has curvatures of u/L and the whole of what segments store, and no torsion or shear to change.
td_status arcs_check_actuator(const td_constant_curvature_options *o, const actuator *a,
                              td_error *err) {
    if (!a->kind->sections) return TD_OK;
    if (is_printed(o))
        return refuse_part(a->words->plural, a->name, NULL,
                           "constant_curvature as printed (present_length, radial_damping, "
                           "printed_scaling) has nothing that changes sections",
                           err);
    if (a->active[2] == 0.0 && a->active[3] == 0.0 && a->active[4] == 0.0) return TD_OK;
    return refuse_part(a->words->plural, a->name, "curvature",
                       "constant_curvature neither twists nor shears; cosserat does", err);
}

td_status arcs_check_rod(const td_robot *robot, int rod, const arc_ends *e, td_error *err) {
    const robot_rod *r = &robot->rods[rod];
    if (e->n > MOST_SEGMENTS)
        return error_set(err, TD_ERR_VALUE, "simulation.constant_curvature.segments",
                         "rod '%s' would have %d segments; %d is the most", r->name, e->n,
                         MOST_SEGMENTS);
    td_status status = check_pieces(r, err);
    return status ? status : check_parts(robot, rod, err);
}
