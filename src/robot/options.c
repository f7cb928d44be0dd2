// robot/options.c - defaults of options and scenario, and the rules they obey.
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "robot/robot.h"

// Changes with the layout of td_options, so that a program built against another one is noticed.
#define COOKIE (0x7e4d0000u + (unsigned)sizeof(td_options))

static td_virtual_power_options default_virtual_power(void) {
    return (td_virtual_power_options){
        .discs = 8,
        .contact = TD_CONTACT_AUTO,
        .damping = 1e-3,
        .friction_iterations = 6,
        .saturation = 0.05,
    };
}

static td_lumped_options default_lumped(void) {
    return (td_lumped_options){.segments = 16,
                               .material = TD_HOOKEAN,
                               .damping_power = 1.0,
                               .braid_angle = 1.57079632679489661923};
}

td_options td_default_options(void) {
    return (td_options){
        .model = "cosserat",
        .theory = TD_COSSERAT,
        .rotary_inertia = true,
        .space = TD_COLLOCATION,
        .integrator = TD_RK4,
        .history = TD_CUBIC,
        .steps = 100,
        .nodes = 8,
        .magnus = 6,
        .scheme = TD_BDF_ALPHA,
        .alpha = -0.2,
        .startup = TD_HALF_STEPS,
        .solver = TD_NEWTON,
        .tolerance = 1e-10,
        .max_iterations = 100,
        .threads = 1,
        .virtual_power = default_virtual_power(),
        .lumped = default_lumped(),
        .integration = {.method = TD_STEPS_FIXED, .relative = 1e-6, .absolute = 1e-6},
        .constant_curvature = {.segments = 1},
        .rom = {.order = 4, .rotation = TD_ROM_VECTOR, .quadrature = TD_ROM_SELECTIVE},
        .cookie = COOKIE,
    };
}

td_scenario default_scenario(void) {
    return (td_scenario){
        .step = 5e-3,
        .end = 1.0,
        .start = TD_START_STATIC,
        .record_every = 0.0,
        .record_points = 41,
        .record_fields = TD_RECORD_POSE | TD_RECORD_ENERGY | TD_RECORD_INPUTS | TD_RECORD_TENDONS |
                         TD_RECORD_CHAMBERS | TD_RECORD_BODIES | TD_RECORD_REACTIONS,
    };
}

// An enumeration that runs from 0 to last.
static td_status choice(int value, int last, const char *where, td_error *err) {
    if (value >= 0 && value <= last) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where, "%d is not one of its enumerators (0 to %d)", value,
                     last);
}

static td_status count(int value, int least, int most, const char *where, td_error *err) {
    if (value >= least && value <= most) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where, "%d must be between %d and %d", value, least, most);
}

static td_status within(double value, double least, double most, const char *where,
                        const char *hint, td_error *err) {
    if (value >= least && value <= most) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where, "%g must be between %g and %g%s", value, least, most,
                     hint);
}

static td_status choices_validate(const td_options *o, td_error *err) {
    td_status status = choice((int)o->theory, TD_KIRCHHOFF, "simulation.theory", err);
    if (!status) status = choice((int)o->space, TD_CHEBYSHEV, "simulation.space.scheme", err);
    if (!status) status = choice((int)o->integrator, TD_EULER, "simulation.space.integrator", err);
    if (!status) status = choice((int)o->history, TD_LINEAR, "simulation.space.history", err);
    if (!status) status = choice((int)o->scheme, TD_SDIRK2, "simulation.time.scheme", err);
    if (!status) status = choice((int)o->startup, TD_REST_HISTORY, "simulation.time.startup", err);
    if (!status)
        status = choice((int)o->solver, TD_LEVENBERG_MARQUARDT, "simulation.solver.method", err);
    return status;
}

static td_status virtual_power_validate(const td_virtual_power_options *o, td_error *err) {
#define AT(key) "simulation.virtual_power." key
    td_status status = choice((int)o->contact, TD_CONTACT_IDEAL, AT("contact"), err);
    if (!status) status = count(o->discs, 1, 128, AT("discs"), err);
    if (!status) status = within(o->damping, 1e-6, 1.0, AT("damping"), "", err);
    if (!status) status = count(o->friction_iterations, 1, 100, AT("friction_iterations"), err);
    if (!status) status = within(o->saturation, 1e-9, 1e9, AT("saturation"), " m/s", err);
#undef AT
    return status;
}

static td_status lumped_validate(const td_lumped_options *o, td_error *err) {
    td_status status = count(o->segments, 1, 10000, "simulation.lumped.segments", err);
    if (!status)
        status = choice((int)o->material, TD_NEO_HOOKEAN, "simulation.lumped.material", err);
    if (!status)
        status = within(o->damping_power, 1.0, 4.0, "simulation.lumped.damping_power", "", err);
    if (!status)
        status = within(o->braid_angle, 0.5, 1.5707963267949, "simulation.lumped.braid_angle",
                        " rad", err);
    return status;
}

static td_status integration_validate(const td_integration_options *o, td_error *err) {
#define AT(key) "simulation.integration." key
    td_status status = choice((int)o->method, TD_STEPS_IMPLICIT, AT("method"), err);
    if (!status) status = within(o->relative, 1e-14, 0.1, AT("relative"), "", err);
    if (!status) status = within(o->absolute, 1e-14, 1.0, AT("absolute"), "", err);
#undef AT
    return status;
}

static td_status rom_validate(const td_rom_options *o, td_error *err) {
    td_status status = count(o->order, 1, 20, "simulation.rom.order", err);
    if (!status)
        status = choice((int)o->rotation, TD_ROM_QUATERNION, "simulation.rom.rotation", err);
    if (!status) status = choice((int)o->quadrature, TD_ROM_LEFT, "simulation.rom.quadrature", err);
    return status;
}

td_status options_validate(const td_options *o, td_error *err) {
    if (!o) return error_set(err, TD_ERR_ARGUMENT, "simulation", "options are NULL");
    if (o->cookie != COOKIE)
        return error_set(err, TD_ERR_ARGUMENT, "simulation",
                         "options were not initialised; start from td_default_options()");
    if (!memchr(o->model, '\0', sizeof o->model) || !o->model[0])
        return error_set(err, TD_ERR_VALUE, "simulation.model",
                         "the model's name is empty or not terminated");
    td_status status = choices_validate(o, err);
    if (!status) status = count(o->steps, 1, 100000, "simulation.space.steps", err);
    if (!status) status = count(o->nodes, 2, 64, "simulation.space.nodes", err);
    if (!status && o->magnus != 4 && o->magnus != 6)
        status = error_set(err, TD_ERR_VALUE, "simulation.space.magnus",
                           "%d is not an order of Magnus steps; there are 4 and 6", o->magnus);
    if (!status && o->accuracy != 0.0)
        status = within(o->accuracy, 1e-9, 1.0, "simulation.space.accuracy", " rad", err);
    if (!status)
        status = within(o->alpha, -0.5, 0.0, "simulation.time.alpha",
                        ": 0 is BDF2, -0.5 the trapezoidal rule", err);
    if (!status) status = within(o->tolerance, 1e-15, 1e-2, "simulation.solver.tolerance", "", err);
    if (!status)
        status = count(o->max_iterations, 1, 100000, "simulation.solver.max_iterations", err);
    if (!status) status = count(o->threads, 1, 64, "simulation.solver.threads", err);
    if (!status) status = virtual_power_validate(&o->virtual_power, err);
    if (!status) status = lumped_validate(&o->lumped, err);
    if (!status) status = integration_validate(&o->integration, err);
    if (!status)
        status = count(o->constant_curvature.segments, 1, 512,
                       "simulation.constant_curvature.segments", err);
    if (!status) status = rom_validate(&o->rom, err);
    return status;
}

static td_status duration(double value, bool zero, const char *where, td_error *err) {
    if (zero && value == 0.0) return TD_OK;
    if (value >= 1.0 / LARGEST_QUANTITY && value <= LARGEST_QUANTITY) return TD_OK;
    return error_set(err, TD_ERR_VALUE, where, "%g s must be positive and finite", value);
}

td_status scenario_validate(const td_scenario *s, td_error *err) {
    td_status status = duration(s->step, false, "simulation.time.step", err);
    if (!status) status = duration(s->end, false, "simulation.time.end", err);
    if (status) return status;
    if (s->end / s->step > MOST_STEPS)
        return error_set(err, TD_ERR_VALUE, "simulation.time.step",
                         "%g s makes %.3g steps until %g s; at most %g are allowed", s->step,
                         s->end / s->step, s->end, MOST_STEPS);
    status = choice((int)s->start, TD_START_STRAIGHT, "simulation.start", err);
    if (!status) status = duration(s->record_every, true, "record.every", err);
    if (!status) status = count(s->record_points, 2, 100000, "record.shape", err);
    if (status) return status;
    const unsigned all = TD_RECORD_POSE | TD_RECORD_STRAIN | TD_RECORD_WRENCH | TD_RECORD_VELOCITY |
                         TD_RECORD_ENERGY | TD_RECORD_INPUTS | TD_RECORD_TENDONS |
                         TD_RECORD_CHAMBERS | TD_RECORD_BODIES | TD_RECORD_REACTIONS;
    if (s->record_fields & ~all)
        return error_set(err, TD_ERR_VALUE, "record.fields", "0x%x has bits that mean no field",
                         s->record_fields);
    return TD_OK;
}
