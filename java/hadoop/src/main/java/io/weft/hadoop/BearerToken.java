package io.weft.hadoop;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * A JSON web token that is signed with the run's secret (RFC 7515, HS256), as the header Authorization has it (RFC 6750):
 * whoever has one knows the secret.
 */
final class BearerToken {
    /** Name of the setting with the path of the secret's file. */
    static final String SECRET_FILE = "weft.pages.secret.file";
    /** What a request without one is told. */
    static final String CHALLENGE = "Bearer realm=\"weft\"";

    private static final String SCHEME = "Bearer ";
    private static final String ALGORITHM = "HmacSHA256";
    private static final ObjectMapper JSON = new ObjectMapper();

    private final SecretKeySpec key;

    /** Reads the secret as base64url, which its hexadecimal digits are. */
    BearerToken(String secret) {
        key = new SecretKeySpec(Base64.getUrlDecoder().decode(secret.strip()), ALGORITHM);
    }

    /** With the secret of a file. A daemon that cannot read it does not start. */
    static BearerToken of(String file) {
        if (file == null || file.isEmpty()) {
            throw new IllegalArgumentException(SECRET_FILE + " does not say where the secret is");
        }
        try {
            return new BearerToken(Files.readString(Path.of(file)));
        } catch (IOException error) {
            throw new UncheckedIOException("the secret of the status pages cannot be read", error);
        }
    }

    /** Whether a header holds a token of this secret whose time is not over. */
    boolean isIn(String header) {
        if (header == null || !header.startsWith(SCHEME)) {
            return false;
        }
        String[] parts = header.substring(SCHEME.length()).split("\\.", -1);
        if (parts.length != 3) {
            return false;
        }
        try {
            Base64.Decoder base64 = Base64.getUrlDecoder();
            byte[] signature = base64.decode(parts[2]);
            if (!MessageDigest.isEqual(signature, signed(parts[0] + "." + parts[1]))) {
                return false;
            }
            JsonNode algorithm = JSON.readTree(text(base64, parts[0])).path("alg");
            JsonNode end = JSON.readTree(text(base64, parts[1])).path("exp");
            return algorithm.asText().equals("HS256")
                    && (end.isMissingNode() || end.asLong() > Instant.now().getEpochSecond());
        } catch (IllegalArgumentException | JsonProcessingException garbage) {
            return false;
        }
    }

    private byte[] signed(String said) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            return mac.doFinal(said.getBytes(StandardCharsets.US_ASCII));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error); // every Java has it
        }
    }

    private static String text(Base64.Decoder base64, String part) {
        return new String(base64.decode(part), StandardCharsets.UTF_8);
    }
}
