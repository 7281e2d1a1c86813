package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.weft.core.Outcome;
import io.weft.core.UsageError;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every test of MLlib by Spark within one process, its answer compared with one that Spark has no part in. */
@ExtendWith(LocalSpark.class)
class MlTest {
    @ParameterizedTest
    @CsvSource({"summary-statistics,3000,12", "pearson,3000,8", "spearman,2000,6", "chi-sq-feature,3000,5",
        "chi-sq-gof,1000,2", "chi-sq-mat,30,20", "svd,1000,12", "pca,1000,12", "block-matrix-mult,90,40",
        "fp-growth,2000,50", "prefix-span,300,10", "naive-bayes,3000,9",
        "glm-regression,2000,6", "glm-classification,2000,6", "decision-tree,20000,7", "kmeans,2000,5",
        "als,200,150", "gmm,2000,6", "lda,400,100", "pic,400,10", "word2vec,4000,40"})
    void theAnswerIsRight(String test, String rows, String columns) throws Exception {
        Outcome outcome = new SparkMl().call("--test", test, "--rows", rows, "--columns", columns, "--rank", "4",
                "--block", "32", "--support", test.equals("fp-growth") ? "0.02" : "0.3", "--longest", "3",
                "--partitions", "3", "--executors", "0");
        assertEquals("", outcome.reason());
    }

    @Test
    void anUnknownTestIsRefused() {
        assertThrows(UsageError.class, () -> new SparkMl().call("--test", "x", "--rows", "9", "--columns", "9"));
    }
}
