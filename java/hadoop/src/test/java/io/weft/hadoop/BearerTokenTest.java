package io.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which headers pass. */
class BearerTokenTest {
    private static final BearerToken TOKEN = new BearerToken(Tokens.SECRET);

    @Test
    void theSecretsOwnTokenPasses() throws Exception {
        assertTrue(TOKEN.isIn(Tokens.bearer(Tokens.SECRET)));
    }

    /** As the Python side makes it of the same secret. */
    @Test
    void weftsOwnTokenPasses() {
        assertTrue(TOKEN.isIn("Bearer eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.1IzN1viqEJ-O9o4lA2R81n2gm_TDLcHWFFnrI5-GOzI"));
    }

    @Test
    void anotherSecretsDoesNot() throws Exception {
        assertFalse(TOKEN.isIn(Tokens.bearer(Tokens.OTHER_SECRET)));
    }

    @Test
    void anUnsignedOneDoesNot() {
        String unsigned = "Bearer " + Tokens.base64("{\"alg\":\"none\"}") + "." + Tokens.base64("{}") + ".";
        assertFalse(TOKEN.isIn(unsigned));
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"alg\":\"none\"}", "{\"alg\":\"HS512\"}", "{\"alg\":\"RS256\"}", "{}", ""})
    void aSignedOneOfAnotherAlgorithmDoesNot(String header) throws Exception {
        assertFalse(TOKEN.isIn(Tokens.bearer(Tokens.SECRET, header)));
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", "Bearer", "Bearer ", "Bearer ..", "Bearer a.b", "Bearer a.b.c.d", "Bearer \u00e9.\u00e9.\u00e9", "Basic cm9vdDo="})
    void garbageDoesNot(String header) {
        assertFalse(TOKEN.isIn(header));
    }

    @Test
    void oneOfAnotherSchemeOrShortenedDoesNot() throws Exception {
        String right = Tokens.bearer(Tokens.SECRET);
        assertFalse(TOKEN.isIn(right.substring(0, right.length() - 2)));
        assertFalse(TOKEN.isIn(right.substring(0, right.lastIndexOf('.') + 1)));
        assertFalse(TOKEN.isIn(right.replace("Bearer", "Basic")));
    }

    @Test
    void withoutItsSecretNobodyStarts(@TempDir Path folder) throws Exception {
        assertThrows(IllegalArgumentException.class, () -> BearerToken.of(null));
        assertThrows(IllegalArgumentException.class, () -> BearerToken.of(""));
        assertThrows(UncheckedIOException.class, () -> BearerToken.of(folder.resolve("missing").toString()));
        Path empty = Files.createFile(folder.resolve("empty"));
        assertThrows(IllegalArgumentException.class, () -> BearerToken.of(empty.toString()));
    }
}
