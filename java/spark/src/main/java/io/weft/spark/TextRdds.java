package io.weft.spark;

import io.weft.core.LineOutput;
import io.weft.core.Match;
import io.weft.core.Tallies;
import io.weft.core.TextSplit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.api.java.JavaSparkContext;
import scala.Tuple2;
import scala.collection.immutable.Seq;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;

/** What the workloads on text share: splits read where they are, counts of strings, and parts of lines. */
final class TextRdds {
    private static final ClassTag<TextSplit> SPLIT = ClassTag$.MODULE$.apply(TextSplit.class);

    private TextRdds() {
    }

    /** The splits, each a partition of its own, preferably on a host that has it. */
    static JavaRDD<TextSplit> splits(JavaSparkContext spark, List<TextSplit> splits) {
        List<Tuple2<TextSplit, Seq<String>>> placed = new ArrayList<>();
        for (TextSplit split : splits) {
            placed.add(new Tuple2<>(split, Scala.seq(split.hosts())));
        }
        return spark.sc().makeRDD(Scala.seq(placed), SPLIT).toJavaRDD();
    }

    /** How often each word occurs, or each string that matches a pattern that is not empty. */
    static JavaPairRDD<String, Long> counts(JavaSparkContext spark, List<TextSplit> splits, String pattern,
            int partitions) {
        return splits(spark, splits).mapPartitions(own -> new Tallies(own, pattern))
                .mapToPair(match -> new Tuple2<>(match.text(), match.count())).reduceByKey(Long::sum, partitions);
    }

    /** Writes each partition as a part, and gives the bytes written. */
    static long write(JavaRDD<Match> matches, String output) {
        return matches.mapPartitions(own -> part(own, output)).collect().stream().mapToLong(Long::longValue).sum();
    }

    private static Iterator<Long> part(Iterator<Match> matches, String output) throws IOException {
        TaskContext context = TaskContext.get();
        try (LineOutput out = new LineOutput(output, context.partitionId(), context.taskAttemptId())) {
            while (matches.hasNext()) {
                out.add(matches.next().line());
            }
            return List.of(out.commit()).iterator();
        }
    }
}
