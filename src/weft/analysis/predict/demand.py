"""What one task of a stage needs at a target: seconds of its own, and seconds of the services that others need too."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from weft.analysis.explain.filepart import of_calls
from weft.analysis.predict.constants import VALUE
from weft.analysis.predict.jobprofile import CallsPerTask, JobProfile, StageWork
from weft.analysis.predict.stations import Load, Station, solve
from weft.analysis.predict.storagemodel import StorageModel
from weft.analysis.predict.target import BYPASS, Scaled, Target, scale
from weft.analysis.read.sums import sums
from weft.facts import engines
from weft.facts.roles import ROLES
from weft.facts.storages import layers

CPUS = "the host's CPUs"
NODES = "the nodes' own shares of them"
DRIVER = "the driver's scheduler"
LINKS = "the nodes' links"

SPILLED = 3
"""Times that what a task holds is moved where it is spilled: as it was, written, and read again."""
_COMPUTED = 2
"""Times that a task computes then, at most: what it writes and reads again costs no more than its work."""
_READS_OF_A_FILE = 10
"""From so many on, calls that are as frequent as reads are made for each of them."""
_OF_BLOCKS = frozenset({"open", "close", "stat"})
"""Calls that reading a block makes; names are made, changed and listed once a task, however many blocks it reads."""
_ALMOST = 0.9
"""Of the calls that a task made, as many as its counters show at least: the last ones may be another task's by then."""
_ROUNDS = 6
"""Corrections until queues and measurement agree: more change the result by less than a thousandth."""


@dataclass(frozen=True)
class Anchors:
    """Factors by which a stage's own seconds are multiplied where queues are counted separately."""

    cpu: float = 1.0
    waiting: float = 1.0
    """0 where nodes shared their host's processors, so that waiting for one does not come along to other machines."""
    scheduling: float = 1.0
    files: Mapping[str, float] = field(default_factory=dict)
    """By role, where the storage is the measured one."""


def _seconds_at(load: Load, stations: Iterable[Station]) -> float:
    """Seconds of a task at some stations, with its waits."""
    return sum(each.demand + load.waits.get(each.name, 0.0) for each in stations)


def _unexplained(measured: float, queued: float) -> float:
    """The share of a measured time that queues do not explain."""
    return max(0.0, measured - queued) / measured if measured > 0 else 1.0


@dataclass(frozen=True)
class Demand:
    """One stage at a target. Seconds are of one task."""

    stage: StageWork
    scaled: Scaled
    think: float
    """Without any queue."""
    stations: tuple[Station, ...]
    parts: Mapping[str, float] = field(default_factory=dict)
    """`think` by part."""

    def load(self, slots: int) -> Load:
        return solve(self.think, self.stations, min(slots, self.scaled.tasks))

    def at_storage(self, role: str, load: Load) -> float:
        """Seconds of a task at what serves the files of a role, with its waits."""
        return _seconds_at(load, (station for station in self.stations if station.role == role))

    def in_files(self, role: str, load: Load) -> float:
        """Seconds of a task in calls on the files of a role, and at what serves them."""
        own = (self.parts.get(str(of_calls(role, data=data)), 0.0) for data in (False, True))
        return sum(own) + self.at_storage(role, load)

    @property
    def alone(self) -> float:
        """Seconds of a task that meets no other."""
        return self.think + sum(s.demand for s in self.stations if not s.hidden)


_FREE = Anchors()


@dataclass(frozen=True)
class Background:
    """CPU seconds of JIT, GC and the servers of blocks at a target."""

    whole: float
    """If one machine compiles the code."""
    tasks: int
    """Among which they are divided."""
    more: float
    """What the tasks compute there over what they computed."""
    nodes: int
    measured: int | None
    """Nodes where the work was measured; None where their number does not count: each task has a JVM of its own."""

    def of_task(self, count: int) -> float:
        """For each of so many tasks.

        Each JVM compiles the same code, and what runs longer is compiled again and better. What is compiled on a node without a
        task slows none.
        """
        if not self.whole or self.measured is None:
            return self.whole / self.tasks
        machines = min(self.nodes, count) / self.measured
        each_does: float = (self.more / machines) ** VALUE["compiler_power"]
        return self.whole * machines * each_does / self.tasks


def background_of(work: JobProfile, target: Target) -> Background:
    """That of a job, once for all of its stages: it is made of all of them."""
    computed = sum(stage.cpu * stage.count for stage in work.stages)
    whole = work.background * computed / target.machine.speed
    if work.jvm_a_task or not computed:  # without CPU time of its tasks, nothing is known
        return Background(whole, sum(stage.count for stage in work.stages), 1.0, target.nodes, None)
    each = [scale(stage, work, target) for stage in work.stages]
    done = sum(new.tasks * new.data * stage.cpu for new, stage in zip(each, work.stages, strict=True))
    return Background(whole, sum(new.tasks for new in each), done / computed, target.nodes, work.nodes)


def fit_to_run(
    stage: StageWork, work: JobProfile, measured: Target, background: Background | None = None
) -> Anchors:
    """The factors with which a stage takes, where it was measured, what it took there; `background`: as of `of_stage`."""
    found = _FREE
    files = {role: sum(each.seconds for each in stage.calls if each.role == role) for role in ROLES}
    for _ in range(_ROUNDS):
        demand = of_stage(stage, work, measured, found, background)
        load = demand.load(measured.slots)
        queued = sum(load.waits.get(name, 0.0) for name in (CPUS, NODES))
        running = demand.parts.get("CPU", 0.0) + queued
        found = Anchors(
            found.cpu * (stage.cpu + stage.waiting) / running
            if running > 0 and measured.machine.processors
            else 1.0,
            0.0 if measured.machine.processors else 1.0,
            _unexplained(
                stage.scheduling, _seconds_at(load, (s for s in demand.stations if s.name == DRIVER))
            ),
            {role: _unexplained(files[role], demand.at_storage(role, load)) for role in ROLES},
        )
    return found


def of_stage(
    stage: StageWork,
    work: JobProfile,
    target: Target,
    anchors: Anchors = _FREE,
    background: Background | None = None,
) -> Demand:
    """A stage's demand. `background`: of the job there, which is the same for all of its stages."""
    new = scale(stage, work, target)
    machine = target.machine
    spared = 0.0 if target.uncompressed is None else stage.compression
    cold = _warm_up_share(stage, work)
    again = cold * _slots_a_task(new.tasks, target.slots) / _slots_a_task(stage.count, work.slots)
    grown = (1 - cold) * new.data + again
    computed = (stage.cpu - stage.fixed) * grown * (_COMPUTED if stage.key in target.crowded else 1)
    cpu = (computed + stage.fixed - spared * new.data) / machine.speed
    parts = {
        "GC": stage.gc * target.gc * grown / machine.speed,
        "scheduling": stage.scheduling * anchors.scheduling,
        "network": stage.network
        * target.network
        * new.data
        * target.inflation
        * _remote(target.nodes)
        / max(_remote(work.nodes), 1e-9)
        if work.nodes > 1
        else machine.round_trip * min(new.reads * stage.blocks, target.nodes - 1),
        "unclassified": stage.other * grown,
    }
    stations = []
    if machine.processors:
        others = (background or background_of(work, target)).of_task(new.tasks)
        running = (cpu + others) * anchors.cpu
        running = max(min(cpu, running), running - stage.waiting * _spared_turns(stage, work, target))
        parts["CPU"] = running
        # tasks run as long as there is a processor, and share them from there: no queue before
        emulated = _emulator_seconds(stage, new, work, target)
        stations.append(Station(CPUS, running + emulated, servers=machine.processors, hidden=True))
        if machine.capped:
            stations.append(Station(NODES, running, servers=target.cores, copies=target.nodes, hidden=True))
    else:
        parts["CPU"] = cpu
        turns = 1 - _spared_turns(stage, work, target)
        parts["run-queue wait"] = (
            stage.waiting * anchors.waiting * cpu / stage.cpu * turns if stage.cpu else 0.0
        )
    launches = machine.launches.get(work.engine)
    if launches:
        stations.append(Station(DRIVER, 1 / launches))
    for role in ROLES:
        own, shared = _file_calls(role, stage, new, work, target)
        if not has_new_storage(role, work, target):
            own = {name: seconds * anchors.files.get(role, 1.0) for name, seconds in own.items()}
        parts |= own
        stations += shared
    remote = stage.bytes.get("scratch read", 0.0) * new.data * target.inflation * _remote(target.nodes)
    stations.append(Station(LINKS, remote / machine.link, copies=target.nodes, hidden=True))
    used = tuple(s for s in stations if s.demand > 0)
    return Demand(stage, new, sum(parts.values()), used, parts)


def _warm_up_share(stage: StageWork, work: JobProfile) -> float:
    """The share of what a task computes that slots need to warm up, whatever its data."""
    if work.jvm_a_task or not stage.cpu:
        return 0.0
    of_slot = stage.cpu * stage.count / min(work.slots, stage.count)
    return max(work.warm_up * min(1.0, VALUE["warm_up_seconds"] / of_slot), stage.cold(work.slots))


def _slots_a_task(tasks: int, slots: int) -> float:
    """Slots that warm up, for each of so many tasks."""
    return min(slots, tasks) / tasks


def _remote(nodes: int) -> float:
    """The share of shuffle data that is on another node."""
    return (nodes - 1) / nodes


def _spared_turns(stage: StageWork, work: JobProfile, target: Target) -> float:
    """The share of a task's turns on a processor that came after calls for which it does not wait at the target.

    A thread that was blocked queues for a processor again: after each call, as after each turn that it computed through.
    """
    if not target.rested:
        return 0.0
    own = [
        call for call in stage.calls if not call.served and not _is_local(work.storages.get(call.role, ""))
    ]
    gone = [
        call
        for call in own
        if has_new_storage(call.role, work, target) and _is_local(target.storages[call.role].name)
    ]
    turns = sum(call.count for call in own) + stage.cpu / VALUE["scheduler_turn"]
    return sum(call.count for call in gone) / turns if turns else 0.0


def _emulator_seconds(stage: StageWork, new: Scaled, work: JobProfile, target: Target) -> float:
    """Processor seconds of the daemons that emulate file systems on the nodes' host."""
    found = 0.0
    for role, service in target.storages.items():
        each = (work.emulator if not has_new_storage(role, work, target) else 0.0) or service.emulator
        if service.emulator:
            found += each * sum(
                _calls_at(call, stage, new, work, target).count for call in stage.calls if call.role == role
            )
    return found


def _file_calls(
    role: str, stage: StageWork, new: Scaled, work: JobProfile, target: Target
) -> tuple[dict[str, float], list[Station]]:
    """A role's file calls: by part seconds of their own, and what they need of the storage."""
    metadata, data = (str(of_calls(role, data=moves)) for moves in (False, True))
    calls = [_calls_at(each, stage, new, work, target) for each in stage.calls if each.role == role]
    service = target.storages.get(role)
    same = not has_new_storage(role, work, target)
    own = {metadata: 0.0, data: 0.0}
    parallel = min(max(1, target.nodes - 1), VALUE["fetch_requests"])
    for each in calls:
        kind = data if each.data else metadata
        delay = _delay(each, service) / (parallel if each.served else 1)
        # what the kernel needs to copy pages of a node's own files is needed above any storage
        own[kind] += each.seconds if same or (each.data and _is_local(work.storages.get(role, ""))) else 0.0
        own[kind] += 0.0 if same else delay
    inflation = _inflation(role, stage, target)
    moved = sum(stage.bytes.get(f"{role} {way}", 0.0) for way in ("read", "written")) * new.data * inflation
    if service is None:
        return own, []
    # what the job itself wrote is in the cache; whether its input is, nobody knows
    kept = role != "input" and _in_page_cache(service, moved * new.tasks, target)
    found = _stations(role, service, calls, 0.0 if kept else moved, _spread(role, work, target))
    if not same:  # what the client of the measured one took is in the measured times
        client, held = f"clients of {service.name} ({role})", moved / service.client_bandwidth
        found.append(Station(client, held, copies=target.nodes, role=role))
    return own, found


def _in_page_cache(service: StorageModel, moved: float, target: Target) -> bool:
    """Whether the kernel keeps what a stage writes to the nodes' own storage or reads again from there, and writes it while nobody waits."""
    room = VALUE["dirty_background"] * target.machine.memory * target.nodes
    return not service.shared and moved <= room


def _inflation(role: str, stage: StageWork, target: Target) -> float:
    """Bytes that a task moves over those of its data: shuffled ones without compression, and spilled ones."""
    if role != "scratch":
        return 1.0
    return target.inflation * (SPILLED if stage.key in target.crowded else 1)


def has_new_storage(role: str, work: JobProfile, target: Target) -> bool:
    """Whether a role has another storage than where it was measured."""
    service = target.storages.get(role)
    return service is not None and service.name != work.storages.get(role)


def _is_local(label: str) -> bool:
    return layers(label)[0].known.local


def _delay(call: CallsPerTask, service: StorageModel | None) -> float:
    """Seconds of these calls without load."""
    if service is None:
        return 0.0
    return call.count * (service.data_delay if call.data else service.delay)(call.operation)


def _spread(role: str, work: JobProfile, target: Target) -> tuple[int, int]:
    """Nodes, and the directories over which a role's names are spread: one that all nodes share, or own ones of each."""
    own = engines.of(work.engine).directories * target.nodes
    return target.nodes, own if role == "scratch" else 1


def _stations(
    role: str, service: StorageModel, calls: Iterable[CallsPerTask], moved: float, spread: tuple[int, int]
) -> list[Station]:
    nodes, directories = spread
    copies = 1 if service.shared else nodes
    asked = [each for each in calls if not each.data]
    busy = sum(each.count * service.work(each.operation) for each in asked)
    held = sum(each.count * service.directory_work(each.operation) for each in asked)
    return [
        Station(
            f"metadata of {service.name} ({role})", busy * service.servers, service.servers, copies, role=role
        ),
        # while a request waits for its directory, the server works for others
        Station(f"directories of {service.name} ({role})", held, copies=directories, hidden=True, role=role),
        Station(f"bandwidth of {service.name} ({role})", moved / service.bandwidth, copies=copies, role=role),
    ]


def _calls_at(
    call: CallsPerTask, stage: StageWork, new: Scaled, work: JobProfile, target: Target
) -> CallsPerTask:
    """The calls of a task at the target: constant a task, or by block, or by data."""
    reads = stage.reads_shuffle and not stage.writes_shuffle
    again = _before_each_read(call, stage)
    moves = call.data or again
    if call.role != "scratch":
        ratio = new.data if moves else 1.0
    elif moves and stage.reads_shuffle:
        # a block that is smaller is read in fewer pieces
        ratio = max(
            new.data, new.reads * min(1.0, VALUE["block_calls"] * max(stage.blocks, 1.0) / call.count)
        )
    elif moves:
        again_opened = new.reopens / call.count if call.operation == "write" else 0.0
        ratio = max(new.data, new.writes, again_opened)
    elif reads:
        ratio = new.reads if call.operation in _OF_BLOCKS else 1.0
    elif stage.writes_shuffle and _by_block(call, stage, work):
        opened = new.reopens if call.operation in {"open", "close"} else 0.0
        ratio = new.writes or max(opened, min(call.count, VALUE["sort_writer_opens"])) / call.count
    else:
        ratio = 1.0
    if call.served:
        ratio *= _remote(target.nodes) / max(_remote(work.nodes), 1e-9)
    elif reads and call.role == "scratch" and not moves and any(each.served for each in stage.calls):
        ratio *= (
            work.nodes / target.nodes
        )  # a task opens the blocks of its own node itself, servers all others
    if call.data and call.role == "scratch" and stage.key in target.crowded:
        ratio *= SPILLED
    service = target.storages.get(call.role)
    if again and service is not None:
        ratio *= 1 - service.attribute_cache
    # time of data is that of bytes, whatever the number of calls
    slower = new.data * _inflation(call.role, stage, target) if call.data else ratio
    return CallsPerTask(call.role, call.operation, call.count * ratio, call.seconds * slower, call.served)


def _before_each_read(call: CallsPerTask, stage: StageWork) -> bool:
    """Whether attributes are asked for before each read, as Hadoop's local file system does, and not for each file."""
    alike = [each for each in stage.calls if (each.role, each.served) == (call.role, call.served)]
    count = sums((each.operation, each.count) for each in alike)
    reads = count.get("read", 0.0)
    many = reads > _READS_OF_A_FILE * max(1.0, count.get("open", 0.0))
    return call.operation == "stat" and many and call.count > reads / 2


def _by_block(call: CallsPerTask, stage: StageWork, work: JobProfile) -> bool:
    """Whether these calls were made for each block: Spark's bypass writer, seen by its number of files."""
    reducers = sum(one.count for one in work.neighbours[stage.key].behind)
    return engines.of(work.engine).block_files and 0 < reducers <= BYPASS and call.count >= _ALMOST * reducers
