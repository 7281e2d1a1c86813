package io.weft.hadoop;

import io.weft.core.Outcome;
import io.weft.core.Program;
import java.io.DataOutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import picocli.CommandLine.Option;

/** Asks file systems for delegation tokens and leaves them in a file, for processes that cannot log in themselves. */
public final class FetchToken extends Program {
    @Option(names = "--systems", required = true, split = ",")
    private List<URI> systems;

    @Option(names = "--output", required = true)
    private Path output;

    public static void main(String[] args) {
        main(new FetchToken(), args);
    }

    @Override
    public void run(Outcome outcome) throws Exception {
        Configuration settings = new HadoopStore().settings();
        String user = UserGroupInformation.getLoginUser().getUserName();
        Credentials found = new Credentials();
        for (URI system : systems) {
            FileSystem.get(system, settings).addDelegationTokens(user, found);
        }
        Files.createFile(output, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        try (DataOutputStream stream = new DataOutputStream(Files.newOutputStream(output, StandardOpenOption.WRITE))) {
            found.writeTokenStorageToStream(stream);
        }
        outcome.put("tokens", found.numberOfTokens());
    }
}
