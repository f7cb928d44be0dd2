"""A run of a robot as a function of torch.autograd: inputs of all steps in, outputs of all steps out, gradients by the
adjoint sweep. Where torch is not installed the same numbers are found with NumPy.

    python torch_bridge.py
"""
import numpy as np

import tendril

try:
    import torch
except ImportError:
    torch = None

STEP, STEPS = 10e-3, 50


class Run:
    """Outputs over a run, and the product of a vector with their Jacobian: what a framework for gradients wants."""

    def __init__(self, start, outputs, steps, dt):
        self.start, self.dt = start, dt
        self.gradient = tendril.Gradient(start.system, outputs, steps=steps)

    def forward(self, inputs):
        """y (steps, n_outputs) of inputs (steps, n_inputs)."""
        return self.gradient.run(self.start, inputs, self.dt)

    def backward(self, by_outputs):
        """dJ/dinputs of dJ/dy; for the inputs of the last `forward`."""
        return self.gradient.adjoint(by_outputs).inputs


if torch:
    class Motion(torch.autograd.Function):
        """y = Motion.apply(inputs, run), in double precision."""

        @staticmethod
        def forward(context, inputs, run):
            context.run, context.inputs = run, inputs.detach().numpy().copy()
            return torch.from_numpy(run.forward(context.inputs))

        @staticmethod
        def backward(context, by_outputs):
            context.run.forward(context.inputs)  # another run may have come between
            return torch.from_numpy(context.run.backward(by_outputs.numpy())), None


def cost_by_torch(run, inputs, wanted):
    """sum (y - wanted)^2 and its gradient, by torch."""
    u = torch.tensor(inputs, dtype=torch.float64, requires_grad=True)
    J = torch.sum((Motion.apply(u, run) - torch.from_numpy(wanted))**2)
    J.backward()
    return J.item(), u.grad.numpy()


def cost_by_numpy(run, inputs, wanted):
    """The same by hand."""
    miss = run.forward(inputs) - wanted
    return np.sum(miss**2), run.backward(2 * miss)


robot = tendril.Robot("arm")
robot.add_rod("arm", length=0.3, youngs_modulus=1e6, poisson_ratio=0.45, density=1100, radius=8e-3,
              damping_time=0.03, base={"position": (0, 0, 0.3), "direction": (0, 0, -1)})
robot.add_tendon("pull", offset=(6e-3, 0))
start = tendril.System(robot, model="constant_curvature", tolerance=1e-12).state()
start.statics()
run = Run(start, ["tip.position"], STEPS, STEP)
inputs = 1 + 0.5 * np.sin(0.2 * np.arange(STEPS))[:, None]
wanted = np.tile([0.05, 0.0, 0.02], (STEPS, 1))
if torch:
    print("with torch", torch.__version__)
    J, by_inputs = cost_by_torch(run, inputs, wanted)
else:
    print("torch is not installed: the same by NumPy")
    J, by_inputs = cost_by_numpy(run, inputs, wanted)

along = np.cos(3.0 * np.arange(STEPS))[:, None]
sides = [np.sum((run.forward(inputs + e * along) - wanted)**2) for e in (1e-4, -1e-4)]
seen, told = (sides[0] - sides[1]) / 2e-4, np.sum(by_inputs * along)
print(f"cost {J:.6f} m^2, slope along a direction {told:.6e}, by differences {seen:.6e}")
assert abs(seen / told - 1) < 1e-5
