import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** As many tasks as there are slots, each of which spins so many seconds: FlinkSpin SECONDS SLOTS. */
public final class FlinkSpin {
    private FlinkSpin() {}

    public static void main(String[] arguments) throws Exception {
        double seconds = Double.parseDouble(arguments[0]);
        int slots = Integer.parseInt(arguments[1]);
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
        flink.setParallelism(slots);
        var states = flink.fromSequence(1, slots).rebalance().map(number -> Spin.of(seconds) + number);
        System.out.println("spun, states " + states.returns(Long.class).executeAndCollect(100).size());
    }
}
