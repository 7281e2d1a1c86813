"""Why jobs of Spark fail: each cause is caused on a real cluster, and named by the first line, with no other."""

import subprocess
import sys
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.local.causes import HERE, Cause, jar, params, persistent, require_named
from tests.local.conftest import Weft
from tests.needs import VIRTUAL, needs
from weft.host.provision import distribution

pytestmark = needs(*VIRTUAL)
SMALL = ("virtual:2,memory=2G,cores=1", "--scratch", "memory:24M")
UNPROBED = ("--set", "probes=null")
ONCE = ("--conf", "spark.task.maxFailures=1")
"""A task that fails is not repeated: the reason is the same, and sooner."""
SIZES = ("--set", "engine.driver_memory=512M", "--set", "engine.executor_memory=480M")
BEGIN = """\
from pyspark.sql import SparkSession
spark = SparkSession.builder.getOrCreate()
sc = spark.sparkContext
"""
KILL = """\
def die(x):
    import os, signal
    pid = os.getpid()
    while b"CoarseGrainedExecutorBackend" not in open(f"/proc/{pid}/cmdline", "rb").read():
        pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    os.kill(pid, signal.SIGKILL)
"""
"""Ends the executor whose Python worker this is."""


def job(*lines: str) -> str:
    return BEGIN + "\n".join(lines) + "\n"


def mapped(*body: str) -> str:
    """A job whose tasks run these lines, with x."""
    return job(
        "def work(x):",
        *(f"    {line}" for line in body),
        "print(sc.range(4, numSlices=2).map(work).collect())",
    )


COUNT = job("print(spark.range(10).count())")
QUICK = [
    Cause("exception", "", r"^KeyError: \d \(exception.py, line 5\)$", mapped("return {'a': 1}[x]")),
    Cause("module", "python-module-task", "the Python of the workers has no module notthere", mapped("import notthere")),
    Cause("chain", "", r"^ValueError: no number \(chain.py, line 8\), caused by KeyError: \d \(chain.py, line 6\)$", mapped("try:", "    return {'a': 1}[x]", "except KeyError as error:", "    raise ValueError('no number') from error")),
    Cause("closure", "closure", "that cannot be sent to executors", job("import threading", "lock = threading.Lock()", "print(sc.range(4).map(lambda x: lock.locked()).collect())")),
    Cause("input", "no-input", "the input file:/nonexistent/a.txt does not exist", job("sc.textFile('/nonexistent/a.txt').count()"), node="node1"),
    Cause("longpath", "socket-path", "the path of a Unix socket has more than the 107 bytes", mapped("import socket", "return socket.socket(socket.AF_UNIX).bind('/tmp/' + 'x' * 115)")),
    Cause("crash", "python-crash", "native code in Python crashed: Segmentation fault", mapped("import ctypes", "return ctypes.string_at(0)")),
    Cause("memory", "memory-limit", r"the memory limit of 2\.15 GB was reached, and the kernel killed a process", mapped("return len([b'x' * (1 << 24) for _ in range(200)]) if x == 0 else 0")),
    Cause("full", "no-space", r"the scratch \(.*\) was full", job("import random", "def work(x):", "    return x % 100, random.Random(x).randbytes(100000)", "print(sc.range(4000, numSlices=4).map(work).repartition(4).count())")),
    Cause("cores", "no-executor", "no executor can ever start", COUNT, ("--conf", "spark.executor.cores=4096"), node="node1"),
]  # fmt: skip
SLOW = [
    Cause("results", "results-too-large", "the results that the driver collects", job("spark.range(0, 400000, 1, 4).selectExpr('sha2(cast(id as string), 256)').collect()"), ("--conf", "spark.driver.maxResultSize=1m"), node="node1"),
    Cause("collect", "driver-heap", "the driver's heap was full", job("spark.range(0, 40, 1, 4).selectExpr(\"repeat('x', 30000000 + cast(id as int))\").collect()"), node="node1"),
    Cause("heap", "task-heap", "the heap in which tasks run was full", job("spark.range(0, 4, 1, 4).selectExpr('size(sequence(0L, 200000000L + id))').collect()")),
    Cause("skew", "task-heap", r"the heap in which tasks run was full: \d times in task \d+ of stage \d+, of which \d+ others ended, so its data is skewed", job(
        "from pyspark.sql.functions import expr", "spark.conf.set('spark.sql.adaptive.enabled', 'false')",
        "rows = spark.range(0, 300000, 1, 4).selectExpr('case when id < 1000 then id else 7 end as k', 'id')",
        "lists = rows.repartition(8, 'k').groupBy('k').agg(expr('collect_list(repeat(cast(id as string), 500))').alias('l'))",
        "print(lists.selectExpr('sum(size(l))').collect())")),
    Cause("slow-heap", "heap-again", "executors died again and again, each because its heap was full", job("spark.range(0, 2, 1, 2).selectExpr(\"reflect('java.lang.Thread', 'sleep', 25000L)\", 'size(sequence(0L, 200000000L + id))').collect()"), with_=("task-heap",)),
    Cause("broadcast", "broadcast-too-large", "a table was too large to be broadcast", job(
        "from pyspark.sql.functions import broadcast", "big = spark.range(0, 60, 1, 4).selectExpr('id', \"repeat('x', 10000000 + cast(id as int)) as text\")",
        "print(spark.range(60).join(broadcast(big), 'id').selectExpr('sum(length(text))').collect())"), node="node1"),
    Cause("file", "no-file", "the file /nonexistent/data.csv does not exist", mapped("return open('/nonexistent/data.csv').read()")),
    Cause("format", "damaged-input", "an input file is damaged, or of another format", job("import os, tempfile", "folder = tempfile.mkdtemp()", "open(folder + '/a.parquet', 'w').write('no columns at all')", "spark.read.parquet(folder).count()")),
    Cause("damaged", "damaged-input", "an input file is damaged, or of another format", job(
        "import glob, os, tempfile", "folder = tempfile.mkdtemp() + '/t'", "spark.range(100000).coalesce(1).write.parquet(folder)",
        "(path,) = glob.glob(folder + '/*.parquet')", "data = open(path, 'rb').read()", "open(path, 'wb').write(data[:1000] + bytes(5000) + data[6000:])",
        "[os.remove(each) for each in glob.glob(folder + '/.*crc')]", "spark.read.parquet(folder).selectExpr('sum(id)').show()")),
    Cause("library", "shared-library", r"the library libnowhere\.so\.7 could not be loaded", mapped("import ctypes", "return ctypes.CDLL('libnowhere.so.7') and 1")),
    Cause("open-files", "open-files", "a process had as many open files as it may have", mapped("import resource", "resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))", "return len([open('/dev/null') for _ in range(100)])")),
    Cause("format-class", "spark-class", "no jar of the driver has org.example.nowhere", job("spark.read.format('org.example.nowhere').load('/tmp').count()"), node="node1"),
    Cause("class", "class", "a class or method is missing, or of another version: org.example.Nowhere", job("spark._jvm.java.lang.Class.forName('org.example.Nowhere')"), node="node1"),
    Cause("syntax", "python-syntax", "Python cannot read the program: expected ':'", "def count(rows)\n    return rows\n", node="node1"),
    Cause("driver-module", "python-module", "Python has no module notthere", "import notthere\n", node="node1"),
    Cause("driver-chain", "", r"^ValueError: no number \(driver-chain.py, line 7\), while handling KeyError: 'b' \(driver-chain.py, line 5\)$", job("try:", "    print({'a': 1}['b'])", "except KeyError:", "    raise ValueError('no number')"), node="node1"),
    Cause("context", "closure", "that cannot be sent to executors", job("sc.range(10).map(lambda x: sc.parallelize([x]).count()).collect()")),
    Cause("ends", "python-worker", "a Python worker ended itself, or was killed", mapped("import os", "os._exit(3)")),
    Cause("killed", "executor-lost", r"executor \d+ was lost, it was killed by signal 9 \(SIGKILL\)", job(KILL, "sc.range(2, numSlices=2).map(die).collect()")),
    Cause("fetch", "fetch", r"executor \d+ was lost, it was killed by signal 9 \(SIGKILL\); map output was lost", job(KILL, "import time",
        "pairs = sc.range(100, numSlices=4).map(lambda x: (x % 4, x)).groupByKey(4)",
        "print(pairs.mapPartitions(lambda rows: (time.sleep(1), die(0))).collect())")),
    Cause("driver-killed", "", r"^it was killed by signal 9 \(SIGKILL\)$", job("import os", "os.kill(os.getpid(), 9)"), node="node1"),
    Cause("threads", "native-thread", "no thread could be created", mapped("import resource, threading, time", "resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))", "threads = [threading.Thread(target=time.sleep, args=(5,)) for _ in range(1000)]", "[thread.start() for thread in threads]")),
    Cause("permission", "permission", "a file or directory may not be read or written", mapped("import os", "os.seteuid(65534)", "return open('/etc/shadow').read()")),
    Cause("memory-asked", "no-executor", "no executor can ever start", COUNT, ("--conf", "spark.executor.memory=4t"), node="node1"),
    Cause("interface", "driver-address", r"executors do not reach the driver at /127\.9\.9\.9", COUNT, ("--conf", "spark.driver.host=127.9.9.9"), with_=("executors-end",)),
    Cause("address", "address", "an address does not belong to this node", COUNT, ("--conf", "spark.driver.bindAddress=192.0.2.1"), node="node1"),
    Cause("port", "port", "a port is taken", COUNT, ("--conf", "spark.driver.port=7077", "--conf", "spark.port.maxRetries=0"), node="node1"),
    Cause("secret", "master", "the Master at .* refuses the job, or does not answer: a service refused", COUNT, ("--conf", "spark.authenticate.secret=other"), with_=("authentication",)),
    Cause("option", "jvm-start", "executors end as soon as they start: a JVM did not start: MaxGCPauseMillis=long", COUNT, ("--conf", "spark.executor.extraJavaOptions=-XX:MaxGCPauseMillis=long"), with_=("executors-end",)),
    Cause("connection", "connection", r"a connection was closed by its other side, or refused \(connection.py, line 6\)", mapped("import socket", "return socket.create_connection(('127.0.0.1', 9)).fileno()")),
    Cause("gzip", "damaged-input", "an input file is damaged, or of another format", job("import os, tempfile", "path = tempfile.mkdtemp() + '/a.gz'", "open(path, 'wb').write(b'these are no compressed lines')", "sc.textFile(path).count()")),
    Cause("host", "unknown-host", "the host nosuchhost.invalid is not known", job("spark.read.text('hdfs://nosuchhost.invalid:8020/x').count()"), node="node1"),
    Cause("hdfs", "hdfs", "nothing answers at localhost:1", job("spark.read.text('hdfs://127.0.0.1:1/x').count()"), node="node1"),
    Cause("exit", "", "why is not known; the last line of its output is 'the moon is full'", job("import sys", "sys.exit('the moon is full')"), node="node1 with exit code 1"),
]  # fmt: skip


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Weft]:
    with persistent(tmp_path_factory.mktemp("spark"), "--nodes", *SMALL, *SIZES, *UNPROBED) as weft:
        yield weft


@pytest.mark.parametrize("cause", params(QUICK))
def test_the_first_line_names_the_cause(cluster: Weft, cause: Cause) -> None:
    require_named(cluster, replace(cause, words=(*ONCE, *cause.words)))


@pytest.mark.long
@pytest.mark.parametrize("cause", params(SLOW))
def test_a_cause_that_takes_longer_is_named_too(cluster: Weft, cause: Cause) -> None:
    require_named(cluster, cause)


OTHER = """\
import sys
class Version(tuple):
    major, minor, micro, releaselevel, serial = 3, 99, 0, "final", 0
sys.version_info = Version((3, 99, 0, "final", 0))
"""


@pytest.mark.long
def test_a_python_of_another_version_is_named(cluster: Weft) -> None:
    """The interpreter of the workers believes to be another one."""
    folder = cluster.home / "other"
    folder.mkdir()
    (folder / "sitecustomize.py").write_text(OTHER)
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH={folder}:$PYTHONPATH exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    version = {"PYSPARK_PYTHON": str(python), "PYSPARK_DRIVER_PYTHON": sys.executable}
    require_named(cluster, replace(VERSION, environment=version))


SHUFFLE = job(
    "import random",
    "def work(x):",
    "    return x % 100, random.Random(x).randbytes(100000)",
    "print(sc.range(100, numSlices=2).map(work).repartition(2).count())",
)


@pytest.mark.long
@needs("cc")
def test_a_quota_that_is_exhausted_is_named(cluster: Weft) -> None:
    """Kernels without quotas are common in containers: the executors' own writes fail as with one."""
    library = cluster.home / "quota.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, HERE / "quota.c", "-ldl"], check=True)
    words = ("--conf", f"spark.executorEnv.LD_PRELOAD={library}")
    require_named(cluster, Cause("quota", "quota", "a quota was exhausted", SHUFFLE, words))


@pytest.mark.long
def test_a_broker_that_does_not_answer_is_not_waited_for(cluster: Weft) -> None:
    jars = ",".join(map(str, sorted(distribution.home("spark-kafka", print).rglob("*.jar"))))
    stream = ".option('kafka.bootstrap.servers', '127.0.0.1:9').option('subscribe', 'topic').load().count()"
    body = job(f"spark.read.format('kafka'){stream}")
    words = ("--jars", jars)
    require_named(cluster, Cause("kafka", "kafka", "no broker of Kafka answers", body, words, node="node1"))


VERSION = Cause(
    "version", "python-version", "the Python of the workers has another version", mapped("return x")
)
JARS = [
    Cause("jar-closure", "closure-java", "a closure of the job holds an object", words=("JAR", "closure")),
    Cause("jar-exception", "", r"ArithmeticException: / by zero \(SparkCauses.java, line \d+\)", words=("JAR", "exception")),
    Cause("jar-crash", "jvm-crash", r"native code in a JVM crashed: ", words=("JAR", "crash")),
    Cause("jar-driver-crash", "jvm-crash", r"native code in a JVM crashed: ", words=("JAR", "driver-crash"), node="node1"),
    Cause("jar-class", "main-class", "the jar has no main class Nowhere", words=("--class", "Nowhere", "JAR"), node="node1"),
    Cause("jar-damaged", "jar", "the jar .* is damaged", words=("--class", "SparkCauses", "CUT"), node="node1"),
    Cause("jar-later", "java-version", "a jar was compiled for a later Java", words=("--class", "SparkCauses", "LATER"), node="node1"),
]  # fmt: skip


@pytest.fixture(scope="module")
def jars(cluster: Weft) -> dict[str, str]:
    """The jar of `SparkCauses`; the same cut in half; and with the class version of Java 25."""
    home = cluster.home
    made = jar(home, "Spark", "jars")
    cut, later = home / "cut.jar", home / "later.jar"
    cut.write_bytes(made.read_bytes()[: made.stat().st_size // 2])
    _with_later_classes(made, later)
    return {"JAR": str(made), "CUT": str(cut), "LATER": str(later)}


def _with_later_classes(made: Path, later: Path) -> None:
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(later, "w") as new:
        for name in old.namelist():
            data = bytearray(old.read(name))
            if name.endswith(".class"):
                data[6:8] = (69).to_bytes(2, "big")
            new.writestr(name, bytes(data))


@pytest.mark.long
@pytest.mark.parametrize("cause", params(JARS))
def test_what_is_wrong_with_a_jar_is_named(cluster: Weft, jars: dict[str, str], cause: Cause) -> None:
    words = tuple(jars.get(word, word) for word in cause.words)
    require_named(cluster, Cause(cause.name, cause.rule, cause.says, words=words, node=cause.node))
