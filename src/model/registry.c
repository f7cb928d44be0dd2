// model/registry.c - the list of models, and what they can do.
#include "model/model.h"

#include <string.h>

extern const td_model model_cosserat, model_virtual_power, model_eba, model_ebr, model_srl,
    model_rom, model_constant_curvature, model_tubes;

static const td_model *const models[] = {
    &model_cosserat, &model_virtual_power,      &model_eba,  &model_ebr, &model_srl,
    &model_rom,      &model_constant_curvature, &model_tubes};

static const char *const feature_names[TD_N_FEATURES] = {
    [TD_FEATURE_STATICS] = "statics",
    [TD_FEATURE_DYNAMICS] = "dynamics",
    [TD_FEATURE_SHEAR_EXTENSION] = "shear and extension",
    [TD_FEATURE_KIRCHHOFF] = "inextensible rods (kirchhoff)",
    [TD_FEATURE_PRE_CURVATURE] = "pre-curved rods",
    [TD_FEATURE_PIECES] = "pieces and taper",
    [TD_FEATURE_POINT_LOADS] = "point loads",
    [TD_FEATURE_DISTRIBUTED_LOADS] = "distributed loads",
    [TD_FEATURE_FOLLOWER_LOADS] = "follower loads",
    [TD_FEATURE_DRAG] = "drag",
    [TD_FEATURE_BASE_MOTION] = "base motion",
    [TD_FEATURE_MANY_RODS] = "several rods",
    [TD_FEATURE_TENDONS] = "tendons",
    [TD_FEATURE_TENDON_FRICTION] = "tendon friction",
    [TD_FEATURE_CHAMBERS] = "chambers",
    [TD_FEATURE_MOTORS] = "motors",
    [TD_FEATURE_VALVES] = "valves and pumps",
    [TD_FEATURE_MUSCLES] = "muscles",
    [TD_FEATURE_TEMPERATURES] = "temperatures",
    [TD_FEATURE_STIFFENERS] = "stiffness that inputs change",
    [TD_FEATURE_BODIES] = "bodies",
    [TD_FEATURE_JOINTS] = "joints",
    [TD_FEATURE_FEED] = "fed rods",
    [TD_FEATURE_RUBBER] = "rubber (neo-hookean)",
    [TD_FEATURE_FIBRES] = "rubber in every fibre",
    [TD_FEATURE_SUPERELASTIC] = "superelastic alloys",
    [TD_FEATURE_HYSTERESIS] = "hysteresis of bending",
    [TD_FEATURE_RELAXATION] = "materials that relax",
    [TD_FEATURE_POWER_DAMPING] = "damping by a power",
    [TD_FEATURE_MEAN_STRETCH] = "sections by mean stretch",
    [TD_FEATURE_COUPLED_SECTIONS] = "coupled sections",
    [TD_FEATURE_OBSTACLES] = "contact with obstacles",
    [TD_FEATURE_BODY_CONTACT] = "contact of bodies",
    [TD_FEATURE_CARRIED_OBSTACLES] = "obstacles on bodies",
    [TD_FEATURE_PART_CONTACT] = "contact between parts",
    [TD_FEATURE_TUBES] = "concentric tubes",
    [TD_FEATURE_FREE_BASES] = "free bases",
    [TD_FEATURE_DRIVEN_ENDS] = "driven tips and bodies",
    [TD_FEATURE_SPRING_JOINTS] = "prismatic and spring joints",
    [TD_FEATURE_JOINT_MOTORS] = "motors of joints",
    [TD_FEATURE_BODY_JOINTS] = "joints between bodies",
    [TD_FEATURE_MAGNETS] = "magnets in fields",
    [TD_FEATURE_FLUID] = "a fluid around it",
    [TD_FEATURE_ADDED_MASS] = "added mass",
    [TD_FEATURE_JACOBIAN] = "Jacobian",
    [TD_FEATURE_COMPLIANCE] = "compliance",
    [TD_FEATURE_SENSITIVITY] = "sensitivity",
    [TD_FEATURE_STABILITY] = "stability",
    [TD_FEATURE_INVERSE_STATICS] = "inverse statics",
    [TD_FEATURE_COORDINATES] = "coordinates",
    [TD_FEATURE_CHOSEN_STEPS] = "chosen steps",
    [TD_FEATURE_MIDPOINT_STEPS] = "steps that keep momenta",
    [TD_FEATURE_SMALL_MOTIONS] = "small motions, modes",
    [TD_FEATURE_SMALL_MOTIONS_IN_CONTACT] = "small motions on obstacles",
    [TD_FEATURE_GRADIENTS] = "steps' derivatives, gradients",
    [TD_FEATURE_GRADIENTS_IN_CONTACT] = "gradients on obstacles",
    [TD_FEATURE_GRADIENTS_ON_BASES] = "gradients where bases move",
};

int td_n_models(void) {
    return (int)(sizeof models / sizeof models[0]);
}

static const td_model *model_at(int i) {
    return i >= 0 && i < td_n_models() ? models[i] : NULL;
}

const char *td_model_name(int i) {
    return model_at(i) ? model_at(i)->name : NULL;
}

const char *td_model_title(int i) {
    return model_at(i) ? model_at(i)->title : NULL;
}

const char *td_model_reference(int i) {
    return model_at(i) ? model_at(i)->reference : NULL;
}

static bool reads(const td_model *m, const char *group) {
    for (const char *const *r = m->reads; r && *r; r++)
        if (strcmp(*r, group) == 0) return true;
    return false;
}

static bool has(const td_model *m, td_feature part) {
    return m->features >> part & 1u;
}

// What can be asked of it; else what it can represent.
static bool answers(const td_model *m, td_feature feature) {
    switch (feature) {
    case TD_FEATURE_JACOBIAN:
    case TD_FEATURE_COMPLIANCE:
    case TD_FEATURE_SENSITIVITY:
    case TD_FEATURE_STABILITY:
    case TD_FEATURE_INVERSE_STATICS:
    case TD_FEATURE_COORDINATES:
    case TD_FEATURE_SMALL_MOTIONS: return true;
    case TD_FEATURE_CHOSEN_STEPS: return !m->step || reads(m, "integration");
    case TD_FEATURE_GRADIENTS: return !m->step || m->step_slopes;
    case TD_FEATURE_SMALL_MOTIONS_IN_CONTACT: return has(m, TD_FEATURE_OBSTACLES) && m->slopes;
    case TD_FEATURE_GRADIENTS_IN_CONTACT:
        return has(m, TD_FEATURE_OBSTACLES) && m->slopes && answers(m, TD_FEATURE_GRADIENTS);
    case TD_FEATURE_GRADIENTS_ON_BASES:
        return has(m, TD_FEATURE_BASE_MOTION) && answers(m, TD_FEATURE_GRADIENTS);
    default: return has(m, feature);
    }
}

bool td_model_supports(int i, td_feature feature) {
    const td_model *m = model_at(i);
    if (!m || (unsigned)feature >= TD_N_FEATURES) return false;
    return answers(m, feature);
}

const char *td_feature_name(td_feature feature) {
    return (unsigned)feature < TD_N_FEATURES ? feature_names[feature] : NULL;
}

// "space" is a name of "space.nodes".
static bool is_named(const char *const *names, const char *option) {
    for (; names && *names; names++) {
        const size_t n = strlen(*names);
        if (strncmp(option, *names, n) == 0 && (option[n] == '.' || option[n] == '\0')) return true;
    }
    return false;
}

// Every model has a tolerance, is told which one it is, and leaves to the run what is not a model's; one
// without steps of its own takes those of src/solve.
static bool names(const td_model *model, const sim_option *option) {
    static const char *const all[] = {"model", "seed", "solver.tolerance", "solver.max_iterations",
                                      NULL};
    static const char *const without_steps[] = {"integration", NULL};
    if (option_is_of_run(option)) return true;
    const char *name = option->path + strlen("simulation.");
    return is_named(all, name) || is_named(model->reads, name) ||
           (!model->step && is_named(without_steps, name));
}

bool model_reads(const td_model *model, const sim_option *option, const td_options *options) {
    return names(model, option) && option_applies(option, &(plan){.options = *options});
}

bool td_reads_option(const td_options *options, const char *path) {
    const td_model *model = options ? model_find(options->model) : NULL;
    const sim_option *o = model && path ? sim_option_find(path) : NULL;
    return o && model_reads(model, o, options);
}

const td_model *model_find(const char *name) {
    for (int i = 0; i < td_n_models(); i++)
        if (strcmp(models[i]->name, name) == 0) return models[i];
    return NULL;
}
