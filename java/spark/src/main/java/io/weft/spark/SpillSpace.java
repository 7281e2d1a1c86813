package io.weft.spark;

import io.weft.core.SpillRun;
import java.io.File;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.apache.spark.SparkEnv;
import org.apache.spark.executor.TaskMetrics;
import org.apache.spark.storage.BlockId;

/** Where a sorter puts what does not fit into memory, and where it says so. */
interface SpillSpace {
    /** A new place for one run. */
    SpillRun.Place create() throws IOException;

    /** Memory was freed by writing to disk; both in bytes. */
    void spilled(long memory, long disk);

    /** The executor's local directories, through Spark's own compression and encryption, with its spill metrics. */
    static SpillSpace ofExecutor(TaskMetrics metrics) {
        return new SpillSpace() {
            @Override
            public SpillRun.Place create() {
                var block = SparkEnv.get().blockManager().diskBlockManager().createTempLocalBlock();
                return new LocalBlock(block._1(), block._2());
            }

            @Override
            public void spilled(long memory, long disk) {
                metrics.incMemoryBytesSpilled(memory);
                metrics.incDiskBytesSpilled(disk);
            }
        };
    }

    /** A temporary block of the executor. */
    record LocalBlock(BlockId block, File file) implements SpillRun.Place {
        @Override
        public OutputStream write() throws IOException {
            return SparkEnv.get().serializerManager().wrapStream(block, new FileOutputStream(file));
        }

        @Override
        public InputStream read() throws IOException {
            return SparkEnv.get().serializerManager().wrapStream(block, new FileInputStream(file));
        }
    }
}
