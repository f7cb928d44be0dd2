// study/study.c - what a study is asked, and where its cases lie: see tendril/study.h.
#include "study/study.h"

#include <stdlib.h>

void td_study_destroy(td_study *s) {
    if (!s) return;
    td_system_destroy(s->system);
    td_robot_destroy(s->robot);
    tree_free(&s->t);
    free(s);
}

const char *td_study_name(const td_study *s) {
    return s->name;
}

const char *td_study_source(const td_study *s) {
    return s->text;
}

const td_robot *td_study_robot(const td_study *s) {
    return s->robot;
}

unsigned long long td_study_fingerprint(const td_study *s) {
    return s->fingerprint;
}

static const char *word_of(const choice *choices, int value) {
    while (choices->name && choices->value != value) choices++;
    return choices->name ? choices->name : "";
}

const char *td_study_action(const td_study *s) {
    return word_of(action_choices, (int)s->action);
}

const char *td_study_method(const td_study *s) {
    return word_of(method_choices, (int)s->method);
}

int td_study_n_parameters(const td_study *s) {
    return s->n_parameters;
}

td_study_column td_study_parameter(const td_study *s, int i) {
    if (i < 0 || i >= s->n_parameters) return (td_study_column){"", "", "", NULL, 0, 0};
    const study_parameter *p = &s->parameters[i];
    const bool words = p->d.kind == DISTRIBUTION_CHOICES;
    return (td_study_column){.name = p->name,
                             .unit = p->unit,
                             .text = p->n_paths ? p->paths[0]
                                     : p->input ? p->input
                                                : "",
                             .choices = words ? p->d.choices : NULL,
                             .n_choices = words ? p->d.n : 0,
                             .n_grid = s->method == SAMPLE_GRID ? p->count : 0};
}

int td_study_n_results(const td_study *s) {
    return s->n_results;
}

td_study_column td_study_result(const td_study *s, int i) {
    if (i < 0 || i >= s->n_results) return (td_study_column){"", "", "", NULL, 0, 0};
    const study_result *r = &s->results[i];
    return (td_study_column){.name = r->name, .unit = r->unit, .text = r->text};
}

// ---------------------------------------------------------------- cases
long long td_study_n_cases(const td_study *s) {
    return s->n_cases;
}

long long td_study_n_base(const td_study *s) {
    return s->method == SAMPLE_SALTELLI ? s->count : 0;
}

// The last parameter goes fastest.
static void grid_case(const td_study *s, long long index, double *values) {
    for (int i = s->n_parameters - 1; i >= 0; i--) {
        const study_parameter *p = &s->parameters[i];
        values[i] = distribution_grid(&p->d, (int)(index % p->count), p->count);
        index /= p->count;
    }
}

// Block 0 is A, block 1 is B: columns of one sequence in twice as many dimensions; block 2 + i is A with column i of B.
static int dimension_of(const td_study *s, long long index, int parameter) {
    if (s->method != SAMPLE_SALTELLI) return parameter;
    const long long block = index / s->count;
    return block == 1 || block == 2 + parameter ? s->n_parameters + parameter : parameter;
}

void td_study_get_case(const td_study *s, long long index, double *values) {
    if (s->method == SAMPLE_GRID) {
        grid_case(s, index, values);
        return;
    }
    for (int i = 0; i < s->n_parameters; i++) {
        const double u = unit_sample(s->method, (uint64_t)s->seed, index % s->count, s->count,
                                     dimension_of(s, index, i));
        values[i] = distribution_quantile(&s->parameters[i].d, u);
    }
}
