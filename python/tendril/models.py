"""Which models there are, and what each supports."""
from __future__ import annotations

from dataclasses import dataclass

from ._core import lib
from .errors import text


@dataclass(frozen=True)
class Model:
    """A way to compute a robot: its name, a title, the paper it follows, the features it
    supports."""

    name: str
    title: str
    reference: str
    features: frozenset[str]

    def supports(self, feature: str) -> bool:
        """Does it support this feature, for instance "tendon friction"? See `features()`."""
        return feature in self.features


def features() -> list[str]:
    """All features that a robot may need of a model."""
    return [text(lib.td_feature_name(i)) for i in range(lib.TD_N_FEATURES)]


def models() -> dict[str, Model]:
    """All models of this build by name, as `tendril models` lists them."""
    known = {}
    for i in range(lib.td_n_models()):
        can = frozenset(name for k, name in enumerate(features()) if lib.td_model_supports(i, k))
        name = text(lib.td_model_name(i))
        known[name] = Model(name, text(lib.td_model_title(i)), text(lib.td_model_reference(i)), can)
    return known


def version() -> str:
    """The version of the library inside."""
    return text(lib.td_version())
