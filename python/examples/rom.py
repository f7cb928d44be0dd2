"""rom: rods as polynomials of a few coefficients; the answer settles quickly with their order."""
import tendril

robot = tendril.Robot("finger")
robot.add_rod("finger", length=0.1, youngs_modulus=200e3, poisson_ratio=0.5, density=1000,
              radius=15e-3, base={"direction": (0, 1, 0)})
robot.add_chamber("air", offset=(-8e-3, 0), radius=3e-3)

for order in (1, 2, 3, 4):
    state = tendril.System(robot, model="rom", rom={"order": order}).state()
    state.inputs["air"] = 30e3
    state.statics()
    print(f"order {order}:  tip {(1e3 * state.pose().p).round(4)} mm")

fine = tendril.System(robot, model="cosserat").state()
fine.inputs["air"] = 30e3
fine.statics()
print(f"cosserat: tip {(1e3 * fine.pose().p).round(4)} mm")
