"""What this machine lacks for weft, and how to fix it. Each check only inspects and changes nothing."""

from collections.abc import Callable, Sequence

from weft.doctor import capacity, host, kernel, owndirectories, programs
from weft.doctor.finding import Finding

CHECKS: Sequence[Callable[[], Finding]] = (
    programs.java,
    programs.cargo,
    programs.setpriv,
    capacity.memory,
    capacity.cores,
    capacity.shared_memory,
    owndirectories.cache,
    owndirectories.work,
    owndirectories.runs,
    owndirectories.state,
    owndirectories.cached_files,
    owndirectories.leftovers,
    owndirectories.unsecured,
    kernel.user_namespaces,
    kernel.virtual_nodes,
    kernel.shaping,
    kernel.control_groups,
    kernel.perf,
    programs.fuse2fs,
    programs.xfs,
    programs.gluster,
    programs.moosefs,
    programs.moosefs_chunks,
    programs.moosefs_client,
    programs.containers,
    host.clock,
)


def examine() -> list[Finding]:
    """Every finding, in the order of the list above, and then what other hosts are checked for too."""
    here = [host.here()]
    return [*(check() for check in CHECKS), *(check.judge(here) for check in host.CHECKS)]


def fit(findings: Sequence[Finding]) -> bool:
    """Whether a default local run can work."""
    return not any(finding.status == "missing" for finding in findings)


def lines(findings: Sequence[Finding]) -> list[str]:
    """As text for users: one line each, with the consequence and the fix below it."""
    width = max(len(finding.name) for finding in findings)
    found = []
    for finding in findings:
        found.append(f"{finding.status:<8} {finding.name:<{width}}  {finding.found}")
        if finding.status != "ok":
            margin = " " * (9 + width + 2)
            found += [f"{margin}affects: {finding.costs}", f"{margin}fix:     {finding.fix}"]
    return found
