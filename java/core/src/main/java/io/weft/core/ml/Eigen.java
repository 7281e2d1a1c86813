package io.weft.core.ml;

import java.util.Arrays;

/** The eigenvalues of a symmetric matrix by Jacobi's rotations. */
public final class Eigen {
    private static final int SWEEPS = 60;

    private Eigen() {
    }

    /** All of them, largest first. */
    public static double[] values(double[][] symmetric) {
        double[][] left = Arrays.stream(symmetric).map(double[]::clone).toArray(double[][]::new);
        for (int sweep = 0; sweep < SWEEPS; sweep++) {
            for (int one = 0; one < left.length; one++) {
                for (int other = one + 1; other < left.length; other++) {
                    if (left[one][other] != 0) {
                        rotate(left, one, other);
                    }
                }
            }
        }
        double[] values = new double[left.length];
        Arrays.setAll(values, at -> -left[at][at]);
        Arrays.sort(values);
        return Arrays.stream(values).map(value -> -value).toArray();
    }

    private static void rotate(double[][] left, int one, int other) {
        double angle = Math.atan2(2 * left[one][other], left[one][one] - left[other][other]) / 2;
        double cosine = Math.cos(angle);
        double sine = Math.sin(angle);
        for (double[] row : left) {
            double first = row[one];
            row[one] = cosine * first + sine * row[other];
            row[other] = cosine * row[other] - sine * first;
        }
        for (int at = 0; at < left.length; at++) {
            double first = left[one][at];
            left[one][at] = cosine * first + sine * left[other][at];
            left[other][at] = cosine * left[other][at] - sine * first;
        }
        left[one][other] = 0;
        left[other][one] = 0;
    }

    /**
     * Compares vectors with those of the largest eigenvalues: each keeps its direction and is multiplied by its value,
     * and all are of length 1 and at right angles.
     */
    public static void check(double[][] symmetric, double[] values, double[][] vectors, Near near) {
        double scale = Math.max(Double.MIN_NORMAL, values[0]);
        for (int number = 0; number < vectors.length; number++) {
            double[] vector = vectors[number];
            for (int row = 0; row < symmetric.length; row++) {
                near.same("row " + row + " of vector " + number, Product.dot(symmetric[row], vector) / scale,
                        values[number] * vector[row] / scale);
            }
            for (int other = 0; other <= number; other++) {
                near.same("product of vectors " + number + " and " + other, Product.dot(vector, vectors[other]),
                        other == number ? 1 : 0);
            }
        }
    }
}
