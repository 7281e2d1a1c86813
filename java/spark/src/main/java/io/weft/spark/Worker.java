package io.weft.spark;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SecurityManager;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.DeployMessages.MasterStateResponse;
import org.apache.spark.deploy.DeployMessages.RequestMasterState$;
import org.apache.spark.deploy.master.Master;
import org.apache.spark.deploy.master.RecoveryState;
import org.apache.spark.deploy.worker.WorkerArguments;
import org.apache.spark.rpc.RpcAddress;
import org.apache.spark.rpc.RpcEnv;
import scala.Option;
import scala.reflect.ClassTag$;

/**
 * Spark's own Worker, which can be started together with its Master: its JVM starts and loads classes meanwhile, and it
 * registers when the Master leads. A Worker that registers sooner is ignored, and asks again after 5 to 15 s.
 */
public final class Worker {
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);
    private static final long FIRST_PAUSE_MILLIS = 20;
    private static final long LAST_PAUSE_MILLIS = 500;
    private static final int CONNECTS_MILLIS = 5000;

    private Worker() {
    }

    /** The arguments are those of Spark's Worker. */
    public static void main(String[] args) throws InterruptedException {
        try {
            SparkConf conf = new SparkConf();
            // also reads the file of properties into the settings
            WorkerArguments given = new WorkerArguments(args, conf);
            await(conf, given.host(), RpcAddress.fromSparkURL(given.masters()[0]));
        } catch (LinkageError otherVersion) {
            // a site's own Spark has other internals: its Worker may register too soon, and asks again
            System.err.println("weft: this Spark's Worker does not wait for its Master: " + otherVersion);
        }
        org.apache.spark.deploy.worker.Worker.main(args);
    }

    /** Returns when the Master leads, or after a minute: Spark's Worker then says what it cannot reach. */
    private static void await(SparkConf conf, String host, RpcAddress master) throws InterruptedException {
        SecurityManager security = new SecurityManager(conf, Option.empty(),
                SecurityManager.$lessinit$greater$default$3());
        RpcEnv client = RpcEnv.create("waiting", host, 0, conf, security, true);
        long end = System.nanoTime() + PATIENCE_NANOS;
        try {
            long pause = FIRST_PAUSE_MILLIS;
            while (!(listens(master) && leads(client, master)) && System.nanoTime() < end) {
                Thread.sleep(pause);
                // many Workers ask one Master
                pause = Math.min(LAST_PAUSE_MILLIS, pause * 3 / 2);
            }
        } finally {
            client.shutdown();
        }
    }

    /** Spark's client would write a line to the log for each attempt. */
    private static boolean listens(RpcAddress master) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(master.host(), master.port()), CONNECTS_MILLIS);
            return true;
        } catch (IOException nobody) {
            return false;
        }
    }

    private static boolean leads(RpcEnv client, RpcAddress master) {
        try {
            MasterStateResponse state = client.setupEndpointRef(master, Master.ENDPOINT_NAME())
                    .askSync(RequestMasterState$.MODULE$, ClassTag$.MODULE$.apply(MasterStateResponse.class));
            return RecoveryState.ALIVE().equals(state.status());
        } catch (Exception unanswered) { // Scala's methods declare none of what they throw
            return false;
        }
    }
}
