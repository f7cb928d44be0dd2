// model/cosserat/lanes/kernel_warp.cuh - teams in the warps of a GPU: part of gpu.cu, once for each number of nodes.
#define WARP_TEAMS (32 / KERNEL_NODES)

// What a team has together. A half of a warp reads or writes 16 words at a time, from 16 banks: with a number of a node and that
// of the next s words apart, and those of one team and the next t, all i s + j t of these threads, and all j t of
// the warp, differ modulo 16. KERNEL_APART, KERNEL_ROW and KERNEL_BANKS (t modulo 16) make it so.
struct team_numbers {
    kernel_node nodes[KERNEL_NODES];
    lane matrix[KERNEL_NODES][KERNEL_ROW];
    lane x[KERNEL_UNKNOWNS], residual[KERNEL_UNKNOWNS];
    kernel_bound bounds[KERNEL_BOUNDS];
};
#define TEAM_WORDS ((int)(sizeof(team_numbers) / sizeof(lane)))
struct team_room {
    team_numbers team;
    lane rest[(KERNEL_BANKS + 16 - TEAM_WORDS % 16 - 1) % 16 + 1];
};

constexpr int warps_that_fit = (SHARED_BYTES / KERNEL_BLOCKS - TABLE_BYTES) / (WARP_TEAMS * sizeof(team_room));
constexpr int warps = warps_that_fit < KERNEL_WARPS ? warps_that_fit : KERNEL_WARPS;
constexpr int block_teams = warps * WARP_TEAMS;

template <bool own>  // robots have numbers of their own
__global__ void __launch_bounds__(32 * warps, KERNEL_BLOCKS)
    step_all(const __grid_constant__ lane_plan plan, const __grid_constant__ formula_values formula,
             const __grid_constant__ device_arrays to, int n) {
    for (int i = threadIdx.x; !own && i < plan.n_numbers; i += 32 * warps) tables[i] = to.numbers[i];
    __syncthreads();
    const int warp = threadIdx.x / 32, in_warp = threadIdx.x % 32 / KERNEL_NODES;
    const int first = blockIdx.x * block_teams + warp * WARP_TEAMS, robot = first + in_warp;
    if (in_warp >= WARP_TEAMS || robot >= n) return;
    team_numbers *team =
        &((team_room *)(tables + (own ? 0 : plan.n_numbers)))[warp * WARP_TEAMS + in_warp].team;
    kernel k;
    kernel_motion m;
    kernel_formula f;
    lane result[RESULT_SIZE];
    for (int i = 0; i < 3; i++)
        f.c[i] = formula.c[FORMULA_C + i], f.guess[i] = formula.c[FORMULA_GUESS + i];
    f.d1 = formula.c[FORMULA_D1], f.on = to.on ? to.on[robot] : 1.0, f.jumped = 0.0;
    k.plan = &plan, k.given = to.given + robot, k.record = to.records + robot;
    k.t = (const plan_number *)(own ? to.own + (size_t)robot * plan.n_numbers : tables), k.stride = (size_t)n;
    k.node = threadIdx.x % 32 % KERNEL_NODES;
    k.mates = 0xffffffffu >> (32 - min(WARP_TEAMS, n - first) * KERNEL_NODES);
    m.nodes = team->nodes, m.bounds = team->bounds, m.x = team->x, m.residual = team->residual;
    const lane_mask good = step_team(&k, &m, team->matrix[k.node], &f, result, 3);
    if (!TEAM_LEADS(&k)) return;
    to.arrived[robot] = good != 0;
    if (!good && lane_less(0.0, f.on)) atomicAdd(to.missed, 1);
}

static robot_kernel kernel_of_warps(void) {
    robot_kernel out;
    out.step = step_all<false>, out.step_own = step_all<true>, out.threads = 32 * warps;
    out.per_block = block_teams, out.room = block_teams * sizeof(team_room), out.tables = true;
    return out;
}

#undef WARP_TEAMS
#undef TEAM_WORDS
