package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.Program;
import io.weft.core.TeraGen;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.apache.spark.SparkConf;
import org.apache.spark.deploy.LocalSparkCluster;
import org.apache.spark.deploy.LocalSparkCluster$;
import org.apache.spark.sql.SparkSession;
import picocli.CommandLine.Option;

/**
 * Loads what processes of Spark load, for the archive of their classes: those of a Master and a Worker, then sorts a few
 * records and groups a few pairs. Master and Worker are in this process, and end with it: to stop the Master's pages takes
 * Spark 30 s, as one of Jetty's threads does not end.
 */
public final class Training extends Program {
    private static final String FILTER = "spark.org.apache.spark.ui.JWSFilter.param.secretKey";
    private static final String HOST = "spark.driver.host";
    private static final int WORKER_MEBIBYTES = 1024;
    /** What an executor's process loads and nothing above does. */
    private static final List<String> OF_EXECUTORS = List.of("CoarseGrainedExecutorBackend",
            "CoarseGrainedExecutorBackend$", "CoarseGrainedExecutorBackend$Arguments", "CoarseGrainedExecutorBackend$RegisteredExecutor$",
            "ExecutorLogUrlHandler", "ExecutorClassLoader");

    @Option(names = "--directory", required = true)
    private String directory;

    public static void main(String[] args) {
        main(new Training(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        LocalSparkCluster cluster = LocalSparkCluster$.MODULE$.apply(1, 1, WORKER_MEBIBYTES, new SparkConf());
        System.setProperty("spark.master", cluster.start()[0]);
        // no executor: its process would be another one, whose classes are in no archive
        // sessions of users have all extensions, which that of TeraSort has not
        try (Session session = new Session(new SparkConf().setAppName("training"), 0, SparkSession.builder()::getOrCreate)) {
            SparkConf conf = session.spark.getConf();
            ask("http://" + conf.get(HOST) + ":" + cluster.masterWebUIPort() + "/json/", conf.get(FILTER));
        }
        System.setProperty("spark.master", "local[1]");
        for (String name : OF_EXECUTORS) {
            Class.forName("org.apache.spark.executor." + name, false, Training.class.getClassLoader());
        }
        String input = directory + "/in";
        new TeraGen().call("--rows", "10000", "--output", input);
        Outcome sorted = new TeraSort().call("--input", input, "--output", directory + "/out", "--partitions", "2",
                "--executors", "0");
        outcome.same("rows", sorted.get("rows_out"), 10_000L);
        new GroupBy().call("--executors", "0");
    }

    /** Requests the Master's page, with a token as weft has one. */
    private static void ask(String page, String key) throws IOException, GeneralSecurityException {
        Base64.Encoder base64 = Base64.getUrlEncoder().withoutPadding();
        String content = base64.encodeToString("{\"alg\":\"HS256\",\"typ\":\"JWT\"}".getBytes(StandardCharsets.UTF_8)) + "."
                + base64.encodeToString("{}".getBytes(StandardCharsets.UTF_8));
        Mac signs = Mac.getInstance("HmacSHA256");
        signs.init(new SecretKeySpec(Base64.getUrlDecoder().decode(key), "HmacSHA256"));
        byte[] signature = signs.doFinal(content.getBytes(StandardCharsets.UTF_8));
        HttpURLConnection asked = (HttpURLConnection) URI.create(page).toURL().openConnection();
        asked.setRequestProperty("Authorization", "Bearer " + content + "." + base64.encodeToString(signature));
        if (asked.getResponseCode() != HttpURLConnection.HTTP_OK) {
            throw new IOException(page + " answers " + asked.getResponseCode());
        }
    }
}
