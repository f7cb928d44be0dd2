// model/cosserat/compile_assembly.c - free bodies, joints, and what hangs together.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/cosserat/assembly.h"
#include "model/cosserat/contact.h"
#include "robot/inertia.h"
#include "robot/places.h"

// ---------------------------------------------------------------- bodies
// Of a free body, or at the base of a rod (then body is -1).
static bool collect_loads(free_body *b, const td_robot *robot, int rod_index, int body) {
    b->loads = calloc((size_t)robot->n_loads + 1, sizeof *b->loads);
    if (!b->loads) return false;
    for (int i = 0; i < robot->n_loads; i++) {
        const td_load_def *def = &robot->loads[i].def;
        const bool at_base = def->rod >= 0 && !def->distributed &&
                             def->from <= SAME_PLACE * robot->rods[def->rod].length;
        if (body >= 0 ? def->rod >= 0 || def->body != body : !at_base || def->rod != rod_index)
            continue;
        rod_load *load = &b->loads[b->n_loads++];
        load->frame = def->frame;
        memcpy(load->force, def->force, sizeof load->force);
        memcpy(load->moment, def->moment, sizeof load->moment);
    }
    return true;
}

static bool make_body(free_body *b, const td_robot *robot, int body) {
    const td_body_def *def = &robot->bodies[body].def;
    b->body = body, b->spring = -1;
    snprintf(b->name, sizeof b->name, "%s", robot->bodies[body].name);
    b->mass = rigid_make(def->mass, body_inertia(def), def->centre);
    b->around = point_body_of(def, robot->fluid.density);
    memcpy(b->start.p, def->position, sizeof b->start.p);
    memcpy(b->start.q, def->orientation, sizeof b->start.q);
    return collect_loads(b, robot, -1, body);
}

// The massless body between a rod's base and the joint that holds it, with the loads at that base.
static bool make_hinge(free_body *b, const td_robot *robot, int rod_index) {
    *b = (free_body){.body = -1, .mass = rigid_none(), .start.q = {1.0}, .spring = -1};
    return collect_loads(b, robot, rod_index, -1);
}

static td_base_def no_offset(void) {
    return (td_base_def){.orientation = {1.0}, .body = TD_WORLD, .joint = TD_CLAMP};
}

// ---------------------------------------------------------------- joints
static joint make_joint(td_joint kind, const double axis[3], const double axis2[3],
                        const td_spring_def *spring) {
    joint j = {.kind = kind,
               .spring = *spring,
               .springs = has_spring(spring),
               .rod = -1,
               .held = -1,
               .holder = TD_WORLD,
               .axis = vec3_load(axis),
               .axis2 = vec3_load(axis2),
               .n_reactions = kind == TD_BALL ? 3 : 6};
    if (kind == TD_REVOLUTE || kind == TD_PRISMATIC) {
        j.across[0] = vec3_perpendicular(j.axis);
        j.across[1] = vec3_cross(j.axis, j.across[0]);
    }
    return j;
}

static void add_motor(const cosserat *c, int motor, joint *j) {
    if (motor < 0) return;
    j->motor = &c->actuators[motor];
    j->springs = true;
}

static void add_joint(cosserat *c, joint j) {
    base_motion place;
    for (int i = 0; i < 3; i++)
        if (j.frame.position[i].gain != 0.0 || j.frame.rotation[i].gain != 0.0 ||
            j.frame.rotation[i].value != 0.0)
            j.driven = true;
    if (!j.driven) {
        place = frame_at(&j.frame, 1.0, NULL, NULL);
        j.place = (se3){quat_to_mat3(place.h), place.p};
    }
    c->joints[c->n_joints++] = j;
}

static joint joint_of_hold(const td_tip_def *hold, const int *free_of) {
    joint j = make_joint(hold->joint, hold->axis, hold->axis2, &hold->spring);
    j.holder = hold->body == TD_WORLD ? TD_WORLD : free_of[hold->body];
    j.frame = no_offset();
    memcpy(j.frame.position, hold->position, sizeof j.frame.position);
    memcpy(j.frame.rotation, hold->rotation, sizeof j.frame.rotation);
    memcpy(j.frame.orientation, hold->orientation, sizeof j.frame.orientation);
    return j;
}

// A tip that slides, or that a spring holds, is clamped to a hinge which does.
static bool add_tip_joint(cosserat *c, const td_robot *robot, int rod_index, const int *free_of) {
    const td_tip_def *tip = &robot->rods[rod_index].tip;
    joint j = joint_of_hold(tip, free_of);
    add_motor(c, motor_of_joint(robot, rod_index, TD_TIP), &j);
    if (j.kind == TD_PRISMATIC || j.springs) {
        const td_spring_def none = {0};
        joint clamp = make_joint(TD_CLAMP, tip->axis, tip->axis2, &none);
        clamp.rod = rod_index;
        clamp.holder = j.held = c->n_bodies;
        clamp.frame = no_offset();
        if (!make_hinge(&c->bodies[c->n_bodies++], robot, -1)) return false;
        add_joint(c, clamp);
    } else {
        j.rod = rod_index;
    }
    add_joint(c, j);
    c->rods[rod_index].held = true;
    return true;
}

// Where nothing holds the base there is a hinge without a joint.
static bool add_hinge(cosserat *c, const td_robot *robot, int rod_index, int holder) {
    rod *r = &c->rods[rod_index];
    joint j = make_joint(r->base.joint, r->base.axis, r->base.axis2, &r->base.spring);
    free_body *hinge = &c->bodies[c->n_bodies];
    add_motor(c, motor_of_joint(robot, rod_index, TD_BASE), &j);
    j.held = c->n_bodies++;
    j.holder = holder;
    j.frame = r->base;
    if (!make_hinge(hinge, robot, rod_index)) return false;
    if (r->base.joint == TD_FREE) {
        const base_motion start = frame_at(&r->base, 1.0, NULL, NULL);
        vec3_store(hinge->start.p, start.p);
        quat_store(hinge->start.q, start.h);
    } else {
        add_joint(c, j);
    }
    r->base = no_offset();
    r->base_body = j.held;
    return true;
}

static bool connect_rod(cosserat *c, const td_robot *robot, int rod_index, const int *free_of) {
    rod *r = &c->rods[rod_index];
    const robot_rod *def = &robot->rods[rod_index];
    int stands_on = def->base.body == TD_WORLD ? TD_WORLD : free_of[def->base.body];
    r->base_body = stands_on;
    if (def->base.joint != TD_CLAMP && !add_hinge(c, robot, rod_index, stands_on)) return false;
    return !def->tip.held || add_tip_joint(c, robot, rod_index, free_of);
}

// ---------------------------------------------------------------- what hangs together
// Rods and bodies are parts: rod i is part i, body k is part n_rods + k. Every part points to
// another of its assembly, or to itself.
static int root_of(int *parent, int i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join(int *parent, int a, int b) {
    a = root_of(parent, a), b = root_of(parent, b);
    if (a < b) parent[b] = a;
    else parent[a] = b;
}

static int part_held(const cosserat *c, const joint *j) {
    return j->rod >= 0 ? j->rod : c->n_rods + j->held;
}

static int part_of_place(const cosserat *c, const pair_place *x) {
    return x->rod >= 0 ? x->rod : c->n_rods + x->body;
}

// Parts that may touch belong together as well.
static void find_connections(const cosserat *c, int *parent) {
    for (int i = 0; i < c->n_rods + c->n_bodies; i++) parent[i] = i;
    for (int i = 0; i < c->n_rods; i++)
        if (c->rods[i].base_body >= 0) join(parent, i, c->n_rods + c->rods[i].base_body);
    for (int k = 0; k < c->n_joints; k++)
        if (c->joints[k].holder >= 0)
            join(parent, part_held(c, &c->joints[k]), c->n_rods + c->joints[k].holder);
    for (int i = 1; i < c->n_places; i++)
        join(parent, part_of_place(c, &c->places[0]), part_of_place(c, &c->places[i]));
}

static bool allocate_assembly(const cosserat *c, assembly *a) {
    a->rods = calloc((size_t)c->n_rods + 1, sizeof *a->rods);
    a->bodies = calloc((size_t)c->n_bodies + 1, sizeof *a->bodies);
    a->joints = calloc((size_t)c->n_joints + 1, sizeof *a->joints);
    a->first = calloc((size_t)c->n_rods + 1, sizeof *a->first);
    a->tips = calloc((size_t)c->n_rods + 1, sizeof *a->tips);
    return a->rods && a->bodies && a->joints && a->first && a->tips;
}

static void collect_joints(cosserat *c, assembly *a, int *parent, int root, int *reaction) {
    a->reaction = *reaction;
    for (int k = 0; k < c->n_joints; k++) {
        joint *j = &c->joints[k];
        if (root_of(parent, part_held(c, j)) != root) continue;
        if (j->springs && j->holder == TD_WORLD) c->bodies[j->held].spring = a->n_joints;
        if (j->rod < 0 && j->holder >= 0 && c->bodies[j->held].body >= 0) a->carries = true;
        a->joints[a->n_joints++] = k;
        j->reaction = *reaction;
        *reaction += j->n_reactions;
    }
    a->n_reactions = *reaction - a->reaction;
}

static double rod_mass(const rod *r) {
    double sum = 0.0;
    for (int k = 0; k < r->n_elements; k++)
        for (int i = 0; i < r->elements[k].n_nodes; i++)
            sum += r->elements[k].quadrature[i] * r->elements[k].stations[i].mass;
    return sum;
}

static void set_scales(const cosserat *c, assembly *a) {
    for (int k = 0; k < a->n_bodies; k++) a->mass += c->bodies[a->bodies[k]].mass.mass;
    for (int i = 0; i < a->n_rods; i++) {
        const rod *r = &c->rods[a->rods[i]];
        a->mass += rod_mass(r);
        a->length = fmax(a->length, r->length);
        a->force = fmax(a->force, r->force_scale);
    }
    if (a->n_rods == 0) {
        double mass = c->bodies[a->bodies[0]].mass.mass;
        a->length = 1.0;
        a->force = mass > 0.0 ? mass : 1.0;
    }
}

// Everything whose root is `root`.
static void collect(cosserat *c, assembly *a, int *parent, int root, int *reaction) {
    const int index = (int)(a - c->assemblies);
    for (int i = 0; i < c->n_rods; i++) {
        if (root_of(parent, i) != root) continue;
        c->rods[i].assembly = index;
        a->first[a->n_rods + 1] = a->first[a->n_rods] + c->scheme->n_unknowns(&c->rods[i]);
        a->rods[a->n_rods++] = i;
    }
    for (int k = 0; k < c->n_bodies; k++) {
        if (root_of(parent, c->n_rods + k) != root) continue;
        c->bodies[k].assembly = index;
        c->bodies[k].place = a->n_bodies;
        a->bodies[a->n_bodies++] = k;
    }
    collect_joints(c, a, parent, root, reaction);
    for (int i = 0; i < a->n_rods; i++) {
        a->tips[i] = -1;
        for (int k = 0; k < a->n_joints; k++)
            if (c->joints[a->joints[k]].rod == a->rods[i]) a->tips[i] = k;
    }
    set_scales(c, a);
    a->floats = true;
    for (int i = 0; i < a->n_rods; i++)
        if (c->rods[a->rods[i]].base_body < 0) a->floats = false;
    for (int k = 0; k < a->n_joints; k++)
        if (c->joints[a->joints[k]].holder == TD_WORLD) a->floats = false;
    bool unknown_efforts = a->n_rods > 0 && c->rods[a->rods[0]].n_efforts > 0;
    a->meets = c->n_places > 0 && root_of(parent, part_of_place(c, &c->places[0])) == root;
    if (a->meets) c->meeting = index;
    a->alone = !a->meets && a->n_bodies == 0 && a->n_joints == 0 &&
               (!unknown_efforts || c->scheme->solves_efforts);
}

static bool make_assemblies(cosserat *c) {
    const int n_parts = c->n_rods + c->n_bodies;
    int *parent = calloc((size_t)n_parts + 1, sizeof *parent), reaction = 0;
    c->assemblies = calloc((size_t)n_parts + 1, sizeof *c->assemblies);
    bool ok = parent && c->assemblies;
    if (ok) find_connections(c, parent);
    for (int i = 0; ok && i < n_parts; i++) {
        if (root_of(parent, i) != i) continue;
        assembly *a = &c->assemblies[c->n_assemblies++];
        ok = allocate_assembly(c, a);
        if (ok) collect(c, a, parent, i, &reaction);
    }
    free(parent);
    return ok;
}

bool assemblies_make(cosserat *c, const td_robot *robot) {
    const size_t most = (size_t)robot->n_bodies + 2 * (size_t)robot->n_rods + 1;
    int *free_of = calloc((size_t)robot->n_bodies + 1, sizeof *free_of);
    c->bodies = calloc(most, sizeof *c->bodies);
    c->joints = calloc(most + (size_t)robot->n_rods, sizeof *c->joints);
    bool ok = free_of && c->bodies && c->joints;
    for (int i = 0; ok && i < robot->n_bodies; i++) {
        if (robot->bodies[i].def.rod >= 0) continue;
        free_of[i] = c->n_bodies;
        const td_tip_def *hold = &robot->bodies[i].def.hold;
        if (hold->held) {
            joint j = joint_of_hold(hold, free_of);
            j.held = free_of[i];
            add_motor(c, motor_of_body(robot, i), &j);
            add_joint(c, j);
        }
        ok = make_body(&c->bodies[c->n_bodies++], robot, i);
    }
    for (int i = 0; ok && i < c->n_rods; i++) ok = connect_rod(c, robot, i, free_of);
    ok = ok && contact_compile_pairs(c, robot, free_of);
    free(free_of);
    return ok && make_assemblies(c);
}

void assemblies_free(cosserat *c) {
    for (int i = 0; i < c->n_assemblies; i++) {
        assembly *a = &c->assemblies[i];
        free(a->rods);
        free(a->bodies);
        free(a->joints);
        free(a->first);
        free(a->tips);
    }
    for (int i = 0; i < c->n_bodies; i++) free(c->bodies[i].loads);
    free(c->assemblies);
    free(c->bodies);
    free(c->joints);
}
