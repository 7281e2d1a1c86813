package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.ml.Documents;
import io.weft.core.ml.ReadTally;
import io.weft.core.ml.Synonyms;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.spark.api.java.JavaPairRDD;
import org.apache.spark.mllib.clustering.DistributedLDAModel;
import org.apache.spark.mllib.clustering.LDA;
import org.apache.spark.mllib.feature.Word2Vec;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import scala.Tuple2;
import scala.jdk.javaapi.CollectionConverters;

/** Topics of documents, and synonyms, that have to be found. */
final class MlText {
    private static final int TOPIC_ROUNDS = 20;
    private static final double CONCENTRATION = 1.1;
    private static final int WORD_ROUNDS = 3;
    private static final int WORD_PARTITIONS = 6;
    private static final int RARE = 5;

    private MlText() {
    }

    static void topics(MlData data, Answer answer) throws Exception {
        Documents documents = data.spec.documents();
        JavaPairRDD<Long, Vector> rows = JavaPairRDD.fromJavaRDD(data.made(documents.documents(),
                number -> new Tuple2<>(number, counts(documents.document(number), documents.words()))));
        LDA method = new LDA().setK(Documents.SOUGHT).setMaxIterations(TOPIC_ROUNDS).setOptimizer("em")
                .setDocConcentration(CONCENTRATION).setTopicConcentration(CONCENTRATION).setSeed(data.spec.seed());
        DistributedLDAModel found = data.measured(() -> (DistributedLDAModel) method.run(rows));
        answer.putRows("topic", MlAlgebra.columns(found.topicsMatrix()));
    }

    private static Vector counts(Map<Integer, Integer> document, int words) {
        return Vectors.sparse(words, document.keySet().stream().mapToInt(Integer::intValue).toArray(),
                document.values().stream().mapToDouble(Integer::doubleValue).toArray());
    }

    /** A word's context is its neighbours alone: a window of one. */
    static void synonyms(MlData data, Answer answer) throws Exception {
        Synonyms sentences = data.spec.sentences();
        Noted<List<String>> rows = data.noted(data.made(sentences.sentences(), sentences::sentence), ReadTally::hash);
        Word2Vec method = new Word2Vec().setVectorSize(data.spec.rank()).setNumIterations(WORD_ROUNDS)
                .setNumPartitions(WORD_PARTITIONS).setMinCount(RARE).setWindowSize(1).setSeed(data.spec.seed());
        Map<String, float[]> found = data
                .measured(() -> CollectionConverters.asJava(method.fit(rows.rows()).getVectors()));
        rows.put(answer);
        found.forEach((word, vector) -> answer.putNumbers(word,
                IntStream.range(0, vector.length).mapToDouble(at -> vector[at]).toArray()));
    }
}
