"""LQR: tensions that damp the first modes of a rod-driven arm, computed from its linearisation with NumPy alone.

    python lqr.py [PICTURE.png]        draws with gnuplot where a name is given

The motion is reduced to the slowest modes, which swing on by themselves. Tendons cannot push, so that all of
them are pulled a little, and the controller pulls more and less.
"""
import subprocess
import sys
from pathlib import Path

import numpy as np

import tendril

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
STEP, STEPS = 1e-3, 2000
PULL = 6.0     # N, of all tendons at rest
KICK = 3.0     # N, more on one of each segment, let go at the start
MODES = 7      # that are damped: bending, three in each plane, and the first of torsion
EFFORT = 1e-3  # price of a tension squared, against energy


def riccati(A, B, Q, R):
    """The gain of x' = A x + B u that costs least of x'Q x + u'R u: P of the stable eigenvectors of the
    Hamiltonian matrix."""
    S = B @ np.linalg.solve(R, B.T)
    values, vectors = np.linalg.eig(np.block([[A, -S], [-Q, -A.T]]))
    n = len(A)
    stable = vectors[:, np.argsort(values.real)[:n]]
    P = np.real(stable[n:] @ np.linalg.inv(stable[:n]))
    return np.linalg.solve(R, B.T @ P)


def design(state):
    """Gains from the coordinates and their rates to the tensions."""
    l = state.linearise()
    modes = l.modes(MODES)
    shapes = np.array([mode.shape.real for mode in modes]).T
    shapes /= np.sqrt(np.sum(shapes * (l.M @ shapes), axis=0))  # modal mass 1
    stiffness, damping = shapes.T @ l.K @ shapes, shapes.T @ l.D @ shapes
    zero, one = np.zeros((MODES, MODES)), np.eye(MODES)
    A = np.block([[zero, one], [-stiffness, -damping]])
    B = np.vstack([np.zeros((MODES, l.B.shape[1])), shapes.T @ l.B])
    Q = np.block([[stiffness, zero], [zero, one]])  # twice the energy of these modes
    gain = riccati(A, B, Q, EFFORT * np.eye(B.shape[1]))
    poles = np.linalg.eigvals(A - B @ gain)
    print("modes at", np.round([mode.frequency for mode in modes], 2), "Hz")
    print("slowest pole with control:", f"{1 / -poles.real.max():.3f} s")
    return np.hstack([gain[:, :MODES] @ shapes.T @ l.M, gain[:, MODES:] @ shapes.T @ l.M])


def release(state, rest, gain):
    """Distance of the tip from rest, m, and tensions, over time after the kick is let go."""
    q0, tip = rest.coordinates()[0], rest.pose().p
    pulls = np.full(len(state.inputs), PULL)
    distances, tensions = [], []
    for _ in range(STEPS):
        q, rates = state.coordinates()
        change = gain @ np.concatenate([q - q0, rates]) if gain is not None else 0.0
        state.inputs[:] = np.clip(pulls - change, 0.0, None)
        state.step(STEP)
        distances.append(np.linalg.norm(state.pose().p - tip))
        tensions.append(np.asarray(state.inputs))
    return np.array(distances), np.array(tensions)


def settling_time(distances, start):
    """When it comes within 5 % of where it started, for good; none: not while it was watched."""
    outside = np.flatnonzero(distances > 0.05 * start)
    return STEP * (outside[-1] + 1) if outside[-1] + 1 < len(distances) else None


def draw(picture, times, free, held, tensions):
    """Distance with and without control, and the tensions, by gnuplot."""
    table = "\n".join(" ".join(f"{x:.6g}" for x in row)
                      for row in np.column_stack([times, 1e3 * free, 1e3 * held, tensions]))
    colours = ("#0b6fb3", "#d1570c", "#13906b", "#b0569a", "#dd9c10", "#4fb0e0")
    curves = ", ".join(f"$d using 1:{4 + i} with lines lw 1.6 lc rgb '{colour}' title '{name}'"
                       for i, (name, colour) in enumerate(zip(NAMES, colours)))
    script = f"""set terminal pngcairo size 900,620 font 'Sans,11' background 'white'
$d << EOD
{table}
EOD
set border 3 lc rgb '#555555'
set tics nomirror out scale 0.6
set grid lc rgb '#e3e3e3' lt 1
set lmargin 9
set key horizontal samplen 2 opaque noautotitle
set multiplot layout 2,1
set ylabel 'tip from rest (mm)'
set xrange [0:0.6]
set yrange [0:*]
plot $d using 1:2 with lines lw 1.4 lc rgb '#a8a8a8' title 'let go', \\
     $d using 1:3 with lines lw 2.2 lc rgb '#0b6fb3' title 'with LQR'
set ylabel 'tension (N)'
set yrange [*:*]
set xlabel 'time (s)'
plot {curves}
"""
    image = subprocess.run(["gnuplot"], input=script.encode(), capture_output=True, check=True)
    Path(picture).write_bytes(image.stdout)


robot = tendril.Robot.load(EXAMPLES / "rod-driven-arm.yaml")
system = tendril.System(robot, scheme="trapezoidal")
NAMES = system.inputs
rest = system.state()
rest.inputs[:] = np.full(len(NAMES), PULL)
rest.statics()
gain = design(rest)

runs = []
for control in (None, gain):
    state = rest.copy()
    state.inputs.update(r11=PULL + KICK, r22=PULL + KICK)
    state.statics()
    start = np.linalg.norm(state.pose().p - rest.pose().p)
    state.restart()
    runs.append(release(state, rest, control))
(free, _), (held, tensions) = runs
print(f"tip starts {1e3 * start:.1f} mm from rest")
for name, distances in (("let go", free), ("with LQR", held)):
    time = settling_time(distances, start)
    print(f"{name}: within 5 % " + (f"after {time:.3f} s" if time else f"not in {STEP * STEPS:g} s"))
print(f"tensions from {tensions.min():.2f} to {tensions.max():.2f} N")
if len(sys.argv) > 1:
    draw(sys.argv[1], STEP * np.arange(1, STEPS + 1), free, held, tensions)
