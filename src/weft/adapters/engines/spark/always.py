"""Settings of every cluster of Spark, unless its user gives others."""

from collections.abc import Mapping

ALWAYS: Mapping[str, str] = {
    "spark.eventLog.compress": "false",
    "spark.eventLog.buffer.kb": "1",  # the log is less behind, for who follows the run
    "spark.eventLog.rolling.enabled": "false",
    # io_uring and native transports bypass the C library, where file operations are counted and served
    "spark.io.mode.default": "NIO",
    "spark.shuffle.io.mode": "NIO",
    "spark.rpc.io.mode": "NIO",
    # on YARN a job starts when all executors have registered; Spark's Master expects no number of them (StandaloneSchedulerBackend),
    # and weft's own programs wait themselves
    "spark.scheduler.minRegisteredResourcesRatio": "1.0",
    "spark.scheduler.maxRegisteredResourcesWaitingTime": "60s",
    # Spark's own: a process that is killed closes its connections, which is seen at once. Shorter ones end what only waits for a file system
    "spark.network.timeout": "120s",
    "spark.worker.timeout": "60",
    # times that long, a Worker that was silent may still come back; after 15, the Master ignores it for ever
    "spark.dead.worker.persistence": "1440",
    "spark.deploy.maxExecutorRetries": "3",
    # executors' logs are in the record: Workers would remove those of applications that ended seven days ago
    "spark.worker.cleanup.enabled": "false",
    # the cache locks a file in scratch, which NFS and Lustre refuse if they are mounted without locks; one executor a node needs none
    "spark.files.useFetchCache": "false",
    # a Python worker that crashes prints where: otherwise nobody knows whether it was killed
    "spark.python.worker.faulthandler.enabled": "true",
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
}
