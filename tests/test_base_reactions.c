// What a base that inputs move asks of what moves it: of rods so stiff that they go along as rigid bodies, m a and J alpha.
#include "chains.h"
#include "math/vec3.h"

enum { SEGMENTS = 8 };
#define MASS 0.3    // kg
#define LENGTH 0.4  // m
#define RATE 4.0    // 1/s

typedef enum course_kind { LIFTED, TURNED, LIFTED_AT_BOTH_ENDS } course_kind;

// sin(4 t)^4 and its second derivative: from rest, without a jump
static double course(double t) {
    return pow(sin(RATE * t), 4);
}

static double rate(double t) {
    return 4.0 * RATE * pow(sin(RATE * t), 3) * cos(RATE * t);
}

static double acceleration(double t) {
    const double s = sin(RATE * t), c = cos(RATE * t);
    return RATE * RATE * (12.0 * s * s * c * c - 4.0 * s * s * s * s);
}

static td_robot *moved(course_kind kind) {
    td_error err = {0};
    td_piece_def piece = steel_piece();
    for (int i = 0; i < 6; i++) piece.stiffness[i] = i < 3 ? 1e5 : 1e9;
    piece.mass_per_length = MASS / LENGTH;
    td_robot *robot = empty_robot(0.0, 0.0, 0.0);
    const bool turned = kind == TURNED;
    td_input_def in = {.name = "way", .unit = turned ? "rad" : "m"};
    in.signal.kind = TD_SIGNAL_FORMULA;
    in.signal.formula = turned ? "0.5*sin(4*t/(1 s))^4" : "0.1 m*sin(4*t/(1 s))^4";
    const int input = td_robot_add_input(robot, &in, &err);
    CHECK_OK(input, err);
    td_rod_def rod = chain_rod("rod", &piece, 0.0, 0.0, 0.0);
    if (turned) rod.base.rotation[1] = (td_number){0.0, 1.0, input};
    else rod.base.position[2] = (td_number){0.0, 1.0, input};
    if (kind == LIFTED_AT_BOTH_ENDS) {
        hold_tip(&rod, TD_WORLD, TD_CLAMP, 0.0, 0.0, LENGTH);
        rod.tip.position[2] = (td_number){LENGTH, 1.0, input};
    }
    add_chain_rod(robot, &rod);
    return robot;
}

// What the ends must do at t, in all: a force along z, or a moment about y. Nodes carry halves of the segments beside them.
static double asked(course_kind kind, bool lumped, double t) {
    if (kind != TURNED) return MASS * 0.1 * acceleration(t);
    const double J =
        MASS * LENGTH * LENGTH * (1.0 / 3.0 + (lumped ? 1.0 / (6.0 * SEGMENTS * SEGMENTS) : 0.0));
    return J * 0.5 * acceleration(t);
}

// The largest difference, of the largest that is asked.
static double error_of(const char *model, course_kind kind, double dt) {
    td_options o = chain_options();
    snprintf(o.model, sizeof o.model, "%s", model);
    o.lumped.segments = SEGMENTS;
    const bool lumped = !strcmp(model, "eba") || !strcmp(model, "ebr") || !strcmp(model, "srl");
    world w = world_make(moved(kind), &o);
    CHECK_CALL(&w, td_begin(w.system, w.state));
    double most = 0.0, size = 0.0;
    const int n = (int)lround(0.6 / dt);
    for (int k = 1; k <= n; k++) {
        CHECK_CALL(&w, td_advance(w.system, w.state, dt));
        const td_reaction base = td_get_reaction(w.system, w.state, 0, TD_BASE);
        const td_reaction tip = td_get_reaction(w.system, w.state, 0, TD_TIP);
        const double given = kind == TURNED ? base.moment[1] : base.force[2] + tip.force[2];
        const double want = asked(kind, lumped, k * dt);
        most = fmax(most, fabs(given - want));
        size = fmax(size, fabs(want));
        if (kind != TURNED) continue;
        // m v' of the middle: along the rod v^2/r, across r alpha
        const double a = 0.5 * course(k * dt), v = 0.5 * rate(k * dt);
        const double along = -0.5 * LENGTH * v * v,
                     across = 0.5 * LENGTH * 0.5 * acceleration(k * dt);
        const vec3 force = vec3_scale(
            vec3_make(along * sin(a) + across * cos(a), 0.0, along * cos(a) - across * sin(a)),
            MASS);
        most = fmax(most, LENGTH * vec3_norm(vec3_sub(vec3_load(base.force), force)));
    }
    world_free(&w);
    return most / size;
}

static void base_reactions_are_those_of_a_rigid_body_to_second_order(void **unused) {
    (void)unused;
    static const char *const models[] = {"cosserat", "eba", "ebr", "srl", "rom"};
    for (int kind = LIFTED; kind <= LIFTED_AT_BOTH_ENDS; kind++)
        for (int m = 0; m < (kind == LIFTED_AT_BOTH_ENDS ? 2 : 5); m++) {
            const double coarse = error_of(models[m], (course_kind)kind, 5e-3);
            const double fine = error_of(models[m], (course_kind)kind, 2.5e-3);
            CHECK_BETWEEN(fine, 0.0, 1e-3);
            CHECK_BETWEEN(coarse / fine, 3.5, 4.6);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base_reactions_are_those_of_a_rigid_body_to_second_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
