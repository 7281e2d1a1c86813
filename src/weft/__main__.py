import signal

# until weft is loaded, Ctrl-C ends it without a word
signal.signal(signal.SIGINT, signal.SIG_DFL)

from weft.cli import main  # noqa: E402

main()
