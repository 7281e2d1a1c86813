import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** Jobs of Flink that fail, by the name in their first argument. */
public class FlinkCauses {
    public static void main(String[] args) throws Exception {
        var flink = StreamExecutionEnvironment.getExecutionEnvironment();
        var numbers = flink.fromSequence(1, 1000);
        switch (args[0]) {
            case "exception" -> run(flink, numbers.map(FlinkCauses::divided));
            case "closure" -> {
                var held = new Thread();
                run(flink, numbers.map(x -> x + held.getName().length()));
            }
            case "heap" -> run(flink, numbers.map(x -> (long) fill(new ArrayList<>())));
            case "direct" -> run(flink, numbers.map(x -> (long) direct(new ArrayList<>())));
            case "file" -> run(flink, numbers.map(x -> (long) Files.readString(Path.of("/nonexistent/data.csv")).length()));
            case "crash" -> run(flink, numbers.map(FlinkCauses::crash));
            case "killed" -> run(flink, numbers.map(FlinkCauses::kill));
            case "checkpoint" -> {
                flink.enableCheckpointing(500);
                run(flink, flink.fromSequence(1, 100_000_000).map(FlinkCauses::slow));
            }
            // tasks that exchange data need their slots at the same time; others would use one slot after another
            case "wide" -> run(flink, numbers.keyBy(x -> x % 64).map(x -> x));
            default -> run(flink, numbers);
        }
    }

    private static void run(StreamExecutionEnvironment flink, DataStream<Long> stream) throws Exception {
        stream.sinkTo(new DiscardingSink<>());
        flink.execute("causes");
    }

    private static Long divided(Long x) {
        return 10 / (x % 5);
    }

    private static int fill(List<long[]> kept) {
        while (true) {
            kept.add(new long[1 << 22]);
        }
    }

    private static int direct(List<ByteBuffer> kept) {
        while (true) {
            kept.add(ByteBuffer.allocateDirect(1 << 26));
        }
    }

    private static Long slow(Long x) throws InterruptedException {
        Thread.sleep(20_000);
        return x;
    }

    private static Long kill(Long x) throws Exception {
        new ProcessBuilder("kill", "-9", Long.toString(ProcessHandle.current().pid())).start().waitFor();
        Thread.sleep(60_000);
        return x;
    }

    private static Long crash(Long x) throws Exception {
        var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        ((sun.misc.Unsafe) field.get(null)).putAddress(0, 1);
        return x;
    }
}
