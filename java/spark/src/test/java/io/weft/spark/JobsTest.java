package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.weft.core.GraphGen;
import io.weft.core.Match;
import io.weft.core.Options;
import io.weft.core.Outcome;
import io.weft.core.PageRankValidate;
import io.weft.core.Program;
import io.weft.core.RankSpec;
import io.weft.core.TextGen;
import io.weft.core.TextSplit;
import io.weft.core.WordCountValidate;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.spark.SparkConf;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.graphx.GraphXUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The work of jobs by Spark within one process, its output held against the answer. */
class JobsTest {
    private static final int VERTICES = 800;

    @TempDir
    static Path folder;
    private static JavaSparkContext spark;

    @BeforeAll
    static void start() throws Exception {
        SparkConf conf = new SparkConf().setMaster("local[2]").setAppName("jobs").set("spark.ui.enabled", "false")
                .set("spark.driver.host", "127.0.0.1").set("spark.driver.bindAddress", "127.0.0.1")
                .set("spark.serializer", "org.apache.spark.serializer.KryoSerializer");
        GraphXUtils.registerKryoClasses(conf);
        spark = new JavaSparkContext(conf);
        run(GraphGen::run, "--vertices", "800", "--parts", "3", "--output", path("graph"));
    }

    @AfterAll
    static void stop() {
        spark.close();
    }

    @Test
    void wordsAreCounted() throws Exception {
        run(TextGen::run, "--blocks", "60", "--parts", "3", "--output", path("text"));
        TextJob.write(TextJob.counts(spark, TextSplit.of(path("text"), 100_000), "", 3)
                .map(pair -> new Match(pair._1(), pair._2())), path("words"));
        run(WordCountValidate::run, "--blocks", "60", "--input", path("words"));
    }

    @ParameterizedTest
    @CsvSource({"0,spread,keep", "1,leak,merge", "3,spread,merge", "2,leak,keep"})
    void bothMethodsFindTheRanksOfTheReference(int rounds, String dangling, String edges) throws Exception {
        RankSpec spec = new RankSpec(VERTICES, rounds, 0.85, dangling.equals("spread"), edges.equals("merge"));
        List<TextSplit> splits = TextSplit.of(path("graph"), 20_000);
        PageRank.write(spark, splits, spec, 3, path("own-" + rounds));
        GraphxRanks.write(spark, splits, spec, 3, path("graphx-" + rounds));
        for (String method : List.of("own-", "graphx-")) {
            run(PageRankValidate::run, "--vertices", "800", "--rounds", Integer.toString(rounds),
                    "--dangling", dangling, "--edges", edges, "--input", path(method + rounds));
        }
    }

    private static String path(String name) {
        return folder.resolve(name).toString();
    }

    private static Outcome run(Program program, String... words) throws Exception {
        List<String> keys = Stream.of(words).filter(word -> word.startsWith("--"))
                .map(key -> key.substring(2)).toList();
        Outcome outcome = new Outcome();
        program.run(Options.parse(words, keys), outcome);
        assertEquals("", outcome.reason());
        return outcome;
    }
}
