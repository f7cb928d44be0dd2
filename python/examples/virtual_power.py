"""virtual_power: discs on an elastic core, pulled by a tendon that rubs on the discs."""
import tendril

robot = tendril.Robot("discs", gravity=(0, 0, 0))
robot.add_rod("core", length=0.24, youngs_modulus=210e9, poisson_ratio=0.3, density=7850,
              radius=0.52e-3, envelope=15e-3, damping_time=20e-3)
for k in range(1, 9):
    robot.add_body(f"disc{k}", rod="core", at=0.03 * k, mass=1.5e-3, inertia=(83e-9, 83e-9, 165e-9),
                   radius=15e-3, height=2e-3)
robot.add_tendon("pull", offset=(12.5e-3, 0), friction=0.2,
                 value=robot.add_input("pull", "N", tendril.signals.ramp(to=3.0, duration=1.0)))

for model in ("virtual_power", "cosserat"):
    result = tendril.run(robot, model=model, step=2e-3, end=0.9)
    pull = result.tendons["pull"]
    print(f"{model:14} tip x {result.tip()[-1, 0]:.4f} m, tension {pull.tension[-1]:.2f} N at the "
          f"base, {pull.end_tension[-1]:.2f} N at the tip")
