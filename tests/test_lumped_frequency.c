// First frequencies: numbers computed independently for each number of segments, and beam theory.
#include "math/se3.h"

#include "lumped.h"

// Mean frequency of the tip's swinging over some periods after a small force was let go.
static double frequency_of(const char *model, int segments, bool as_printed, int periods) {
    lumped_rod r = {
        .length = 0.5,
        .stiffness = {0.06283185307179588, 0.06283185307179588, 0.0502654824574367,
                      25132.741228718347, 25132.741228718347, 62831.853071795864},
        .mass = 0.015079644737231009,
        .inertia = {1.507964473723101e-08, 1.507964473723101e-08, 3.015928947446202e-08},
        .stretch = {0.0, 0.0, 1.0}};
    td_piece_def piece = lumped_piece(&r);
    td_robot *robot = rod_robot(&piece, 1);
    int input = add_input(robot, "hold");
    td_load_def load = point_load("hold", r.length);
    load.force[0] = (td_number){0.0, 1e-3, input};
    add_load(robot, &load);
    td_options o = lumped_options(model, segments, as_printed);
    world w = world_make(robot, &o);
    td_set_input(w.system, w.state, input, 1.0);
    CHECK_CALL(&w, td_solve_statics(w.system, w.state));
    td_set_input(w.system, w.state, input, 0.0);
    td_restart(w.system, w.state);
    const double h = 5e-4;
    double before = tip_of(&w).p[0], first = 0.0, last = 0.0;
    for (int i = 1, crossings = 0; crossings <= 2 * periods; i++) {
        CHECK_CALL(&w, td_step(w.system, w.state, h));
        double now = tip_of(&w).p[0];
        if (before * now < 0.0) {
            last = h * (i - 1 + before / (before - now));
            if (crossings++ == 0) first = last;
        }
        before = now;
    }
    world_free(&w);
    return periods / (last - first);
}

static void first_frequencies_match_the_numbers(void **state) {
    (void)state;
    static const struct {
        const char *model;
        int segments;
        bool as_printed;
        double truth;  // Hz
    } cases[] = {
        {"eba", 2, false, 4.274219162942994},  {"eba", 4, false, 4.493190240596602},
        {"eba", 8, false, 4.549955990677266},  {"eba", 4, true, 4.722362525756607},
        {"ebr", 4, false, 4.4931902162801425}, {"ebr", 4, true, 4.722362484952678},
        {"srl", 4, false, 4.4931902162801425}, {"srl", 4, true, 4.722362484952678},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double f = frequency_of(cases[i].model, cases[i].segments, cases[i].as_printed, 3);
        CHECK_NEAR(f / cases[i].truth, 1.0, 3e-3);
    }
}

// 1.8751^2/(2 pi L^2) sqrt(EI/m)
static void beam_theory_is_the_limit(void **state) {
    (void)state;
    CHECK_NEAR(frequency_of("eba", 24, false, 3) / 4.568894454131937, 1.0, 3e-3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_frequencies_match_the_numbers),
        cmocka_unit_test(beam_theory_is_the_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
