// fmi/describe.c - see describe.h. Elements and attributes are those of the standard's schema.
#include "fmi/describe.h"

#include <ctype.h>
#include <string.h>

#include "robot/units.h"

static void put_text(FILE *out, const char *text) {
    for (; *text; text++) {
        switch (*text) {
        case '<': fputs("&lt;", out); break;
        case '>': fputs("&gt;", out); break;
        case '&': fputs("&amp;", out); break;
        case '"': fputs("&quot;", out); break;
        default: fputc((unsigned char)*text < 0x20 ? ' ' : *text, out);
        }
    }
}

static void put(FILE *out, const char *name, const char *text) {
    fprintf(out, " %s=\"", name);
    put_text(out, text);
    fputc('"', out);
}

static void put_number(FILE *out, const char *name, double value) {
    fprintf(out, " %s=\"%.17g\"", name, value);
}

void fmi_identifier(const char *text, char *identifier, size_t size) {
    size_t n = 0;
    if (!isalpha((unsigned char)text[0])) identifier[n++] = 'r';
    for (; *text && n + 1 < size; text++)
        identifier[n++] = (char)(isalnum((unsigned char)*text) ? *text : '_');
    identifier[n] = '\0';
}

// ---------------------------------------------------------------- units
static void put_exponent(FILE *out, const char *name, int exponent) {
    if (exponent) fprintf(out, " %s=\"%d\"", name, exponent);
}

static void put_unit(FILE *out, const char *unit) {
    const dimension d = unit_dimension(unit);
    fputs("    <Unit", out);
    put(out, "name", unit);
    fputs("><BaseUnit", out);
    put_exponent(out, "kg", d.kg);
    put_exponent(out, "m", d.m);
    put_exponent(out, "s", d.s);
    put_exponent(out, "A", d.A);
    put_exponent(out, "K", d.K);
    put_exponent(out, "mol", d.mol);
    put_exponent(out, "rad", d.rad);
    fputs("/></Unit>\n", out);
}

static void put_units(FILE *out, const fmi_variables *v) {
    fputs("  <UnitDefinitions>\n", out);
    for (int i = 0; i < v->n; i++) {
        bool seen = v->all[i].unit[0] == '\0';
        for (int k = 0; k < i && !seen; k++) seen = !strcmp(v->all[k].unit, v->all[i].unit);
        if (!seen) put_unit(out, v->all[i].unit);
    }
    fputs("  </UnitDefinitions>\n", out);
}

// ---------------------------------------------------------------- variables
static const char *about_of(const fmi_variable *one) {
    switch (one->kind) {
    case FMI_TIME: return "time";
    case FMI_INPUT: return "follows its signal in the robot file until it is set";
    case FMI_PARAMETER: return "a number of the robot file, SI";
    case FMI_TURN: return "of the unit quaternion that turns its frame into the world";
    case FMI_READING: return "the latest reading that has arrived";
    case FMI_VALUE: break;
    }
    return "";
}

static double start_of(const fmi_description *d, const fmi_variable *one) {
    double value = 0.0;
    if (one->kind == FMI_INPUT) return td_get_input(d->system, d->state, one->index);
    td_robot_get_number(d->robot, one->name, &value, NULL);
    return value;
}

static void put_causality(FILE *out, const fmi_variable *one) {
    static const char *const words[][2] = {
        [FMI_TIME] = {"independent", "continuous"}, [FMI_INPUT] = {"input", "continuous"},
        [FMI_PARAMETER] = {"parameter", "fixed"},   [FMI_VALUE] = {"output", "continuous"},
        [FMI_TURN] = {"output", "continuous"},      [FMI_READING] = {"output", "discrete"},
    };
    put(out, "causality", words[one->kind][0]);
    put(out, "variability", words[one->kind][1]);
    if (one->kind == FMI_PARAMETER) put(out, "initial", "exact");
    if (one->kind >= FMI_VALUE) put(out, "initial", "calculated");
}

static void put_variable(FILE *out, const fmi_description *d, int reference) {
    const fmi_variable *one = &d->variables->all[reference];
    const bool starts = one->kind == FMI_INPUT || one->kind == FMI_PARAMETER;
    fputs(d->version == 2 ? "    <ScalarVariable" : "    <Float64", out);
    put(out, "name", one->name);
    fprintf(out, " valueReference=\"%d\"", reference);
    if (about_of(one)[0]) put(out, "description", about_of(one));
    put_causality(out, one);
    if (d->version == 2) fputs("><Real", out);
    if (one->unit[0]) put(out, "unit", one->unit);
    if (starts) put_number(out, "start", start_of(d, one));
    fputs(d->version == 2 ? "/></ScalarVariable>\n" : "/>\n", out);
}

// ---------------------------------------------------------------- the whole
static void put_head(FILE *out, const fmi_description *d) {
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription", out);
    put(out, "fmiVersion", d->version == 2 ? "2.0" : "3.0");
    put(out, "modelName", d->name);
    put(out, d->version == 2 ? "guid" : "instantiationToken", d->token);
    if (d->about) put(out, "description", d->about);
    fprintf(out, " generationTool=\"tendril %s\"", td_version());
    put(out, "variableNamingConvention", "flat");
    fputs(">\n", out);
}

static void put_abilities(FILE *out, const fmi_description *d) {
    fputs("  <CoSimulation", out);
    put(out, "modelIdentifier", d->identifier);
    put(out, "canHandleVariableCommunicationStepSize", "true");
    if (d->version == 2) {
        put(out, "canNotUseMemoryManagementFunctions", "true");
        put(out, "canGetAndSetFMUstate", "true");
        put(out, "canSerializeFMUstate", "true");
        put(out, "providesDirectionalDerivative", d->slopes ? "true" : "false");
    } else {
        put(out, "canGetAndSetFMUState", "true");
        put(out, "canSerializeFMUState", "true");
        put(out, "providesDirectionalDerivatives", d->slopes ? "true" : "false");
        put(out, "providesAdjointDerivatives", d->slopes ? "true" : "false");
    }
    fputs("/>\n", out);
}

static void put_experiment(FILE *out, const fmi_description *d) {
    fputs("  <LogCategories>\n", out);
    static const char *const categories[][2] = {
        {"logStatusWarning", "there is an answer, which deserves a look"},
        {"logStatusDiscard", "a step did not happen"},
        {"logStatusError", "a call was wrong, or failed"}};
    for (int i = 0; i < 3; i++) {
        fputs("    <Category", out);
        put(out, "name", categories[i][0]);
        put(out, "description", categories[i][1]);
        fputs("/>\n", out);
    }
    fputs("  </LogCategories>\n  <DefaultExperiment startTime=\"0\"", out);
    put_number(out, "stopTime", d->end);
    put_number(out, "stepSize", d->step);
    fputs("/>\n", out);
}

// FMI 2 counts variables from 1 here.
static void put_structure(FILE *out, const fmi_description *d) {
    const fmi_variables *v = d->variables;
    const bool two = d->version == 2;
    fputs("  <ModelStructure>\n", out);
    if (two && v->n_outputs) fputs("    <Outputs>\n", out);
    for (int i = v->first_output; i < v->n; i++)
        fprintf(out,
                two ? "      <Unknown index=\"%d\"/>\n" : "    <Output valueReference=\"%d\"/>\n",
                two ? i + 1 : i);
    if (two && v->n_outputs) fputs("    </Outputs>\n    <InitialUnknowns>\n", out);
    for (int i = v->first_output; i < v->n; i++)
        fprintf(out,
                two ? "      <Unknown index=\"%d\"/>\n"
                    : "    <InitialUnknown valueReference=\"%d\"/>\n",
                two ? i + 1 : i);
    if (two && v->n_outputs) fputs("    </InitialUnknowns>\n", out);
    fputs("  </ModelStructure>\n", out);
}

void fmi_describe(FILE *out, const fmi_description *d) {
    put_head(out, d);
    put_abilities(out, d);
    put_units(out, d->variables);
    put_experiment(out, d);
    fputs("  <ModelVariables>\n", out);
    for (int i = 0; i < d->variables->n; i++) put_variable(out, d, i);
    fputs("  </ModelVariables>\n", out);
    put_structure(out, d);
    fputs("</fmiModelDescription>\n", out);
}
