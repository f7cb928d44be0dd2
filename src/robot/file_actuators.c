// robot/file_actuators.c - actuators in files, whatever their kind.
#include "robot/file_read.h"

#define ROW(word, plural, flag, help) [KIND_##word] = read_##word,
static td_status (*const readers[N_ACTUATOR_KINDS])(reader *, node *) = {ACTUATOR_KINDS(ROW)};
#undef ROW

td_status read_stretch(reader *r, const node *n, const actuator_draft *draft, int *rod,
                       double *from, double *to) {
    td_status status = read_rod_name(r, n, "rod", draft->rod, rod);
    if (status) return status;
    double length = r->robot->rods[*rod].length;
    *from = 0.0, *to = length;
    if (draft->from) status = read_place(r, draft->from, length, from);
    if (!status && draft->to) status = read_place(r, draft->to, length, to);
    return status;
}

td_status read_actuators(reader *r, node *const lists[N_ACTUATOR_KINDS]) {
    td_status status = TD_OK;
    for (int k = 0; k < N_ACTUATOR_KINDS; k++)
        for (node *c = lists[k] ? lists[k]->first : NULL; c && !status; c = c->next)
            status = readers[k](r, c);
    return status;
}
