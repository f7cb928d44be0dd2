"""tubes: two concentric tubes are turned against one another until the pair snaps; where does it?"""
import warnings

import numpy as np

import tendril

robot = tendril.Robot("a pair")
turn, push = robot.add_input("turn", "rad"), robot.add_input("push", "m")
nitinol = {"youngs_modulus": 60e9, "poisson_ratio": 0.3, "density": 6450.0}
robot.add_rod("outer", length=0.1, radius=1.2e-3, inner_radius=0.95e-3, rest_curvature=(8, 0, 0),
              **nitinol)
robot.add_rod("inner", pieces=({"length": 0.05}, {"length": 0.1, "rest_curvature": (25, 0, 0)}),
              radius=0.9e-3, inner_radius=0.6e-3, **nitinol,
              tube={"within": "outer", "rotation": turn, "translation": push - 0.05})

system = tendril.System(robot, model="tubes")
state = system.state()
with warnings.catch_warnings():
    warnings.simplefilter("ignore", tendril.BifurcationWarning)
    for angle in np.radians(np.arange(0, 300, 10)):
        state.inputs["turn"] = angle
        state.statics()
        if state.message:
            print(f"{np.degrees(angle):.0f} deg: {state.message}")
            break
        if round(np.degrees(angle)) % 60 == 0:
            tip = state.pose("inner").p
            print(f"{np.degrees(angle):3.0f} deg: tip {1e3 * tip.round(5)} mm, "
                  f"smallest eigenvalue {state.stability():.3f}")

J = state.jacobian("inner")[3:]
print("tip, mm by degree and by mm pushed:", (1e3 * J[:, 0] * np.pi / 180).round(3), J[:, 1].round(3))
