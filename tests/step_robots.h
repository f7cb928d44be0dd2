// tests/step_robots.h - ten small robots whose steps are differentiated.
#pragma once

#include "chains.h"
#include "math/quat.h"

typedef enum robot_kind {
    ROD,
    TENDON,
    TWO_TENDONS,
    STRETCHING,
    CHAMBER,
    RIDER,
    LOOP,
    HINGE,
    PENDULUM,
    FOLLOWER,
    N_ROBOTS,
    MOVED = N_ROBOTS,  // one more, whose base inputs move: in a fluid, of two pieces
    FOLLOWING,         // and one that a chamber stretches, whose sections follow that
    FED,               // and one that is fed, on a base that turns
    FED_HINGE,         // or in two pieces out of a hinge
    ROUGH,             // and one of whose two tendons the second rubs
    ROUGH_STRETCHING,  // and one whose tendon rubs and stretches
    CROSSED,           // and one that lies on another, across
    GROWN,             // and one of two pieces that grows at its tip
    FREE,              // and one that nothing holds, thrown and turning, with a tendon
    JOINTED,  // and one on bodies that hold one another: a spring, a slide that an input drives, a drive
    RELAXING  // and one of two pieces with a tendon, which relax
} robot_kind;
static const char *const kinds[] = {"rod",         "tendon",
                                    "two tendons", "stretching",
                                    "chamber",     "rider",
                                    "loop",        "hinge",
                                    "pendulum",    "follower",
                                    "moved",       "following",
                                    "fed",         "fed out of a hinge",
                                    "rough",       "rough and stretching",
                                    "crossed",     "grown",
                                    "free",        "jointed",
                                    "relaxing"};

static inline td_piece_def soft_piece(void) {
    td_piece_def piece = td_default_piece_def();
    piece.length = 0.2, piece.youngs_modulus = 2e6, piece.shear_modulus = 0.7e6;
    piece.density = 1000.0;
    piece.section.radius = piece.section_end.radius = 0.01;
    piece.damping_time = 5e-3;
    return piece;
}

static inline void add_rough_tendon(td_robot *robot, const char *name, double angle, bool stretches,
                                    double friction) {
    td_error err = {0};
    td_tendon_def tendon = td_default_tendon_def();
    tendon.name = name, tendon.rod = 0, tendon.to = 0.2;
    tendon.offset[0] = tendon.offset_end[0] = 0.008 * cos(angle);
    tendon.offset[1] = tendon.offset_end[1] = 0.008 * sin(angle);
    tendon.value =
        (td_number){stretches ? 0.004 : 0.4, stretches ? 0.01 : 1.0, add_input(robot, name)};
    if (stretches) tendon.input = TD_DISPLACEMENT, tendon.stiffness = 200.0;
    if (friction > 0.0) tendon.friction = friction, tendon.presliding = 2e-4;
    CHECK_OK(td_robot_add_tendon(robot, &tendon, &err), err);
}

static inline void add_tendon(td_robot *robot, const char *name, double angle, bool stretches) {
    add_rough_tendon(robot, name, angle, stretches, 0.0);
}

static inline void add_push(td_robot *robot, td_frame frame) {
    td_load_def load = point_load("push", 0.2);
    load.frame = frame;
    load.force[1] = (td_number){0.02, 1.0, add_input(robot, "push")};
    add_load(robot, &load);
}

static inline int add_held_body(td_robot *robot, const char *name, td_joint joint, int by,
                                double z) {
    td_error err = {0};
    td_body_def body = td_default_body_def();
    body.name = name, body.rod = -1, body.mass = 0.05, body.centre[0] = 0.01;
    for (int i = 0; i < 3; i++) body.inertia[i] = 2e-5 + 5e-6 * i;
    body.hold.held = true, body.hold.body = by, body.hold.joint = joint;
    body.hold.position[2] = td_constant(z);
    if (joint == TD_CLAMP) {
        body.hold.rotation[0] = (td_number){0.1, 1.0, add_input(robot, "twist")};
    } else {
        body.hold.axis[0] = 0.0, body.hold.axis[1] = 0.6, body.hold.axis[2] = 0.8;
        body.hold.spring =
            (td_spring_def){joint == TD_REVOLUTE ? 0.4 : 80.0, 2e-3, td_constant(0.0)};
    }
    if (joint == TD_PRISMATIC)
        body.hold.spring.rest = (td_number){0.0, 0.1, add_input(robot, "extend")};
    const int index = td_robot_add_body(robot, &body, &err);
    CHECK_OK(index, err);
    return index;
}

static inline td_robot *robot_of(robot_kind kind) {
    td_piece_def piece = soft_piece();
    td_error err = {0};
    td_robot *robot = empty_robot(-4.0, 0.0, 3.0);
    if (kind == FOLLOWING) piece.youngs_modulus = 2e5, piece.shear_modulus = 0.7e5;
    const double top[3] = {0.0, 0.0, 0.2};
    if (kind == LOOP) {
        const int body = add_body(robot, "plate", 0.02, 1e-5, top);
        for (int i = 0; i < 2; i++) {
            td_rod_def rod = chain_rod(i ? "two" : "one", &piece, i ? 0.06 : -0.06, 0.0, 0.0);
            hold_tip(&rod, body, i ? TD_BALL : TD_CLAMP, i ? 0.05 : -0.05, 0.0, 0.0);
            add_chain_rod(robot, &rod);
        }
        td_load_def load = td_default_load_def();
        load.name = "push", load.rod = -1, load.body = body;
        load.force[1] = (td_number){.gain = 1.0, .input = add_input(robot, "push")};
        add_load(robot, &load);
        return robot;
    }
    td_rod_def rod = chain_rod("arm", &piece, 0.0, 0.0, 0.0);
    if (kind == JOINTED) {
        const int hub = add_held_body(robot, "hub", TD_REVOLUTE, TD_WORLD, -0.1);
        const int slide = add_held_body(robot, "slide", TD_PRISMATIC, hub, 0.05);
        rod.base.body = add_held_body(robot, "wrist", TD_CLAMP, slide, 0.05);
    }
    rod.mean_stretch = kind == FOLLOWING;
    if (kind == HINGE || kind == FED_HINGE)
        rod.base.joint = TD_REVOLUTE, rod.base.axis[0] = 0.0, rod.base.axis[1] = 1.0,
        rod.base.axis[2] = 0.0;
    if (kind == FED_HINGE) rod.base.spring = (td_spring_def){0.05, 2e-3, td_constant(0.3)};
    if (kind == PENDULUM) {
        const int body = add_body(robot, "bob", 0.05, 2e-5, top);
        hold_tip(&rod, body, TD_BALL, 0.0, 0.0, -0.02);
    }
    if (kind == FREE) {
        const double linear[3] = {0.3, 0.1, -0.2}, angular[3] = {1.0, 2.0, -1.5};
        rod.base.joint = TD_FREE;
        quat_store(rod.base.orientation, quat_exp(vec3_make(0.4, -0.3, 0.2)));
        CHECK_OK(td_robot_set_initial_motion(robot, linear, angular, top, &err), err);
    }
    td_piece_def pieces[2] = {piece, piece};
    if (kind == MOVED) {
        pieces[0].length = 0.12, pieces[1].length = 0.08;
        pieces[1].section.radius = pieces[1].section_end.radius = 0.008;
        pieces[0].drag[0] = 4.0, pieces[0].linear_drag[1] = 0.2, pieces[1].linear_drag[2] = 0.1;
        rod.pieces = pieces, rod.n_pieces = 2;
        rod.base.position[0] = (td_number){0.0, 1.0, add_input(robot, "slide")};
        rod.base.rotation[1] = (td_number){0.2, 1.0, add_input(robot, "turn")};
    }
    if (kind == RELAXING) {
        pieces[0].length = pieces[1].length = 0.1;
        pieces[0].rest_curvature[1] = 2.0;
        pieces[0].relaxation = (td_relaxation){{0.5, 0.3}, {0.01, 0.1}};
        pieces[1].relaxation = (td_relaxation){{0.8}, {0.03}};
        rod.pieces = pieces, rod.n_pieces = 2;
    }
    if (kind == FED || kind == FED_HINGE || kind == GROWN)
        rod.feed = (td_number){0.01, 0.05, add_input(robot, "feed")};
    rod.feed_at_tip = kind == GROWN;
    if (kind == FED_HINGE || kind == GROWN) {
        pieces[0].length = 0.12, pieces[1].length = 0.08, pieces[1].rest_curvature[1] = 2.0;
        pieces[1].section.radius = pieces[1].section_end.radius = 0.008;
        rod.pieces = pieces, rod.n_pieces = 2;
    }
    if (kind == FED || kind == GROWN)
        rod.base.rotation[1] = (td_number){0.2, 1.0, add_input(robot, "turn")};
    add_chain_rod(robot, &rod);
    if (kind == CROSSED) {
        td_contact_def cross = td_default_contact_def();
        td_rod_def other = chain_rod("other", &piece, -0.0195, -0.1, 0.13);
        other.base.orientation[0] = sqrt(0.5), other.base.orientation[1] = -sqrt(0.5);
        add_chain_rod(robot, &other);
        static const int both[] = {0, 1};
        cross.name = "cross", cross.rods = both, cross.n_rods = 2;
        CHECK_OK(td_robot_add_contact(robot, &cross, &err), err);
    }
    if (kind == RIDER) {
        td_body_def body = td_default_body_def();
        body.name = "disc", body.rod = 0, body.at = 0.1, body.mass = 0.03;
        body.inertia[0] = body.inertia[1] = body.inertia[2] = 1e-6;
        CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    }
    if (kind == TENDON || kind == TWO_TENDONS || kind == FREE || kind == RELAXING)
        add_tendon(robot, "one", 0.3, false);
    if (kind == TWO_TENDONS) add_tendon(robot, "two", 2.0, false);
    if (kind == STRETCHING) add_tendon(robot, "one", 0.3, true);
    if (kind == ROUGH) add_tendon(robot, "two", 2.0, false);
    if (kind == ROUGH || kind == ROUGH_STRETCHING)
        add_rough_tendon(robot, "one", 0.3, kind == ROUGH_STRETCHING, 0.4);
    if (kind == CHAMBER || kind == FOLLOWING) {
        td_chamber_def chamber = td_default_chamber_def();
        chamber.name = "air", chamber.rod = 0, chamber.to = 0.2, chamber.area = 2e-5;
        chamber.offset[0] = 0.005;
        chamber.value = (td_number){3e3, 1e3, add_input(robot, "air")};
        if (kind == FOLLOWING) chamber.area = 1e-4, chamber.value.value = 2e4;
        CHECK_OK(td_robot_add_chamber(robot, &chamber, &err), err);
    }
    add_push(robot, kind == FOLLOWER ? TD_FRAME_BODY : TD_FRAME_WORLD);
    return robot;
}

// Under the tip of the rod, which its weight bends onto it.
static inline void add_rough_plane(td_robot *robot, double stiffness, double friction,
                                   double restitution) {
    td_error err = {0};
    td_obstacle_def plane = td_default_obstacle_def();
    plane.name = "bed", plane.stiffness = stiffness;
    plane.position[0].value = -0.0105;
    plane.orientation[0] = plane.orientation[2] = sqrt(0.5);  // its normal is x
    plane.friction = friction, plane.restitution = restitution;
    if (friction > 0.0) plane.presliding = 1e-4;
    CHECK_OK(td_robot_add_obstacle(robot, &plane, &err), err);
}

static inline void add_plane(td_robot *robot, double stiffness) {
    add_rough_plane(robot, stiffness, 0.0, 0.0);
}

// NULL: the model has no such robot.
static inline td_system *system_of(td_robot *robot, const td_options *o) {
    td_error err = {0};
    td_system *system = td_system_create(robot, o, &err);
    if (!system && err.status != TD_ERR_UNSUPPORTED)
        fprintf(stderr, "%s: %s: %s\n", o->model, err.where, err.message);
    return system;
}

static inline td_options options_of(int model) {
    td_options o = td_default_options();
    o.space = TD_COLLOCATION, o.nodes = 5, o.scheme = TD_SDIRK2, o.tolerance = 1e-13;
    o.lumped.segments = 4, o.rom.order = 2;
    snprintf(o.model, sizeof o.model, "%s", td_model_name(model));
    return o;
}
