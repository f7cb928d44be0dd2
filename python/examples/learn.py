"""A tendon arm learns to follow a moving point with its tip while it carries a payload of unknown
mass. The policy is a matrix of 20 numbers; a plain evolution strategy improves it, on many arms at
once, each with another payload and another path.

    learn.py [PICTURE.png] [--generations N]

draws the learning curve with gnuplot.
"""
import subprocess
import sys
from pathlib import Path

import numpy as np

import tendril

ARM = """
tendril: 1
name: arm with a payload
rods:
  - name: arm
    length: 0.25
    material: {youngs_modulus: 207 GPa, poisson_ratio: 0.3, density: 38000}
    section: {radius: 0.5 mm}
    damping: {bending: 2e-4 N m^2 s, torsion: 2e-4 N m^2 s}
    base: {direction: [1, 0, 0]}
bodies:
  - {name: payload, on: arm, at: tip, mass: 4 g}
tendons:
  - {name: east, offset: [8 mm, 0]}
  - {name: north, offset: [0, 8 mm]}
  - {name: west, offset: [-8 mm, 0]}
  - {name: south, offset: [0, -8 mm]}
simulation: {theory: kirchhoff, time: {scheme: bdf2, step: 5 ms, end: 1 s}, space: {nodes: 4}}
"""
PAYLOAD = (0.0005, 0.008)  # kg
PULL = 3.0                 # N, at most, beside 0.5 N that are always there
DT, SUBSTEPS, HORIZON = 5e-3, 4, 60  # an action lasts 20 ms, an episode 1.2 s
PAIRS, TASKS = 16, 8       # policies of a generation are pairs; tasks that each is tried on
STEP, RATE = 0.15, 0.3     # of the evolution strategy


def circle(rng):
    """A path: radius (m), turns per second, and where on it to begin."""
    return rng.uniform(0.02, 0.04), rng.choice([-1, 1]) * rng.uniform(0.3, 0.6), rng.uniform(0, 6.28)


def target(env, ahead=0):
    """Where the tip should be now, y and z (m), and its velocity."""
    radius, speed, phase = env.goal.T
    angle = phase + 2 * np.pi * speed * DT * SUBSTEPS * (env.elapsed + ahead)
    place = radius * np.array([np.cos(angle), np.sin(angle)])
    return place.T, (2 * np.pi * speed * np.array([-place[1], place[0]])).T


def observe(env):
    """Of y and z: error, its sum over time, velocity, and the path ahead; the policy's unit is
    3 cm."""
    samples = env.batch.sample()
    tip = samples.position[:, 1:]
    velocity = np.einsum("nij,nj->ni", samples.R, samples.velocity[:, 3:])[:, 1:]
    place, speed = target(env, ahead=1)
    error = place - tip
    env.sums = np.where(env.elapsed[:, None] > 0, getattr(env, "sums", 0.0), 0.0) + error
    return np.concatenate([error, 0.05 * env.sums, 0.05 * velocity, place, 0.1 * speed], axis=1) / 0.03


def reward(env, action):
    """Minus the distance to the target, m."""
    distance = target(env)[0] - env.batch.sample().position[:, 1:]
    return -np.linalg.norm(distance, axis=1)


def make_env(n, seed, threads=None):
    """n arms; those whose numbers differ by a multiple of TASKS have the same task."""
    system = tendril.System(tendril.Robot.parse(ARM))
    return tendril.Env(system, n, dt=DT, substeps=SUBSTEPS, horizon=HORIZON, high=PULL + 0.5,
                       reward=reward, observe=observe, goal=circle, start="static",
                       randomise={"bodies.payload.mass": PAYLOAD}, failure=-0.25, seed=seed,
                       distinct=TASKS, threads=threads)


def act(policies, seen):
    """Two numbers of each policy (k, 2, features) for its arms, as tensions of four tendons."""
    arms = seen.reshape(len(policies), -1, seen.shape[1])
    pull = PULL * np.tanh(np.einsum("kij,knj->kni", policies, arms)).reshape(-1, 2)
    return 0.5 + np.maximum(np.concatenate([pull, -pull], axis=1), 0.0)


def try_out(env, policies):
    """The mean distance to the target of each policy over an episode, m."""
    seen, total = env.reset()[0], 0.0
    for _ in range(HORIZON):
        seen, gained, *_ = env.step(act(policies, seen))
        total = total - gained
    return total.reshape(len(policies), -1).mean(1) / HORIZON


def learn(generations, seed=1, threads=None):
    """Mean distances (m) of each generation, and the policy."""
    rng = np.random.default_rng(seed)
    env = make_env(2 * PAIRS * TASKS, seed, threads)
    policy = np.zeros((2, env.single_observation_space.shape[0]))
    curve = []
    for _ in range(generations):
        noise = rng.normal(size=(PAIRS,) + policy.shape)
        distances = try_out(env, policy + STEP * np.concatenate([noise, -noise]))
        ranks = np.argsort(np.argsort(-distances)) / (2 * PAIRS - 1) - 0.5  # best: 1/2
        gain = ranks[:PAIRS] - ranks[PAIRS:]
        policy = policy + RATE * np.einsum("k,kij->ij", gain, noise) / PAIRS
        curve.append(distances)
    return np.array(curve), policy


def judge(policy, seed=1000):
    """Its mean distance (m) on tasks that it was not trained on."""
    return float(np.mean([try_out(make_env(TASKS, seed + k), policy[None]) for k in range(4)]))


def draw(picture, curve):
    """The learning curve: best, median and worst of each generation."""
    rows = "\n".join(f"{i} {1e3 * row.min():.6g} {1e3 * np.median(row):.6g} {1e3 * row.max():.6g}"
                     for i, row in enumerate(curve))
    script = f"""set terminal pngcairo size 900,500 font 'sans,11'
$d << EOD
{rows}
EOD
set xlabel 'generation'
set ylabel 'mean distance to the target (mm)'
set yrange [0:*]
set grid lc rgb '#dddddd'
plot $d using 1:2:4 with filledcurves fc rgb '#cfe4f3' title 'best to worst of {2 * PAIRS}', \\
     $d using 1:3 with lines lw 2.5 lc rgb '#0b6fb3' title 'median'
"""
    image = subprocess.run(["gnuplot"], input=script.encode(), capture_output=True, check=True)
    Path(picture).write_bytes(image.stdout)


def main(words):
    """The program."""
    generations = 80
    if "--generations" in words:
        at = words.index("--generations")
        generations = int(words[at + 1])
        del words[at:at + 2]
    before = judge(np.zeros((2, 10)))
    curve, policy = learn(generations)
    print(f"tasks not seen in training: {1e3 * before:.1f} mm from the target with slack hands, "
          f"{1e3 * judge(policy):.1f} mm after {generations} generations")
    if words:
        draw(words[0], curve)


if __name__ == "__main__":
    main(sys.argv[1:])
