// actuation/tendon.c - tendons and push-pull rods: the length of a path, and a tension.
#include "actuation/actuator.h"

static void make(const void *of, arena *block, actuator *a) {
    const td_tendon_def *def = of;
    a->sign = a->per_length = 1.0;
    a->from_rest = true;
    a->pulls_only = !def->pushes;
    a->least = -HUGE_VAL;
    a->path = *def;
    if (goes_through_points(def))
        a->path.points = arena_copy(block, def->points, 3 * sizeof(double) * (size_t)def->n_points);
    a->inverse_stiffness = def->stiffness > 0.0 ? 1.0 / def->stiffness : 0.0;
    a->compliance = def->outside * a->inverse_stiffness + def->compliance;
    a->pretension = def->pretension;
    a->friction = def->friction;
    a->viscous = def->viscous;
    a->presliding = def->presliding;
    if (def->input <= TD_DISPLACEMENT) return;
    a->control = CONTROL_MEASURE;
    a->engine = engine_with_motor(&def->motor, (int)def->input - (int)TD_TENDON_TORQUE);
}

const actuator_kind tendon_kind = {.make = make};
