package io.weft.hadoop;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The JSON web token that says nothing, signed with the run's secret (RFC 7515, HS256), as the header Authorization has it
 * (RFC 6750): a client that has it knows the secret. There is one, so that nothing of what a stranger sends is ever parsed.
 */
final class BearerToken {
    /** Name of the setting with the path of the secret's file. */
    static final String SECRET_FILE = "weft.pages.secret.file";
    /** The answer to a request without it. */
    static final String CHALLENGE = "Bearer realm=\"weft\"";

    private static final String HEADER = "{\"alg\":\"HS256\",\"typ\":\"JWT\"}";
    private static final String CLAIMS = "{}";
    private static final String ALGORITHM = "HmacSHA256";

    private final byte[] expected;

    /** Reads the secret as base64url, which its hexadecimal digits are. */
    BearerToken(String secret) {
        byte[] key = Base64.getUrlDecoder().decode(secret.strip());
        String unsigned = base64(bytes(HEADER)) + "." + base64(bytes(CLAIMS));
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(key, ALGORITHM));
            expected = bytes("Bearer " + unsigned + "." + base64(mac.doFinal(bytes(unsigned))));
        } catch (GeneralSecurityException error) {
            throw new IllegalStateException(error); // every Java has it
        }
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

    /** Whether it is what a header holds; takes as long whichever letter is wrong. */
    boolean isIn(String header) {
        return header != null && MessageDigest.isEqual(expected, bytes(header));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
