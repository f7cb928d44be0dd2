// robot/options_hash.c - which options a compiled system depends on, and so the meaning of its states.
// How hard the solver tries is not among them.
#include "base/hash.h"
#include "robot/robot.h"

static void hash_model_options(hash *h, const td_options *o) {
    const td_virtual_power_options *v = &o->virtual_power;
    const td_lumped_options *l = &o->lumped;
    const td_constant_curvature_options *c = &o->constant_curvature;
    const td_rom_options *r = &o->rom;
    HASH_INTS(h, v->discs, v->torsion, v->whole_discs, v->rods_held, (int)v->contact,
              v->one_direction, v->friction_iterations, v->printed_omega, v->printed_elasticity,
              v->printed_moment);
    HASH_DOUBLES(h, v->damping, v->saturation);
    HASH_INTS(h, l->segments, l->as_printed, (int)l->material, l->mean_stretch);
    HASH_DOUBLES(h, l->damping_power, l->braid_angle);
    HASH_INTS(h, c->segments, c->present_length, c->radial_damping, c->printed_scaling);
    HASH_INTS(h, r->order, (int)r->rotation, (int)r->quadrature, r->as_printed);
}

uint64_t options_hash(const td_options *o) {
    hash start = HASH_START, *h = &start;
    hash_text(h, o->model);
    HASH_INTS(h, (int)o->theory, o->rotary_inertia, (int)o->space, (int)o->integrator,
              (int)o->history, o->steps, o->nodes, o->magnus, (int)o->scheme, (int)o->startup,
              (int)o->integration.method);
    HASH_DOUBLES(h, o->alpha);
    hash_model_options(h, o);
    return start;
}
