"""The tables of an engine's account: what each column is, and in what unit."""

import polars

APPLICATIONS = {
    "app": polars.String,
    "name": polars.String,
    "version": polars.String,
    "begin": polars.Float64,
    "end": polars.Float64,
}
"""begin, end: seconds since the epoch, as all times below; null where the account does not say."""

EXECUTORS = {
    "app": polars.String,
    "executor": polars.String,
    "host": polars.String,
    "cores": polars.Int64,
    "added": polars.Float64,
    "removed": polars.Float64,
    "reason": polars.String,
}
"""reason: why it was removed, in the engine's words."""

JOBS = {
    "app": polars.String,
    "job": polars.Int64,
    "begin": polars.Float64,
    "end": polars.Float64,
    "failure": polars.String,
}
"""failure: empty where the job succeeded; null where it did not end."""

STAGES = {
    "app": polars.String,
    "stage": polars.Int64,
    "attempt": polars.Int64,
    "name": polars.String,
    "tasks": polars.Int64,
    "begin": polars.Float64,
    "end": polars.Float64,
    "failure": polars.String,
    "parents": polars.List(polars.Int64),
}
"""parents: stages whose output it reads; null where the account does not say. tasks: how many the attempt was to run. end: null where it did not end. failure: empty where there was none."""

TASKS = {
    "app": polars.String,
    "stage": polars.Int64,
    "attempt": polars.Int64,
    "task": polars.Int64,
    "index": polars.Int64,
    "try": polars.Int64,
    "executor": polars.String,
    "host": polars.String,
    "locality": polars.String,
    "speculative": polars.Boolean,
    "begin": polars.Float64,
    "end": polars.Float64,
    "ok": polars.Boolean,
    "reason": polars.String,
    "failure": polars.String,
    "run_ms": polars.Int64,
    "cpu_ns": polars.Int64,
    "deserialize_ms": polars.Int64,
    "deserialize_cpu_ns": polars.Int64,
    "serialize_ms": polars.Int64,
    "scheduler_ms": polars.Int64,
    "gc_ms": polars.Int64,
    "fetch_wait_ms": polars.Int64,
    "remote_bytes": polars.Int64,
    "local_bytes": polars.Int64,
    "remote_blocks": polars.Int64,
    "local_blocks": polars.Int64,
    "shuffle_write_bytes": polars.Int64,
    "shuffle_write_records": polars.Int64,
    "shuffle_write_ns": polars.Int64,
    "memory_spill_bytes": polars.Int64,
    "disk_spill_bytes": polars.Int64,
    "input_bytes": polars.Int64,
    "input_records": polars.Int64,
    "output_bytes": polars.Int64,
    "output_records": polars.Int64,
    "peak_memory_bytes": polars.Int64,
}
"""index: partition's place in the stage. try: 0 for the first try of an index. reason: Success or the engine's word
for the failure; failure: its text. Units are in the names; a task that was lost has zeros."""
