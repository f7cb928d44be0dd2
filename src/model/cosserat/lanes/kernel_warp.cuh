// model/cosserat/lanes/kernel_warp.cuh - teams in the warps of a GPU: part of gpu.cu, once for each number of nodes.
#define WARP_TEAMS (32 / KERNEL_NODES)
#define BLOCK_TEAMS (KERNEL_WARPS * WARP_TEAMS)

// What a team has together. Banks: a number of a node and that of the next are an odd number of words apart, those of one
// team and the next KERNEL_BANKS (modulo 16), so that a warp meets each bank as seldom as can be.
struct team_numbers {
    kernel_node nodes[KERNEL_NODES];
    lane matrix[KERNEL_NODES][9 * KERNEL_NODES | 1];
    lane x[KERNEL_UNKNOWNS], residual[KERNEL_UNKNOWNS];
    kernel_bound bounds[KERNEL_BOUNDS];
};
#define TEAM_WORDS ((int)(sizeof(team_numbers) / sizeof(lane)))
struct team_room {
    team_numbers team;
    lane rest[(KERNEL_BANKS + 16 - TEAM_WORDS % 16 - 1) % 16 + 1];
};

__global__ void __launch_bounds__(32 * KERNEL_WARPS, KERNEL_BLOCKS)
    step_all(const __grid_constant__ lane_plan plan, const __grid_constant__ formula_values formula,
             const __grid_constant__ device_arrays to, int n) {
    for (int i = threadIdx.x; i < plan.n_numbers; i += 32 * KERNEL_WARPS) tables[i] = to.numbers[i];
    __syncthreads();
    const int warp = threadIdx.x / 32, in_warp = threadIdx.x % 32 / KERNEL_NODES;
    const int first = blockIdx.x * BLOCK_TEAMS + warp * WARP_TEAMS, robot = first + in_warp;
    if (in_warp >= WARP_TEAMS || robot >= n) return;
    team_numbers *team =
        &((team_room *)(tables + plan.n_numbers))[warp * WARP_TEAMS + in_warp].team;
    kernel k;
    kernel_motion m;
    kernel_formula f;
    lane corrections;
    for (int i = 0; i < 3; i++)
        f.c[i] = formula.c[FORMULA_C + i], f.guess[i] = formula.c[FORMULA_GUESS + i];
    f.d1 = formula.c[FORMULA_D1], f.on = to.on ? to.on[robot] : 1.0;
    k.plan = &plan, k.t = tables, k.given = to.given + robot, k.record = to.records + robot,
    k.stride = (size_t)n;
    k.node = threadIdx.x % 32 % KERNEL_NODES;
    k.mates = 0xffffffffu >> (32 - min(WARP_TEAMS, n - first) * KERNEL_NODES);
    m.nodes = team->nodes, m.bounds = team->bounds, m.x = team->x, m.residual = team->residual;
    const lane_mask good = step_team(&k, &m, team->matrix[k.node], &f, &corrections, 3);
    if (!TEAM_LEADS(&k)) return;
    to.arrived[robot] = good != 0;
    if (!good && f.on != 0.0) atomicAdd(to.missed, 1);
}

static robot_kernel kernel_of_warps(void) {
    robot_kernel out;
    out.step = step_all, out.threads = 32 * KERNEL_WARPS;
    out.per_block = BLOCK_TEAMS, out.room = BLOCK_TEAMS * sizeof(team_room);
    return out;
}

#undef WARP_TEAMS
#undef BLOCK_TEAMS
#undef TEAM_WORDS
