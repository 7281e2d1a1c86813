"""Text of words that follow Zipf's law as input, for WordCount, Grep and Sort."""

from collections.abc import Mapping, Sequence
from typing import ClassVar

from pydantic import Field

from weft.adapters.workloads.base import (
    Judgement,
    Outcome,
    Prepared,
    Results,
    Workload,
    engine_job,
    generators,
    program,
)
from weft.facts.roles import ROLES, Role
from weft.layout.job import Job
from weft.layout.plan import Command, Layout
from weft.text.fields import Count, Size

BLOCK = 10_000
"""Bytes that the generator produces at a time; each block can be generated separately."""


class ZipfText(Workload):
    """Generated text, a job that reads it and writes lines, and a program that checks them."""

    engines: ClassVar[tuple[str, ...]] = ("spark", "hadoop", "flink")
    roles = ROLES
    keeps_input = True
    main_class: ClassVar[str]
    """The job's main class; that of the validator has the suffix Validate."""

    size: Size = Field(default=1_000_000_000, ge=BLOCK, description="bytes of input, in blocks of 10 kB")
    words: int = Field(default=100_000, ge=1, le=1_010_100, description="words of the vocabulary")
    exponent: float = Field(default=1.0, ge=0, le=10, description="exponent of their Zipf distribution")
    partitions: Count | None = Field(
        default=None, description="reduce partitions; default: as fits the workload"
    )
    parts: Count | None = Field(default=None, description="input files; default: two per slot")
    seed: int = Field(default=0, ge=0, le=1 << 30, description="seed of the generator")

    @property
    def amount(self) -> Mapping[str, float]:
        return {"size": self.size}

    @property
    def takes(self) -> Mapping[Role, int]:
        return {"input": self.size}

    @property
    def blocks(self) -> int:
        return self.size // BLOCK

    def text(self) -> dict[str, object]:
        """The options that define the text."""
        return {
            "blocks": self.blocks,
            "words": self.words,
            "exponent": self.exponent,
            "seed": self.seed,
        }

    def prepare(self, layout: Layout) -> Sequence[Command]:
        count = self.parts or max(2 * layout.slots, len(layout.nodes))
        options = {**self.text(), "parts": count, "output": layout.places["input"].path}
        return generators(layout, "TextGen", count, options)

    def reducers(self, layout: Layout) -> int:
        """One per slot: counts of strings are small compared with the input."""
        return self.partitions or layout.slots

    def options(self) -> dict[str, object]:
        """Options of the job and its validator in addition to input and output."""
        return {}

    def job(self, prepared: Prepared) -> Job:
        layout = prepared.layout
        options = {
            "input": layout.places["input"].path,
            "output": layout.places["output"].path,
            "partitions": self.reducers(layout),
            **self.options(),
        }
        return engine_job(layout, self.main_class.lower(), self.main_class, options)

    def answer(self, prepared: Sequence[Outcome]) -> dict[str, object]:  # noqa: ARG002 - computed again from the generator
        """Options of the validator about the correct result."""
        return self.text()

    def check(self, prepared: Prepared) -> Sequence[Command]:
        layout = prepared.layout
        options = {
            "input": layout.places["output"].path,
            **self.answer(prepared.outcomes),
            **self.options(),
            "threads": layout.head.cores,
        }
        return [program(layout, "validate", f"{self.main_class}Validate", options, heap=1 << 30)]

    def judge(self, results: Results) -> Judgement:
        ran = results.ran
        found = results.checked[0]
        generated = sum(outcome["bytes"] for outcome in results.prepared)
        reason = str(found.get("reason", ""))
        if generated != self.blocks * BLOCK:
            reason = f"the generator produced {generated} bytes instead of {self.blocks * BLOCK}"
        elif not ran["valid"]:
            reason = str(ran.get("reason", ""))
        facts = {key: found[key] for key in ("distinct", "total", "lines", "checksum") if key in found}
        return Judgement.of(ran, reason, facts, valid=found["valid"])
