import java.util.Arrays;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** One Flink task for each argument, which spins so many seconds. */
public final class FlinkSpin {
    private FlinkSpin() {}

    public static void main(String[] arguments) throws Exception {
        double[] seconds = Arrays.stream(arguments).mapToDouble(Double::parseDouble).toArray();
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
        flink.setParallelism(seconds.length);
        var numbers = flink.fromSequence(0, seconds.length - 1).rebalance();
        var states = numbers.map(number -> Spin.of(seconds[number.intValue()]) + number);
        System.out.println("spun, states " + states.returns(Long.class).executeAndCollect(100).size());
    }
}
