// actuation/stretch.c - chambers in a rod that follows its mean stretch.
#include "actuation/actuator.h"
#include "material/stretch.h"

double actuator_swell(const actuator *a, double stretch) {
    return a->area > 0.0 ? chamber_swell(a->braid_angle, stretch) : 1.0;
}

double actuator_closer(const actuator *a, double stretch) {
    return a->area > 0.0 ? 1.0 / sqrt(stretch) : 1.0;
}

static section_holes holes_at(const actuator *all, int n, int rod, double s, double stretch) {
    section_holes h = {0};
    for (int i = 0; i < n; i++) {
        const actuator *a = &all[i];
        if (!(a->area > 0.0) || a->rod != rod || s < a->from || s > a->to) continue;
        holes_add(&h, actuator_swell(a, stretch) * a->area, a->path.offset[0], a->path.offset[1],
                  stretch);
    }
    return h;
}

void actuators_stretch(const actuator *all, int n, int rod, double s, double stretch,
                       const double K[6], double youngs_modulus, double shear_modulus,
                       double out[6]) {
    const section_holes rest = holes_at(all, n, rod, s, 1.0),
                        now = holes_at(all, n, rod, s, stretch);
    stretch_stiffness(K, youngs_modulus, shear_modulus, &rest, &now, stretch, out);
}
