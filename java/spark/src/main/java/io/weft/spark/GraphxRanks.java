package io.weft.spark;

import io.weft.core.EdgeLines;
import io.weft.core.LineOutput;
import io.weft.core.RankSpec;
import io.weft.core.TextSplit;
import java.io.IOException;
import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.TaskContext;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.graphx.Edge;
import org.apache.spark.graphx.EdgeContext;
import org.apache.spark.graphx.Graph;
import org.apache.spark.graphx.PartitionStrategy;
import org.apache.spark.graphx.TripletFields;
import org.apache.spark.graphx.VertexRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.storage.StorageLevel;
import scala.Function1;
import scala.Function2;
import scala.Function3;
import scala.Option;
import scala.Tuple2;
import scala.reflect.ClassTag;
import scala.reflect.ClassTag$;
import scala.runtime.BoxedUnit;

/**
 * The same ranks by GraphX's operators. GraphX's own PageRank begins with 1, loses the ranks of vertices without
 * out-edges and scales at the end, which after a number of rounds is another result.
 */
final class GraphxRanks {
    private static final ClassTag<State> STATE = ClassTag$.MODULE$.apply(State.class);
    private static final ClassTag<Integer> INTEGER = ClassTag$.MODULE$.apply(Integer.class);
    private static final ClassTag<Double> DOUBLE = ClassTag$.MODULE$.apply(Double.class);
    private static final ClassTag<Object> COUNT = ClassTag$.MODULE$.apply(int.class);

    private GraphxRanks() {
    }

    /** A vertex: its rank, and one over the number of its out-edges, or 0 where there is none. */
    static final class State implements Serializable {
        private static final long serialVersionUID = 1L;
        final double rank;
        final double share;

        State(double rank, double share) {
            this.rank = rank;
            this.share = share;
        }
    }

    /** Ranks, writes one part a partition, and gives the bytes written. */
    static long write(JavaSparkContext spark, List<TextSplit> splits, RankSpec spec, int partitions, String output) {
        Graph<State, Integer> graph = load(spark, splits, spec, partitions);
        for (int round = 0; round < spec.rounds(); round++) {
            double dangling = spec.spread() ? graph.vertices().toJavaRDD()
                    .mapToDouble(vertex -> vertex._2().share == 0 ? vertex._2().rank : 0).sum() : 0;
            Graph<State, Integer> next = next(graph, spec, dangling);
            next.vertices().count();
            graph.unpersistVertices(false);
            graph = next;
        }
        return graph.vertices().toJavaRDD().mapPartitions(own -> part(own, output)).collect().stream()
                .mapToLong(Long::longValue).sum();
    }

    private static Graph<State, Integer> load(JavaSparkContext spark, List<TextSplit> splits, RankSpec spec,
            int partitions) {
        RDD<Edge<Integer>> edges = TextRdds.splits(spark, splits).flatMap(split -> {
            List<Edge<Integer>> own = new ArrayList<>();
            new EdgeLines(spec, 1, (block, chunk) -> {
                for (long edge : chunk) {
                    own.add(new Edge<>((int) edge, edge >>> 32, 1));
                }
            }).read(split);
            return own.iterator();
        }).rdd();
        RDD<Tuple2<Object, State>> vertices = spark.sc().range(0, spec.vertices(), 1, partitions).toJavaRDD()
                .map(id -> new Tuple2<>(id, new State(spec.first(), 0))).rdd();
        Graph<State, Integer> graph = Graph.apply(vertices, edges, new State(spec.first(), 0),
                StorageLevel.MEMORY_AND_DISK(), StorageLevel.MEMORY_AND_DISK(), STATE, INTEGER)
                .partitionBy(PartitionStrategy.EdgePartition2D$.MODULE$, partitions);
        if (spec.merge()) {
            graph = graph.groupEdges((Function2<Integer, Integer, Integer> & Serializable) (one, same) -> one);
        }
        Graph<State, Integer> known = graph.outerJoinVertices(
                Graph.graphToGraphOps(graph, STATE, INTEGER).outDegrees(),
                (Function3<Object, State, Option<Object>, State> & Serializable) (id, state, degree) ->
                        new State(state.rank, degree.isEmpty() ? 0 : 1.0 / (Integer) degree.get()),
                COUNT, STATE, null);
        return known.cache();
    }

    private static Graph<State, Integer> next(Graph<State, Integer> graph, RankSpec spec, double dangling) {
        VertexRDD<Double> came = graph.aggregateMessages(
                (Function1<EdgeContext<State, Integer, Double>, BoxedUnit> & Serializable) edge -> {
                    edge.sendToDst(edge.srcAttr().rank * edge.srcAttr().share);
                    return BoxedUnit.UNIT;
                },
                (Function2<Double, Double, Double> & Serializable) Double::sum, TripletFields.Src, DOUBLE);
        return graph.outerJoinVertices(came,
                (Function3<Object, State, Option<Double>, State> & Serializable) (id, state, sum) ->
                        new State(spec.next(sum.isEmpty() ? 0 : sum.get(), dangling), state.share),
                DOUBLE, STATE, null).cache();
    }

    private static Iterator<Long> part(Iterator<Tuple2<Object, State>> vertices, String output) throws IOException {
        TaskContext context = TaskContext.get();
        try (LineOutput out = new LineOutput(output, context.partitionId(), context.taskAttemptId())) {
            while (vertices.hasNext()) {
                Tuple2<Object, State> vertex = vertices.next();
                out.add(RankSpec.line((Long) vertex._1(), vertex._2().rank));
            }
            return List.of(out.commit()).iterator();
        }
    }
}
