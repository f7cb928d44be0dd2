// Sadati et al. 2019: the module against numbers computed independently, conditioning of recordings, and
// the verb. What needs the recordings is skipped where TENDRIL_SADATI_DATA does not name their
// folder; they are not part of this repository (papers/sadati2019/errata.md).
#include "rods.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../papers/sadati2019/follow.h"
#include "../papers/sadati2019/lineup.h"
#include "math/quat.h"
#include "program.h"
#include "robot/robot.h"

static const char *data_folder(void) {
    const char *folder = getenv("TENDRIL_SADATI_DATA");
    if (!folder || !folder[0]) print_message("TENDRIL_SADATI_DATA names no folder: skipped\n");
    return folder && folder[0] ? folder : NULL;
}

static variant plain(const char *model, int n, bool as_printed) {
    return (variant){.model = model, .n = n, .as_printed = as_printed, .damping = {.power = 1.0}};
}

// ---------------------------------------------------------------- the module
// Another program for the same equations, with numerical Jacobians; and its integration of the
// Cosserat rod.
static const struct {
    const char *model;
    int n;
    bool as_printed;
    double tip[3];
} equilibria[] = {
    {"eba", 1, true, {-0.0006628713196055807, -0.00636678985005418, 0.06669501090028943}},
    {"eba", 5, true, {-0.00030896245210626115, -0.013878695923248207, 0.0660546959112596}},
    {"eba", 5, false, {-4.245957820433319e-05, -0.015636835050092196, 0.06576894327731482}},
    {"eba", 16, false, {-2.6181402443289345e-05, -0.015623742374308875, 0.06575571840745592}},
    {"ebr", 5, true, {-0.00031072962328408503, -0.013872477274165768, 0.06605698645859422}},
    {"ebr", 5, false, {-4.245957820433243e-05, -0.01563683505009221, 0.06576894327731485}},
    {"srl", 5, true, {-0.00019456064603545683, -0.013889659121331183, 0.06605271365790265}},
    {"srl", 5, false, {0.0001118079256368039, -0.01563938302038865, 0.06572115506223612}},
    {"rom", 2, true, {-9.318389769768029e-05, -0.015540630069168454, 0.0653372629795085}},
    {"rom", 3, true, {-4.699298207818059e-05, -0.015670535140056834, 0.06549630698703558}},
    {"cosserat", 24, false, {-2.4420041943379257e-05, -0.015622322687385011, 0.065754283159625}},
};

static void equilibria_are_those_computed_independently(void **unused) {
    (void)unused;
    static const sample s = {
        .pressure = {80e3, 16e3, 0.0}, .force = {0.1, 0.15, -0.2}, .moment = {1e-3, 0.0, 5e-4}};
    for (size_t i = 0; i < sizeof equilibria / sizeof *equilibria; i++) {
        td_error err = {0};
        module m;
        double tip[3];
        const variant v = plain(equilibria[i].model, equilibria[i].n, equilibria[i].as_printed);
        assert_true(module_open(&m, &v, &err));
        assert_true(module_settle(&m, &s, &err));
        module_tip(&m, tip);
        for (int k = 0; k < 3; k++) CHECK_NEAR(tip[k], equilibria[i].tip[k], 2e-9);
        module_close(&m);
    }
}

// Straight at rest; full pressure in pair 0 at once, without the factor of 5/4, damped by 2 ms. At
// 20, 50, 100, 150, 200 and 300 ms; both by a program that chooses its steps.
static void motion_is_that_computed_independently(void **unused) {
    (void)unused;
    static const double times[] = {0.02, 0.05, 0.1, 0.15, 0.2, 0.3};
    static const double tips[][2] = {
        {-0.006975258836652591, 0.06696697265430998}, {-0.02380734651000868, 0.06189148556422144},
        {-0.015375499106998548, 0.06491807772208079}, {-0.008760621996812112, 0.06633628861086455},
        {-0.024314541649326768, 0.06150104810593095}, {-0.016833117233548946, 0.06444381172643035}};
    td_error err = {0};
    module m;
    variant v = plain("eba", 5, false);
    v.damping = (damping_law){.power = 1.0, .time = 2e-3};
    const sample s = {.pressure = {64e3, 0.0, 0.0}};
    assert_true(module_open(&m, &v, &err));
    int next = 0;
    for (int k = 1; k <= 1200; k++) {
        assert_true(module_move(&m, &s, 2.5e-4, &err));
        if (fabs(k * 2.5e-4 - times[next]) > 1e-9) continue;
        double tip[3];
        module_tip(&m, tip);
        CHECK_NEAR(tip[0], 0.0, 1e-12);
        CHECK_NEAR(tip[1], tips[next][0], 3e-5);
        CHECK_NEAR(tip[2], tips[next][1], 3e-5);
        next++;
    }
    assert_int_equal(next, 6);
    module_close(&m);
}

// The file says what the code builds.
static void the_file_is_the_published_module(void **unused) {
    (void)unused;
    td_error err = {0};
    module m;
    static const sample s = {.pressure = {50e3, 10e3, 30e3}};
    const contender eba = {.model = "eba"};
    const variant v = published_variant(&eba, 5, false);
    assert_true(module_open(&m, &v, &err));
    assert_true(module_settle(&m, &s, &err));
    td_robot *robot = td_robot_load(PAPERS "/sadati2019/module.yaml", NULL, 0, &err);
    assert_non_null(robot);
    td_options o = td_robot_options(robot);
    td_system *system = td_system_create(robot, &o, &err);
    assert_non_null(system);
    td_state *state = td_state_create(system);
    static const char *const names[] = {"p0", "p1", "p2"};
    for (int k = 0; k < 3; k++)
        td_set_input(system, state, td_find_input(system, names[k]), s.pressure[k]);
    assert_true(td_solve_statics(system, state) >= 0);
    td_pose a = td_get_pose(m.system, m.state, 0, LENGTH),
            b = td_get_pose(system, state, 0, LENGTH);
    for (int k = 0; k < 3; k++) CHECK_NEAR(a.p[k], b.p[k], 1e-10);
    for (int k = 0; k < 4; k++) CHECK_NEAR(a.q[k], b.q[k], 1e-9);
    assert_int_equal(o.lumped.segments, 5);
    assert_true(robot->rods[0].pieces[0].damping_power == v.damping.power);
    assert_true(robot->rods[0].mean_stretch);
    td_state_destroy(state);
    td_system_destroy(system);
    td_robot_destroy(robot);
    module_close(&m);
}

// ---------------------------------------------------------------- conditioning
// A tip that turns by 0.02 rad from row to row about an oblique axis, seen by a coil that lies
// 14.514 mm beside it and is mounted half turned; its quaternion changes sign every third row.
#define ROWS 40
static const double made_instants[] = {1.0, 1.9};
static const recorded made = {"NoLoad_raw.csv", "made", false, 0.5, made_instants, 2};

static void tip_at(int i, double tip[3], double q[4]) {
    const double half = 0.01 * i;
    tip[0] = 0.3 * i, tip[1] = -0.1 * i, tip[2] = 64.5 - 0.05 * i;
    q[0] = cos(half), q[1] = 0.6 * sin(half), q[2] = -0.8 * sin(half), q[3] = 0.0;
}

static void write_recording(const char *path) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(
        "t_s,p0_bar,p1_bar,p2_bar,base_x,base_y,base_z,base_q0,base_qx,base_qy,base_qz,tip_x,tip_y,"
        "tip_z,tip_q0,tip_qx,tip_qy,tip_qz\n",
        file);
    for (int i = 0; i < ROWS; i++) {
        double tip[3], q[4];
        tip_at(i, tip, q);
        const quat turn = quat_load(q), mounted = {0.0, 0.0, 0.0, 1.0};  // half a turn about z
        const vec3 coil = quat_rotate(turn, (vec3){14.514, 0.0, 0.0});
        double seen[4];
        quat_store(seen, quat_mul(turn, mounted));
        const double sign = i % 3 == 2 ? -1.0 : 1.0;
        fprintf(file, "%.12g,%.12g,1.02,1.03,10,20,-150,1,0,0,0,%.12g,%.12g,%.12g", 0.05 * i,
                1.01 + 0.001 * i, 10.0 + tip[0] + coil.x, 20.0 + tip[1] + coil.y,
                -150.0 + tip[2] + coil.z);
        for (int k = 0; k < 4; k++) fprintf(file, ",%.12g", sign * seen[k]);
        fputc('\n', file);
    }
    fclose(file);
}

static void the_tip_comes_out_of_what_the_coil_saw(void **unused) {
    (void)unused;
    td_error err = {0};
    recording r;
    mkdir("sadati_made", 0777);
    write_recording("sadati_made/NoLoad_raw.csv");
    assert_true(recording_load(&r, "sadati_made", &made, RAW, &err));
    assert_int_equal(r.n, ROWS);
    for (int i = 0; i < ROWS; i++) {
        double tip[3], q[4], along = 0.0;
        tip_at(i, tip, q);
        for (int k = 0; k < 3; k++) CHECK_NEAR(r.samples[i].tip[k], 1e-3 * tip[k], 1e-12);
        for (int k = 0; k < 4; k++) along += q[k] * r.samples[i].turn[k];
        CHECK_NEAR(fabs(along), 1.0, 1e-12);
        CHECK_NEAR(r.samples[i].pressure[0], 100.0 * i, 1e-6);
    }
    recording_free(&r);
    // Nine rows of a line average to the middle one; changes of sign must not show.
    assert_true(recording_load(&r, "sadati_made", &made, CORRECTED, &err));
    for (int i = 0; i < ROWS; i++) CHECK_NEAR(r.samples[i].tip[0], 3e-4 * i, 3e-5);
    recording_free(&r);
    // As published the axes are those of the coil, and averages run over changes of sign.
    assert_true(recording_load(&r, "sadati_made", &made, PUBLISHED, &err));
    double worst = 0.0;
    for (int i = 0; i < ROWS; i++) worst = fmax(worst, fabs(r.samples[i].tip[2] - 0.0645));
    CHECK_BETWEEN(worst, 4e-3, 30e-3);
    recording_free(&r);
}

static void write_text(const char *text) {
    FILE *file = fopen("sadati_made/NoLoad_raw.csv", "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_broken_recording_is_refused_in_words(void **unused) {
    (void)unused;
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"", "empty"},
        {"t_s,p0_bar,p1_bar\n0,1,1\n", "p2_bar is missing"},
        {"p0_bar,p1_bar,p2_bar,base_x,base_y,base_z,tip_x,tip_y,tip_z,tip_q0,tip_qx,tip_qy,tip_qz\n"
         "1,1,1,0,0,0,0,0,0,1,0,0,zero\n",
         "not all numbers"},
        {"p0_bar,p1_bar,p2_bar,base_x,base_y,base_z,tip_x,tip_y,tip_z,tip_q0,tip_qx,tip_qy,tip_qz\n"
         "1,1,1,0,0,0,0,0,0,1,0,0,0\n",
         "too few rows"},
    };
    mkdir("sadati_made", 0777);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        td_error err = {0};
        recording r;
        write_text(cases[i].text);
        assert_false(recording_load(&r, "sadati_made", &made, RAW, &err));
        check_said(err.message, cases[i].words);
        check_said(err.where, "NoLoad_raw.csv");
    }
    td_error err = {0};
    recording r;
    assert_false(recording_load(&r, "sadati_nowhere", &made, RAW, &err));
    check_said(err.message, "cannot read");
}

// 40 rows end at 1.95 s; the paper's instants at rest go on to 50.9 s.
static void a_recording_that_ends_too_soon_is_refused(void **unused) {
    (void)unused;
    td_error err = {0};
    recording r;
    static char text[1 << 14];
    mkdir("sadati_made", 0777);
    write_recording("sadati_made/NoLoad_raw.csv");
    assert_false(recording_load(&r, "sadati_made", &recorded_cases[0], RAW, &err));
    check_said(err.where, "NoLoad_raw.csv");
    check_said(err.message, "40 rows end at 1.95 s");
    check_said(err.message, "50.9 s");
    static const double within[] = {1.0, 2.0}, beyond[] = {1.0, 2.07};  // rows 40 and 41
    recorded what = made;
    what.instants = within;
    assert_true(recording_load(&r, "sadati_made", &what, RAW, &err));
    recording_free(&r);
    what.instants = beyond;
    assert_false(recording_load(&r, "sadati_made", &what, RAW, &err));
    int code = run_program("sadati2019 --quick --figure 4 --data sadati_made "
                           "--out paper_sadati2019_made",
                           text, sizeof text);
    assert_int_equal(code, 1);
    check_said(text, "40 rows end at 1.95 s");
}

// Rows of the conditioned files that come with the recordings, to the digits they have.
static void raw_recordings_condition_to_the_files_beside_them(void **unused) {
    (void)unused;
    static const char *const names[] = {"NoLoad_conditioned.csv", "Load1_conditioned.csv"};
    const char *folder = data_folder();
    if (!folder) skip();
    for (int c = 0; c < RECORDINGS; c++) {
        td_error err = {0};
        recording r;
        char path[1024], line[1024];
        snprintf(path, sizeof path, "%s/%s", folder, names[c]);
        FILE *file = fopen(path, "r");
        if (!file) {
            print_message("%s is not there: skipped\n", path);
            skip();
        }
        assert_true(recording_load(&r, folder, &recorded_cases[c], RAW, &err));
        assert_non_null(fgets(line, sizeof line, file));
        for (int i = 0; i < r.n; i++) {
            double x[17];
            char *at = line;
            assert_non_null(fgets(line, sizeof line, file));
            for (int k = 0; k < 17; k++, at++) x[k] = strtod(at, &at);
            const sample *s = &r.samples[i];
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(s->pressure[k], x[1 + k], 1e-3);
                CHECK_NEAR(s->tip[k], x[4 + k], 6e-9);
                CHECK_NEAR(s->force[k], x[11 + k], 1e-6);
                CHECK_NEAR(s->moment[k], x[14 + k], 1e-8);
            }
        }
        fclose(file);
        recording_free(&r);
    }
}

// ---------------------------------------------------------------- errors
typedef struct expected {
    const char *model;
    int n;
    double mm;
} expected;

static void check_statics(const char *folder, int which, const expected *all, int n,
                          double within) {
    td_error err = {0};
    recording r;
    assert_true(recording_load(&r, folder, &recorded_cases[which], PUBLISHED, &err));
    for (int i = 0; i < n; i++) {
        outcome o;
        const contender who = {.model = all[i].model};
        const variant v = published_variant(&who, all[i].n, recorded_cases[which].load);
        assert_true(follow_statics(&r, &v, &o, &err));
        CHECK_NEAR(o.error, all[i].mm, within);
    }
    recording_free(&r);
}

// What the authors' result files hold. EBR there has quaternions that are not of unit length.
static void published_errors_at_rest_are_reproduced(void **unused) {
    (void)unused;
    static const expected no_load[] = {{"eba", 1, 13.577}, {"srl", 3, 6.205}, {"ebr", 5, 5.224}};
    static const expected load[] = {{"srl", 3, 13.595}};
    const char *folder = data_folder();
    if (!folder) skip();
    static const expected rom_no_load[] = {{"rom", 2, 5.769}}, rom_load[] = {{"rom", 1, 12.362}};
    check_statics(folder, 0, no_load, 3, 0.005);
    check_statics(folder, 1, load, 1, 0.005);
    check_statics(folder, 0, rom_no_load, 1, 0.03 * 5.769);  // its rule of integration is a guess
    check_statics(folder, 1, rom_load, 1, 0.01 * 12.362);
}

static double motion_error(const recording *r, const variant *v) {
    td_error err = {0};
    outcome o;
    assert_true(follow_motion(r, v, &o, NULL, &err));
    return o.error;
}

// The instant that belongs to a sample is not known to better than a sample, 5 % without load.
static void published_errors_in_motion_are_reproduced(void **unused) {
    (void)unused;
    td_error err = {0};
    recording r;
    const contender eba = {.model = "eba"}, ebr = {.model = "ebr"}, rom = {.model = "rom"};
    const char *folder = data_folder();
    if (!folder) skip();
    assert_true(recording_load(&r, folder, &recorded_cases[0], PUBLISHED, &err));
    variant v = published_variant(&eba, 5, false);
    CHECK_NEAR(motion_error(&r, &v), 3.023, 0.05 * 3.023);
    v = published_variant(&ebr, 5, false);
    CHECK_NEAR(motion_error(&r, &v), 9.593, 0.02 * 9.593);
    v.damping = published_damping("eba", 5);  // the same as eba: the damping made the difference
    CHECK_NEAR(motion_error(&r, &v), 3.023, 0.05 * 3.023);
    recording_free(&r);
    assert_true(recording_load(&r, folder, &recorded_cases[1], PUBLISHED, &err));
    v = published_variant(&eba, 5, true);
    CHECK_NEAR(motion_error(&r, &v), 11.378, 0.01 * 11.378);
    v = published_variant(&rom, 2, true);
    CHECK_NEAR(motion_error(&r, &v), 9.188, 0.02 * 9.188);
    recording_free(&r);
}

// Computed independently, with other code for models, conditioning and time.
static void corrected_errors_are_those_computed_independently(void **unused) {
    (void)unused;
    static const struct {
        int which;
        bool stretch;
        double rest, motion;  // mm
    } cases[] = {{0, true, 2.40, 1.556},
                 {0, false, 5.53, NAN},
                 {1, false, 8.64, 7.538},
                 {1, true, 8.86, NAN}};
    const char *folder = data_folder();
    if (!folder) skip();
    for (int i = 0; i < 4; i++) {
        td_error err = {0};
        recording r;
        outcome o;
        variant v = plain("eba", 5, false);
        v.follows_stretch = cases[i].stretch;
        v.damping = published_damping("eba", 5);
        assert_true(recording_load(&r, folder, &recorded_cases[cases[i].which], CORRECTED, &err));
        assert_true(follow_statics(&r, &v, &o, &err));
        CHECK_NEAR(o.error, cases[i].rest, 0.01 * cases[i].rest);
        if (isfinite(cases[i].motion))
            CHECK_NEAR(motion_error(&r, &v), cases[i].motion, 0.03 * cases[i].motion);
        recording_free(&r);
    }
}

// ---------------------------------------------------------------- the verb
static double quantity_of(const char *words) {
    return reported("paper_sadati2019", words);
}

static void without_recordings_the_verb_says_what_it_left_out(void **unused) {
    (void)unused;
    static char text[1 << 16];
    int code = run_program("sadati2019 --quick --out paper_sadati2019", text, sizeof text);
    if (code != 0) print_error("%s\n", text);
    assert_int_equal(code, 0);
    check_said(text, "Left out");
    check_said(text, "--data DIR");
    CHECK_NEAR(quantity_of("eba, as printed: order"), 1.0, 0.02);
    CHECK_NEAR(quantity_of("eba, corrected: order"), 2.0, 0.02);
    CHECK_NEAR(quantity_of("ebr, corrected: order"), 2.0, 0.02);
    CHECK_NEAR(quantity_of("eba, corrected, n = 8: tip off by"), 0.016608788, 1e-5);
    CHECK_NEAR(quantity_of("srl, corrected, n = 8: tip off by"), 0.13667022, 1e-5);
    CHECK_NEAR(quantity_of("rom, as printed, n = 4: tip off by"), 0.24821325, 1e-5);
    CHECK_BETWEEN(quantity_of("rom, corrected, n = 4: tip off by"), 0.0, 1e-5);
    CHECK_BETWEEN(quantity_of("eba, n = 5: processor time for 1 s"), 0.0, 0.2);
    static const char *const files[] = {"convergence.png", "cost.png", "convergence.csv"};
    for (int i = 0; i < 3; i++) {
        char path[256];
        struct stat info;
        snprintf(path, sizeof path, "paper_sadati2019/%s", files[i]);
        assert_true(stat(path, &info) == 0 && info.st_size > 100);
    }
}

static void a_folder_without_recordings_is_a_failure_that_says_where_they_are(void **unused) {
    (void)unused;
    static char text[1 << 16];
    int code = run_program("sadati2019 --quick --section 3 --data sadati_nowhere "
                           "--out paper_sadati2019_nowhere",
                           text, sizeof text);
    assert_int_equal(code, 1);
    check_said(text, "sadati_nowhere/NoLoad_raw.csv");
    check_said(text, "errata.md");
    code = run_program("rone2014 --quick --data .", text, sizeof text);
    assert_int_equal(code, 2);
    check_said(text, "--data: rone2014 has no recordings");
}

static void the_verb_compares_with_recordings(void **unused) {
    (void)unused;
    static char text[1 << 16];
    char arguments[768];
    const char *folder = data_folder();
    if (!folder) skip();
    snprintf(arguments, sizeof arguments,
             "sadati2019 --quick --section 3 --figure 4 --data '%s' --out paper_sadati2019",
             folder);
    int code = run_program(arguments, text, sizeof text);
    if (code != 0) print_error("%s\n", text);
    assert_int_equal(code, 0);
    CHECK_NEAR(quantity_of("no load, published: eba 5 at rest"), 5.2, 0.05);
    CHECK_NEAR(quantity_of("no load, corrected: cosserat 8 at rest"), 2.38, 0.01);
    CHECK_NEAR(quantity_of("load, corrected: cosserat 8 fixed at rest"), 8.69, 0.03);
    // Computed independently: 2.40 and 5.53 mm without load, 8.86 and 8.64 with, of 64.5 mm.
    CHECK_NEAR(quantity_of("no load, corrected: stretch, eba 5 at rest"), 3.13 / 0.645, 0.05);
    CHECK_NEAR(quantity_of("load, corrected: stretch, eba 5 at rest"), -0.22 / 0.645, 0.15);
    check_reported("paper_sadati2019", "load, published: rom is best", "yes");
    check_reported("paper_sadati2019", "load, corrected: rom is best", "no");
    check_reported("paper_sadati2019", "no load, published: eba, ebr alike at rest", "yes");
    check_said(text, "hurts at rest");
    check_said(text, "the order that comes closest");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equilibria_are_those_computed_independently),
        cmocka_unit_test(motion_is_that_computed_independently),
        cmocka_unit_test(the_file_is_the_published_module),
        cmocka_unit_test(the_tip_comes_out_of_what_the_coil_saw),
        cmocka_unit_test(a_broken_recording_is_refused_in_words),
        cmocka_unit_test(a_recording_that_ends_too_soon_is_refused),
        cmocka_unit_test(raw_recordings_condition_to_the_files_beside_them),
        cmocka_unit_test(published_errors_at_rest_are_reproduced),
        cmocka_unit_test(published_errors_in_motion_are_reproduced),
        cmocka_unit_test(corrected_errors_are_those_computed_independently),
        cmocka_unit_test(without_recordings_the_verb_says_what_it_left_out),
        cmocka_unit_test(a_folder_without_recordings_is_a_failure_that_says_where_they_are),
        cmocka_unit_test(the_verb_compares_with_recordings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
