package io.weft.core.ml;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Outcome;
import io.weft.core.UsageError;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** What was put into data is found; what was lost, repeated, exchanged or is a little off is named. */
class MlFoundTest {
    private static final Seeded SEED = new Seeded(3);

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
    void aVertexThatIsLostRepeatedOrElsewhereIsNamed() {
        Communities graph = new Communities(SEED, 200, 5);
        for (Communities.Edge edge : graph.edges(7)) {
            boolean within = edge.other() % Communities.NUMBER == 3;
            assertTrue(within ? edge.similarity() > 0.01 : edge.similarity() == 0.001, edge.toString());
        }
        List<Map.Entry<Long, Integer>> found = new ArrayList<>();
        for (long vertex = 0; vertex < 200; vertex++) {
            found.add(Map.entry(vertex, 3 - (int) (vertex % 4)));
        }
        assertEquals("", found(graph, found));
        assertTrue(found(graph, found.subList(0, 199)).contains("vertices is 199, expected 200"));
        found.add(found.get(7));
        assertTrue(found(graph, found).contains("vertex 7 is in the answer twice"));
        found.remove(200);
        found.set(50, Map.entry(50L, 0));
        assertTrue(found(graph, found).contains("vertex 50 is in cluster 0, vertex 2 in 1, both of community 2"));
        found.replaceAll(one -> Map.entry(one.getKey(), one.getValue() / 2));
        assertTrue(found(graph, found).contains("different clusters is 2, expected 4"));
    }

    private static String found(Communities graph, List<Map.Entry<Long, Integer>> found) {
        return reason(outcome -> graph.check(found, outcome));
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
        Map<String, float[]> vectors = new HashMap<>();
        for (int word = 0; word < 40; word++) {
            float[] vector = new float[20];
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
