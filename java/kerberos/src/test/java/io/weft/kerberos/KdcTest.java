package io.weft.kerberos;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import javax.security.auth.Subject;
import javax.security.auth.login.AppConfigurationEntry;
import javax.security.auth.login.AppConfigurationEntry.LoginModuleControlFlag;
import javax.security.auth.login.Configuration;
import javax.security.auth.login.LoginContext;
import javax.security.auth.login.LoginException;
import org.apache.kerby.kerberos.kerb.keytab.Keytab;
import org.apache.kerby.kerberos.kerb.keytab.KeytabEntry;
import org.apache.kerby.kerberos.kerb.type.KerberosTime;
import org.apache.kerby.kerberos.kerb.type.base.EncryptionKey;
import org.apache.kerby.kerberos.kerb.type.base.EncryptionType;
import org.apache.kerby.kerberos.kerb.type.base.PrincipalName;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.GSSName;
import org.ietf.jgss.Oid;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Java's own Kerberos as the client. */
class KdcTest {
    private static final String USER = "sam/weft@WEFT";
    private static final Set<String> ALL = Set.of(USER, "krbtgt/WEFT@WEFT");

    @TempDir
    Path directory;
    private Listener listener;

    @BeforeEach
    void serve() throws Exception {
        listener = Kdc.listen("127.0.0.1", 0, keytab("known", 1, ALL));
        Thread serving = new Thread(this::run);
        serving.setDaemon(true);
        serving.start();
        Path settings = Files.writeString(directory.resolve("krb5.conf"), """
                [libdefaults]
                default_realm = WEFT
                udp_preference_limit = 1
                dns_canonicalize_hostname = false
                permitted_enctypes = aes256-cts-hmac-sha1-96
                [realms]
                WEFT = {
                kdc = 127.0.0.1:%d
                }
                """.formatted(listener.port()));
        System.setProperty("java.security.krb5.conf", settings.toString());
    }

    @AfterEach
    void end() throws Exception {
        listener.close();
    }

    @Test
    void aHolderOfTheKeyIsTheUser() throws Exception {
        Subject user = login(USER, keytab("own", 1, Set.of(USER)));
        assertEquals(Set.of(USER), Set.of(user.getPrincipals().iterator().next().getName()));
    }

    @Test
    void aTicketForAServiceIsAcceptedThere() throws Exception {
        Subject user = login(USER, new File(directory.resolve("known").toString()));
        Oid kerberos = new Oid("1.2.840.113554.1.2.2");
        GSSManager manager = GSSManager.getInstance();
        GSSName name = manager.createName("sam@weft", GSSName.NT_HOSTBASED_SERVICE);
        byte[] token = as(user, () -> {
            GSSContext asking = manager.createContext(name, kerberos, null, GSSContext.DEFAULT_LIFETIME);
            return asking.initSecContext(new byte[0], 0, 0);
        });
        boolean established = as(user, () -> {
            GSSContext asked = manager.createContext((org.ietf.jgss.GSSCredential) null);
            asked.acceptSecContext(token, 0, token.length);
            return asked.isEstablished() && asked.getSrcName().toString().equals(USER);
        });
        assertTrue(established);
    }

    @Test
    void anotherKeyOfTheSameNameIsRefused() throws Exception {
        File forged = keytab("forged", 2, Set.of(USER));
        assertThrows(LoginException.class, () -> login(USER, forged));
    }

    @Test
    void anUnknownNameIsRefused() throws Exception {
        File stranger = keytab("stranger", 1, Set.of("eve/weft@WEFT"));
        assertThrows(LoginException.class, () -> login("eve/weft@WEFT", stranger));
    }

    @Test
    void manyWhoOnlyConnectDoNotKeepOthersOut() throws Exception {
        List<Socket> idle = new ArrayList<>();
        try {
            for (int i = 0; i < 100; i++) {
                idle.add(new Socket("127.0.0.1", listener.port()));
            }
            aHolderOfTheKeyIsTheUser();
        } finally {
            for (Socket socket : idle) {
                socket.close();
            }
        }
    }

    @Test
    void aConnectionThatSendsNonsenseIsClosed() throws Exception {
        for (int[] sent : List.of(new int[] {Integer.MAX_VALUE}, new int[] {-1}, new int[] {4, 0})) {
            try (Socket socket = new Socket("127.0.0.1", listener.port())) {
                DataOutputStream out = new DataOutputStream(socket.getOutputStream());
                for (int word : sent) {
                    out.writeInt(word);
                }
                assertEquals(-1, socket.getInputStream().read());
            }
        }
        aHolderOfTheKeyIsTheUser();
    }

    private void run() {
        try {
            listener.serve();
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    private File keytab(String name, long seed, Set<String> principals) throws Exception {
        Keytab keytab = new Keytab();
        for (String principal : principals) {
            byte[] key = new byte[32];
            new Random(seed + principal.hashCode()).nextBytes(key);
            EncryptionKey encryption = new EncryptionKey(EncryptionType.AES256_CTS_HMAC_SHA1_96, key, 1);
            keytab.addEntry(new KeytabEntry(new PrincipalName(principal), new KerberosTime(), 1, encryption));
        }
        File file = directory.resolve(name).toFile();
        keytab.store(file);
        return file;
    }

    private static Subject login(String principal, File keytab) throws LoginException {
        Map<String, String> options = Map.of(
                "useKeyTab", "true", "keyTab", keytab.toString(), "principal", principal, "storeKey", "true",
                "doNotPrompt", "true", "isInitiator", "true", "refreshKrb5Config", "true");
        LoginContext context = new LoginContext("test", new Subject(), null, new Configuration() {
            @Override
            public AppConfigurationEntry[] getAppConfigurationEntry(String name) {
                String module = "com.sun.security.auth.module.Krb5LoginModule";
                return new AppConfigurationEntry[] {
                    new AppConfigurationEntry(module, LoginModuleControlFlag.REQUIRED, options)
                };
            }
        });
        context.login();
        return context.getSubject();
    }

    private static <T> T as(Subject subject, PrivilegedExceptionAction<T> action) throws Exception {
        return Subject.doAs(subject, action);
    }
}
