"""Whether what a tool says of a job names the defect that the job was given: one rule for all tools.

Written on 2026-11-24 from the definitions of the jobs in bench/explainers.py and bench/defects.py, before any tool was asked about them,
by an author who wrote none of weft's sentences. It replaces a rule that was made of weft's own sentences. The author knew weft's guide and that
rule. Words come from Spark's manual on monitoring and tuning, from the guides of the other tools and the texts of
their rules, and from what performance engineers say. `git log --follow` of this file shows what was changed after the first run.

A tool's answer is a list of findings. One is main, or an aside: what the tool itself rates as information, and of weft the parts after the
largest. An aside can be right; it is never wrong. A finding is right if it has a word for a cause that the defect accepts and, in the same
finding, one for the place. The cause without the place is right in part. An answer is wrong if its main findings name other causes only, and
silent if they name none. Of a healthy job it is right if no main finding names a cause.

Not causes here: shares of time on a CPU or in its run queue (other programs may compute meanwhile), the application's start, cores that
are idle, memory or executors that could be smaller. They are true of these jobs, and say nothing of the defect.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RIGHT, PART, WRONG, SILENT = "right", "in part", "wrong", "silent"

CAUSES: Mapping[str, str] = {
    "storage": (
        r"file calls?|file ?system|metadata|\bopen(s|ing|ed)?\b|\bI/O\b|disk (reads?|writes?|wait)|storage latenc|slow storage"
        r"|waited for (storage|files?)|names of [^.;]{0,30}files|shuffle (files?|write time)|small (shuffle )?blocks"
    ),
    "small files": (
        r"(small|many|tiny|larger|fewer|bigger) (input )?files|number of (input )?files|files? (that )?(are |is )?(too )?small"
        r"|compact\w*|merg\w+ [^.;]{0,20}files|small input|input per task|list\w+ (of )?files|open ?cost|maxPartitionBytes"
    ),
    "few tasks": (
        r"too few (partitions|tasks)|(fewer|less) (partitions|tasks) than|(one|single|1) (task|partition)\b|shuffle partition\(s\) across"
        r"|low parallelism|lack of parallelism|(raise|increase|more)[^.;]{0,40}partitions|(raise|higher) [^.;]{0,30}parallelism"
    ),
    "many tasks": (
        r"too many (shuffle )?(partitions|tasks)|(tasks|partitions) (that )?(are |is )?(too )?(small|short|tiny)|(small|short|tiny) (tasks|partitions)"
        r"|schedul(ing|er)|(task|launch) overhead|coalesc\w+|(reduce|lower|decrease)[^.;]{0,40}(partitions|number of tasks)"
        r"|fewer (and )?(larger )?(partitions|tasks)(?! than)"
    ),
    "skew": (
        r"skew|straggler|uneven|imbalanc|hot key|\bsalt|max(imum)? task|(slowest|longest) tasks?|last tasks|x the median"
        r"|one (long|large) (task|partition)"
    ),
    "memory": (
        r"\bGC\b|garbage|\bheap\b|memory pressure|out of memory|\bOOM\b|\bspill|(increas\w+|more|larger|raise)[^.;]{0,30}memory"
        r"|memory for each task|(does not|doesn't) fit in memory|reduc\w+ memory usage"
    ),
    "network": (
        r"\bnetwork\b|bandwidth|fetch wait|shuffle fetch|fetch\w* (of )?blocks|remote (blocks|reads|shuffle)|blocks from other|\blinks?\b"
        r"|between nodes|shuffle (volume|size|data)|high shuffle|reduce shuffle|excessive shuffle"
    ),
    "driver": r"\bdriver(?!('s)? memory)\b|between (jobs|stages)|no task (was |is )?(running|ready)|single-threaded",
    "imports": (
        r"\bimport(s|ing|ed)?\b|\bmodules?\b|Python (environment|start|worker start)|start(ing|up)? (of )?(the )?Python|conda|site-packages"
    ),
    "exchange": (
        r"seriali[sz]|pickl|\barrow\b|(exchange|between|traffic) [^.;]{0,20}(JVM|Python)|(rows|columns|data) [^.;]{0,20}(to|from) (the )?Python"
        r"|transfer[^.;]{0,20}Python|row[- ]at[- ]a[- ]time|Python (UDF )?overhead"
    ),
    "function": (
        r"user(s|'s)? (code|functions?)|(job's|own|your|Python) (own )?(Python )?functions?|\bUDFs?\b|mapPartitions|application code"
    ),
    "failures": r"failed tasks|tasks? failures?|tasks failed",
    "parallelism": r"increase parallelism",
    "adaptive": r"adaptive|\bAQE\b",
}
"""By cause, the words for it."""
OBSERVED = frozenset({"parallelism", "adaptive"})
"""True of these jobs, or one of two ways that an answer offers; wrong of none."""
STAGE = r"stages?\b|tasks?\b|partitions?\b|shuffle|reduc|sort|exchange"


@dataclass(frozen=True)
class Defect:
    """What a right answer says. `too`: causes that are also true of the job, neither right nor wrong."""

    says: str
    accepts: frozenset[str]
    where: str
    too: frozenset[str] = frozenset()


def _defect(says: str, accepts: str, where: str, too: str = "") -> Defect:
    return Defect(says, frozenset(accepts.split(", ")), where, frozenset(too.split(", ")))


DEFECTS: Mapping[str, Defect] = {
    "small blocks": _defect(
        "calls on shuffle files, or too many small blocks",
        "storage, many tasks",
        rf"scratch|shuffle|local dir|lustre|blocks?\b|{STAGE}",
    ),
    "few tasks": _defect(
        "fewer tasks than cores in a stage",
        "few tasks, parallelism",
        rf"executors?\b|slots?\b|cores?\b|{STAGE}",
    ),
    "full heap": _defect("GC, or too little heap, of executors", "memory", rf"executors?\b|heap|JVM|{STAGE}"),
    "slow links": _defect(
        "the network under the shuffle", "network", rf"nodes?\b|executors?\b|links?\b|fetch|blocks?\b|{STAGE}"
    ),
    "skew": _defect("skew of the tasks of a stage", "skew", rf"keys?\b|{STAGE}", "few tasks"),
    "many tasks": _defect(
        "too many small tasks of the exchange", "many tasks, adaptive", rf"adaptive|{STAGE}"
    ),
    "spill": _defect(
        "spills of the sort, or too little memory for them", "memory", rf"executors?\b|{STAGE}", "few tasks"
    ),
    "small files": _defect(
        "many small files of the input",
        "small files, storage",
        r"input|scan|table|\bread|files\b",
        "many tasks, driver",
    ),
    "driver": _defect("the driver, alone", "driver", r"driver"),
    "imports": _defect(
        "imports of Python workers", "imports, storage", r"Python|import|modules?\b|environment"
    ),
    "exchange": _defect("rows between JVM and Python", "exchange", r"Python"),
    "function waits": _defect(
        "the Python function waits", "function", r"\bwait|sleep|asleep|blocked|not on a CPU|off-?CPU"
    ),
    "function computes": _defect("the Python function computes", "function", r"\bCPU\b|comput|busy"),
}
"""By the key of a job's cause; a healthy job has none."""


@dataclass(frozen=True)
class Finding:
    text: str
    aside: bool = False


def named(text: str) -> set[str]:
    """The causes that a text has words for."""
    return {cause for cause, words in CAUSES.items() if re.search(words, text, re.IGNORECASE)}


def others(findings: Sequence[Finding], cause: str) -> list[str]:
    """Other causes that main findings name, in the order of the list above."""
    known = DEFECTS.get(cause, _defect("", "", ""))
    claimed = {each for finding in findings if not finding.aside for each in named(finding.text)}
    return [each for each in CAUSES if each in claimed - known.accepts - known.too - OBSERVED]


def verdict(findings: Sequence[Finding], cause: str) -> str:
    """Of an answer to a job with this cause, empty for a healthy one."""
    wrong = others(findings, cause)
    if cause not in DEFECTS:
        return WRONG if wrong else RIGHT
    defect = DEFECTS[cause]
    hits = [finding.text for finding in findings if named(finding.text) & defect.accepts]
    if any(re.search(defect.where, text, re.IGNORECASE) for text in hits):
        return RIGHT
    return PART if hits else WRONG if wrong else SILENT
