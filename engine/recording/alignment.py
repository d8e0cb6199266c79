"""Alignment: how the clock of an audio file relates to the call clock, measured on both.

Sound that begins after silence (an onset) is matched to events that say when sound began (anchors).
The offset that most anchors agree on is the measured one; drift is the median slope over all pairs
of anchors (Theil-Sen). Nothing is assumed: too few anchors, or anchors that disagree, give no
figure and a reason. All results are whole numbers, the same on every machine. Source: design
section 9; told in `docs/guide/audio.md`. numpy is imported on first need.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, BinaryIO

from engine.recording.peaks import measure_peaks
from engine.recording.wav import WavFacts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Times = NDArray[np.int64]

BIN_MS = 5
"""Resolution of onsets."""
QUIET_MS = 200
"""An onset has at least this much silence before it."""
WINDOW_MS = 100
"""Anchors agree if their differences lie within this."""
OFFSET_MAX_MS = 5_000
"""How far from the declared offset one is looked for; without one, from zero."""
DRIFT_MAX_PPM = 500
ANCHORS_MIN = 3
DRIFT_ANCHORS_MIN = 6
DRIFT_SPAN_MIN_MS = 20_000
_ANCHORS_MAX = 500
"""More anchors than this are thinned out evenly."""
_LOUD_BINS = 3
_LOUD_WITHIN = 10
_FLOOR_SHARE = 128


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """What was measured; `reason` says why a figure is null.

    An anchor that sounds at `a` of the file lies within `residual_ms` of
    `offset_ms + a * (1 + drift_ppm / 1,000,000)` on the call clock, a null drift being 0. The true
    drift lies within `drift_error_ppm` of the measured one, if no anchor is off by more than that.
    """

    offset_ms: int | None = None
    drift_ppm: int | None = None
    drift_error_ppm: int | None = None
    residual_ms: int | None = None
    anchors: int = 0
    reason: str | None = None


def align(
    file: BinaryIO, facts: WavFacts, *, channel: int, anchors: Sequence[int], near_ms: int
) -> Alignment:
    """Return the alignment of a channel (0-based) of an open WAV with the call clock.

    `anchors` are times on the call clock at which sound began; `near_ms` is the declared offset.
    Cost: one pass over the file, some MiB.
    """
    assert 0 <= channel < facts.channels
    if len(anchors) < ANCHORS_MIN:
        return Alignment(anchors=len(anchors), reason="too_few_anchors")
    return match(onsets(file, facts, channel=channel), anchors, near_ms=near_ms)


def onsets(file: BinaryIO, facts: WavFacts, *, channel: int) -> "Times":
    """Return the milliseconds of the file at which sound begins after silence.

    Loud is what is above twice the quietest tenth, and above 1/128 of the loudest sample. A click
    is no onset: of the 50 ms that follow, 15 must be loud.
    """
    import numpy as np  # noqa: PLC0415  only where samples are looked at

    peaks = measure_peaks(file, facts, bin_ms=BIN_MS)
    lows = np.asarray(peaks.lows[channel], np.int64)
    level = np.maximum(np.asarray(peaks.highs[channel], np.int64), -lows)
    if not len(level):
        return np.zeros(0, np.int64)
    quiet = int(np.sort(level)[len(level) // 10])
    loud = np.flatnonzero(level > max(2 * quiet, int(level.max()) // _FLOOR_SHARE))
    begins = np.diff(loud, prepend=-QUIET_MS) > QUIET_MS // BIN_MS
    places = np.flatnonzero(begins)
    following = np.searchsorted(loud, loud[places] + _LOUD_WITHIN) - places
    return loud[places][following >= _LOUD_BINS] * BIN_MS


def match(heard: "Times", anchors: Sequence[int], *, near_ms: int) -> Alignment:
    """Return the alignment that most anchors agree on; `heard` are onsets in file order.

    Cost: O(p log p) for the p pairs of an anchor and an onset within reach, for each drift tried.
    """
    import numpy as np  # noqa: PLC0415

    told = _thinned(np.unique(np.asarray(anchors, np.int64)))
    pairs = np.argwhere(np.abs(told[:, None] - heard[None, :] - near_ms) <= OFFSET_MAX_MS)
    numbers, sounds = pairs[:, 0], heard[pairs[:, 1]]
    times = told[numbers]
    best: Times = np.zeros(0, np.int64)
    for ppm in _drifts(heard):
        found = _agreeing(times - sounds - sounds * ppm // 1_000_000, numbers, near_ms)
        if len(found) > len(best):
            best = found
    if len(best) < max(ANCHORS_MIN, -(-len(told) // 2)):
        return Alignment(anchors=len(best), reason="anchors_disagree")
    return _fitted(sounds[best], times[best])


def _thinned(times: "Times") -> "Times":
    step = -(-len(times) // _ANCHORS_MAX)
    return times[:: max(1, step)]


def _drifts(heard: "Times") -> list[int]:
    """Return the drifts to try, the smallest first, so close that none falls between two."""
    span = int(heard[-1] - heard[0]) if len(heard) else 0
    step = max(1, WINDOW_MS * 500_000 // max(span, 1))
    steps = range(1, DRIFT_MAX_PPM // step + 1)
    return [0, *(sign * number * step for number in steps for sign in (1, -1))]


def _agreeing(differences: "Times", numbers: "Times", near_ms: int) -> "Times":
    """Return the pairs whose differences lie in the window that has most anchors.

    One pair for each anchor: the one nearest the window's middle. Of windows with as many, the one
    nearest `near_ms`.
    """
    import numpy as np  # noqa: PLC0415

    order = np.argsort(differences, kind="stable")
    ranked = differences[order]
    ends = np.searchsorted(ranked, ranked + WINDOW_MS, side="right")
    best: tuple[int, int, int] | None = None
    for first in np.argsort(-(ends - np.arange(len(ends))), kind="stable").tolist():
        last = int(ends[first])
        if best is not None and last - first < -best[0]:
            break  # no window that is left has as many pairs
        held = len(np.unique(numbers[order[first:last]]))
        rank = (-held, abs(int(ranked[first]) - near_ms), first)
        best = rank if best is None or rank < best else best
    if best is None:
        return order
    first = best[2]
    inside = order[first : ends[first]]
    middle = int(np.median(differences[inside]))
    nearest = inside[np.argsort(np.abs(differences[inside] - middle), kind="stable")]
    _, kept = np.unique(numbers[nearest], return_index=True)
    return np.sort(nearest[kept])


def _fitted(sounds: "Times", times: "Times") -> Alignment:
    import numpy as np  # noqa: PLC0415

    differences = times - sounds
    drift, reason = None, None
    if len(sounds) < DRIFT_ANCHORS_MIN:
        reason = "too_few_anchors"
    elif int(sounds.max() - sounds.min()) < DRIFT_SPAN_MIN_MS:
        reason = "too_short"
    else:
        early, late = np.triu_indices(len(sounds), 1)
        apart = sounds[late] - sounds[early]
        slopes = (differences[late] - differences[early])[apart > 0] / apart[apart > 0]
        drift = round(float(np.median(slopes)) * 1_000_000)
    straight = differences - sounds * (drift or 0) / 1_000_000
    offset = round(float(np.median(straight)))
    residual = int(np.ceil(np.abs(straight - offset).max()))
    span = int(sounds.max() - sounds.min())
    error = None if drift is None else -(-2_000_000 * residual // span)
    return Alignment(
        offset_ms=offset,
        drift_ppm=drift,
        drift_error_ppm=error,
        residual_ms=residual,
        anchors=len(sounds),
        reason=reason,
    )
