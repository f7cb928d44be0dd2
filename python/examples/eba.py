"""eba: a soft finger with a pressure chamber as elastic segments in absolute states; the answer
settles as the segments become more."""
import tendril

robot = tendril.Robot("finger")
robot.add_rod("finger", length=0.1, youngs_modulus=200e3, poisson_ratio=0.5, density=1000,
              radius=15e-3, base={"direction": (0, 1, 0)})
robot.add_chamber("air", offset=(-8e-3, 0), radius=3e-3)

for segments in (2, 4, 8, 16):
    state = tendril.System(robot, model="eba", lumped={"segments": segments}).state()
    state.inputs["air"] = 30e3
    state.statics()
    print(f"{segments:2} segments: tip {(1e3 * state.pose().p).round(4)} mm")

fine = tendril.System(robot, model="cosserat").state()
fine.inputs["air"] = 30e3
fine.statics()
print(f"   cosserat: tip {(1e3 * fine.pose().p).round(4)} mm")
