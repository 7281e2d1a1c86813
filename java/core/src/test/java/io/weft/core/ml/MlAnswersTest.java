package io.weft.core.ml;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.weft.core.Outcome;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Right answers by hand, and wrong ones that are found. */
class MlAnswersTest {
    /** Rows that are given. */
    private record Given(double[]... all) implements Table {
        @Override
        public long rows() {
            return all.length;
        }

        @Override
        public int columns() {
            return all[0].length;
        }

        @Override
        public double[] row(long number) {
            return all[(int) number];
        }
    }

    private static final Table FOUR = new Given(new double[] {1, 2}, new double[] {2, 0}, new double[] {3, 2},
            new double[] {6, -8});

    @Test
    void momentsAreThoseByHand() {
        Moments found = Moments.of(FOUR);
        assertArrayEquals(new double[] {3, -1}, found.mean());
        assertArrayEquals(new double[] {14 / 3.0, 68 / 3.0}, found.variance(), 1e-12);
        assertArrayEquals(new double[] {4, 3}, found.nonzeros());
        assertArrayEquals(new double[] {12, 12}, found.absolute());
        assertArrayEquals(new double[] {1, -8}, found.least());
        assertEquals(-28 / Math.sqrt(14 * 68), Moments.correlation(FOUR)[0][1], 1e-12);
    }

    @Test
    void equalNumbersShareTheirMeanRank() {
        Ranks ranks = new Ranks(FOUR);
        assertArrayEquals(new double[] {0, 2.5}, ranks.row(0));
        assertArrayEquals(new double[] {3, 0}, ranks.row(3));
    }

    @Test
    void statisticsAreThoseByHand() {
        assertEquals(0, ChiSquare.independence(new double[][] {{1, 2}, {2, 4}}), 1e-12);
        assertEquals(4, ChiSquare.independence(new double[][] {{2, 0}, {0, 2}}), 1e-12);
        assertEquals(0.5 + 0.5, ChiSquare.fit(new double[] {1, 3}), 1e-12);
    }

    @Test
    void eigenvaluesAreThoseOfAKnownMatrix() {
        double[][] matrix = {{2, 1, 0}, {1, 2, 1}, {0, 1, 2}};
        double root = Math.sqrt(2);
        assertArrayEquals(new double[] {2 + root, 2, 2 - root}, Eigen.values(matrix), 1e-12);
        double[][] vectors = {{0.5, root / 2, 0.5}, {root / 2, 0, -root / 2}};
        assertTrue(eigen(matrix, new double[] {2 + root, 2}, vectors).valid());
        vectors[1][1] = 1e-4;
        assertFalse(eigen(matrix, new double[] {2 + root, 2}, vectors).valid());
        assertFalse(eigen(matrix, new double[] {2 + root, 2 - root}, new double[][] {vectors[0], vectors[0]}).valid());
    }

    private static Outcome eigen(double[][] matrix, double[] values, double[][] vectors) {
        Outcome outcome = new Outcome();
        Near near = new Near(outcome, 1e-6);
        Eigen.check(matrix, values, vectors, near);
        near.report();
        return outcome;
    }

    @Test
    void aNumberThatIsOffOrNoneOrMissingIsNamed() {
        assertEquals("", near(1 + 1e-10, 2));
        assertEquals("x 0 is 1.001, expected 1.0: more than 1.0E-9 from the right answer", near(1.001, 2));
        assertTrue(near(1, Double.NaN).contains("x 1 is NaN, expected 2.0"));
        assertEquals("x has 1 numbers, expected 2", near(1));
    }

    private static String near(double... found) {
        Outcome outcome = new Outcome();
        Near near = new Near(outcome, 1e-9);
        near.same("x", found, new double[] {1, 2});
        near.report();
        return outcome.reason();
    }

    @Test
    void aProductIsRightOnlyAsAWhole() {
        Table one = Table.categories(1, 7, 5);
        Table other = Table.categories(2, 5, 5);
        double[][] right = new double[7][5];
        for (int row = 0; row < 7; row++) {
            for (int column = 0; column < 5; column++) {
                for (int at = 0; at < 5; at++) {
                    right[row][column] += one.row(row)[at] * other.row(at)[column];
                }
            }
        }
        assertEquals("", product(one, other, right));
        right[3][2] += 1;
        assertTrue(product(one, other, right).startsWith("row 3 of the product"));
        right[3][2] -= 1;
        double[] first = right[0];
        right[0] = right[1];
        right[1] = first;
        assertTrue(product(one, other, right).contains("of the product"));
        assertTrue(product(one, other, Arrays.copyOf(right, 6)).contains("row 6 of the product is missing"));
    }

    private static String product(Table one, Table other, double[][] found) {
        Outcome outcome = new Outcome();
        Product.check(one, other, found, new Seeded(9), outcome);
        return outcome.reason();
    }

    @Test
    void setsAreThoseThatACountOfAllBasketsFinds() {
        Baskets baskets = new Baskets(new Seeded(5), 200, 30);
        Map<List<Integer>, Long> found = baskets.frequent(20);
        assertTrue(found.keySet().stream().anyMatch(set -> set.size() > 1));
        for (int one = 0; one < 30; one++) {
            for (int other = one; other < 30; other++) {
                List<Integer> set = one == other ? List.of(one) : List.of(one, other);
                long in = java.util.stream.IntStream.range(0, 200).filter(at -> baskets.basket(at).containsAll(set))
                        .count();
                assertEquals(in >= 20 ? in : null, found.get(set));
            }
        }
    }

    @Test
    void aPatternIsContainedInTheOrderOfItsSets() {
        List<List<Integer>> sequence = List.of(List.of(1, 2), List.of(3), List.of(1));
        assertTrue(Sequences.contains(sequence, List.of(List.of(2), List.of(1))));
        assertTrue(Sequences.contains(sequence, List.of(List.of(1, 2))));
        assertFalse(Sequences.contains(sequence, List.of(List.of(3), List.of(2))));
        assertFalse(Sequences.contains(sequence, List.of(List.of(1, 3))));
        Sequences some = new Sequences(new Seeded(5), 100, 8);
        Map<List<List<Integer>>, Long> found = some.frequent(30, 3);
        assertTrue(found.keySet().stream().anyMatch(pattern -> pattern.size() > 1));
        assertTrue(found.keySet().stream().anyMatch(pattern -> pattern.get(0).size() > 1));
    }

    @Test
    void bayesIsTheFormula() {
        Table rows = new Given(new double[] {1, 3, 0}, new double[] {2, 0, 0}, new double[] {0, 5, 2});
        Bayes found = Bayes.of(rows, 1);
        assertEquals(Math.log(3 / 9.0), found.pi()[0], 1e-12);
        assertEquals(Math.log(1 / 9.0), found.pi()[1], 1e-12);
        assertEquals(Math.log(4 / 8.0), found.theta()[0][0], 1e-12);
        assertEquals(Math.log(6 / 7.0), found.theta()[2][1], 1e-12);
    }

    @Test
    void numbersDependOnTheirPlaceAlone() {
        Table table = Table.mixed(5, 1000, 10);
        assertArrayEquals(table.row(7), Table.mixed(5, 9, 10).row(7));
        assertFalse(Arrays.equals(table.row(7), Table.mixed(6, 9, 10).row(7)));
        double[][] all = Moments.correlation(table);
        assertTrue(all[1][0] > 0.3 && Math.abs(all[0][3]) < 0.3, Arrays.deepToString(all));
        double zeros = 1000 - Moments.of(table).nonzeros()[4];
        assertEquals(333, zeros, 60);
    }

    @Test
    void theGradientIsZeroAtTheLeastLossAlone() {
        Planted line = new Planted(new Seeded(3), 500, 3, Planted.What.LINE);
        double[] weights = new double[3];
        for (int step = 0; step < 400; step++) {
            double[] gradient = line.gradient(weights);
            Arrays.setAll(weights, at -> weights[at] - gradient[at] / 2);
        }
        assertArrayEquals(new double[3], line.gradient(weights), 1e-9);
        weights[1] += 1e-3;
        assertTrue(Math.abs(line.gradient(weights)[1]) > 1e-4);
        Planted odds = new Planted(new Seeded(3), 500, 3, Planted.What.ODDS);
        for (int step = 0; step < 2000; step++) {
            double[] gradient = odds.gradient(weights);
            Arrays.setAll(weights, at -> weights[at] - 2 * gradient[at]);
        }
        assertArrayEquals(new double[3], odds.gradient(weights), 1e-9);
    }

    @Test
    void theLabelOfATreeIsThatOfItsRow() {
        Planted table = new Planted(new Seeded(3), 200, 6, Planted.What.TREE);
        for (int number = 0; number < 200; number++) {
            assertEquals(Planted.decided(table.row(number)), table.row(number)[5]);
        }
        assertEquals(0, Planted.decided(new double[] {0.9, 0.7, 0.9}));
        assertEquals(1, Planted.decided(new double[] {0.1, 0, 0.9}));
    }
}
