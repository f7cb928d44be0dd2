// model/cosserat/rod.h - a robot compiled for the Cosserat model: rods cut into elements.
//
// An element is a stretch of rod within which nothing jumps: section and rest shape are smooth,
// distributed loads constant. Its ends are the piece boundaries, the point loads, the riding bodies
// and the ends of distributed loads, tendons and chambers. Each spatial scheme puts its own nodes on
// the elements.
//
// Rods, free bodies and the joints between them that hang together make an assembly: one set of
// equations. A rod that nothing else holds is an assembly of its own.
#pragma once

#include "actuation/actuator.h"
#include "environment/contact.h"
#include "environment/environment.h"
#include "environment/near.h"
#include "material/law.h"
#include "math/quat.h"
#include "model/cosserat/rigid.h"
#include "model/notes.h"
#include "model/pairs.h"
#include "model/touch.h"
#include "robot/growth.h"
#include "robot/robot.h"

// Strain modes and twists in the order (angular, linear); see docs/conventions.md.
typedef struct station {  // the section at one arc length
    double K[6];          // stiffness, N m^2 and N
    double B[6];          // Kelvin-Voigt damping, N m^2 s and N s
    vec3 u_rest, v_rest;  // rest strain
    vec3 J;               // rotary inertia rho (Ixx, Iyy, Izz), kg m; 0 when neglected
    vec3 drag, linear;    // kg/m^2, kg/(m s)
    double mass;          // rho A, kg/m
} station;

typedef struct rod_load {
    td_frame frame;
    td_number force[3], moment[3];
} rod_load;

typedef struct rider {  // a body that rides on a rod
    int body;           // in the robot
    rigid mass;         // about the section's origin
    td_number attached;
    point_body around;
} rider;

typedef struct element {
    double s0, length;            // m
    double rest_s0, rest_length;  // the same when nothing is fed
    int n_nodes;
    int node;           // index of its first node in the rod
    station *stations;  // (n_nodes)
    section_law *laws;  // (n_nodes) NULL: stations say all, linear and diagonal
    int inner;          // of the numbers that they remember, the first of this element
    double *moduli;     // (n_nodes x 2) Young's, shear, of a rod that follows its mean stretch
    struct around_node *around;  // (n_nodes) NULL: nothing but weight and drag of stations
    station *between;            // (n_nodes - 1) half-way between the nodes; NULL when not wanted
    double *quadrature;          // (n_nodes) weights for integrals over the element
    double *shares;              // (n_nodes) where the nodes are, from 0 to 1
    rod_load *spread;            // distributed over the element
    int n_spread;
    rod_load *end_loads;  // point loads at its far end
    int n_end_loads;
    rider *riders;  // bodies at its far end
    int n_riders;
    void *own;  // the scheme's
} element;

// An actuator on its rod. What is not known of its effort are unknowns of the rod, beside those of the
// scheme: none (the effort is given), its effort (1), or, where a tendon rubs, the tensions at all of
// its nodes, after that at its start when its displacement is given.
typedef struct rod_actuator {
    const actuator *a;
    int first_element, n_elements;  // that it runs through
    int first_node, n_nodes;
    int first_point;        // of its nodes among those of all actuators of the rod
    route_point *at;        // (n_nodes)
    double *places;         // (n_nodes) arc lengths
    double *rest;           // (n_nodes) density of its measure at rest
    int *element;           // (n_nodes) of the rod, that the node lies in
    route_point *between;   // (n_nodes) half-way to the next node; NULL when not wanted
    int effort, n_efforts;  // its unknowns among the rod's; 0 of them: given
    double effort_scale;    // N or Pa: bends the rod by about a radian
} rod_actuator;

// Slack: its tension is none, but for rounding.
static inline bool is_slack(const rod_actuator *ra, double tension) {
    return ra->a->pulls_only && tension <= 1e-12 * ra->effort_scale;
}

typedef struct rod {
    char *name;
    double length;
    double rest_length;  // when nothing is fed,
    fed_stretch grows;   // and the stretch that feeding makes longer: see element_place
    bool grows_at_tip;   // material is added there, not pushed out of the base
    element *elements;
    int n_elements;
    int n_nodes;     // over all elements
    bool kirchhoff;  // no shear, no extension
    bool has_laws;   // some of its elements have
    int n_inner;     // numbers that its sections remember
    bool follows;    // its sections follow its mean stretch: see stretch.c
    td_base_def base;
    int base_body;   // free body that it stands on; -1: none
    bool held;       // its tip is part of a joint
    int assembly;    // that it belongs to
    bool ridden;     // bodies ride on it
    td_number feed;  // m, adds to its length when gain or value are not 0
    rod_actuator *actuators;
    int n_actuators;
    int n_points;                      // nodes of all actuators
    int n_efforts;                     // unknowns of all actuators
    double force_scale, moment_scale;  // EI/L^2, EI/L
    const actuator *all;               // of the robot, and which rod it is there
    int n_all, index;
    const environment *around;  // NULL: nothing acts on it but weight and drag of stations
    const obstacle *obstacles;  // of the robot
    int n_obstacles;
    contact_law *contacts;            // (2 n_obstacles) with nodes of this rod, then with its tip
    near_grid near;                   // which of them may be near a node
    double *radii;                    // (n_nodes) m, of its surface, where there are obstacles
    bool meets;                       // it may touch other parts
    const touch *touch;               // NULL, unless bodies that ride on it touch obstacles,
    const struct body_point *points;  // at some of these
    void *tables;                     // the scheme's
} rod;

// Strains that collocation and Chebyshev solve for: of a node, of the rod.
static inline int unknowns_per_node(const rod *r) {
    return r->kirchhoff ? 3 : 6;
}
static inline int n_strains(const rod *r) {
    return unknowns_per_node(r) * r->n_nodes;
}
static inline int most_nodes(const rod *r) {  // of an element
    int most = 0;
    for (int k = 0; k < r->n_elements; k++)
        if (r->elements[k].n_nodes > most) most = r->elements[k].n_nodes;
    return most;
}

// What node i of an element remembers, of all that its rod does, after `time`.
static inline law_past element_past(const element *e, int i, const double *inner, double time) {
    return (law_past){inner + e->inner + i * law_memory(&e->laws[i]), time};
}

// Of the material at node i of an element, x: its strain less that at rest: J/m, and W/m lost.
static inline double element_elastic(const element *e, int i, const double *inner, double time,
                                     const double x[6]) {
    double sum = 0.0;
    if (e->laws) {
        const law_past past = element_past(e, i, inner, time);
        return law_energy(&e->laws[i], &past, x);
    }
    for (int k = 0; k < 6; k++) sum += x[k] * e->stations[i].K[k] * x[k];
    return 0.5 * sum;
}

static inline double element_viscous(const element *e, int i, const double *inner,
                                     const double x[6], const double rate[6]) {
    double sum = 0.0;
    if (e->laws) {
        const law_past past = element_past(e, i, inner, 0.0);
        return law_loss(&e->laws[i], &past, x, rate);
    }
    for (int k = 0; k < 6; k++) sum += rate[k] * e->stations[i].B[k] * rate[k];
    return sum;
}

// Has it tendons with friction?
static inline bool rod_rubs(const rod *r) {
    for (int i = 0; i < r->n_actuators; i++)
        if (actuator_rubs(r->actuators[i].a)) return true;
    return false;
}

// Is what it did to obstacles before part of what it does now? Friction, restitution.
static inline bool rod_remembers(const rod *r) {
    for (int i = 0; i < r->n_obstacles; i++)
        if (contact_remembers(&r->contacts[i])) return true;
    return false;
}

static inline bool rod_is_fed(const rod *r) {
    return r->feed.gain != 0.0 || r->feed.value != 0.0;
}

// Of a rod that is fed one stretch gets longer (robot/places.h), and its nodes keep their shares of it. Out of the base it
// pushes all beyond along; at the tip nothing is beyond, and no material moves along the rod.
static inline bool element_grows(const rod *r, const element *e) {
    const double middle = e->rest_s0 + 0.5 * e->rest_length;
    return middle > r->grows.from && middle < r->grows.to;
}

// How long that stretch is when the rod has this length.
static inline double grown_length(const rod *r, double length) {
    return r->grows.to - r->grows.from + (length - r->rest_length);
}

// How much longer an element is than at rest when the rod has this length.
static inline double element_ratio(const rod *r, const element *e, double length) {
    return element_grows(r, e) ? grown_length(r, length) / (r->grows.to - r->grows.from) : 1.0;
}

// Where share x of an element then is, m.
static inline double element_place(const rod *r, const element *e, double x, double length) {
    const double rest = e->rest_s0 + x * e->rest_length, from = r->grows.from;
    if (element_grows(r, e)) return from + (rest - from) * element_ratio(r, e, length);
    return r->grows_at_tip ? rest : rest + (length - r->rest_length);
}

// How far a material point that is at share x of an element moves past it, towards the tip, for a metre that is fed.
static inline double element_passed(const rod *r, const element *e, double x) {
    const double share =
        (e->rest_s0 + x * e->rest_length - r->grows.from) / (r->grows.to - r->grows.from);
    return !element_grows(r, e) ? 0.0 : r->grows_at_tip ? -share : 1.0 - share;
}

// Where the material that is at s when the rod has a length was when that was another.
static inline double material_place(const rod *r, double s, double length, double then) {
    return r->grows_at_tip ? s : s - (length - then);
}

// m/s, at which material comes out of the base.
static inline double rod_fed_rate(const rod *r, const double *rates) {
    return rates && !r->grows_at_tip ? number_rate(r->feed, rates) : 0.0;
}

typedef struct free_body {
    int body;  // in the robot; -1: the massless hinge of a base joint
    char name[64];
    rigid mass;
    td_pose start;  // where it is when the robot is put together
    point_body around;
    rod_load *loads;  // on it, at its origin
    int n_loads;
    int assembly, place;  // that it belongs to, and which of its bodies it is
    int spring;           // which joint of the assembly holds it by a spring in the world; -1: none
} free_body;

// Holds the tip of a rod, or a free body (the hinge of a base joint), in a frame of another body or
// of the world. Its reaction is what it does to what it holds, by numbers in the world: moment and
// force (6), of a ball joint the force alone (3). Where a joint turns freely about an axis, an equation
// says that there is no moment about it.
typedef struct joint {
    td_joint kind;
    int rod;            // whose tip is held; -1: `held` is
    int held;           // free body
    int holder;         // free body; TD_WORLD
    td_base_def frame;  // in the holder
    bool driven;        // by an input, or turned; otherwise
    se3 place;          // ... it stays here in the holder
    vec3 axis, axis2;   // of the frame, and of what is held: see td_joint
    vec3 across[2];     // of the frame, at right angles to `axis`
    td_spring_def spring;
    bool springs;           // or damps, or a motor pushes; what is held is a body
    const actuator *motor;  // NULL: none
    int reaction;           // its first number among those of all joints
    int n_reactions;
} joint;

typedef struct assembly {
    int *rods, *bodies, *joints;  // indices into those of the system
    int n_rods, n_bodies, n_joints;
    int *first;                 // (n_rods + 1) of each rod's unknowns among those of all
    int *tips;                  // (n_rods) which of its joints holds the tip; -1: none
    int reaction, n_reactions;  // the numbers of all its joints, side by side
    double length, force;       // scales: m, N
    double mass;                // of all of it, kg
    bool alone;                 // a free rod that the scheme solves by itself
    bool floats;                // nothing joins it to the world
    bool meets;                 // parts of it touch one another
    bool carries;               // bodies of it hold others
} assembly;

typedef struct body_point {  // where a body may touch an obstacle
    int body;                // of the free ones; -1: it rides
    vec3 at;                 // in its frame
    int rod, bound;          // that it rides on; -1
} body_point;

// Where the axis of a capsule ends that touches other parts: at a place of a rod, its nodes and then the bounds of its elements
// from the base on; or at a point of a free body.
typedef struct pair_place {
    int rod;    // -1: on a body
    int place;  // of the rod
    int body;   // of the free ones
    vec3 at;    // in the frame there
} pair_place;

typedef struct cosserat {
    td_options options;
    const struct space_scheme *scheme;
    environment around;
    rod *rods;
    int n_rods;
    free_body *bodies;
    int n_bodies;
    joint *joints;
    int n_joints;
    assembly *assemblies;
    int n_assemblies;
    const actuator *actuators;
    int n_actuators;
    obstacle *obstacles;
    int n_obstacles;
    char (*obstacle_names)[64];  // (n_obstacles)
    touch touch;                 // the same, as bodies touch them
    body_point *body_points;     // (touch.n_points)
    part_contacts contacts;      // of parts with one another: all of them in one assembly,
    pair_place *places;          // whose capsules end here
    int n_places;
    int *capsule_ends;  // (contacts.n x 2) places
    int meeting;        // the assembly that they are in
    int n_inputs;
    bool brings_energy;  // an input attaches bodies, or drives gravity or fields
    model_notes notes;   // what does not suit
} cosserat;

// The loads of one rod at given inputs; everything in the rod equations that is not state.
typedef struct wrench {
    vec3 force, moment;
} wrench;

typedef struct element_loads {
    wrench world, body;          // distributed, N/m and N; `body` turns with the section
    wrench end_world, end_body;  // at the element's far end, N and N m
    rigid end_mass;              // of the bodies that ride there,
    point_body end_around;       // and what surroundings act on
} element_loads;

typedef struct base_motion {
    vec3 p;  // world
    quat h;
    vec3 q, w;   // velocity and angular velocity, body frame
    double out;  // m/s: the rod is pushed out of it; what leaves moves on by out times strain
} base_motion;

void *cosserat_compile(const td_robot *robot, const actuator *actuators, const td_options *options,
                       td_error *err);
void cosserat_release(void *compiled);

// Loads of a rod, all multiplied by `scale` (load continuation); gravity too. Riding bodies are as
// attached as the inputs say, whatever the scale.
void rod_loads_at(const rod *r, const double *inputs, double scale, element_loads *out);
// What the inputs give its actuators (n_actuators), from none (scale 0) to all of it (1).
void rod_given_at(const rod *r, const double *inputs, double scale, double *out);
// Loads on a free body: force and moment in the world at its origin T.
wrench body_loads_at(const free_body *b, const double *inputs, double scale, const mat3 *R);
// The rod's length outside its base, m.
double rod_length_at(const rod *r, const double *inputs);
vec3 rod_gravity_at(const cosserat *c, const double *inputs, double scale);
// Where it is clamped: of a rod in the world. With a feed the material at the base moves out of it.
// turn: share of its rotation.
base_motion rod_base_at(const rod *r, double turn, const double *inputs, const double *rates);
base_motion frame_at(const td_base_def *frame, double turn, const double *inputs,
                     const double *rates);

// The element that holds s; at a cut, the one that begins there.
static inline int rod_element_at(const rod *r, double s) {
    int i = 0;
    while (i + 1 < r->n_elements && s >= r->elements[i + 1].s0) i++;
    return i;
}
