package io.weft.core.ml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import io.weft.core.UsageError;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiPredicate;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.Predicate;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was put into data is found; what was lost, repeated, exchanged or is a little off is named. */
class MlFoundTest {
    private static final Seeded SEED = new Seeded(3);

    @TempDir
    Path folder;

    private static String reason(Consumer<Outcome> check) {
        Outcome outcome = new Outcome();
        check.accept(outcome);
        return outcome.reason();
    }

    private static String near(Consumer<Near> check) {
        return reason(outcome -> {
            Near near = new Near(outcome, 1e-6);
            check.accept(near);
            near.report();
        });
    }

    @Test
    void aShareThatIsTooSmallOrNoneIsNamed() {
        assertEquals("", reason(outcome -> Accuracy.check("x", 97, 100, 0.97, outcome)));
        assertEquals("x: 0.96 of all, less than 0.97", reason(outcome -> Accuracy.check("x", 96, 100, 0.97, outcome)));
        assertTrue(reason(outcome -> Accuracy.check("x", 0, 0, 0.97, outcome)).startsWith("x: NaN"));
    }

    @Test
    void groupsAreRecoveredOnlyIfEveryCentreIs() {
        Groups groups = Groups.of(new Planted(SEED, 400, 4, Planted.What.GROUPS));
        double[][] means = groups.means();
        double[][] found = new double[means.length][];
        Arrays.setAll(found, at -> means[means.length - 1 - at].clone());
        assertEquals("", near(near -> groups.recovered(found, near)));
        assertTrue(near(near -> groups.recovered(Arrays.copyOf(found, 9), near)).contains("centre"));
        found[4][0] += 1;
        assertTrue(near(near -> groups.recovered(found, near)).contains("centre of group 5"));
        found[4] = found[3];
        assertTrue(near(near -> groups.recovered(found, near)).contains("centre of group 5"));
        assertTrue(near(near -> groups.recovered(new double[0][], near)).contains("expected 3"));
    }

    @Test
    void aMixtureIsItsSharesMeansAndCovariances() {
        Groups groups = Groups.of(new Planted(SEED, 4000, 3, Planted.What.GROUPS));
        assertEquals(1, Arrays.stream(groups.shares()).sum(), 1e-12);
        assertEquals(1, groups.covariances()[7][1][1], 0.2);
        assertEquals(0, groups.covariances()[7][0][1], 0.2);
        assertEquals("", near(near -> groups.mixed(groups, near)));
        double[] shares = groups.shares().clone();
        shares[2] += 0.001;
        assertTrue(mixed(groups, new Groups(shares, groups.means(), groups.covariances())).contains("share of group 2"));
        double[][][] exchanged = groups.covariances().clone();
        exchanged[2] = exchanged[3];
        assertTrue(mixed(groups, new Groups(groups.shares(), groups.means(), exchanged))
                .contains("covariance of group 2 in row"));
    }

    private static String mixed(Groups groups, Groups found) {
        return near(near -> groups.mixed(found, near));
    }

    @Test
    void aGroupWithoutARowIsRefused() {
        assertThrows(UsageError.class, () -> new Planted(SEED, 2, 3, Planted.What.GROUPS).member(9));
        Planted table = new Planted(SEED, 400, 3, Planted.What.GROUPS);
        assertEquals(9, table.row(table.member(9))[2]);
    }

    @Test
    void ratingsThatAreHiddenDecideAboutAGuess() {
        Ratings ratings = new Ratings(SEED, 40, 30, 3);
        assertEquals(0, ratings.error(ratings::rating));
        assertEquals(1, ratings.error((user, product) -> 0));
        assertEquals(0, ratings.error(
                (user, product) -> ratings.shown(user, product) ? 0 : ratings.rating(user, product)));
        assertTrue(ratings.error((user, product) -> ratings.rating(user, (product + 1) % 30)) > 0.5);
        assertTrue(ratings.error((user, product) -> user == 7 ? 0 : ratings.rating(user, product)) > 0.05);
    }

    /** Factors of users by least squares, as ALS ends, from all ratings that are shown or without some of them. */
    private static double[][] solved(Ratings ratings, double[][] products, BiPredicate<Integer, Integer> lost) {
        double[][] users = new double[ratings.users()][];
        for (int user = 0; user < users.length; user++) {
            double[][] left = new double[2][2];
            double[] right = new double[2];
            for (int product = 0; product < products.length; product++) {
                if (ratings.shown(user, product) && !lost.test(user, product)) {
                    for (int row = 0; row < 2; row++) {
                        for (int column = 0; column < 2; column++) {
                            left[row][column] += products[product][row] * products[product][column]
                                    + (row == column ? ModelsCheck.PENALTY : 0);
                        }
                        right[row] += ratings.rating(user, product) * products[product][row];
                    }
                }
            }
            double determinant = left[0][0] * left[1][1] - left[0][1] * left[1][0];
            users[user] = new double[] {(right[0] * left[1][1] - left[0][1] * right[1]) / determinant,
                (left[0][0] * right[1] - right[0] * left[1][0]) / determinant};
        }
        return users;
    }

    @Test
    void lostRatingsLeaveAGradientAtTheFactorsOfTheirUser() {
        Ratings ratings = new Ratings(SEED, 40, 30, 3);
        double[][] products = new double[30][2];
        for (int product = 0; product < 30; product++) {
            int own = product;
            Arrays.setAll(products[product], at -> SEED.normal(own, at));
        }
        assertEquals("", gradient(ratings, products, (user, product) -> false));
        assertTrue(gradient(ratings, products, (user, product) -> (user + product) % 5 == 0).contains("gradient"), "a fifth");
        int first = IntStream.range(0, 30).filter(product -> ratings.shown(7, product)).findFirst().orElseThrow();
        assertTrue(gradient(ratings, products, (user, product) -> user == 7 && product == first)
                .contains("gradient at the factors of user 7"), "one");
    }

    private static String gradient(Ratings ratings, double[][] products, BiPredicate<Integer, Integer> lost) {
        return near(near -> ratings.stationary(solved(ratings, products, lost), products, ModelsCheck.PENALTY, near));
    }

    @Test
    void aNodeIsWhatItsRowsMakeIt() throws Exception {
        Planted table = new Planted(SEED, 1000, 5, Planted.What.TREE);
        assertEquals("", tree(table, 0, answer -> { }));
        assertTrue(tree(table, 200, answer -> { }).contains("of node"), "a fifth of the rows is lost");
        assertTrue(tree(table, 1, answer -> { }).contains("of node"), "a row is lost");
        assertTrue(tree(table, 0, line -> line[3] = 7).contains("divides by feature 7"));
        assertTrue(tree(table, 0, line -> line[4] += 0.01).contains("of node"));
        assertTrue(tree(table, 0, line -> line[2] += 1e-6).contains("impurity of node 1"));
        assertTrue(tree(table, 0, line -> line[0] = 1 - line[0]).contains("label of node 1"));
    }

    /** A tree of one split that was learnt from all rows but the first ones; `fault` changes the root's numbers. */
    private String tree(Planted table, int lost, Consumer<double[]> fault) throws Exception {
        Answer answer = new Answer();
        double[] root = node(table, lost, row -> true, 0, 0.25);
        fault.accept(root);
        answer.putNumbers("node 1", root);
        answer.putNumbers("node 2", node(table, lost, row -> row[0] <= 0.25));
        answer.putNumbers("node 3", node(table, lost, row -> row[0] > 0.25));
        answer.write(folder.resolve("answer"));
        Tree tree = Tree.of(Answer.read(folder.resolve("answer")));
        return reason(outcome -> tree.check(table, outcome));
    }

    private static double[] node(Planted table, int lost, Predicate<double[]> in, double... split) {
        double[] labels = new double[2];
        LongStream.range(lost, table.rows()).mapToObj(table::row).filter(in).forEach(row -> labels[(int) row[4]]++);
        double share = labels[1] / (labels[0] + labels[1]);
        double[] all = {share > 0.5 ? 1 : 0, Math.max(share, 1 - share), 2 * share * (1 - share)};
        return DoubleStream.concat(DoubleStream.of(all), DoubleStream.of(split)).toArray();
    }

    @Test
    void whatWasReadIsEveryRowOfEveryPartitionOnce() throws Exception {
        MlSpec spec = new MlSpec("x", 100, 5, 2, 1, 0.1, 1, 3, 3);
        assertEquals("", read(spec, number -> true));
        assertTrue(read(spec, number -> number % 5 > 0).contains("count and hash of what was read are 0 26"), "a fifth");
        assertTrue(read(spec, number -> number != 99).contains("are 2 33"), "the last row");
        assertTrue(read(spec, number -> number < 66).contains("are 2 0 0"), "a partition");
    }

    private String read(MlSpec spec, LongPredicate kept) throws Exception {
        Table table = spec.mixed();
        Answer answer = new Answer();
        for (int partition = 0; partition < spec.partitions(); partition++) {
            ReadTally tally = new ReadTally();
            LongStream.range(spec.first(partition), spec.first(partition + 1)).filter(kept)
                    .forEach(row -> tally.add(ReadTally.hash(table.row(row))));
            ReadTally.put(tally.text(partition), answer);
        }
        answer.write(folder.resolve("answer"));
        Outcome outcome = new Outcome();
        ReadTally.check(spec, Answer.read(folder.resolve("answer")), row -> ReadTally.hash(table.row(row)), outcome);
        return outcome.reason();
    }

    @Test
    void topicsAreRightOnlyWithEveryWordAndEveryTopic() {
        Documents documents = new Documents(SEED, 50, 35);
        double[] counts = documents.counts();
        assertEquals(5000, Arrays.stream(counts).sum());
        double[][] found = new double[Documents.SOUGHT][35];
        for (int word = 0; word < 35; word++) {
            int topic = word % Documents.TOPICS;
            found[topic][word] = counts[word] / 4;
            found[topic + Documents.TOPICS][word] = 3 * counts[word] / 4;
        }
        assertEquals("", reason(outcome -> documents.check(found, outcome)));
        found[4][4] -= 1;
        assertTrue(reason(outcome -> documents.check(found, outcome)).contains("count of word 4"));
        found[4][4] += 1;
        for (int word = 0; word < 35; word++) {
            found[4][word] += found[5][word];
            found[14][word] += found[15][word];
        }
        found[5] = new double[35];
        found[15] = found[5];
        assertTrue(reason(outcome -> documents.check(found, outcome)).contains("nearly only words of topic 5"));
        Arrays.fill(found, found[5]);
        found[0] = counts;
        assertTrue(reason(outcome -> documents.check(found, outcome)).contains("words in a topic of their own: 0."));
        assertThrows(UsageError.class, () -> new Documents(SEED, 50, 9));
    }

    @Test
    void aVertexThatIsElsewhereIsNamed() {
        Communities graph = new Communities(SEED, 200, 5);
        for (Communities.Edge edge : graph.edges(7)) {
            boolean within = edge.other() % Communities.NUMBER == 3;
            assertTrue(within ? edge.similarity() > 0.01 : edge.similarity() == 0.001, edge.toString());
        }
        int[] found = new int[200];
        Arrays.setAll(found, vertex -> 3 - vertex % 4);
        assertEquals("", reason(outcome -> graph.check(found, outcome)));
        found[50] = 0;
        assertTrue(reason(outcome -> graph.check(found, outcome))
                .contains("vertex 50 is in cluster 0, vertex 2 in 1, both of community 2"));
        Arrays.setAll(found, vertex -> vertex % 4 / 2);
        assertTrue(reason(outcome -> graph.check(found, outcome)).contains("is 2, expected 4"));
    }

    @Test
    void synonymsAreTheNearestWords() {
        Synonyms sentences = new Synonyms(SEED, 30, 42);
        for (long number = 0; number < 30; number++) {
            List<Integer> words = sentences.sentence(number).stream().map(word -> Integer.valueOf(word.substring(4)))
                    .toList();
            int first = words.get(0) / 4;
            for (int at = 0; at < words.size(); at++) {
                assertEquals(2 * first + at % 2, words.get(at) / 2);
            }
        }
        Map<String, double[]> vectors = new HashMap<>();
        for (int word = 0; word < 40; word++) {
            double[] vector = new double[20];
            vector[word / 2] = word + 1;
            vectors.put("word" + word, vector);
        }
        assertEquals("", reason(outcome -> sentences.check(vectors, outcome)));
        vectors.put("word7", vectors.get("word9"));
        vectors.put("word3", vectors.get("word9"));
        assertTrue(reason(outcome -> sentences.check(vectors, outcome)).contains("synonym is nearest: 0.8"));
        vectors.remove("word7");
        assertTrue(reason(outcome -> sentences.check(vectors, outcome)).contains("word7 has no vector"));
        assertThrows(UsageError.class, () -> new Synonyms(SEED, 30, 3));
    }
}
