package io.weft.spark;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.weft.core.UsageError;
import io.weft.core.ml.MlValidate;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.spark.api.java.JavaRDD;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Every test of MLlib by Spark within one process: its answer is right, and each of these wrong ones is refused. */
@ExtendWith(LocalSpark.class)
class MlTest {
    /** Of any five elements one is lost on the way to the method, or, where the driver has all of them, of its rows. */
    private static final class Losing extends SparkMl {
        @Override
        MlData data(Session session) {
            MlData whole = super.data(session);
            return new MlData(session.spark, whole.spec, phases) {
                @Override
                <T> JavaRDD<T> cached(JavaRDD<T> data) {
                    return super.cached(data.zipWithIndex().filter(one -> one._2() % 5 != 3).keys());
                }
            };
        }
    }

    @TempDir
    Path folder;

    @ParameterizedTest
    @MethodSource("tests")
    void rightAnswersAreAcceptedAndALineOfTheAnswerLostRepeatedOrChangedIsRefused(String test, int rows, int columns)
            throws Exception {
        run(new SparkMl(), test, rows, columns);
        List<String> right = Files.readAllLines(answer());
        assertEquals("", validate(test, rows, columns));
        for (Map.Entry<String, List<String>> wrong : wrong(test, right).entrySet()) {
            Files.write(answer(), wrong.getValue());
            assertNotEquals("", validate(test, rows, columns), wrong.getKey());
        }
    }

    @ParameterizedTest
    @MethodSource("tests")
    void twentyPercentOfTheDataLostAreRefused(String test, int rows, int columns) throws Exception {
        boolean inDriver = test.equals("chi-sq-gof") || test.equals("chi-sq-mat");
        run(inDriver ? new SparkMl() : new Losing(), test, inDriver ? rows * 4 / 5 : rows, columns);
        assertNotEquals("", validate(test, rows, columns));
    }

    /** Each test, its rows and its columns. */
    static Stream<Arguments> tests() {
        return Stream.of("summary-statistics,3000,12", "pearson,3000,8", "spearman,2000,6", "chi-sq-feature,3000,5",
                "chi-sq-gof,1000,2", "chi-sq-mat,30,20", "svd,1000,12", "pca,1000,12", "block-matrix-mult,90,40",
                "fp-growth,2000,50", "prefix-span,300,10", "naive-bayes,3000,9",
                "glm-regression,2000,6", "glm-classification,2000,6", "decision-tree,20000,7", "kmeans,2000,5",
                "als,200,150", "gmm,2000,6", "lda,400,100", "pic,400,10", "word2vec,4000,40").map(test -> test.split(","))
                .map(words -> Arguments.of(words[0], Integer.parseInt(words[1]), Integer.parseInt(words[2])));
    }

    /** Of each kind of line: one is lost, repeated, or has another number; and the end is missing. */
    private static Map<String, List<String>> wrong(String test, List<String> right) {
        Map<String, List<String>> all = new LinkedHashMap<>();
        List<String> kinds = new ArrayList<>();
        for (int at = 1; at < right.size(); at++) {
            String kind = right.get(at).split("\t")[0].replaceAll("\\d+", "n");
            if (!kinds.contains(kind) && kinds.size() < 10) {
                kinds.add(kind);
                String name = right.get(at).split("\t")[0];
                all.put(name + " lost", counted(without(right, at)));
                all.put(name + " repeated", counted(with(right, right.get(at))));
                // no single number of a word's vector decides which word is nearest
                if (!kind.equals("wordn")) {
                    all.put(name + " changed", changed(right, at));
                }
            }
        }
        all.put("cut off", right.subList(0, right.size() - 1));
        if (test.equals("word2vec")) {
            all.put("vectors exchanged", exchanged(right));
        }
        return all;
    }

    private static List<String> without(List<String> lines, int at) {
        List<String> wrong = new ArrayList<>(lines);
        wrong.remove(at);
        return wrong;
    }

    private static List<String> with(List<String> lines, String line) {
        List<String> wrong = new ArrayList<>(lines);
        wrong.add(line);
        return wrong;
    }

    private static List<String> counted(List<String> lines) {
        lines.set(0, "lines\t" + (lines.size() - 1));
        return lines;
    }

    /** The last number of a line is another one. */
    private static List<String> changed(List<String> lines, int at) {
        List<String> wrong = new ArrayList<>(lines);
        String line = lines.get(at);
        int last = Math.max(line.lastIndexOf(' '), line.lastIndexOf('\t')) + 1;
        String number = line.substring(last);
        boolean whole = number.matches("-?\\d+");
        wrong.set(at, line.substring(0, last) + (whole ? String.valueOf(Long.parseLong(number) + 1)
                : String.valueOf(Double.parseDouble(number) * 1.001 + 0.001)));
        return wrong;
    }

    /** The words' vectors are those of other words. */
    private static List<String> exchanged(List<String> lines) {
        List<String> names = new ArrayList<>();
        List<String> vectors = new ArrayList<>();
        List<String> wrong = new ArrayList<>();
        for (String line : lines) {
            if (line.startsWith("word")) {
                names.add(line.split("\t")[0]);
                vectors.add(line.split("\t")[1]);
            } else {
                wrong.add(line);
            }
        }
        Collections.rotate(vectors, 7);
        for (int at = 0; at < names.size(); at++) {
            wrong.add(names.get(at) + "\t" + vectors.get(at));
        }
        return wrong;
    }

    /** U's rows are those of other rows; and two of its columns are exchanged. */
    @Test
    void aWrongUIsRefused() throws Exception {
        run(new SparkMl(), "svd", 1000, 12);
        List<String> right = Files.readAllLines(answer());
        List<Integer> rows = new ArrayList<>();
        for (int at = 0; at < right.size(); at++) {
            if (right.get(at).startsWith("row ")) {
                rows.add(at);
            }
        }
        List<String> shifted = new ArrayList<>(right);
        List<String> exchanged = new ArrayList<>(right);
        for (int at = 0; at < rows.size(); at++) {
            String name = right.get(rows.get(at)).split("\t")[0];
            String[] numbers = right.get(rows.get(at)).split("\t")[1].split(" ");
            shifted.set(rows.get(at), name + "\t" + right.get(rows.get((at + 1) % rows.size())).split("\t")[1]);
            String first = numbers[0];
            numbers[0] = numbers[1];
            numbers[1] = first;
            exchanged.set(rows.get(at), name + "\t" + String.join(" ", numbers));
        }
        for (List<String> wrong : List.of(shifted, exchanged)) {
            Files.write(answer(), wrong);
            assertEquals("row ", validate("svd", 1000, 12).substring(0, 4));
        }
    }

    @Test
    void anUnknownTestIsRefused() {
        assertThrows(UsageError.class, () -> run(new SparkMl(), "x", 9, 9));
    }

    private Path answer() {
        return folder.resolve("answer");
    }

    private void run(SparkMl job, String test, int rows, int columns) throws Exception {
        List<String> words = asked(test, rows, columns);
        words.addAll(List.of("--executors", "0"));
        assertEquals("", job.call(words.toArray(String[]::new)).reason());
    }

    private String validate(String test, int rows, int columns) throws Exception {
        return new MlValidate().call(asked(test, rows, columns).toArray(String[]::new)).reason();
    }

    private List<String> asked(String test, int rows, int columns) {
        return new ArrayList<>(List.of("--test", test, "--rows", "" + rows, "--columns", "" + columns, "--rank", "4",
                "--block", "32", "--support", test.equals("fp-growth") ? "0.02" : "0.3", "--longest", "3",
                "--partitions", "3", "--answer", answer().toString()));
    }
}
