"""constant_curvature: two arcs follow a motion by computed torque; which tensions does it take?"""
import numpy as np

import tendril

robot = tendril.Robot("two arcs")
robot.add_rod("arm", length=0.48, youngs_modulus=15e6, poisson_ratio=0.5, density=320.0,
              radius=32.5e-3, stiffness={"bending": 0.25}, damping={"bending": 0.05})
for k in range(3):
    angle = 2 * np.pi * k / 3
    offset = 32.5e-3 * np.array((np.cos(angle), np.sin(angle)))
    robot.add_tendon(f"lower{k}", offset=offset, end=0.24, pushes=True)
    robot.add_tendon(f"upper{k}", offset=offset, start=0.24, pushes=True)

system = tendril.System(robot, model="constant_curvature", theory="kirchhoff")
state = system.state()
state.statics()
q0, _ = state.coordinates()
print(system.n_coordinates, "coordinates:", q0.round(4))

goal, T, dt = q0 + (0.3, 0.0, -0.2, 0.1), 0.5, 1e-3
for i in range(round(T / dt)):
    x = (i + 1) * dt / T  # a quintic: at rest at both ends
    s, s_t = x**3 * (10 - 15 * x + 6 * x * x), 30 * x**2 * (1 - x)**2
    s_tt = 60 * x * (1 - x) * (1 - 2 * x)
    way = goal - q0
    tensions = state.inverse_efforts(q0 + s * way, s_t / T * way, s_tt / T**2 * way)
    state.inputs.update(zip(system.tendons, tensions))
    state.step(dt)
print(f"off the goal by {np.abs(state.coordinates()[0] - goal).max():.1e} rad, without feedback")
