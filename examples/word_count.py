"""Count the words of a text with PySpark.

    weft submit --nodes virtual:2 --scratch pool -- examples/word_count.py [TEXT...]

Without an argument it generates a text, the same every time, and checks the count of each word.
"""

import sys

from pyspark.sql import SparkSession

WORDS = ("warp", "weft", "loom", "shuttle", "thread", "cloth", "weave")
LINES = 20_000


def line(number: int) -> str:
    """A line of the text that the example makes: 1 to 7 words."""
    return " ".join(WORDS[(number + at) % len(WORDS)] for at in range(1 + number % len(WORDS)))


def main(paths: list[str]) -> None:
    spark = SparkSession.builder.appName("word count").getOrCreate()
    context = spark.sparkContext
    lines = context.textFile(",".join(paths)) if paths else context.range(LINES, numSlices=8).map(line)
    counts = lines.flatMap(str.split).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
    found = sorted(counts.collect(), key=lambda pair: (-pair[1], pair[0]))
    for word, count in found[:10]:
        print(f"{count:>10} {word}")
    total = sum(count for _, count in found)
    print(f"total {total}")
    spark.stop()
    made = sum(len(line(number).split()) for number in range(LINES))
    if not paths and total != made:
        sys.exit(f"the text has {made} words, {total} were counted")


if __name__ == "__main__":
    main(sys.argv[1:])
