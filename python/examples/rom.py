"""rom: polynomials of a few coefficients; the answer settles quickly with their order."""
import tendril

robot = tendril.Robot("finger", gravity=(0, 0, 0))
robot.add_rod("finger", length=0.1, youngs_modulus=200e3, poisson_ratio=0.5, density=1000, radius=15e-3)
robot.add_chamber("air", offset=(-8e-3, 0), radius=3e-3)

for model in ("rom", "cosserat"):
    state = tendril.System(robot, model=model).state()
    state.inputs["air"] = 30e3
    state.statics()
    print(f"{model:8} tip x {1e3 * state.pose().p[0]:.4f} mm")
