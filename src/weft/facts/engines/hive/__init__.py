"""Hive: queries by Tez, whose containers on YARN run one task after another, or by MapReduce."""

from pathlib import Path

from weft.facts.enginefacts import EngineFacts, Settings, Sql

FACTS = EngineFacts(
    log=f"{__name__}.tezhistory",
    rules=Path(__file__).with_name("rules.toml"),
    settings=Settings(
        local_directories="yarn.nodemanager.local-dirs",
        driver_key="client_memory",
        partitions=("mapreduce.job.reduces",),
        # ShuffleVertexManager.java, and MRJobConfig.java
        begin_late="tez.shuffle-vertex-manager.min-src-fraction=1.0 and max-src-fraction=1.0,"
        " on MapReduce mapreduce.job.reduce.slowstart.completedmaps=1.0",
    ),
    sql=Sql(),
)
