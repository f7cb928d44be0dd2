// study/study_keys.c - the keys of a study file, each with its type, default and meaning: see robot/file_keys.c.
// Tables:
// clang-format off
#include "study/study_keys.h"

const choice action_choices[] = {{"none", ACTION_NONE}, {"statics", ACTION_STATICS}, {"run", ACTION_RUN},
                                 {"modes", ACTION_MODES}, {"reach", ACTION_REACH}, {0}};
const choice method_choices[] = {{"grid", SAMPLE_GRID}, {"random", SAMPLE_RANDOM}, {"latin", SAMPLE_LATIN},
                                 {"sobol", SAMPLE_SOBOL}, {"saltelli", SAMPLE_SALTELLI}, {0}};

static const choice aim_choices[] = {{"auto", AIM_AUTO}, {"slsqp", AIM_SLSQP}, {"mma", AIM_MMA}, {"cobyla", AIM_COBYLA},
                                     {"bobyqa", AIM_BOBYQA}, {"subplex", AIM_SUBPLEX}, {"direct", AIM_DIRECT},
                                     {"isres", AIM_ISRES}, {0}};

static const value_type type_kept = {"mapping", keep_node};
static const value_type type_any = {"quantity", keep_node};  // read by hand: its unit is that of the path
static const value_type type_pair_of_any = {"[low, high]", keep_node};
static const value_type type_list_of_any = {"list of quantities", keep_node};
static const value_type type_words = {"list of words", keep_node};
static const value_type type_paths = {"path or list of paths", keep_node};
static const value_type type_expressions = {"expressions by name", keep_node};
static const value_type type_position = {"[x, y, z], each an expression", keep_node};
static const value_type type_bounds = {"list of comparisons", keep_node};
static const value_type type_times = {"list of times", keep_node};
static const value_type type_names = {"list of names", keep_node};

#define AT(field) offsetof(normal_draft, field)
static const key normal_keys[] = {
    {"mean", &type_any, NULL, "the value in the robot file", "mean", AT(mean), 0, 0},
    {"deviation", &type_any, NULL, REQUIRED, "standard deviation; `5 %`: of the mean", AT(deviation), 0, 0},
    {"low", &type_any, NULL, "none", "lower truncation", AT(low), 0, 0},
    {"high", &type_any, NULL, "none", "upper truncation", AT(high), 0, 0},
};
const mapping normal_mapping = {"parameters.NAME.normal", "A normal distribution, truncated at `low` and `high`.",
                                KEYS(normal_keys), 0, 0};
static const key lognormal_keys[] = {
    {"median", &type_any, NULL, "the value in the robot file", "median", AT(mean), 0, 0},
    {"deviation", &type_any, NULL, REQUIRED, "standard deviation of the natural logarithm, a plain number", AT(deviation), 0, 0},
    {"low", &type_any, NULL, "none", "lower truncation", AT(low), 0, 0},
    {"high", &type_any, NULL, "none", "upper truncation", AT(high), 0, 0},
};
const mapping lognormal_mapping = {"parameters.NAME.lognormal", "A number whose logarithm is normal.",
                                   KEYS(lognormal_keys), 0, 0};
#undef AT

#define AT(field) offsetof(parameter_draft, field)
static const key parameter_keys[] = {
    {"path", &type_paths, NULL, "none", "path of the value in the robot file; several paths get the same value", AT(path), 0, 0},
    {"input", &type_text, NULL, "none", "or the name of an input, which is then constant", AT(input), 0, 0},
    {"knots", &type_times, NULL, "none",
     "times at which the input has values, linear in between; each is a parameter, NAME.1 and so on", AT(knots), 0, 0},
    {"from", &type_any, NULL, "none", "with `knots`: fixed value of the input at time 0", AT(from), 0, 0},
    {"start", &type_any, NULL, "the value in the robot file, else the middle", "starting value of a search", AT(start), 0, 0},
    {"range", &type_pair_of_any, NULL, "-", "uniform between two values", AT(range), 0, 0},
    {"log", &type_flag, NULL, "false", "with `range`: uniform in the logarithm", AT(log), 0, 0},
    {"normal", &type_kept, NULL, "-", "normal distribution", AT(normal), 0, &normal_mapping},
    {"lognormal", &type_kept, NULL, "-", "log-normal distribution", AT(lognormal), 0, &lognormal_mapping},
    {"tolerance", &type_any, NULL, "-",
     "the value in the robot file plus or minus this (`0.1 mm`, `5 %`): normal with a third of it as standard deviation, truncated there",
     AT(tolerance), 0, 0},
    {"values", &type_list_of_any, NULL, "-", "one of these", AT(values), 0, 0},
    {"choices", &type_words, NULL, "-", "one of these words; in tables its number, from 0", AT(choices), 0, 0},
    {"count", &type_count, NULL, "11", "number of values in a grid", AT(count), 0, 0},
};
const mapping parameter_mapping = {"parameters.NAME",
                                   "A parameter, with one of range, normal, lognormal, tolerance, values and choices. Without `path` and `input` it is used in expressions only.",
                                   KEYS(parameter_keys), 0, 0};
#undef AT

#define AT(field) offsetof(samples_draft, field)
static const key samples_keys[] = {
    {"method", &type_choice, NULL, "sobol",
     "`grid`: all combinations; `random`; `latin`: hypercube; `sobol`: Sobol's sequence; `saltelli`: blocks of it for "
     "indices of sensitivity",
     AT(method), method_choices, 0},
    {"count", &type_count, NULL, "1000", "number of cases; for `saltelli` in each of its blocks (number of parameters + 2)",
     AT(count), 0, 0},
    {"seed", &type_count, NULL, "1", "seed of the samples; 0: Sobol's sequence without scrambling", AT(seed), 0, 0},
};
const mapping samples_mapping = {"samples", "How cases are chosen.", KEYS(samples_keys), 0, 0};
#undef AT

#define AT(field) offsetof(reach_draft, field)
static const key reach_keys[] = {
    {"body", &type_text, NULL, "none", "the free body to move", AT(body), 0, 0},
    {"point", &type_text, NULL, "tip", "or a point of a rod: `tip`, `rod.arm.50 %`", AT(point), 0, 0},
    {"position", &type_position, NULL, REQUIRED, "target position, world", AT(position), 0, 0},
    {"rotation", &type_position, NULL, "free", "target orientation as a rotation vector", AT(rotation), 0, 0},
    {"inputs", &type_names, NULL, "all", "inputs that may change", AT(inputs), 0, 0},
};
const mapping reach_mapping = {"reach", "The target of action `reach`.", KEYS(reach_keys), 0, 0};
#undef AT

#define AT(field) offsetof(result_draft, field)
static const key result_keys[] = {
    {"value", &type_text, NULL, REQUIRED, "the expression", AT(value), 0, 0},
    {"unit", &type_text, NULL, "as the expression has it", "SI", AT(unit), 0, 0},
};
const mapping result_mapping = {"results.NAME", "A result: an expression, or", KEYS(result_keys), 0, 0};
#undef AT

#define AT(field) offsetof(aim_draft, field)
static const key aim_keys[] = {
    {"minimise", &type_text, NULL, "-", "expression of parameters and results to minimise", AT(minimise), 0, 0},
    {"maximise", &type_text, NULL, "-", "or to maximise", AT(maximise), 0, 0},
    {"subject_to", &type_bounds, NULL, "none", "constraints: `give <= 2 mm/N`, `x >= y`, `z = 0.1 m`", AT(subject_to), 0, 0},
    {"method", &type_choice, NULL, "auto",
     "with derivatives `slsqp` (the choice of `auto`) and `mma`; without `cobyla`, `bobyqa` and `subplex`; global `direct` and `isres`",
     AT(method), aim_choices, 0},
    {"tolerance", &type_quantity, "", "1e-7", "ends when a step changes parameters by less than this share of their ranges, or the objective by less than this share of itself",
     AT(tolerance), 0, 0},
    {"iterations", &type_count, NULL, "500", "largest number of steps of the search", AT(most), 0, 0},
};
const mapping aim_mapping = {"optimise", "The objective of a search. Parameters have a `range`; those with `values` or `choices` are tried in all combinations.",
                             KEYS(aim_keys), 0, 0};
#undef AT

#define AT(field) offsetof(study_draft, field)
static const key study_root_keys[] = {
    {"study", &type_count, NULL, REQUIRED, "version of the format: 1", AT(version), 0, 0},
    {"name", &type_text, NULL, "empty", "title", AT(name), 0, 0},
    {"description", &type_text, NULL, "empty", "free text", AT(description), 0, 0},
    {"robot", &type_text, NULL, "none", "the robot file; without one, results are expressions of parameters alone", AT(robot), 0, 0},
    {"set", &type_expressions, NULL, "none", "values of the robot file, by path, as expressions of parameters", AT(set), 0, 0},
    {"parameters", &type_named, NULL, REQUIRED, "parameters that vary", AT(parameters), 0, &parameter_mapping},
    {"samples", &type_mapping, NULL, "all defaults", "how cases are chosen", AT(samples), 0, &samples_mapping},
    {"action", &type_choice, NULL, "statics; without a robot none", "computation for each case", AT(action), action_choices, 0},
    {"time", &type_quantity, "s", "just before 0", "time at which the inputs are taken; not for `run`", AT(time), 0, 0},
    {"reach", &type_kept, NULL, "-", "the target of action `reach`", AT(reach), 0, &reach_mapping},
    {"optimise", &type_kept, NULL, "-", "objective of `tendril optimise`", AT(optimise), 0, &aim_mapping},
    {"results", &type_named, NULL, REQUIRED, "results kept of each case: expressions by name", AT(results), 0, &result_mapping},
};
const mapping study_mapping = {"top level", "The study.", KEYS(study_root_keys), 0, 0};
#undef AT
