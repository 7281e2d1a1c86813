package io.weft.core;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** Writes the one key of a key store and its certificate as text (RFC 7468), for programs that cannot read the store. */
public final class Pem {
    private static final List<String> KEYS = List.of("keystore", "password-file", "output");
    private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] {'\n'});

    private Pem() {
    }

    public static void main(String[] args) {
        System.exit(Program.run(args, KEYS, Pem::run));
    }

    static void run(Options options, Outcome outcome) throws Exception {
        char[] password = Files.readString(options.path("password-file")).strip().toCharArray();
        KeyStore store = KeyStore.getInstance(options.path("keystore").toFile(), password);
        String alias = store.aliases().nextElement();
        String text = block("PRIVATE KEY", store.getKey(alias, password).getEncoded())
                + block("CERTIFICATE", store.getCertificate(alias).getEncoded());
        Path output = options.path("output");
        Files.createFile(output, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(output, text, StandardOpenOption.WRITE);
        outcome.put("alias", alias);
    }

    private static String block(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n" + BASE64.encodeToString(bytes) + "\n-----END " + label + "-----\n";
    }
}
