"""Predictive control: ten tendons lead a tip along a path, none slack, none beyond what its motor can pull.

    python predict.py [PICTURE.png]        draws with gnuplot where a name is given

About an equilibrium a step is x+ = A x + B u+ + B0 u. Over a horizon all outputs follow from the tensions of its steps, so that the best of these, with
limits, are a quadratic program in tensions alone (condensed); the first are pulled, and a step later it is solved again.
"""
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import tendril

STEP, STEPS, HORIZON = 20e-3, 220, 12
REST, MOST, FASTEST = 1.0, 1.6, 20.0  # N, N, N/s
PRICE = 0.5                           # of a change of tension, N, against mm


def build():
    robot = tendril.Robot("ten tendons")
    robot.add_rod("arm", length=0.3, youngs_modulus=80e6, poisson_ratio=0.4, density=1100.0,
                  radius=4e-3, damping_time=20e-3)
    for k in range(10):
        angle = 2 * np.pi * (k + 0.5 * (k >= 5)) / 5
        robot.add_tendon(f"t{k}", offset=(8e-3 * np.cos(angle), 8e-3 * np.sin(angle)),
                         end=0.15 if k < 5 else 0.3)
    return tendril.System(robot, theory="kirchhoff", scheme="sdirk2", nodes=4)


def condense(step):
    """Outputs of all steps of a horizon: y = Y x + Yu u0 + G (u1, .., uN), u0 the tensions now."""
    n, m, p = len(step.A), step.B.shape[1], len(step.C)
    Y, Yu, G = (np.zeros((HORIZON * p, k)) for k in (n, m, HORIZON * m))
    X, Xu, XG = np.eye(n), np.zeros((n, m)), np.zeros((n, HORIZON * m))
    for k in range(HORIZON):
        now, before = slice(k * m, (k + 1) * m), slice((k - 1) * m, k * m)
        rows = slice(k * p, (k + 1) * p)
        Y[rows], Yu[rows], G[rows] = step.C @ X, step.C @ Xu, step.C @ XG
        X, Xu, XG = step.A @ X, step.A @ Xu, step.A @ XG
        G[rows, now] += step.D
        XG[:, now] += step.B
        if k == 0:
            Yu[rows] += step.D0
            Xu += step.B0
        else:
            G[rows, before] += step.D0
            XG[:, before] += step.B0
    return Y, Yu, G


def path(t):
    """mm from rest: a square that is not smooth."""
    corners = np.array([(0, 0), (20, 20), (-20, 20), (-20, -20), (20, -20), (20, 20)], float)
    return corners[np.minimum((np.asarray(t) / 0.8).astype(int), 5)]


system = build()
rest = system.state()
rest.inputs[:] = np.full(10, REST)
rest.statics()
q0, tip = rest.coordinates()[0], rest.pose().p[:2]
Y, Yu, G = condense(rest.linearise(["tip.x", "tip.y"]).step_map(STEP))
Y, Yu, G = 1e3 * Y, 1e3 * Yu, 1e3 * G  # mm

m = 10
change = np.eye(HORIZON * m) - np.eye(HORIZON * m, k=-m)  # of tensions from step to step
H = G.T @ G + PRICE * HORIZON * change.T @ change + 1e-6 * np.eye(HORIZON * m)

state, u, tensions, tips, took = rest.copy(), np.zeros(m), [], [], []
plan = np.zeros(HORIZON * m)
for k in range(STEPS):
    q, rates = state.coordinates()
    wanted = path(STEP * (k + 1 + np.arange(HORIZON))).ravel()
    off = Y @ np.concatenate([q - q0, rates]) + Yu @ u - wanted
    first = np.zeros(HORIZON * m)
    first[:m] = u
    g = G.T @ off - PRICE * HORIZON * change.T @ first
    low, high = np.full(HORIZON * m, -REST), np.full(HORIZON * m, MOST - REST)
    low[:m], high[:m] = np.maximum(low[:m], u - FASTEST * STEP), np.minimum(high[:m], u + FASTEST * STEP)
    begin = time.perf_counter()
    plan = tendril.box_qp(H, g, low, high, np.r_[plan[m:], plan[-m:]])
    took.append(time.perf_counter() - begin)
    u = plan[:m]
    state.inputs[:] = REST + u
    state.step(STEP)
    tensions.append(REST + u)
    tips.append(1e3 * (state.pose().p[:2] - tip))
tensions, tips = np.array(tensions), np.array(tips)
times = STEP * np.arange(1, STEPS + 1)
late = abs(times % 0.8 - 0.5) < 0.05  # a corner has been held for a while, and the next is not seen yet
print(f"off by {np.abs(tips - path(times - 1e-9))[late].max():.2f} mm at most where it has settled")
print(f"tensions from {tensions.min():.3f} to {tensions.max():.3f} N, "
      f"{np.abs(np.diff(tensions, axis=0)).max() / STEP:.1f} N/s at most")
print(f"a program of {HORIZON * m} tensions takes {1e3 * np.median(took):.2f} ms")

if len(sys.argv) > 1:
    rows = np.column_stack([times, tips, path(times - 1e-9), tensions])
    table = "\n".join(" ".join(f"{x:.6g}" for x in row) for row in rows)
    curves = ", ".join(f"$d using 1:{6 + i} with lines lw 1.4 notitle" for i in range(10))
    script = f"""set terminal pngcairo size 900,640 font 'Sans,11' background 'white'
$d << EOD
{table}
EOD
set border 3 lc rgb '#555555'
set tics nomirror out scale 0.6
set grid lc rgb '#e3e3e3' lt 1
set lmargin 9
set key horizontal samplen 2 opaque
set multiplot layout 2,1
set ylabel 'tip from rest (mm)'
set yrange [-32:38]
plot $d using 1:4 with lines dt 2 lc rgb '#888888' title 'wanted', $d using 1:5 with lines dt 2 lc rgb '#888888' notitle, \\
     $d using 1:2 with lines lw 2 lc rgb '#0b6fb3' title 'x', $d using 1:3 with lines lw 2 lc rgb '#d1570c' title 'y'
set ylabel 'tensions (N)'
set xlabel 'time (s)'
set yrange [0:{MOST + 0.2}]
plot {curves}, {MOST} with lines lc rgb '#b00020' dt 3 title 'limit'
"""
    image = subprocess.run(["gnuplot"], input=script.encode(), capture_output=True, check=True)
    Path(sys.argv[1]).write_bytes(image.stdout)
