"""Tensions of four tendons over time, such that the tip of a soft arm draws a circle: found by descent along the
gradient of whole motions (adjoint), with NumPy alone.

    python gradient.py [PICTURE.png]        draws with gnuplot where a name is given

The arm hangs, and a circle in 0.8 s is about as fast as its first vibration, so that tensions in equilibrium with the
places of the circle would miss it. Tendons only pull: T = exp(v), and v is what is sought.
"""
import subprocess
import sys
from pathlib import Path

import numpy as np

import tendril

STEP, STEPS, PERIOD, RADIUS = 10e-3, 120, 0.8, 0.06
PRICE = 1e-6  # of a change of a tension squared, N^2, against m^2
ITERATIONS = 40


def arm():
    """Silicone, 30 cm, with tendons all along."""
    robot = tendril.Robot("arm")
    robot.add_rod("arm", length=0.3, youngs_modulus=1e6, poisson_ratio=0.45, density=1100, radius=8e-3,
                  damping_time=0.03, base={"position": (0, 0, 0.3), "direction": (0, 0, -1)})
    for name, offset in zip(("east", "north", "west", "south"), ((6e-3, 0), (0, 6e-3), (-6e-3, 0), (0, -6e-3))):
        robot.add_tendon(name, offset=offset)
    return tendril.System(robot, theory="kirchhoff", scheme="sdirk2", nodes=4)


def circle():
    """Where the tip should be after each step, x and y: it begins in the middle, and joins the circle gently."""
    t = STEP * np.arange(1, STEPS + 1)
    grow = RADIUS * np.clip(t / 0.3, 0, 1)**2 * (3 - 2 * np.clip(t / 0.3, 0, 1))
    phase = 2 * np.pi * t / PERIOD
    return np.column_stack([grow * np.cos(phase), grow * np.sin(phase)])


class Task:
    """The cost of logarithms of tensions v (steps, 4), and its gradient."""

    def __init__(self):
        self.system = arm()
        self.gradient = tendril.Gradient(self.system, ["tip.x", "tip.y"], steps=STEPS)
        self.wanted = circle()
        self.start = self.system.state()
        self.start.inputs[:] = np.ones(4)
        self.start.statics()
        self.calls = 0

    def tip(self, v):
        """x and y after each step."""
        return self.gradient.run(self.start, np.exp(v), STEP)

    def cost(self, v):
        """Squared distances from the circle, and what changes of tensions cost; with its gradient."""
        self.calls += 1
        T = np.exp(v)
        miss = self.tip(v) - self.wanted
        jumps = np.diff(np.vstack([np.ones(4), T]), axis=0)
        by_T = self.gradient.adjoint(2 * miss).inputs + 2 * PRICE * jumps
        by_T[:-1] -= 2 * PRICE * jumps[1:]
        return np.sum(miss**2) + PRICE * np.sum(jumps**2), T * by_T


def descend(cost, x, iterations, memory=12):
    """L-BFGS with a step that is halved until it helps. Yields x and its cost."""
    f, g = cost(x)
    past = []
    for _ in range(iterations):
        d, factors = g.copy(), []
        for s, y in reversed(past):
            factors.append(np.sum(s * d) / np.sum(s * y))
            d -= factors[-1] * y
        if past:
            s, y = past[-1]
            d *= np.sum(s * y) / np.sum(y * y)
        else:
            d *= 0.1 / np.abs(g).max()
        for (s, y), factor in zip(past, reversed(factors)):
            d += s * (factor - np.sum(y * d) / np.sum(s * y))
        share, slope = 1.0, np.sum(d * g)
        while True:
            new_f, new_g = cost(x - share * d)
            if new_f <= f - 1e-4 * share * slope or share < 1e-4:
                break
            share *= 0.5
        s, y = -share * d, new_g - g
        x, f, g = x + s, new_f, new_g
        if np.sum(s * y) > 0:
            past = (past + [(s, y)])[-memory:]
        yield x, f


def draw(picture, task, tip, v, costs):
    """The way of the tip, the tensions and the descent, by gnuplot."""
    t = STEP * np.arange(1, STEPS + 1)
    table = "\n".join(" ".join(f"{x:.6g}" for x in row) for row in np.column_stack(
        [t, 1e3 * task.wanted, 1e3 * tip, np.exp(v)]))
    falls = "\n".join(f"{i} {c:.6g}" for i, c in enumerate(costs))
    colours = ("#0b6fb3", "#d1570c", "#13906b", "#b0569a")
    pulls = ", ".join(f"$d using 1:{6 + i} with lines lw 1.8 lc rgb '{c}' title '{n}'"
                      for i, (n, c) in enumerate(zip(task.system.inputs, colours)))
    script = f"""set terminal pngcairo size 1000,480 font 'Sans,11' background 'white'
$d << EOD
{table}
EOD
$f << EOD
{falls}
EOD
set border 3 lc rgb '#555555'
set tics nomirror out scale 0.6
set grid lc rgb '#e3e3e3' lt 1
set key samplen 1.5 opaque noautotitle
set multiplot
set origin 0,0; set size 0.5,1
set size ratio -1
set xlabel 'x (mm)'; set ylabel 'y (mm)'
plot $d using 2:3 with lines lw 5 lc rgb '#f3cf9a' title 'wanted', \\
     $d using 4:5 with lines lw 2 lc rgb '#0b6fb3' title 'found'
set size noratio
set origin 0.5,0.5; set size 0.5,0.5
set xlabel 'time (s)'; set ylabel 'tension (N)'
plot {pulls}
set origin 0.5,0; set size 0.5,0.5
set xlabel 'iteration'; set ylabel 'cost (m^2)'
set logscale y; set format y '10^{{%T}}'
plot $f using 1:2 with lines lw 2 lc rgb '#0b6fb3'
"""
    image = subprocess.run(["gnuplot"], input=script.encode(), capture_output=True, check=True)
    Path(picture).write_bytes(image.stdout)


def main():
    """Finds the tensions, tells how well they do, and draws."""
    task = Task()
    v = np.zeros((STEPS, 4))
    first, costs = task.tip(v), [task.cost(v)[0]]
    for v, f in descend(task.cost, v, ITERATIONS):
        costs.append(f)
    found = task.tip(v)
    root = [1e3 * np.sqrt(np.mean(np.sum((tip - task.wanted)**2, axis=1))) for tip in (first, found)]
    print(f"first vibration at {task.start.modes(1)[0].frequency:.2f} Hz, the circle at {1 / PERIOD:.2f} Hz")
    print(f"{4 * STEPS} tensions, {task.calls} runs with their gradients")
    print(f"distance from the circle: {root[0]:.1f} mm at first, then {root[1]:.2f} mm")
    print(f"tensions from {np.exp(v).min():.2f} to {np.exp(v).max():.2f} N")
    if len(sys.argv) > 1:
        draw(sys.argv[1], task, found, v, costs)


main()
