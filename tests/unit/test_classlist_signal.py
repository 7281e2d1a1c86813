"""A signal during the small run in which an engine's classes are listed."""

import sys
from pathlib import Path

from tests.unit.test_signals import outcome

SMALL_RUN = f"""#!{sys.executable}
import signal, subprocess, sys, time
child = subprocess.Popen(["sleep", "600"], start_new_session=True)
def clean(*_):
    time.sleep(0.3)
    child.kill()
    child.wait()
    open("cleaned", "w").close()
    sys.exit(143)
signal.signal(signal.SIGTERM, clean)
open("ready", "w").write(str(child.pid))
time.sleep(600)
"""


def test_a_signal_while_classes_are_listed_ends_the_small_run_as_its_user_would(tmp_path: Path) -> None:
    """A container of YARN is nobody's child: only the run that started it knows how to end it."""
    program = tmp_path / "small-run"
    program.write_text(SMALL_RUN)
    program.chmod(0o700)
    done = outcome(
        """
        from weft.host.provision import classdata
        os.environ["WEFT_CACHE"] = str(Path("cache").resolve())
        sys.executable = str(Path("small-run").resolve())
        def stop_when_ready():
            while not (Path("ready").exists() and Path("ready").read_text()):
                time.sleep(0.05)
            stop_me()
        threading.Thread(target=stop_when_ready).start()
        java = Path("java/bin/java").resolve()
        java.parent.mkdir(parents=True)
        (java.parent.parent / "release").touch()
        run_guarded(lambda: classdata.observe("thing", java, Path("home"), classdata.Observed(["run"], {}), print))
        """,
        tmp_path,
    )
    child = int((tmp_path / "ready").read_text())
    assert done.returncode == 143, done.stderr
    assert (tmp_path / "cleaned").exists()
    assert not Path(f"/proc/{child}").exists()
    assert not [path.name for path in (tmp_path / "cache").iterdir() if not path.name.endswith(".lock")]
