// Mass, damping and stiffness of small motions that models give exactly, at rest and in motion: against
// differences of their residual.
#include "modes.h"

#include "sim/linearise.h"
#include "solve/chart.h"
#include "step_robots.h"

static double unit_of(const linear_point *x, int k) {
    if (k < x->p.n_q) return part_holds(&x->p, k) ? 1.0 : x->p.unit[k];
    return x->p.effort_unit ? x->p.effort_unit[k - x->p.n_q] : 1.0;
}

// One matrix of a part: no number may be further off than 1e-6 of the largest in its row, or in that of the mass.
static void compare(td_linearisation *l, int part, linear_by by, const double *matrix,
                    const char *what) {
    linear_point *x = &l->parts[part];
    const linear_observer o = linear_residual(x);
    const int n = part_n(&x->p);
    double *seen = calloc((size_t)n * (size_t)n, sizeof *seen);
    for (int k = 0; k < n; k++) linear_slope(x, &o, by, k, seen + k, n);
    for (int i = 0; i < n; i++) {
        double most = 0.0;
        for (int k = 0; k < n; k++) {  // what the mass does in a motion of 1/s counts
            const double mass = l->of.M[l->place[part][i] * l->of.n + l->place[part][k]];
            most = fmax(most, fabs(mass) * unit_of(x, k));
        }
        for (int k = 0; k < n; k++) most = fmax(most, fabs(seen[i * n + k]) * unit_of(x, k));
        for (int k = 0; k < n; k++) {
            const double got = matrix[l->place[part][i] * l->of.n + l->place[part][k]];
            const double miss = fabs(got - seen[i * n + k]) * unit_of(x, k);
            if (miss <= 1e-6 * most) continue;
            fprintf(stderr, "%s: matrix %d, row %d, column %d of %d: %.12g, seen %.12g (%.2g)\n",
                    what, (int)by, i, k, n, got, seen[i * n + k], miss / most);
            fail();
        }
    }
    free(seen);
}

static void check_slopes(world *w, const char *what) {
    td_error err = {0};
    td_linearisation *l = td_linearisation_create(w->system, NULL, 0, &err);
    CHECK_CALL(w, td_linearise(w->system, w->state, l));
    for (int i = 0; i < l->n_parts; i++) {
        assert_true(linear_is_exact(&l->parts[i]));
        compare(l, i, BY_Z, l->of.K, what);
        compare(l, i, BY_Z_T, l->of.D, what);
        compare(l, i, BY_Z_TT, l->of.M, what);
    }
    td_linearisation_destroy(l);
}

static void stir(world *w, int steps, double size) {
    for (int i = 0; i < steps; i++) {
        for (int k = 0; k < td_n_inputs(w->system); k++)
            td_set_input(w->system, w->state, k,
                         size * (sin(0.1 * (i + 1) + 2.0 * k) - sin(2.0 * k)));
        assert_true(td_step(w->system, w->state, 4e-3) >= 0);
    }
}

static void slopes_are_those_of_the_residual(void **unused) {
    (void)unused;
    for (int kind = 0; kind <= FOLLOWING; kind++)
        for (int variant = 0; variant < 3; variant++) {
            td_options o = chain_options();
            char what[64];
            o.nodes = 4, o.theory = variant == 1 ? TD_KIRCHHOFF : TD_COSSERAT;
            o.elements = variant == 2 ? 3 : 1;
            snprintf(what, sizeof what, "%s, variant %d", kinds[kind], variant);
            world w = world_make(robot_of((robot_kind)kind), &o);
            assert_true(td_solve_statics(w.system, w.state) >= 0);  // some turn freely
            check_slopes(&w, what);
            stir(&w, 6, kind == MOVED ? 0.1 : 0.5);
            snprintf(what, sizeof what, "%s, variant %d in motion", kinds[kind], variant);
            check_slopes(&w, what);
            world_free(&w);
        }
}

// Robots that the model has, at rest and in motion: so many.
static int check_model(const char *model) {
    int n = 0;
    for (int kind = 0; kind <= MOVED; kind++) {
        td_options o = options_of(0);
        char what[64];
        snprintf(o.model, sizeof o.model, "%s", model);
        td_robot *robot = robot_of((robot_kind)kind);
        td_system *system = system_of(robot, &o);
        const bool has = system != NULL;
        td_system_destroy(system);
        if (!has) td_robot_destroy(robot);
        if (!has) continue;
        world w = world_make(robot, &o);
        const bool stands = td_solve_statics(w.system, w.state) >= 0;  // some turn freely
        assert_true(stands || kind == HINGE || kind == PENDULUM);
        snprintf(what, sizeof what, "%s, %s", model, kinds[kind]);
        check_slopes(&w, what);
        stir(&w, 6, kind == MOVED ? 0.1 : 0.5);
        snprintf(what, sizeof what, "%s, %s in motion", model, kinds[kind]);
        check_slopes(&w, what);
        world_free(&w);
        n++;
    }
    return n;
}

// Not of cosserat, which has more to choose from: see above.
static void other_models_have_those_of_their_residual(void **unused) {
    static const struct {
        const char *name;
        int robots;
    } models[] = {{"eba", 11}, {"ebr", 8}, {"srl", 8}, {"virtual_power", 6}, {"rom", 8}};
    (void)unused;
    for (int i = 0; i < (int)(sizeof models / sizeof *models); i++)
        assert_int_equal(check_model(models[i].name), models[i].robots);
}

// All that may act on a rod at once and has no kink at rest: drag, a body off the axis, moments and forces that follow or do not,
// spread ones, rubber.
static td_robot *crowded_robot(bool free) {
    td_robot *robot = empty_robot(-4.0, 1.0, 3.0);
    td_piece_def piece = soft_piece();
    td_error err = {0};
    for (int k = 0; k < 3; k++) piece.linear_drag[k] = 0.3 - 0.1 * k;
    piece.law = TD_NEO_HOOKEAN;
    td_rod_def rod = chain_rod("arm", &piece, 0.0, 0.0, 0.0);
    if (free) {
        const double linear[3] = {0.3, 0.1, -0.2}, angular[3] = {2.0, 5.0, -3.0}, about[3] = {0.0};
        rod.base.joint = TD_FREE;
        quat_store(rod.base.orientation, quat_exp(vec3_make(0.4, -0.3, 0.2)));
        CHECK_OK(td_robot_set_initial_motion(robot, linear, angular, about, &err), err);
    }
    add_chain_rod(robot, &rod);
    td_body_def body = td_default_body_def();
    body.name = "disc", body.rod = 0, body.at = 0.12, body.mass = 0.03;
    for (int k = 0; k < 3; k++) body.inertia[k] = 2e-6 + 1e-6 * k, body.centre[k] = 0.004 * (k + 1);
    CHECK_OK(td_robot_add_body(robot, &body, &err), err);
    add_tendon(robot, "one", 0.3, false);
    for (int i = 0; i < 2; i++) {
        td_load_def load = point_load(i ? "turn" : "push", i ? 0.2 : 0.15);
        load.frame = i ? TD_FRAME_BODY : TD_FRAME_WORLD;
        load.force[1] = (td_number){0.03, 1.0, add_input(robot, i ? "follow" : "push")};
        load.moment[0].value = 2e-3, load.moment[2].value = -1e-3;
        add_load(robot, &load);
    }
    td_load_def wind = point_load("wind", 0.02);
    wind.distributed = true, wind.to = 0.18, wind.force[0].value = 0.2, wind.moment[1].value = 1e-3;
    add_load(robot, &wind);
    return robot;
}

static void so_they_are_in_rom_where_much_acts(void **unused) {
    (void)unused;
    for (int i = 0; i < 4; i++) {
        td_options o = options_of(0);
        char what[64];
        snprintf(o.model, sizeof o.model, "rom");
        o.rom.order = 3, o.rom.rotation = i % 2 ? TD_ROM_QUATERNION : TD_ROM_VECTOR;
        o.rom.quadrature = i / 2 ? TD_ROM_FULL : TD_ROM_SELECTIVE;
        world w = world_make(crowded_robot(false), &o);
        assert_true(td_solve_statics(w.system, w.state) >= 0);
        snprintf(what, sizeof what, "rom, variant %d", i);
        check_slopes(&w, what);
        stir(&w, 12, 0.5);
        snprintf(what, sizeof what, "rom, variant %d in motion", i);
        check_slopes(&w, what);
        world_free(&w);
    }
}

// And where nothing holds it: at rest, thrown, and after a while.
static void so_they_are_where_the_base_is_free(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl", "rom"};
    (void)unused;
    for (int i = 0; i < (int)(sizeof models / sizeof *models); i++) {
        td_options o = options_of(0);
        char what[64];
        snprintf(o.model, sizeof o.model, "%s", models[i]);
        o.rom.order = 3;
        world w = world_make(crowded_robot(true), &o);
        snprintf(what, sizeof what, "%s, free", o.model);
        check_slopes(&w, what);
        CHECK_CALL(&w, td_apply_initial(w.system, w.state));
        snprintf(what, sizeof what, "%s, thrown", o.model);
        check_slopes(&w, what);
        stir(&w, 12, 0.5);
        snprintf(what, sizeof what, "%s, in flight", o.model);
        check_slopes(&w, what);
        world_free(&w);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_are_those_of_the_residual),
        cmocka_unit_test(other_models_have_those_of_their_residual),
        cmocka_unit_test(so_they_are_in_rom_where_much_acts),
        cmocka_unit_test(so_they_are_where_the_base_is_free),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
