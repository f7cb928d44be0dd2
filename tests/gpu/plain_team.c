// tests/gpu/plain_team.c - threads of a team, one after the other on a processor: each runs until it meets the others,
// upwards and downwards in turn: what is read must have been written before they met, and not again since.
#define LANE_WIDTH 1
#include "plain_team.h"

#include <stdlib.h>
#include <ucontext.h>

#define KERNEL_TEAM
#define EACH_NODE(i, n) for (int i = k->node, meant = (n) > 0; meant; meant = 0)
#define OWN(node) 0
#define TEAM_MEETS(k) ((void)(k), meet())
#define TEAM_ANY(k, mask) lane_any(mask)
#define TEAM_LEADS(k) ((k)->node == 0)

#define KERNEL_NODES PLAN_NODES
#define KERNEL_UNKNOWNS PLAN_UNKNOWNS
#define KERNEL_ELEMENTS 1
#define KERNEL_APART 1
#define n_nodes_of(plan) ((plan)->n_nodes)
#define n_nodes_in(element) ((element)->n)
#define KERNEL_LOOP
#define KERNEL_UNROLLED
#define CARRIES(element, what) ((element)->what)

#define STACK (256 * 1024)

static struct {
    ucontext_t caller, threads[24];
    int n, current, finished;
    int reverse;  // who comes next
} team;

static int next(void) {
    return (team.current + (team.reverse ? team.n - 1 : 1)) % team.n;
}

// Hands over to the next thread; when this one goes on, all have come here.
static void meet(void) {
    const int from = team.current;
    team.current = next();
    swapcontext(&team.threads[from], &team.threads[team.current]);
}

#include "model/cosserat/lanes/kernel.h"

typedef struct team_step {
    const lane_plan *plan;
    double *record, *result;
    const double *formula, *given;
    kernel_node nodes[PLAN_NODES];
    kernel_bound bounds[2];
    lane x[PLAN_UNKNOWNS], residual[PLAN_UNKNOWNS];
} team_step;

static team_step together;

static void run_thread(void) {
    kernel k = {.plan = together.plan,
                .t = together.plan->numbers,
                .given = together.given,
                .record = together.record,
                .stride = 1,
                .node = team.current};
    kernel_motion m = {.nodes = together.nodes,
                       .bounds = together.bounds,
                       .x = together.x,
                       .residual = together.residual};
    const double *f = together.formula;
    const kernel_formula formula = {
        .c = {f[0], f[1], f[2]},
        .d1 = f[FORMULA_D1],
        .guess = {f[FORMULA_GUESS], f[FORMULA_GUESS + 1], f[FORMULA_GUESS + 2]},
        .on = f[FORMULA_ON]};
    lane J[3 * PLAN_UNKNOWNS];
    step_team(&k, &m, J, &formula, together.result, 3);
    if (++team.finished < team.n) {
        team.current = next();
        setcontext(&team.threads[team.current]);
    }
}

void step_by_team(const lane_plan *plan, double *record, const double *formula, const double *given,
                  double *result) {
    char *stacks = malloc((size_t)plan->n_nodes * STACK);
    if (!stacks) abort();
    together.plan = plan, together.record = record, together.result = result;
    together.formula = formula, together.given = given;
    team.n = plan->n_nodes, team.current = 0, team.finished = 0, team.reverse ^= 1;
    for (int i = 0; i < team.n; i++) {
        getcontext(&team.threads[i]);
        team.threads[i].uc_stack.ss_sp = stacks + (size_t)i * STACK;
        team.threads[i].uc_stack.ss_size = STACK;
        team.threads[i].uc_link = &team.caller;
        makecontext(&team.threads[i], run_thread, 0);
    }
    swapcontext(&team.caller, &team.threads[0]);
    free(stacks);
}
