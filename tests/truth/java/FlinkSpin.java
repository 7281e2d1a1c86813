import java.util.Arrays;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** One Flink task for each argument, which spins so many seconds. */
public final class FlinkSpin {
    private FlinkSpin() {}

    public static void main(String[] arguments) throws Exception {
        double[] seconds = Arrays.stream(arguments).mapToDouble(Double::parseDouble).toArray();
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
        flink.setParallelism(seconds.length);
        var numbers = flink.fromSequence(0, seconds.length - 1).rebalance();
        var states = numbers.map(number -> Spin.of(seconds[number.intValue()]) + number);
        // a sink of its own, such as that of executeAndCollect, would hold a slot until the last of them ends
        states.returns(Long.class).sinkTo(new DiscardingSink<>());
        flink.execute();
        System.out.println("spun");
    }
}
