"""Spark: a driver, and executors whose threads are slots."""

from pathlib import Path

from weft.facts.enginefacts import EngineFacts, Held, Settings, Sql, Streaming, TaskLog

FACTS = EngineFacts(
    log=f"{__name__}.eventlog",
    live=f"{__name__}.live",
    rules=Path(__file__).with_name("rules.toml"),
    settings=Settings(
        local_directories="spark.local.dir",
        heap="spark.executor.memory",
        heap_key="executor_memory",
        driver_key="driver_memory",
        driver="spark.driver.memory",
        cluster=(
            "spark.master",
            "spark.submit.deployMode",
            "spark.driver.host",
            "spark.driver.bindAddress",
            "spark.local.dir",
            "spark.eventLog.",
            "spark.authenticate",
            "spark.deploy.",
            "spark.worker.",
            "spark.shuffle.service.",
        ),
        nodes="spark.executor.instances",
        partitions=("spark.default.parallelism", "spark.sql.shuffle.partitions"),
        compression=("spark.shuffle.compress", "spark.shuffle.spill.compress"),
    ),
    # the default of spark.diskStore.subDirectories, in DiskBlockManager
    directories=64,
    # BypassMergeSortShuffleWriter
    block_files=True,
    empty_job={"kind": "scheduling-throughput", "tasks": 2000},
    # TaskSetManager.scala
    tasks=TaskLog(
        # one that fails like another before is logged in the second form
        r"Lost task (?P<task>\d+)\.\d+ in stage (?P<stage>\d+)\.\d+ \(TID \d+\) (?:\(|on )(?P<host>[^\s,]+),? executor \S+ "
        "|PythonException: |Python worker exited",
        r"Finished task (?P<task>\d+)\.\d+ in stage (?P<stage>\d+)\.\d+ ",
        silent=r"because we got no heartbeat in",
        lost=r"Lost executor (?P<name>\S+) on (?P<host>[^\s:]+): .*?(?:exited with code|Exit status:) (?P<code>\d+)",
        stops=r"SparkContext: (?:Invoking stop|SparkContext is stopping)",
    ),
    memory_key="executor_memory",
    modules="PYSPARK_PYTHON=/path/of/python before the command names one that has it on every node; --py-files FILE adds a module of your own",
    # UnifiedMemoryManager and MemoryManager.scala
    held=Held(
        share=0.6,
        setting="spark.memory.fraction",
        reserved=300 << 20,
        page=64 << 20,
        pages=16,
        elsewhere=("spark.memory.offHeap.enabled", "spark.executor.memory"),
    ),
    command="spark-submit job.py",
    persistent=True,
    sql=Sql(),
    streaming=Streaming(
        "spark-kafka", shortest=0.1, interval=0.1, checkpoint=5.0, real_time="Spark's real-time mode"
    ),
)
