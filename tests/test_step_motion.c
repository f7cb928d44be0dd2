// The derivative of a step from states in motion, against differences of steps themselves.
#include "step_robots.h"

#include <stdlib.h>

#include "math/quat.h"
#include "sim/solver.h"
#include "solve/chart.h"
#include "tendril/gradient.h"

#define MOST 256

typedef struct motion {
    td_system *system;
    td_state *state;
    void *snapshot;
    const char *model;
    int n, n_frames;
    double dt;
    double size;  // of inputs
    bool fresh, touches, relaxes;
    int n_kept;
    bool set;  // what follows from the coordinates must follow them: td_set_coordinates serves
    double q[MOST], v[MOST];        // where the step begins
    double end[MOST], end_v[MOST];  // and where it ends
} motion;

// z and z' from one state to another nearby: frames in the world.
static void apart(const motion *m, const double *q0, const double *v0, const double *q,
                  const double *v, double *x) {
    const int n = m->n, first = n - 6 * m->n_frames;
    for (int k = 0; k < n; k++) x[k] = q[k] - q0[k], x[n + k] = v[k] - v0[k];
    for (int i = 0; i < m->n_frames; i++) {
        const int at = first + 6 * i;
        const quat h = quat_exp(vec3_load(q + at)), from = quat_exp(vec3_load(q0 + at));
        vec3_store(x + at, quat_log(quat_mul(h, quat_conj(from))));
        vec3_store(x + n + at, quat_rotate(from, vec3_load(x + n + at)));
    }
}

// What contact keeps, slips and greatest depths, or the springs of sections that relax: number k.
static double *kept_number(const motion *m, int k) {
    const solve_part p = solver_moving(m->system, m->state, 0);
    if (p.n_kept) return p.touched->grips + k;
    for (int i = 0;; i++) {
        const relaxing_section s = p.how->relaxing(p.of, i);
        if (k < relaxing_numbers(&s)) return s.z + 6 * (1 + k / s.n) + k % s.n;
        k -= relaxing_numbers(&s);
    }
}

// Sections that relax have kept the strains of the shape.
static void keep_strains(const motion *m, const solve_part *p) {
    double inputs[8] = {0.0}, x[6 * MOST];
    const solve_instant at = {.inputs = inputs, .places = inputs, .shares = ALL_SHARES};
    const configuration here = {.q = p->m->q, .l = p->m->l};
    assert_true(td_n_inputs(m->system) <= 8 && p->n_relaxing <= MOST);
    if (p->n_relaxing) p->how->strained(p->of, &at, &here, x);
    for (int i = 0; i < p->n_relaxing; i++)
        memcpy(p->how->relaxing(p->of, i).z, x + 6 * i, 6 * sizeof *x);
}

// td_set_coordinates begins afresh, without accelerations to guess from: steps would then be found less closely
// than differences need. So coordinates of the only part are changed where they are kept.
static void set_moving(const motion *m, const double *q, const double *v) {
    if (m->set) {
        double kept[MOST];
        for (int k = 0; k < m->n_kept; k++) kept[k] = *kept_number(m, k);
        assert_true(td_set_coordinates(m->system, m->state, q, v) >= 0);
        for (int k = 0; k < m->n_kept; k++) *kept_number(m, k) = kept[k];  // which it forgets
        return;
    }
    const solve_part p = solver_moving(m->system, m->state, 0);
    assert_int_equal(solver_n_parts(m->system), 1);
    part_write(&p, q, p.m->q);
    part_write_rates(&p, p.m->q, v, p.m->v);
    keep_strains(m, &p);
}

static void place(const motion *m, const double *x) {
    double q[MOST], v[MOST];
    const int n = m->n, first = n - 6 * m->n_frames;
    for (int k = 0; k < n; k++) q[k] = m->q[k] + x[k], v[k] = m->v[k] + x[n + k];
    for (int i = 0; i < m->n_frames; i++) {
        const int at = first + 6 * i;
        const quat from = quat_exp(vec3_load(m->q + at));
        const quat back = quat_conj(from);
        vec3_store(q + at, quat_log(quat_mul(quat_exp(vec3_load(x + at)), from)));
        const vec3 turned = quat_rotate(back, vec3_load(x + n + at));
        vec3_store(v + at, vec3_add(vec3_load(m->v + at), turned));
    }
    set_moving(m, q, v);
}

static void begin(const motion *m) {
    assert_int_equal(
        td_state_restore(m->system, m->state, m->snapshot, td_snapshot_bytes(m->system)), TD_OK);
    for (int k = 0; k < td_n_inputs(m->system); k++)
        td_set_input(m->system, m->state, k, m->size * (0.05 - 0.02 * k));
    if (m->fresh) td_restart(m->system, m->state);
}

// y: position and velocity of the tip in the world, then the state.
static void look(const motion *m, double *y) {
    const td_sample tip = td_get_sample(m->system, m->state, 0, 0.2);
    double q[MOST], v[MOST];
    td_get_coordinates(m->system, m->state, q, v);
    memcpy(y, tip.pose.p, sizeof tip.pose.p);
    vec3_store(y + 3, quat_rotate(quat_load(tip.pose.q), vec3_load(tip.velocity + 3)));
    apart(m, m->end, m->end_v, q, v, y + 6);
    for (int k = 0; k < m->n_kept; k++) y[6 + 2 * m->n + k] = *kept_number(m, k);
}

static double unit_of(const motion *m, int k) {
    if (strcmp(m->model, "cosserat") == 0) return k % 6 < 3 ? 3e-4 : 3e-5;
    if (strcmp(m->model, "constant_curvature") == 0) return k % 3 == 2 ? 1e-4 : 3e-3;
    const bool by_six = m->n_frames > 0 || !strcmp(m->model, "ebr") || !strcmp(m->model, "srl");
    return by_six && k % 6 >= 3 ? 1e-4 : 3e-3;  // lengths
}

static double reach_of(const motion *m, int k) {
    const double near = m->n_kept && !m->relaxes ? 0.005 : m->touches || m->size < 1.0 ? 0.02 : 1.0;
    return near * unit_of(m, k);  // contact and drag have edges
}

static void ask(const motion *m, int column, int n_x, double e, double *y) {
    double x[2 * MOST] = {0.0};
    begin(m);
    if (column < n_x) {
        if (column < 2 * m->n) x[column] = e;
        place(m, x);
        if (column >= 2 * m->n) *kept_number(m, column - 2 * m->n) += e;
    } else {
        const int input = column - n_x;
        td_set_input(m->system, m->state, input, td_get_input(m->system, m->state, input) + e);
    }
    const td_status status = td_step(m->system, m->state, m->dt);
    if (status < 0) fprintf(stderr, "%s: %s\n", m->model, td_message(m->state));
    assert_true(status >= 0);
    look(m, y);
}

typedef struct worst {
    double miss;
    int row, column;
} worst;

static void compare(const motion *m, const td_step_map *map, bool chain, const char *robot) {
    const int n_x = map->n_states, n_u = td_n_inputs(m->system), rows = chain ? 6 : 6 + n_x;
    static double sides[4][6 + 3 * MOST];
    worst w = {0};
    for (int column = chain ? n_x : 0; column < n_x + n_u; column++) {
        const double e = column < m->n       ? reach_of(m, column)
                         : column < 2 * m->n ? reach_of(m, column - m->n) / m->dt
                         : column < n_x      ? (m->relaxes ? 1e-3 : 1e-7)
                         : m->touches        ? 1e-3
                         : m->size < 1.0     ? 3e-6
                                             : 3e-2;
        double size = 0.0, most = 0.0;
        int at = 0;
        for (int i = 0; i < 4; i++)
            ask(m, column, n_x, (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e), sides[i]);
        for (int i = 0; i < rows; i++) {
            const int y = i < 3 ? 3 + i : 6 + i;  // of pose and velocity
            const double *wide = i < 6 ? map->C + y * n_x : map->A + (i - 6) * n_x;
            const double *by_u = i < 6 ? map->D + y * n_u : map->B + (i - 6) * n_u;
            const double told = column < n_x ? wide[column] : by_u[column - n_x];
            const double unit = i < 6 ? (i < 3 ? 1e-5 : 1e-5 / m->dt)
                                : i - 6 >= 2 * m->n
                                    ? (m->relaxes ? 1e-2 : 1e-5)
                                    : unit_of(m, (i - 6) % m->n) / (i - 6 < m->n ? 1.0 : m->dt);
            const double seen =
                (8.0 * (sides[0][i] - sides[1][i]) - (sides[2][i] - sides[3][i])) / (12.0 * e);
            if (!m->relaxes && i - 6 >= 2 * m->n && (i - 6 - 2 * m->n) % CONTACT_KEPT == 3)
                continue;  // the greatest depth has an edge where it is that of now
            size = fmax(size, fabs(told) / unit);
            if (fabs(told - seen) / unit > most) most = fabs(told - seen) / unit, at = i;
        }
        assert_true(size > 0.0 || (column >= 2 * m->n && column < n_x));
        if (size > 0.0 && most / size > w.miss) w = (worst){most / size, at, column};
    }
    if (w.miss <= 1e-7) return;
    fprintf(stderr, "%s, %s: row %d, column %d of %d: %.3g\n", m->model, robot, w.row, w.column,
            n_x, w.miss);
    fail();
}

// A swinging robot: inputs that jump and go on.
static bool set_going(motion *m) {
    const bool thrown = td_n_initial(m->system) > 0;
    if ((thrown ? td_apply_initial : td_solve_statics)(m->system, m->state) < 0) return false;
    for (int step = 0; step < 6; step++) {
        for (int k = 0; k < td_n_inputs(m->system); k++)
            td_set_input(m->system, m->state, k, m->size * 0.3 * sin(1.0 + step + 2.0 * k));
        if (step == 3) td_restart(m->system, m->state);
        if (td_step(m->system, m->state, m->dt) < 0) return false;
    }
    return true;
}

static bool touches_at(const td_system *system, const td_state *state) {
    td_contact_point one;
    return td_get_contacts(system, state, &one, 1) > 0;
}

static void check_motion(td_system *system, const td_options *o, robot_kind kind, bool fresh) {
    static const td_output tip[] = {{.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2},
                                    {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.2}};
    td_error err = {0};
    motion m = {.system = system, .model = o->model, .dt = 4e-3, .fresh = fresh};
    m.state = td_state_create(system);
    m.size = kind == MOVED || kind == JOINTED ? 0.02 : 1.0;
    const solve_part part = solver_moving(system, m.state, 0);
    m.n_kept = part.n_kept + part.n_flows;
    m.relaxes = part.n_flows > 0;
    m.set = kind == FOLLOWING || part.n_kept > 0;
    m.n = td_n_coordinates(system);
    m.snapshot = malloc(td_snapshot_bytes(system));
    td_linearisation *l = td_linearisation_create(system, tip, 2, &err);
    const bool chain = kind == LOOP || kind == HINGE || kind == PENDULUM || kind == JOINTED;
    const bool going = set_going(&m);
    assert_true(going || chain);
    if (!chain && strcmp(o->model, "cosserat"))
        m.n_frames = solver_moving(system, m.state, 0).n_frames;
    m.touches = touches_at(system, m.state);
    assert_int_equal(m.touches, td_n_obstacles(system) > 0 || kind == CROSSED);
    td_get_coordinates(system, m.state, m.q, m.v);
    td_state_save(system, m.state, m.snapshot, td_snapshot_bytes(system));
    begin(&m);
    assert_true(td_step(system, m.state, m.dt) >= 0);
    td_get_coordinates(system, m.state, m.end, m.end_v);
    void *bits = malloc(2 * td_snapshot_bytes(system));
    td_state_save(system, m.state, bits, td_snapshot_bytes(system));
    begin(&m);
    const td_status status = td_differentiate_step(system, m.state, m.dt, l);
    if (status < 0) fprintf(stderr, "%s, %s: %s\n", o->model, kinds[kind], td_message(m.state));
    assert_true(status >= 0);
    td_state_save(system, m.state, (char *)bits + td_snapshot_bytes(system),
                  td_snapshot_bytes(system));
    assert_memory_equal(bits, (char *)bits + td_snapshot_bytes(system), td_snapshot_bytes(system));
    // where they begin afresh on bases that move, ebr and srl look at velocities of nodes, which coordinates here do not reach
    const bool by_nodes =
        kind == MOVED && fresh && (!strcmp(m.model, "ebr") || !strcmp(m.model, "srl"));
    if (going) compare(&m, td_get_step_map(l), chain || by_nodes, kinds[kind]);
    free(bits), free(m.snapshot);
    td_linearisation_destroy(l);
    td_state_destroy(m.state);
}

static void the_map_of_a_motion_is_the_derivative_of_its_step(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++)
        for (int kind = 0; kind < N_ROBOTS; kind++) {
            td_options o = options_of(model);
            if (!strcmp(o.model, "cosserat")) continue;
            td_robot *robot = robot_of((robot_kind)kind);
            td_system *system = system_of(robot, &o);
            for (int fresh = 0; fresh < 2 && system; fresh++)
                check_motion(system, &o, (robot_kind)kind, fresh);
            td_system_destroy(system);
            td_robot_destroy(robot);
        }
}

// On a plane without friction, most of the rod on it.
static void so_it_is_in_contact(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl"};
    (void)unused;
    for (int i = 0; i < (int)(sizeof models / sizeof *models); i++) {
        td_options o = options_of(0);
        snprintf(o.model, sizeof o.model, "%s", models[i]);
        td_robot *robot = robot_of(TENDON);
        add_plane(robot, 2e4);
        td_system *system = system_of(robot, &o);
        assert_non_null(system);
        check_motion(system, &o, TENDON, false);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// On another part of the robot.
static void so_it_is_where_parts_touch(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl"};
    (void)unused;
    for (int i = 0; i < 3; i++) {
        td_options o = options_of(0);
        snprintf(o.model, sizeof o.model, "%s", models[i]);
        o.lumped.segments = 3;
        td_robot *robot = robot_of(CROSSED);
        td_system *system = system_of(robot, &o);
        assert_non_null(system);
        check_motion(system, &o, CROSSED, false);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// Where it rubs, or bounces.
static void so_it_is_where_contact_remembers(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl"};
    (void)unused;
    for (int i = 0; i < 6; i++) {
        td_options o = options_of(0);
        snprintf(o.model, sizeof o.model, "%s", models[i / 2]);
        td_robot *robot = robot_of(TENDON);
        add_rough_plane(robot, 2e4, i % 2 ? 0.0 : 0.3, i % 2 ? 0.6 : 0.0);
        td_system *system = system_of(robot, &o);
        assert_non_null(system);
        check_motion(system, &o, TENDON, true);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// Where inputs move its base, in steps that go on and in those that begin afresh, whose bases may jump in velocity.
static void so_it_is_on_a_base_that_moves(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl", "rom", "tubes"};
    (void)unused;
    for (int i = 0; i < 2 * (int)(sizeof models / sizeof *models); i++) {
        td_options o = options_of(0);
        snprintf(o.model, sizeof o.model, "%s", models[i / 2]);
        td_robot *robot = robot_of(MOVED);
        td_system *system = system_of(robot, &o);
        assert_non_null(system);
        check_motion(system, &o, MOVED, i % 2);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// And of what nothing holds.
static void so_it_is_in_free_flight(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl", "rom"};
    (void)unused;
    for (int i = 0; i < 2 * (int)(sizeof models / sizeof *models); i++) {
        td_options o = options_of(0);
        snprintf(o.model, sizeof o.model, "%s", models[i / 2]);
        td_robot *robot = robot_of(FREE);
        td_system *system = system_of(robot, &o);
        assert_non_null(system);
        check_motion(system, &o, FREE, i % 2);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// In joints that bodies and inputs hold: a step begins where they fit, so that inputs alone are compared.
static void so_it_is_on_bodies_in_joints(void **unused) {
    (void)unused;
    for (int fresh = 0; fresh < 2; fresh++) {
        td_options o = options_of(0);
        snprintf(o.model, sizeof o.model, "eba");
        td_robot *robot = robot_of(JOINTED);
        td_system *system = system_of(robot, &o);
        assert_non_null(system);
        check_motion(system, &o, JOINTED, fresh);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// Sections that follow the mean stretch of their rod have that with which the step began.
static void so_it_is_where_sections_follow_the_stretch(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl", "rom"};
    (void)unused;
    for (int i = 0; i < (int)(sizeof models / sizeof *models); i++) {
        td_options o = options_of(0);
        snprintf(o.model, sizeof o.model, "%s", models[i]);
        td_robot *robot = robot_of(FOLLOWING);
        td_system *system = system_of(robot, &o);
        assert_non_null(system);
        check_motion(system, &o, FOLLOWING, true);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// Springs of sections that relax are numbers of the state, and begin and end with strains.
static void so_it_is_where_materials_relax(void **unused) {
    static const char *const models[] = {"eba", "ebr", "srl", "rom"};
    (void)unused;
    for (int i = 0; i < 2 * (int)(sizeof models / sizeof *models); i++) {
        td_options o = options_of(0);
        snprintf(o.model, sizeof o.model, "%s", models[i / 2]);
        td_robot *robot = robot_of(RELAXING);
        td_system *system = system_of(robot, &o);
        assert_non_null(system);
        check_motion(system, &o, RELAXING, i % 2);
        td_system_destroy(system);
        td_robot_destroy(robot);
    }
}

// ---------------------------------------------------------------- outputs
enum { N_QUANTITIES = 6, MOST_Y = 30 };

// Of a step from where the snapshot is, with one input changed.
static void outputs_after(const motion *m, const td_output *outputs, int n, int input, double e,
                          double *y) {
    begin(m);
    td_set_input(m->system, m->state, input, td_get_input(m->system, m->state, input) + e);
    assert_true(td_step(m->system, m->state, m->dt) >= 0);
    for (int i = 0; i < n; i++) {
        td_get_output(m->system, m->state, &outputs[i], y);
        y += td_output_size(outputs[i].quantity);
    }
}

// D against differences, rows of one quantity by the largest of them. Rotations of poses are left out: as numbers they
// are no rotations in the world.
static void compare_outputs(const motion *m, const td_step_map *map, const td_output *outputs,
                            int n, const char *when) {
    const int n_u = td_n_inputs(m->system);
    double y[4][MOST_Y];
    for (int input = 0; input < n_u; input++) {
        const double e = 1e-3;
        for (int i = 0; i < 4; i++)
            outputs_after(m, outputs, n, input, (i < 2 ? 1.0 : 2.0) * (i % 2 ? -e : e), y[i]);
        for (int i = 0, first = 0; i < n; i++) {
            const int size = td_output_size(outputs[i].quantity);
            double most = 0.0, miss = 0.0;
            for (int k = outputs[i].quantity == TD_OUTPUT_POSE ? 3 : 0; k < size; k++) {
                const int at = first + k;
                const double seen =
                    (8.0 * (y[0][at] - y[1][at]) - (y[2][at] - y[3][at])) / (12.0 * e);
                most = fmax(most, fabs(seen));
                miss = fmax(miss, fabs(seen - map->D[at * n_u + input]));
            }
            first += size;
            const bool none = outputs[i].quantity == TD_OUTPUT_EFFORT && input > 0;
            assert_true(most > 0.0 || none);
            if (miss <= 1e-6 * most) continue;
            fprintf(stderr, "%s, %s: quantity %d, input %d: %.3g of %.3g\n", m->model, when,
                    (int)outputs[i].quantity, input, miss, most);
            fail();
        }
    }
}

static void begin_from_here(motion *m) {
    td_state_save(m->system, m->state, m->snapshot, td_snapshot_bytes(m->system));
}

// All that can be named, at rest and in motion; reactions of cosserat have no derivative in motion, and it says so.
static void check_outputs(int model) {
    static const td_output outputs[N_QUANTITIES] = {
        {.quantity = TD_OUTPUT_POSE, .body = -1, .s = 0.2},
        {.quantity = TD_OUTPUT_VELOCITY, .body = -1, .s = 0.15},
        {.quantity = TD_OUTPUT_STRAIN, .body = -1, .s = 0.1},
        {.quantity = TD_OUTPUT_MEASURE},
        {.quantity = TD_OUTPUT_EFFORT},
        {.quantity = TD_OUTPUT_REACTION, .end = TD_BASE}};
    td_error err = {0};
    td_options o = options_of(model);
    td_robot *robot = robot_of(TENDON);
    td_system *system = system_of(robot, &o);
    assert_non_null(system);
    motion m = {.system = system, .model = o.model, .dt = 4e-3, .size = 0.0};
    m.state = td_state_create(system);
    m.snapshot = malloc(td_snapshot_bytes(system));
    td_linearisation *l = td_linearisation_create(system, outputs, N_QUANTITIES, &err);
    assert_non_null(l);
    assert_true(td_solve_statics(system, m.state) >= 0);
    assert_true(td_step(system, m.state, m.dt) >= 0);  // inputs are on their way, and do not jump
    begin_from_here(&m);
    assert_true(td_linearise(system, m.state, l) >= 0);
    assert_int_equal(td_solve_step_map(l, m.dt), TD_OK);
    compare_outputs(&m, td_get_step_map(l), outputs, N_QUANTITIES, "at rest");
    td_linearisation_destroy(l);
    m.size = 1.0;
    const bool reacts = strcmp(o.model, "cosserat") != 0;
    l = td_linearisation_create(system, outputs, N_QUANTITIES - !reacts, &err);
    assert_true(set_going(&m));
    begin_from_here(&m);
    begin(&m);
    assert_true(td_differentiate_step(system, m.state, m.dt, l) >= 0);
    compare_outputs(&m, td_get_step_map(l), outputs, N_QUANTITIES - !reacts, "in motion");
    td_linearisation_destroy(l);
    free(m.snapshot);
    td_state_destroy(m.state);
    td_system_destroy(system);
    td_robot_destroy(robot);
}

static void every_output_of_every_model_answers_as_steps_do(void **unused) {
    (void)unused;
    for (int model = 0; model < td_n_models(); model++) check_outputs(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_map_of_a_motion_is_the_derivative_of_its_step),
        cmocka_unit_test(so_it_is_in_contact),
        cmocka_unit_test(so_it_is_where_parts_touch),
        cmocka_unit_test(so_it_is_where_contact_remembers),
        cmocka_unit_test(so_it_is_on_a_base_that_moves),
        cmocka_unit_test(so_it_is_in_free_flight),
        cmocka_unit_test(so_it_is_on_bodies_in_joints),
        cmocka_unit_test(so_it_is_where_sections_follow_the_stretch),
        cmocka_unit_test(so_it_is_where_materials_relax),
        cmocka_unit_test(every_output_of_every_model_answers_as_steps_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
