package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringTokenizer;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The generated text, against plain collections of words and lines. */
class TextTest {
    private static final TextSpec SPEC = new TextSpec(101, 5000, 1, 7);

    @TempDir
    Path folder;

    @Test
    void bytesDoNotDependOnParallelism() throws Exception {
        Outcome one = generate("one", "--parts", "1", "--threads", "1");
        Outcome many = generate("many", "--parts", "13", "--threads", "4");
        assertEquals(text("one"), text("many"));
        for (String key : List.of("lines", "words", "checksum", "bytes")) {
            assertEquals(one.get(key), many.get(key), key);
        }
        assertEquals(101L * TextBlocks.BLOCK, one.get("bytes"));
    }

    @Test
    void sumsOfPartRangesAddUp() throws Exception {
        Outcome whole = generate("whole", "--parts", "7");
        Outcome low = generate("split", "--parts", "7", "--part-to", "3");
        Outcome high = generate("split", "--parts", "7", "--part-from", "3");
        assertEquals(new BigInteger(whole.get("checksum").toString(), 16),
                new BigInteger(low.get("checksum").toString(), 16)
                        .add(new BigInteger(high.get("checksum").toString(), 16)));
        assertEquals(text("whole"), text("split"));
    }

    @Test
    void answersAreThoseOfPlainCollections() throws Exception {
        Outcome outcome = generate("plain");
        Map<String, Long> words = words("plain");
        assertEquals(words, new TreeMap<>(WordCountValidate.answer(SPEC, 3)));
        assertEquals(outcome.get("words"), words.values().stream().mapToLong(Long::longValue).sum());
        Map<String, Long> matches = new TreeMap<>();
        words.forEach((word, count) -> {
            int at = word.indexOf("ka");
            if (at >= 0) {
                matches.merge(word.substring(at), count, Long::sum);
            }
        });
        assertEquals(matches, new TreeMap<>(GrepValidate.answer(SPEC, Pattern.compile("ka[a-z]*"), 3)));
    }

    @Test
    void theMapSideFindsWhatTheAnswerHas() throws Exception {
        generate("side");
        assertEquals(WordCountValidate.answer(SPEC, 2), tally("side", ""));
        for (String pattern : List.of("ka[a-z]*", "^b[a-z]+ [a-z]*", "[aeiou] +$", "(ba|da)(be)?", "[a-z]+ [a-z]+")) {
            assertEquals(GrepValidate.answer(SPEC, Pattern.compile(pattern), 2), tally("side", pattern), pattern);
        }
    }

    @Test
    void countsOfAllThreadsFitIntoTheHeap() {
        assertEquals(4, WordCountValidate.fitting(4, 100_000, 1 << 30));
        assertEquals(33, WordCountValidate.fitting(256, ZipfWords.MOST, 1 << 30));
        assertEquals(1, WordCountValidate.fitting(256, ZipfWords.MOST, 1 << 20));
    }

    @Test
    void theFrequenciesFollowZipf() throws Exception {
        Map<String, Long> counts = WordCountValidate.answer(new TextSpec(3000, 1000, 1, 1), 2);
        ZipfWords words = new ZipfWords(1000, 1);
        double first = counts.get(words.word(0));
        assertEquals(2, first / counts.get(words.word(1)), 0.03);
        assertEquals(10, first / counts.get(words.word(9)), 0.3);
        assertEquals(1000, counts.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000, 262_143, 400_000})
    void splitsThatMeetShareNoLineAndLeaveNoneOut(int step) throws Exception {
        Path file = folder.resolve("ragged");
        Files.writeString(file, "\na\n\nbb\n" + "long ".repeat(step < 10 ? 10 : 120_000) + "\n"
                + "x\n".repeat(step == 1 ? 3 : 1000));
        Store.Input input = new PosixStore().list(file.toString()).get(0);
        StringBuilder all = new StringBuilder();
        for (long from = input.length() % step; from < input.length(); from += step) {
            long begin = from == input.length() % step ? 0 : from;
            try (Lines lines = new Lines(input, begin, from + step)) {
                while (lines.next()) {
                    all.append(lines.text()).append('\n');
                }
            }
        }
        assertTrue(Files.readString(file).contentEquals(all));
    }

    @Test
    void everyRankHasASpellingOfItsOwn() {
        ZipfWords words = new ZipfWords(20_000, 1);
        List<String> spelled = new ArrayList<>();
        for (int rank = 0; rank < words.size(); rank++) {
            spelled.add(words.word(rank));
        }
        assertEquals(20_000, spelled.stream().distinct().count());
        assertEquals(List.of("ba", "be"), spelled.subList(0, 2));
        assertEquals(2, spelled.get(99).length());
        assertEquals(4, spelled.get(100).length());
    }

    @Test
    void patternsThatMatchNothingAtAllAreRefused() {
        assertThrows(UsageError.class, () -> LineTally.pattern("a*"));
        assertThrows(UsageError.class, () -> LineTally.pattern("("));
    }

    private Map<String, Long> tally(String name, String pattern) throws Exception {
        LineTally tally = LineTally.of(pattern);
        for (Store.Input part : PartFiles.in(folder.resolve(name).toString()).values()) {
            try (Lines lines = new Lines(part)) {
                while (lines.next()) {
                    tally.line(lines.bytes, lines.offset, lines.length);
                }
            }
        }
        Map<String, Long> counts = new TreeMap<>();
        tally.counts.drainText((text, count) -> counts.merge(text, count, Long::sum));
        return counts;
    }

    private Map<String, Long> words(String name) throws Exception {
        Map<String, Long> counts = new TreeMap<>();
        StringTokenizer words = new StringTokenizer(text(name));
        while (words.hasMoreTokens()) {
            counts.merge(words.nextToken(), 1L, Long::sum);
        }
        return counts;
    }

    private Outcome generate(String name, String... more) throws Exception {
        List<String> args = new ArrayList<>(List.of("--blocks", "101", "--words", "5000", "--seed", "7",
                "--output", folder.resolve(name).toString()));
        args.addAll(List.of(more));
        return new TextGen().call(args.toArray(String[]::new));
    }

    private String text(String name) throws Exception {
        StringBuilder all = new StringBuilder();
        for (Store.Input part : PartFiles.in(folder.resolve(name).toString()).values()) {
            all.append(Files.readString(Path.of(part.name()), StandardCharsets.ISO_8859_1));
        }
        assertTrue(all.toString().endsWith("\n"));
        return all.toString().lines().collect(Collectors.joining("\n"));
    }
}
