package io.weft.hadoop;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Tokens as weft makes them, and as somebody else would. */
final class Tokens {
    static final String SECRET = "0f".repeat(32);
    static final String OTHER_SECRET = "1e".repeat(32);

    private Tokens() {
    }

    /** What the header Authorization holds for a token of a secret. */
    static String bearer(String secret, String header) throws Exception {
        String unsigned = base64(header) + "." + base64("{}");
        Mac mac = Mac.getInstance("HmacSHA256");
        mac.init(new SecretKeySpec(Base64.getUrlDecoder().decode(secret), "HmacSHA256"));
        return "Bearer " + unsigned + "." + base64(mac.doFinal(unsigned.getBytes(StandardCharsets.US_ASCII)));
    }

    static String bearer(String secret) throws Exception {
        return bearer(secret, "{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
    }

    static String base64(String text) {
        return base64(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String base64(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }
}
