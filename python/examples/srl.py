"""srl: a series of rigid links, in coordinates of its joints: put somewhere and let go."""
import tendril

robot = tendril.Robot("chain", gravity=(0, 0, 0))
robot.add_rod("chain", length=0.2, youngs_modulus=1e6, poisson_ratio=0.5, density=1100, radius=6e-3,
              damping_time=10e-3)
robot.add_tendon("pull", offset=(5e-3, 0))
system = tendril.System(robot, model="srl", lumped={"segments": 6})
state = system.state()
state.inputs["pull"] = 0.5
state.statics()
print(f"{system.model} holds the tip at x = {1e3 * state.pose().p[0]:.2f} mm")

state.inputs["pull"] = 0.0
state.restart()
for _ in range(4):
    state.step(1e-3, 20)
    print(f"t = {state.time:.2f} s: x = {1e3 * state.pose().p[0]:.2f} mm")
