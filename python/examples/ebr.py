"""ebr: elastic segments in relative states. A rubber cord, let go from straight, swings under
its weight."""
import tendril

robot = tendril.Robot("cord")
robot.add_rod("cord", length=0.2, youngs_modulus=1e6, poisson_ratio=0.5, density=1100, radius=6e-3,
              damping_time=5e-3, base={"direction": (1, 0, 0)})
result = tendril.run(robot, model="ebr", lumped={"segments": 8}, start="straight", step=2e-3,
                     end=0.4)

lowest = result.tip()[:, 2].argmin()
print(f"lowest at t = {result.time[lowest]:.3f} s: tip z {result.tip()[lowest, 2]:.4f} m")
print(f"energy drift {result.energy_drift:.2e} J of {abs(result.energy.gravity).max():.2e} J")
