import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

/** Computes for a known number of seconds of its own thread's processor time, however long that takes. */
final class Spin {
    private static final double SECOND = 1e9;

    private Spin() {}

    static long of(double seconds) {
        ThreadMXBean threads = ManagementFactory.getThreadMXBean();
        long end = threads.getCurrentThreadCpuTime() + (long) (seconds * SECOND);
        long state = 1;
        while (threads.getCurrentThreadCpuTime() < end) {
            for (int step = 0; step < 10_000; step++) {
                state = state * 6364136223846793005L + 1442695040888963407L;
            }
        }
        return state;
    }
}
