package io.weft.spark;

import io.weft.core.Answer;
import io.weft.core.ml.AlgebraCheck;
import io.weft.core.ml.Table;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
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
    private MlAlgebra() {
    }

    static void svd(MlData data, Answer answer) throws Exception {
        JavaRDD<Vector> rows = data.vectors(data.spec.mixed());
        SingularValueDecomposition<RowMatrix, Matrix> found = data.measured(() -> {
            SingularValueDecomposition<RowMatrix, Matrix> svd =
                    new RowMatrix(rows.rdd()).computeSVD(data.spec.rank(), true, 1e-9);
            svd.U().rows().count();
            return svd;
        });
        answer.putNumbers("values", found.s().toArray()).putRows("vector", columns(found.V()))
                .put("rows", found.U().numRows());
        Set<Long> sampled = LongStream.of(AlgebraCheck.sampled(data.spec)).boxed().collect(Collectors.toSet());
        found.U().rows().toJavaRDD().zipWithIndex().filter(row -> sampled.contains(row._2())).collect()
                .forEach(row -> answer.putNumbers("row " + row._2(), row._1().toArray()));
    }

    static void pca(MlData data, Answer answer) throws Exception {
        JavaRDD<Vector> rows = data.vectors(data.spec.mixed());
        Matrix found = data
                .measured(() -> new RowMatrix(rows.rdd()).computePrincipalComponents(data.spec.rank()));
        answer.putRows("component", columns(found));
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

    static void multiply(MlData data, Answer answer) throws Exception {
        BlockMatrix left = blocks(data, data.spec.left());
        BlockMatrix right = blocks(data, data.spec.right());
        BlockMatrix product = data.measured(() -> {
            BlockMatrix found = left.multiply(right).cache();
            found.blocks().count();
            return found;
        });
        product.toIndexedRowMatrix().rows().toJavaRDD().collect()
                .forEach(row -> answer.putNumbers("row " + row.index(), row.vector().toArray()));
    }

    private static BlockMatrix blocks(MlData data, Table table) throws Exception {
        int block = data.spec.block();
        JavaRDD<IndexedRow> rows = data.made(table.rows(),
                number -> new IndexedRow(number, Vectors.dense(table.row(number))));
        BlockMatrix found = new IndexedRowMatrix(rows.rdd()).toBlockMatrix(block, block).cache();
        found.blocks().count();
        return found;
    }
}
