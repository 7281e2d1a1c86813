import java.util.List;
import org.apache.spark.api.java.JavaSparkContext;

/** Jobs of Spark that fail, by the name in their first argument. */
public class SparkCauses {
    public static void main(String[] args) throws Exception {
        var context = new JavaSparkContext();
        var numbers = context.parallelize(List.of(1, 2), 2);
        var held = new Thread();
        if (args[0].equals("closure")) {
            System.out.println(numbers.map(x -> x + held.getName()).collect());
        } else if (args[0].equals("exception")) {
            System.out.println(numbers.map(x -> 1 / (x - x)).collect());
        } else if (args[0].equals("driver-crash")) {
            crash(1);
        } else {
            System.out.println(numbers.map(SparkCauses::crash).collect());
        }
    }

    private static int crash(int x) throws Exception {
        var field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
        field.setAccessible(true);
        ((sun.misc.Unsafe) field.get(null)).putAddress(0, 1);
        return x;
    }
}
