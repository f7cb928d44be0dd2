"""Many robots that learn: an environment with the calls of Gymnasium's vector environments, and
without a dependency."""
from __future__ import annotations

from typing import Any, Callable, Mapping

import numpy as np
from numpy.typing import ArrayLike

from ._core import lib
from .batch import Batch
from .errors import ArgumentError
from .given import real, reals
from .system import System

# A range (low, high) to draw from uniformly, or a function of a generator that draws one number.
Spread = "tuple[float, float] | Callable[[np.random.Generator], float]"


class Box:
    """Arrays between two bounds: what a space of Gymnasium tells."""

    def __init__(self, low: ArrayLike, high: ArrayLike) -> None:
        self.low, self.high = np.broadcast_arrays(reals(low, "low"), reals(high, "high"))
        if not np.all(self.low <= self.high):  # nor is nan
            raise ArgumentError(f"low = {low} must not be above high = {high}")
        self.dtype = np.dtype(float)

    @property
    def shape(self) -> "tuple[int, ...]":
        """The shape of such an array."""
        return self.low.shape

    def contains(self, x: ArrayLike) -> bool:
        """Is x such an array?"""
        given = np.asarray(x)
        return given.shape == self.shape and bool(np.all((given >= self.low)
                                                         & (given <= self.high)))

    def sample(self, rng: "np.random.Generator | None" = None) -> np.ndarray:
        """Some such array; of bounds that are not finite, normal numbers."""
        rng = rng or np.random.default_rng()
        bounded = np.isfinite(self.low) & np.isfinite(self.high)
        low, high = np.where(bounded, self.low, 0.0), np.where(bounded, self.high, 1.0)
        return np.where(bounded, rng.uniform(low, high), rng.normal(size=self.shape))

    def __repr__(self) -> str:
        return f"Box{self.shape}"


def tip(env: "Env") -> np.ndarray:
    """The default observation: position and velocity of the tip (world), and the inputs."""
    samples = env.batch.sample()
    velocity = np.einsum("nij,nj->ni", samples.R, samples.velocity[:, 3:])
    return np.concatenate([samples.position, velocity, env.batch.inputs], axis=1)


class Env:
    """`n` robots as a vector environment: `reset` and `step` as in Gymnasium, arrays over robots.

    An action is what the inputs are during one step of the environment, SI, between `low` and
    `high` (numbers, or one for each input); it lasts `substeps` steps of `dt` (s). `reward(env,
    action)` gives a number for each robot, `observe(env)` a row; `over(env)` says whose task is
    over, beside those whose step failed. Functions see `env.batch`, `env.goal` and `env.elapsed`.

    An episode ends after `horizon` steps; the robot then starts anew in the same call
    (`info["final_obs"]` has what was seen last, `info["_final_obs"]` of whom), from rest or, with
    start="static", from equilibrium under its first inputs, and with what `initial` says in the
    robot's file, with what `randomise` draws for it:
    by path in the robot's file a range (low, high), or a function of a generator. `goal(rng)`
    draws a row for `env.goal`. Each robot has a generator of its own: what it meets depends on
    the seed and its number alone; with `distinct` robot i meets what robot i % distinct meets,
    which compares policies on the same tasks.
    """

    def __init__(self, system: System, n: int = 1, *, dt: float, substeps: int = 1,
                 horizon: int = 100, low: ArrayLike = 0.0, high: ArrayLike = 1.0,
                 reward: "Callable[[Env, np.ndarray], ArrayLike]",
                 observe: "Callable[[Env], ArrayLike]" = tip,
                 over: "Callable[[Env], ArrayLike] | None" = None,
                 goal: "Callable[[np.random.Generator], ArrayLike] | None" = None,
                 randomise: "Mapping[str, Any] | None" = None, start: str = "straight",
                 failure: float = 0.0, seed: "int | None" = None,
                 distinct: "int | None" = None, threads: "int | None" = None,
                 kind: str = "any") -> None:
        for word, count in (("n", n), ("substeps", substeps), ("horizon", horizon)):
            if count != int(count) or count < 1:
                raise ArgumentError(f"{word} = {count} must be a whole number, at least 1")
        if not 0.0 < real(dt, "dt") < np.inf:
            raise ArgumentError(f"dt = {dt} s must be positive and finite")
        if start not in ("straight", "static"):
            raise ArgumentError(f'start = {start!r} must be "straight" or "static"')
        self.batch: Batch = Batch(system, n, threads=threads, kind=kind)
        self.num_envs: int = n
        self.dt, self.substeps, self.horizon = real(dt, "dt"), substeps, horizon
        self._reward, self._observe, self._over, self._goal = reward, observe, over, goal
        self._randomise = dict(randomise or {})
        for path, spread in self._randomise.items():
            if not callable(spread) and (np.shape(spread) != (2,) or spread[0] > spread[1]):
                raise ArgumentError(f"randomise: {path}: {spread!r} must be (low, high), or a "
                                    "function of a generator")
        self._start, self._failure = start, real(failure, "failure")
        self._distinct = n if distinct is None else int(distinct)
        if self._distinct < 1:
            raise ArgumentError(f"distinct = {distinct} must be at least 1")
        count = self.batch.inputs.shape[1]
        for word, bound in (("low", low), ("high", high)):
            if np.shape(bound) not in ((), (count,)):
                raise ArgumentError(f"{word} has the shape {np.shape(bound)}; one number, or one "
                                    f"for each of {count} inputs is expected")
        self.single_action_space: Box = Box(np.broadcast_to(reals(low, "low"), (count,)),
                                            np.broadcast_to(reals(high, "high"), (count,)))
        self.action_space: Box = Box(*(np.broadcast_to(bound, (n, count)) for bound in
                                       (self.single_action_space.low,
                                        self.single_action_space.high)))
        self.elapsed: np.ndarray = np.zeros(n, int)  # steps since the start of the episode
        self.goal: np.ndarray = np.zeros((n, 0))
        self._seed(seed)
        seen = self.reset()[0]
        self.single_observation_space: Box = Box(np.full(seen.shape[1:], -np.inf),
                                                 np.full(seen.shape[1:], np.inf))
        self.observation_space: Box = Box(np.full(seen.shape, -np.inf),
                                          np.full(seen.shape, np.inf))

    def _seed(self, seed: "int | None") -> None:
        streams = np.random.SeedSequence(seed).spawn(self._distinct)
        self._rngs = [np.random.default_rng(streams[i % self._distinct])
                      for i in range(self.num_envs)]

    def _draw(self, which: np.ndarray) -> None:
        """New numbers and goals for these robots, each from its own generator."""
        rows = {path: np.full(self.num_envs, np.nan) for path in self._randomise}
        for i in np.flatnonzero(which):
            rng = self._rngs[i]
            for path, spread in self._randomise.items():
                rows[path][i] = spread(rng) if callable(spread) else rng.uniform(*spread)
            if self._goal is not None:
                row = reals(self._goal(rng), "goal").reshape(-1)
                if self.goal.shape[1] == 0:
                    self.goal = np.zeros((self.num_envs, row.size))
                if self.goal.shape[1] != row.size:
                    raise ArgumentError(f"goal gave {row.size} numbers, and {self.goal.shape[1]} "
                                        "before")
                self.goal[i] = row
        if rows:
            self.batch.set_parameters(rows, which)

    def _begin(self, which: np.ndarray) -> None:
        self._draw(which)
        self.batch.reset(which)
        self.elapsed[which] = 0
        if self._start == "static":
            self.batch.statics(which=which)
        if lib.td_n_initial(self.batch.system._pointer):
            self.batch.apply_initial(which=which)

    def _see(self) -> np.ndarray:
        seen = reals(self._observe(self), "observation")
        if seen.ndim != 2 or len(seen) != self.num_envs:
            raise ArgumentError(f"observe gave the shape {seen.shape}; ({self.num_envs}, ...) is "
                                "expected")
        return seen

    def reset(self, *, seed: "int | None" = None,
              options: "Mapping[str, Any] | None" = None) -> "tuple[np.ndarray, dict[str, Any]]":
        """All robots start anew; with a `seed`, as they would in a new environment of that seed.
        options={"reset_mask": mask} starts only some. Returns what is seen, and {}."""
        if seed is not None:
            self._seed(seed)
        mask = (options or {}).get("reset_mask")
        self._begin(np.ones(self.num_envs, bool) if mask is None else np.asarray(mask, bool))
        return self._see(), {}

    def _rows(self, values: Any, what: str, dtype: Any) -> np.ndarray:
        rows = np.asarray(values, dtype)
        if rows.shape != (self.num_envs,):
            raise ArgumentError(f"{what} gave the shape {rows.shape}; ({self.num_envs},) is "
                                "expected")
        return rows

    def step(self, action: ArrayLike) -> "tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, " \
                                         "dict[str, Any]]":
        """One step of all robots with these inputs (n, n_inputs), cut to their bounds. Returns
        observation, reward, terminated, truncated, info; info["failed"] tells whose step could
        not be computed (its reward is `failure`)."""
        space = self.action_space
        given = reals(action, "action")
        if given.shape != space.shape:
            raise ArgumentError(f"action has the shape {given.shape}; {space.shape} is expected")
        if np.isnan(given).any():
            raise ArgumentError("action: a number is not a number (nan)")
        self.batch.inputs[:] = np.clip(given, space.low, space.high)
        failed = self.batch.step(self.dt, self.substeps, check=False) < 0
        self.elapsed += 1
        seen = self._see()
        reward = self._rows(self._reward(self, self.batch.inputs), "reward", float)
        reward = np.where(failed, self._failure, reward)
        over = np.zeros(self.num_envs, bool) if self._over is None else self._over(self)
        terminated = self._rows(over, "over", bool) | failed
        truncated = (self.elapsed >= self.horizon) & ~terminated
        info: dict[str, Any] = {"failed": failed}
        done = terminated | truncated
        if done.any():
            info.update(final_obs=seen, _final_obs=done)
            self._begin(done)
            fresh = self._see()
            seen = np.where(done[:, None], fresh, seen)
        return seen, reward, terminated, truncated, info

    def close(self) -> None:
        """Nothing: memory goes with the object."""

    def __repr__(self) -> str:
        return f"<Env of {self.num_envs} {self.batch.system.name!r} as {self.batch.kind}>"
