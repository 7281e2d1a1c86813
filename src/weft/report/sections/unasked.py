"""Why a probe's readings are not in a record, where it was not asked to observe."""

from collections.abc import Mapping

from weft.analysis.summary.summary import Summary


def unasked(summary: Summary, probe: str, what: str) -> Mapping[str, str]:
    """`what` with the reason; nothing where the probe was on, or says itself why it could not observe."""
    if probe in summary.probes:
        return {what: "the probe left no reading"}
    return {} if probe in summary.probes_missing else {what: f"add it with --probe {probe}"}
