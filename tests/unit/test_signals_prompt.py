"""Signals while a command only reads and computes: they end it where it is."""

from tests.unit.test_signals import outcome


def test_what_only_computes_is_ended_where_it_is(tmp_path: object) -> None:
    done = outcome(
        """
        def action():
            with signals.prompt():
                stop_me()
                for _ in range(10 ** 10):
                    pass
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stdout, done.stderr) == (143, "", "stopped\n")


def test_a_signal_that_came_before_is_raised_before_anything_is_computed(tmp_path: object) -> None:
    done = outcome(
        """
        def action():
            stop_me()
            with signals.prompt():
                print("computed")
        run_guarded(action)
        """,
        tmp_path,
    )
    assert (done.returncode, done.stdout) == (143, "")
