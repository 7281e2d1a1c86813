"""wordcount: how often each word of a text occurs."""

from typing import ClassVar, Literal

from weft.adapters.workloads.base import Checker
from weft.adapters.workloads.zipftext import ZipfText


class WordCount(ZipfText):
    """Count the words of generated text; every count is checked."""

    kind: Literal["wordcount"] = "wordcount"
    main_class: ClassVar[str] = "WordCount"
    checker = Checker(
        "WordCountValidate",
        "the output: every word and its count; by words that are drawn again",
        ("LineMutant without SWAP",),
        ("TextValidateTest.wrongCountsOfWordsAreNamed",),
    )
    engines = (*ZipfText.engines, "timely", "dask", "ray")
