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
    {"mean", &type_any, NULL, "what the robot's file says", "the middle", AT(mean), 0, 0},
    {"deviation", &type_any, NULL, REQUIRED, "standard deviation; `5 %`: of the mean", AT(deviation), 0, 0},
    {"low", &type_any, NULL, "none", "nothing lies below", AT(low), 0, 0},
    {"high", &type_any, NULL, "none", "nothing lies above", AT(high), 0, 0},
};
const mapping normal_mapping = {"parameters.NAME.normal", "A normal distribution, cut off where `low` and `high` say so.",
                                KEYS(normal_keys), 0, 0};
static const key lognormal_keys[] = {
    {"median", &type_any, NULL, "what the robot's file says", "half of all lie below", AT(mean), 0, 0},
    {"deviation", &type_any, NULL, REQUIRED, "standard deviation of the natural logarithm, a plain number", AT(deviation), 0, 0},
    {"low", &type_any, NULL, "none", "nothing lies below", AT(low), 0, 0},
    {"high", &type_any, NULL, "none", "nothing lies above", AT(high), 0, 0},
};
const mapping lognormal_mapping = {"parameters.NAME.lognormal", "A number whose logarithm is normal.",
                                   KEYS(lognormal_keys), 0, 0};
#undef AT

#define AT(field) offsetof(parameter_draft, field)
static const key parameter_keys[] = {
    {"path", &type_paths, NULL, "none", "the number of the robot's file that it is; several: all get the same", AT(path), 0, 0},
    {"input", &type_text, NULL, "none", "or the input that it is, constant", AT(input), 0, 0},
    {"knots", &type_times, NULL, "none",
     "times at which the input has values of its own, straight from one to the next: as many parameters, NAME.1 and so on", AT(knots), 0, 0},
    {"from", &type_any, NULL, "none", "of `knots`: what the input is at time 0, always", AT(from), 0, 0},
    {"start", &type_any, NULL, "what the robot's file says, else the middle", "where a search begins", AT(start), 0, 0},
    {"range", &type_pair_of_any, NULL, "-", "even between two values", AT(range), 0, 0},
    {"log", &type_flag, NULL, "false", "of a range: its logarithm is even", AT(log), 0, 0},
    {"normal", &type_later, NULL, "-", "normal", AT(normal), 0, &normal_mapping},
    {"lognormal", &type_later, NULL, "-", "its logarithm is normal", AT(lognormal), 0, &lognormal_mapping},
    {"tolerance", &type_any, NULL, "-",
     "what the robot's file says, give or take this (`0.1 mm`, `5 %`): normal with a third of it as deviation, and cut off there",
     AT(tolerance), 0, 0},
    {"values", &type_list_of_any, NULL, "-", "one of these", AT(values), 0, 0},
    {"choices", &type_words, NULL, "-", "one of these words; in tables its number, from 0", AT(choices), 0, 0},
    {"count", &type_count, NULL, "11", "how many values it has in a grid", AT(count), 0, 0},
};
const mapping parameter_mapping = {"parameters.NAME",
                                   "What varies, by one of range, normal, lognormal, tolerance, values and choices. Without "
                                   "`path` and `input` it counts in expressions only.",
                                   KEYS(parameter_keys), 0, 0};
#undef AT

#define AT(field) offsetof(samples_draft, field)
static const key samples_keys[] = {
    {"method", &type_choice, NULL, "sobol",
     "`grid`: all combinations; `random`; `latin`: hypercube; `sobol`: Sobol's sequence; `saltelli`: blocks of it for "
     "indices of sensitivity",
     AT(method), method_choices, 0},
    {"count", &type_count, NULL, "1000", "cases; of `saltelli` in each of its blocks, of which there are two more than parameters",
     AT(count), 0, 0},
    {"seed", &type_count, NULL, "1", "another number, other samples; 0: Sobol's sequence as it is", AT(seed), 0, 0},
};
const mapping samples_mapping = {"samples", "Where the cases lie.", KEYS(samples_keys), 0, 0};
#undef AT

#define AT(field) offsetof(reach_draft, field)
static const key reach_keys[] = {
    {"body", &type_text, NULL, "none", "the free body that is to be moved", AT(body), 0, 0},
    {"point", &type_text, NULL, "tip", "or a point of a rod: `tip`, `rod.arm.50 %`", AT(point), 0, 0},
    {"position", &type_position, NULL, REQUIRED, "where to, world", AT(position), 0, 0},
    {"rotation", &type_position, NULL, "free", "how turned there: a rotation vector", AT(rotation), 0, 0},
    {"inputs", &type_names, NULL, "all", "inputs that may move", AT(inputs), 0, 0},
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
    {"minimise", &type_text, NULL, "-", "an expression of parameters and results that should be as small as can be", AT(minimise), 0, 0},
    {"maximise", &type_text, NULL, "-", "or one that should be as large", AT(maximise), 0, 0},
    {"subject_to", &type_bounds, NULL, "none", "what must hold: `give <= 2 mm/N`, `x >= y`, `z = 0.1 m`", AT(subject_to), 0, 0},
    {"method", &type_choice, NULL, "auto",
     "`slsqp` (which `auto` takes) and `mma` go by slopes, `cobyla`, `bobyqa` and `subplex` without, `direct` and `isres` look everywhere",
     AT(method), aim_choices, 0},
    {"tolerance", &type_quantity, "", "1e-7", "it ends where a step changes parameters by less of their ranges, or what is minimised by less of itself",
     AT(tolerance), 0, 0},
    {"iterations", &type_count, NULL, "500", "steps of the search, at most", AT(most), 0, 0},
};
const mapping aim_mapping = {"optimise", "What a search is for. Parameters have a `range`; those with `values` or `choices` are tried in all combinations.",
                             KEYS(aim_keys), 0, 0};
#undef AT

#define AT(field) offsetof(study_draft, field)
static const key study_root_keys[] = {
    {"study", &type_count, NULL, REQUIRED, "version of the format: 1", AT(version), 0, 0},
    {"name", &type_text, NULL, "empty", "what people call it", AT(name), 0, 0},
    {"description", &type_text, NULL, "empty", "free text", AT(description), 0, 0},
    {"robot", &type_text, NULL, "none", "the robot file; without one, results are expressions of parameters alone", AT(robot), 0, 0},
    {"set", &type_expressions, NULL, "none", "numbers of the robot's file, by path, that follow from parameters", AT(set), 0, 0},
    {"parameters", &type_named, NULL, REQUIRED, "what varies", AT(parameters), 0, &parameter_mapping},
    {"samples", &type_mapping, NULL, "all defaults", "where the cases lie", AT(samples), 0, &samples_mapping},
    {"action", &type_choice, NULL, "statics; without a robot none", "what is computed of each case", AT(action), action_choices, 0},
    {"time", &type_quantity, "s", "just before 0", "inputs as they are then; not of `run`", AT(time), 0, 0},
    {"reach", &type_later, NULL, "-", "the target of action `reach`", AT(reach), 0, &reach_mapping},
    {"optimise", &type_later, NULL, "-", "what a search is for", AT(optimise), 0, &aim_mapping},
    {"results", &type_named, NULL, REQUIRED, "what is kept of each case: expressions by name", AT(results), 0, &result_mapping},
};
const mapping study_mapping = {"top level", "The study.", KEYS(study_root_keys), 0, 0};
#undef AT
