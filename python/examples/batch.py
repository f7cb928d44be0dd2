"""Many states at once: the workspace of a three-tendon arm, then the same arms stepped on all
cores."""
import time

import numpy as np

import tendril

robot = tendril.Robot("arm")
robot.add_rod("arm", length=0.3, youngs_modulus=60e9, poisson_ratio=0.33, density=6450,
              radius=0.6e-3, damping_time=5e-3)
for k in range(3):
    angle = 2 * np.pi * k / 3
    robot.add_tendon(f"t{k}", offset=(8e-3 * np.cos(angle), 8e-3 * np.sin(angle)))

batch = tendril.Batch(tendril.System(robot, nodes=6), 200)
batch.inputs[:] = np.random.default_rng(1).uniform(0.0, 3.0, batch.inputs.shape)
batch.statics()
tips = batch.sample().position
print("tips within", tips.min(0).round(3), "and", tips.max(0).round(3), "m")

batch.inputs[:] = 0.0
start = time.perf_counter()
batch.step(2e-3, 50)
took = time.perf_counter() - start
print(f"{len(batch) * 50} steps in {took:.2f} s")
