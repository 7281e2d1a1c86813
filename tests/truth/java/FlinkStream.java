import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** A stream of records of a size, of which two tasks compute a known number of seconds each; a share goes to the first task. */
public final class FlinkStream {
    private static final int PARTS = 1000;

    private FlinkStream() {}

    public static void main(String[] arguments) throws Exception {
        long records = Long.parseLong(arguments[0]);
        double seconds = Double.parseDouble(arguments[1]);
        double share = Double.parseDouble(arguments[2]);
        int bytes = Integer.parseInt(arguments[3]);
        StreamExecutionEnvironment flink = StreamExecutionEnvironment.getExecutionEnvironment();
        flink.fromSequence(0, records - 1)
                .setParallelism(1)
                .map(number -> made(number, bytes))
                .returns(PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)
                .setParallelism(1)
                .partitionCustom((key, tasks) -> key < share * PARTS ? 0 : 1, FlinkStream::part)
                .map(record -> Spin.of(seconds) + record.length)
                .returns(Long.class)
                .setParallelism(2)
                .name("slow")
                .sinkTo(new DiscardingSink<>())
                .setParallelism(2);
        flink.execute("stream");
        System.out.println("passed " + records);
    }

    private static byte[] made(long number, int bytes) {
        byte[] record = new byte[bytes];
        record[0] = (byte) (number % PARTS);
        record[1] = (byte) (number % PARTS >> Byte.SIZE);
        return record;
    }

    private static int part(byte[] record) {
        return Byte.toUnsignedInt(record[0]) + (Byte.toUnsignedInt(record[1]) << Byte.SIZE);
    }
}
