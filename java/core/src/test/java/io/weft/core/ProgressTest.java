package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProgressTest {
    @Test
    void manySmallStepsPrintTheFirstAndTheLast() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        Progress progress = new Progress(500, new PrintStream(out));
        progress.expect(500);
        for (int i = 0; i < 1000; i++) {
            progress.add(1);
        }
        assertEquals(List.of("progress: 1 1000", "progress: 1000 1000"), out.toString().lines().toList());
    }
}
