// actuation/chamber.c - chambers: a volume, and a pressure.
#include "actuation/actuator.h"

// A e3 . g, linear in the strain.
static density volume_density(const actuator *a, const route_point *at, vec3 u, vec3 v) {
    double A = a->area, x = at->r.x, y = at->r.y;
    return (density){A * (v.z + u.x * y - u.y * x), {{A * y, -A * x, 0.0}, {0.0, 0.0, A}}};
}

static void make(const void *of, arena *block, actuator *a) {
    const td_chamber_def *def = of;
    (void)block;
    a->sign = -1.0;
    a->path = (td_tendon_def){.routing = TD_ROUTING_STRAIGHT,
                              .offset = {def->offset[0], def->offset[1]},
                              .offset_end = {def->offset[0], def->offset[1]}};
    a->per_length = a->area = chamber_area(def);
    a->least = -def->atmosphere;
    a->braid_angle = def->braid_angle;
    a->gas_energy = GAS_CONSTANT * def->temperature;
    a->atmosphere = def->atmosphere;
    a->path_volume = def->path_volume;
    a->compliance = def->compliance;
    if (def->input <= TD_AMOUNT) return;
    if (def->input == TD_OPENING) {
        a->control = def->valve.liquid ? CONTROL_MEASURE : CONTROL_GAS;
        a->engine = (engine){.kind = ENGINE_VALVE,
                             .valve = def->valve,
                             .gas_energy = a->gas_energy,
                             .atmosphere = a->atmosphere};
        if (def->valve.liquid) a->compliance += def->valve.line_compliance;
        else a->line = def->valve.line;
    } else {
        a->control = CONTROL_MEASURE;
        a->engine = engine_with_motor(&def->motor, (int)def->input - (int)TD_CHAMBER_TORQUE);
    }
}

const actuator_kind chamber_kind = {.make = make, .density = volume_density, .linear = true};
