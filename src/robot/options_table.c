// robot/options_table.c - the options of a run, one line each; options.h says what the columns are. A
// new option is a field of td_options or td_scenario and a line here; a model that reads it names it,
// or its group, in its own table.
// Tables:
// clang-format off
#include "robot/options.h"

#include <string.h>

#include "robot/actuators.h"
#include "robot/robot.h"

static const choice theories[] = {{"cosserat", TD_COSSERAT}, {"kirchhoff", TD_KIRCHHOFF}, {0}};
static const choice starts[] = {{"static", TD_START_STATIC}, {"straight", TD_START_STRAIGHT}, {0}};
static const choice schemes[] = {{"backward-euler", TD_BACKWARD_EULER}, {"bdf2", TD_BDF2}, {"bdf-alpha", TD_BDF_ALPHA},
                                 {"trapezoidal", TD_TRAPEZOIDAL}, {"bdf3", TD_BDF3}, {"sdirk2", TD_SDIRK2}, {0}};
static const choice startups[] = {{"half-steps", TD_HALF_STEPS}, {"rest-history", TD_REST_HISTORY}, {0}};
static const choice spaces[] = {{"shooting", TD_SHOOTING}, {"collocation", TD_COLLOCATION}, {"chebyshev", TD_CHEBYSHEV}, {0}};
static const choice integrators[] = {{"rk4", TD_RK4}, {"euler", TD_EULER}, {0}};
static const choice histories[] = {{"cubic", TD_CUBIC}, {"linear", TD_LINEAR}, {0}};
static const choice orders[] = {{"4", 4}, {"6", 6}, {0}};
static const choice solvers[] = {{"newton", TD_NEWTON}, {"dogleg", TD_DOGLEG}, {"levenberg-marquardt", TD_LEVENBERG_MARQUARDT}, {0}};
static const choice contacts[] = {{"auto", TD_CONTACT_AUTO}, {"least-squares", TD_CONTACT_LEAST_SQUARES}, {"ideal", TD_CONTACT_IDEAL}, {0}};
static const choice methods[] = {{"fixed", TD_STEPS_FIXED}, {"explicit", TD_STEPS_EXPLICIT}, {"implicit", TD_STEPS_IMPLICIT},
                                 {"midpoint", TD_STEPS_MIDPOINT}, {0}};
static const choice rotations[] = {{"vector", TD_ROM_VECTOR}, {"quaternion", TD_ROM_QUATERNION}, {0}};
static const choice quadratures[] = {{"selective", TD_ROM_SELECTIVE}, {"full", TD_ROM_FULL}, {"left", TD_ROM_LEFT}, {0}};
#define RECORD_FLAG(word, plural, flag, help) {#plural, flag},
static const choice fields[] = {{"pose", TD_RECORD_POSE}, {"strain", TD_RECORD_STRAIN}, {"wrench", TD_RECORD_WRENCH},
                                {"velocity", TD_RECORD_VELOCITY}, {"energy", TD_RECORD_ENERGY}, {"inputs", TD_RECORD_INPUTS},
                                ACTUATOR_KINDS(RECORD_FLAG) {"bodies", TD_RECORD_BODIES},
                                {"reactions", TD_RECORD_REACTIONS}, {"contact", TD_RECORD_CONTACT}, {"sensors", TD_RECORD_SENSORS}, {0}};

#define ROW(its_path, its_place, default_text, its_text) .path = its_path, .place = its_place, .fallback = default_text, .text = its_text
#define FLAG(path, place, fallback, text) ROW(path, place, fallback, text), .kind = OPTION_FLAG, .traits = OF_STATE
#define COUNT(path, place, fallback, from, to, is, text) ROW(path, place, fallback, text), .kind = OPTION_COUNT, .least = from, .most = to, .traits = is
#define QUANTITY(path, place, si, fallback, from, to, is, text) ROW(path, place, fallback, text), .kind = OPTION_QUANTITY, .unit = si, .least = from, .most = to, .traits = is
#define CHOICE(path, place, fallback, list, is, text) ROW(path, place, fallback, text), .kind = OPTION_CHOICE, .choices = list, .traits = is
#define TINY (1.0 / LARGEST_QUANTITY)

#define OF(field) offsetof(plan, options.field)
#define RUN(field) offsetof(plan, scenario.field)
#define AT(key) "simulation." key
static const sim_option table[] = {
    {ROW(AT("model"), OF(model), "cosserat", "how the robot is computed"), .kind = OPTION_MODEL, .traits = OF_STATE},
    {CHOICE(AT("theory"), OF(theory), "cosserat", theories, OF_STATE | REFUSED, "`kirchhoff`: no shear and no extension")},
    {FLAG(AT("rotary_inertia"), OF(rotary_inertia), "true", "rotary inertia of sections")},
    {CHOICE(AT("start"), RUN(start), "static", starts, 0, "start in equilibrium (`static`), or in the rest shape")},

    {COUNT(AT("seed"), OF(seed), "0", 0, 2147483647, 0, "seed of the noise of sensors: the same seed gives the same bits")},

    {CHOICE(AT("time.scheme"), OF(scheme), "bdf-alpha", schemes, OF_STATE, "time integration")},
    {QUANTITY(AT("time.alpha"), OF(alpha), "", "-0.2", -0.5, 0.0, OF_STATE, "parameter of bdf-alpha: 0 is BDF2, -0.5 the trapezoidal rule"), .when = "scheme bdf-alpha"},
    {QUANTITY(AT("time.step"), RUN(step), "s", "5 ms", TINY, LARGEST_QUANTITY, 0, "time step")},
    {QUANTITY(AT("time.end"), RUN(end), "s", "1 s", TINY, LARGEST_QUANTITY, 0, "when the run ends")},
    {CHOICE(AT("time.startup"), OF(startup), "half-steps", startups, OF_STATE, "how a step after a jump is made")},

    {CHOICE(AT("space.scheme"), OF(space), "collocation", spaces, OF_STATE, "solution along the rod")},
    {CHOICE(AT("space.integrator"), OF(integrator), "rk4", integrators, OF_STATE, "shooting: integration along the rod"), .when = "scheme shooting"},
    {COUNT(AT("space.elements"), OF(elements), "1; with obstacles 16 to 32, of half the nodes", 1, 1000, OF_STATE | MAY_BE_OFF, "collocation: equal parts of each rod, with `nodes` in each"), .when = "scheme collocation"},
    {COUNT(AT("space.nodes"), OF(nodes), "8", 2, 64, OF_STATE, "collocation: Gauss nodes along a rod without cuts; chebyshev: zeros"), .when = "scheme collocation chebyshev"},
    {CHOICE(AT("space.magnus"), OF(magnus), "6", orders, OF_STATE, "collocation, chebyshev: order of the Magnus steps"), .when = "scheme collocation chebyshev"},
    {QUANTITY(AT("space.accuracy"), OF(accuracy), "rad", "as nodes says", 1e-9, 1.0, MAY_BE_OFF,
             "collocation: choose the number of nodes such that equilibria under the run's signals are resolved to this angle"), .when = "scheme collocation"},
    {COUNT(AT("space.steps"), OF(steps), "100", 1, 100000, OF_STATE, "shooting: integration steps along each rod"), .when = "scheme shooting"},
    {CHOICE(AT("space.history"), OF(history), "cubic", histories, OF_STATE, "shooting: interpolation of past values between the steps"), .when = "scheme shooting"},

    {CHOICE(AT("solver.method"), OF(solver), "newton", solvers, 0, "nonlinear solver")},
    {QUANTITY(AT("solver.tolerance"), OF(tolerance), "", "1e-10", 1e-15, 1e-2, 0, "tolerance on the scaled residual; for steps of models other than cosserat on the last correction, rad, at most 1e-10")},
    {COUNT(AT("solver.max_iterations"), OF(max_iterations), "100", 1, 100000, 0, "integrations along the rod per solve")},
    {COUNT(AT("solver.threads"), OF(threads), "1", 1, 64, 0, "number of threads for robots with many rods, model cosserat")},

    {CHOICE(AT("integration.method"), OF(integration.method), "fixed", methods, OF_STATE,
           "`fixed`: one implicit step; `explicit`, `implicit`: SUNDIALS, adaptive steps; `midpoint`: one implicit step that conserves momenta, model eba")},
    {QUANTITY(AT("integration.relative"), OF(integration.relative), "", "1e-6", 1e-14, 0.1, 0, "relative tolerance of adaptive steps"), .when = "method explicit implicit"},
    {QUANTITY(AT("integration.absolute"), OF(integration.absolute), "", "1e-6", 1e-14, 1.0, 0, "absolute tolerance, in units of the coordinates"), .when = "method explicit implicit"},

    {COUNT(AT("virtual_power.discs"), OF(virtual_power.discs), "8", 1, 128, OF_STATE, "number of discs on a rod without bodies")},
    {FLAG(AT("virtual_power.torsion"), OF(virtual_power.torsion), "false", "add a twist for each subsegment")},
    {FLAG(AT("virtual_power.whole_discs"), OF(virtual_power.whole_discs), "false", "masses of bodies already include their share of core and rods")},
    {FLAG(AT("virtual_power.rods_held"), OF(virtual_power.rods_held), "false", "with `torsion`: discs hold the tangents of push-pull rods, which bend into helices"), .when = "torsion true"},
    {CHOICE(AT("virtual_power.contact"), OF(virtual_power.contact), "auto", contacts, OF_STATE,
           "forces of tendons on discs; `ideal`: virtual work of tension, without friction; `auto`: ideal if no tendon has friction")},
    {FLAG(AT("virtual_power.one_direction"), OF(virtual_power.one_direction), "false", "contact forces only along the bending beyond each disc (Eq. 35)")},
    {QUANTITY(AT("virtual_power.damping"), OF(virtual_power.damping), "", "1e-3", 1e-6, 1.0, OF_STATE, "damping of the least squares, relative to the largest singular value")},
    {COUNT(AT("virtual_power.friction_iterations"), OF(virtual_power.friction_iterations), "6", 1, 100, OF_STATE, "number of friction iterations; the first is without friction")},
    {QUANTITY(AT("virtual_power.saturation"), OF(virtual_power.saturation), "m/s", "0.05 m/s", 1e-9, 1e9, OF_STATE, "sliding velocity beyond which friction is full")},
    {FLAG(AT("virtual_power.printed_omega"), OF(virtual_power.printed_omega), "false", "angular velocity as printed (Eq. 12)")},
    {FLAG(AT("virtual_power.printed_elasticity"), OF(virtual_power.printed_elasticity), "false", "bending of rods as printed (Eqs. 27, 28)")},
    {FLAG(AT("virtual_power.printed_moment"), OF(virtual_power.printed_moment), "false", "moments of contact forces as printed (Eqs. 39, 50)")},

    {COUNT(AT("lumped.segments"), OF(lumped.segments), "16", 1, 10000, OF_STATE, "number of segments of a rod with nothing on it between its ends")},
    {FLAG(AT("lumped.as_printed"), OF(lumped.as_printed), "false", "use the paper's first-order discretisation")},

    {COUNT(AT("constant_curvature.segments"), OF(constant_curvature.segments), "1", 1, 512, OF_STATE,
          "number of segments between neighbouring ends of tendons, chambers and pieces")},
    {FLAG(AT("constant_curvature.present_length"), OF(constant_curvature.present_length), "false",
         "curvature is angle over current length, as in the paper; false: over rest length")},
    {FLAG(AT("constant_curvature.radial_damping"), OF(constant_curvature.radial_damping), "false", "only the magnitude of a curvature is damped, not its direction (Eq. 30)")},
    {FLAG(AT("constant_curvature.printed_scaling"), OF(constant_curvature.printed_scaling), "false", "mass, bending and damping as printed (Eqs. 5, 25, 30)")},

    {COUNT(AT("rom.order"), OF(rom.order), "4", 1, 20, OF_STATE, "order of the polynomials of rotation in each part of a rod, 1 to 20; those of position have one more")},
    {CHOICE(AT("rom.rotation"), OF(rom.rotation), "vector", rotations, OF_STATE, "parameters of rotation: `vector` covers a full turn, the paper's `quaternion` half a turn")},
    {CHOICE(AT("rom.quadrature"), OF(rom.quadrature), "selective", quadratures, OF_STATE,
           "`selective`: slender rods do not lock; `full`: 2 order + 4 Gauss points for everything; `left`: ten rectangles, as in the paper's numbers")},
    {FLAG(AT("rom.as_printed"), OF(rom.as_printed), "false", "no shear and stretch at the base (Eq. 4)")},

    {COUNT(AT("tubes.nodes"), OF(tubes.nodes), "4", 2, 16, OF_STATE,
          "Gauss nodes between two cuts, 2 to 16; at least 8 along the part outside")},

    {QUANTITY("record.every", RUN(record_every), "s", "every step", TINY, LARGEST_QUANTITY, MAY_BE_OFF, "time between records")},
    {COUNT("record.shape", RUN(record_points), "41", 2, 100000, 0, "points along each rod")},
    {ROW("record.fields", RUN(record_fields), "[pose, energy, inputs, tendons, chambers, muscles, temperatures, stiffeners, joint_motors, bodies, reactions, contact, sensors]", "fields to record"), .kind = OPTION_FIELDS, .choices = fields},
};
// clang-format on
enum { N_OPTIONS = sizeof table / sizeof *table };

const sim_option *sim_option_at(int i) {
    return i >= 0 && i < N_OPTIONS ? &table[i] : NULL;
}

const sim_option *sim_option_find(const char *path) {
    for (int i = 0; i < N_OPTIONS; i++)
        if (strcmp(table[i].path, path) == 0) return &table[i];
    return NULL;
}

bool option_is_of_run(const sim_option *o) {
    return o->place >= offsetof(plan, scenario);
}
