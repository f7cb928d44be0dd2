// tests/truth_arms.h - robots with tendons that several tests share, for truth_tendon.h.
#pragma once

#include "truth_tendon.h"

// Till 2019, section 5.2: four tendons at 9.5 mm; `twist` (rad/m) winds them.
static inline truth_arm truth_paper_arm(const double tension[4], double twist) {
    truth_arm arm = {.rod = truth_round_rod(0.24, 0.4e-3, 207e9, 207e9 / 2.6, 16000.0),
                     .n_tendons = 4};
    for (int i = 0; i < 3; i++) arm.rod.drag[i] = 0.03, arm.rod.Bbt[i] = 1e-6;
    for (int k = 0; k < 4; k++)
        arm.tendon[k] = (truth_tendon){
            .radius = 9.5e-3, .rate = twist, .phase = k * acos(0.0), .tension = tension[k]};
    return arm;
}

// The Nitinol rod of truth_capstan.h without tendons; `stiff` multiplies shear and stretch
// stiffness.
static inline truth_arm truth_nitinol_arm(double stiff) {
    truth_arm arm = {.rod = truth_round_rod(0.3, 0.7e-3, 60e9, 60e9 / 2.6, 6450.0)};
    for (int i = 0; i < 3; i++) arm.rod.Kse[i] *= stiff;
    return arm;
}

static inline truth_tendon truth_straight(double x, double y, double tension) {
    return (truth_tendon){.start = {x, y}, .end = {x, y}, .tension = tension};
}
