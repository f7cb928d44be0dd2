"""cosserat: an arm of nitinol with two tendons reaches for a point, then
swings back when it is let go."""
import numpy as np

import tendril

robot = tendril.Robot("arm")
robot.add_rod("arm", length=0.3, youngs_modulus=60e9, poisson_ratio=0.33, density=6450,
              radius=0.6e-3, damping_time=5e-3)
robot.add_tendon("east", offset=(8e-3, 0))
robot.add_tendon("north", offset=(0, 8e-3))

state = tendril.System(robot, model="cosserat", nodes=6, scheme="sdirk2").state()
state.inputs[:] = (1.5, 1.0)
state.statics()
goal = state.pose().p
print("tip", goal.round(4), "stable" if state.stability() > 0 else "unstable")
print("m/N of the tip against each tension:", state.jacobian()[3:].round(4).tolist())

state.inputs[:] = (0.2, 0.2)
state.statics()
pulls = state.reach(goal, steps=4)
print("back there by inverse statics:", {name: round(value, 4) for name, value in pulls.items()})

state.inputs[:] = (0.0, 0.0)
for _ in range(5):
    state.step(2e-3, 50)
    print(f"t = {state.time:.1f} s, tip {np.round(state.pose().p, 4)}")
