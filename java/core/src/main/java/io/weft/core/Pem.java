package io.weft.core;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.util.Base64;
import picocli.CommandLine.Option;

/** Writes the one key of a key store and its certificate as text (RFC 7468), for programs that cannot read the store. */
public final class Pem extends Program {
    private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] {'\n'});

    @Option(names = "--keystore", required = true)
    private Path keystore;

    @Option(names = "--password-file", required = true)
    private Path passwordFile;

    @Option(names = "--output", required = true)
    private Path output;

    public static void main(String[] args) {
        main(new Pem(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        char[] password = Files.readString(passwordFile).strip().toCharArray();
        KeyStore store = KeyStore.getInstance(keystore.toFile(), password);
        String alias = store.aliases().nextElement();
        String text = block("PRIVATE KEY", store.getKey(alias, password).getEncoded())
                + block("CERTIFICATE", store.getCertificate(alias).getEncoded());
        Files.createFile(output, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(output, text, StandardOpenOption.WRITE);
        outcome.put("alias", alias);
    }

    private static String block(String label, byte[] bytes) {
        return "-----BEGIN " + label + "-----\n" + BASE64.encodeToString(bytes) + "\n-----END " + label + "-----\n";
    }
}
