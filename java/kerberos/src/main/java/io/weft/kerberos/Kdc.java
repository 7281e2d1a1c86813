package io.weft.kerberos;

import java.io.File;
import java.io.IOException;
import org.apache.kerby.kerberos.kerb.KrbException;
import org.apache.kerby.kerberos.kerb.identity.backend.IdentityBackend;
import org.apache.kerby.kerberos.kerb.keytab.Keytab;
import org.apache.kerby.kerberos.kerb.keytab.KeytabEntry;
import org.apache.kerby.kerberos.kerb.request.KrbIdentity;
import org.apache.kerby.kerberos.kerb.server.KdcConfigKey;
import org.apache.kerby.kerberos.kerb.server.KdcContext;
import org.apache.kerby.kerberos.kerb.server.KdcHandler;
import org.apache.kerby.kerberos.kerb.server.KdcServer;
import org.apache.kerby.kerberos.kerb.server.preauth.PreauthHandler;
import org.apache.kerby.kerberos.kerb.type.base.PrincipalName;

/** A key distribution centre (RFC 4120) over TCP. A keytab, with the key of the centre itself, is all that it knows. */
public final class Kdc {
    private Kdc() {
    }

    /** ADDRESS PORT KEYTAB; serves until it is killed. */
    public static void main(String[] args) throws Exception {
        if (args.length != 3) {
            System.err.println("usage: Kdc ADDRESS PORT KEYTAB");
            System.exit(2);
        }
        listen(args[0], Integer.parseInt(args[1]), new File(args[2])).serve();
    }

    static Listener listen(String address, int port, File file) throws IOException, KrbException {
        KdcHandler handler = new KdcHandler(context(file));
        return new Listener(address, port, (message, sender) -> handler.handleMessage(message, true, sender));
    }

    private static KdcContext context(File file) throws IOException, KrbException {
        Keytab keytab = Keytab.loadKeytab(file);
        KdcServer server = new KdcServer();
        server.setKdcRealm(keytab.getPrincipals().get(0).getRealm());
        server.getKdcConfig().setString(KdcConfigKey.ENCRYPTION_TYPES, "aes256-cts-hmac-sha1-96");
        server.init();
        IdentityBackend known = server.getIdentityService();
        for (PrincipalName principal : keytab.getPrincipals()) {
            KrbIdentity identity = new KrbIdentity(principal.getName());
            for (KeytabEntry entry : keytab.getKeytabEntries(principal)) {
                identity.addKey(entry.getKey());
            }
            known.addIdentity(identity);
        }
        KdcContext context = new KdcContext(server.getKdcSetting());
        context.setIdentityService(known);
        PreauthHandler authentication = new PreauthHandler();
        authentication.init();
        context.setPreauthHandler(authentication);
        return context;
    }
}
