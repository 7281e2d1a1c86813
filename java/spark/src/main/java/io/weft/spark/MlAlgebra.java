package io.weft.spark;

import io.weft.core.Outcome;
import io.weft.core.ml.Eigen;
import io.weft.core.ml.Moments;
import io.weft.core.ml.Near;
import io.weft.core.ml.Product;
import io.weft.core.ml.Seeded;
import io.weft.core.ml.Table;
import java.util.Arrays;
import org.apache.spark.api.java.JavaRDD;
import org.apache.spark.mllib.linalg.Matrix;
import org.apache.spark.mllib.linalg.SingularValueDecomposition;
import org.apache.spark.mllib.linalg.Vector;
import org.apache.spark.mllib.linalg.Vectors;
import org.apache.spark.mllib.linalg.distributed.BlockMatrix;
import org.apache.spark.mllib.linalg.distributed.IndexedRow;
import org.apache.spark.mllib.linalg.distributed.IndexedRowMatrix;
import org.apache.spark.mllib.linalg.distributed.RowMatrix;

/** Singular values, principal components, and a product of matrices. */
final class MlAlgebra {
    /** The values of both are squared or divided by the largest one, so that it is the precision of the largest that counts. */
    private static final double BOUND = 1e-6;

    private MlAlgebra() {
    }

    static void svd(MlData data, Outcome outcome) throws Exception {
        Table table = data.mixed();
        JavaRDD<Vector> rows = data.vectors(table);
        int rank = data.sizes.rank();
        SingularValueDecomposition<RowMatrix, Matrix> found = data.measured(() -> {
            SingularValueDecomposition<RowMatrix, Matrix> svd = new RowMatrix(rows.rdd()).computeSVD(rank, true, 1e-9);
            svd.U().rows().count();
            return svd;
        });
        double[][] gram = Moments.products(table, new double[table.columns()]);
        double[] right = Arrays.copyOf(Eigen.values(gram), rank);
        double[] squares = Arrays.stream(found.s().toArray()).map(value -> value * value).toArray();
        Near near = new Near(outcome, BOUND);
        near.same("square of singular value", scaled(squares, right[0]), scaled(right, right[0]));
        if (squares.length == rank) {
            Eigen.check(gram, squares, columns(found.V()), near);
        }
        outcome.same("rows of U", found.U().numRows(), table.rows());
        near.report();
    }

    static void pca(MlData data, Outcome outcome) throws Exception {
        Table table = data.mixed();
        JavaRDD<Vector> rows = data.vectors(table);
        Matrix found = data.measured(() -> new RowMatrix(rows.rdd()).computePrincipalComponents(data.sizes.rank()));
        double[][] covariance = Moments.covariance(table, Moments.of(table).mean());
        outcome.same("components", found.numCols(), data.sizes.rank());
        Near near = new Near(outcome, BOUND);
        Eigen.check(covariance, Eigen.values(covariance), columns(found), near);
        near.report();
    }

    private static double[] scaled(double[] values, double by) {
        return Arrays.stream(values).map(value -> value / by).toArray();
    }

    static double[][] columns(Matrix matrix) {
        double[][] found = new double[matrix.numCols()][matrix.numRows()];
        for (int column = 0; column < found.length; column++) {
            for (int row = 0; row < found[column].length; row++) {
                found[column][row] = matrix.apply(row, column);
            }
        }
        return found;
    }

    static void multiply(MlData data, Outcome outcome) throws Exception {
        int rows = data.sizes.rows();
        int columns = data.sizes.columns();
        Table one = Table.categories(data.sizes.seed(), rows, columns);
        Table other = Table.categories(data.sizes.seed() + 1, columns, columns);
        BlockMatrix left = blocks(data, one);
        BlockMatrix right = blocks(data, other);
        BlockMatrix product = data.measured(() -> {
            BlockMatrix found = left.multiply(right).cache();
            found.blocks().count();
            return found;
        });
        double[][] found = new double[rows][];
        for (IndexedRow row : product.toIndexedRowMatrix().rows().toJavaRDD().collect()) {
            found[(int) row.index()] = row.vector().toArray();
        }
        Product.check(one, other, found, new Seeded(data.sizes.seed() + 2), outcome);
    }

    private static BlockMatrix blocks(MlData data, Table table) throws Exception {
        int block = data.sizes.block();
        JavaRDD<IndexedRow> rows = data.made(table.rows(),
                number -> new IndexedRow(number, Vectors.dense(table.row(number))));
        BlockMatrix found = new IndexedRowMatrix(rows.rdd()).toBlockMatrix(block, block).cache();
        found.blocks().count();
        return found;
    }
}
