package io.weft.spark;

import io.weft.core.Program;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An application whose executors are there before its program: it waits at a socket of its user's for the name and the
 * arguments of one of weft's, runs it and ends. It ends also when its socket is removed, or when who gave it the program is gone.
 */
public final class Ready {
    private static final long PAUSE_MILLIS = 100;
    private static final int GONE = 1;

    private Ready() {
    }

    /**
     * The arguments are the path of the socket, which is there when the executors are, and their number. A file beside it, with
     * .waited after its name, stays.
     */
    public static void main(String[] args) throws Exception {
        Path socket = Path.of(args[0]);
        ReadyContext.open(Integer.parseInt(args[1]));
        Path partial = socket.resolveSibling(socket.getFileName() + "~");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            // an address has 107 bytes at most (unix(7)), and a path may have more
            server.bind(UnixDomainSocketAddress.of(Path.of("").toAbsolutePath().relativize(partial)));
            Files.createFile(socket.resolveSibling(socket.getFileName() + ".waited"));
            Files.move(partial, socket);
            AtomicBoolean asked = new AtomicBoolean();
            inBackground(() -> endWithout(socket, asked));
            try (SocketChannel client = server.accept()) {
                asked.set(true);
                Files.delete(socket);
                String[] words = words(client);
                AtomicBoolean ended = new AtomicBoolean();
                inBackground(() -> endWith(client, ended));
                int code = run(words);
                ended.set(true);
                client.write(ByteBuffer.wrap(new byte[] {(byte) code}));
                System.exit(code);
            }
        }
    }

    /** The directory of the event log, the name of the program, and its arguments. */
    private static int run(String... words) throws Exception {
        ReadyContext.give(words[0]);
        Program program = (Program) Class.forName(Ready.class.getPackageName() + "." + words[1]).getDeclaredConstructor().newInstance();
        int code = program.execute(Arrays.copyOfRange(words, 2, words.length));
        ReadyEvents.end();
        return code;
    }

    /** How many words, then the number of bytes and the bytes of each. */
    private static String[] words(SocketChannel client) throws IOException {
        String[] words = new String[read(client, Integer.BYTES).getInt()];
        for (int i = 0; i < words.length; i++) {
            words[i] = StandardCharsets.UTF_8.decode(read(client, read(client, Integer.BYTES).getInt())).toString();
        }
        return words;
    }

    private static ByteBuffer read(SocketChannel client, int bytes) throws IOException {
        ByteBuffer found = ByteBuffer.allocate(bytes);
        while (found.hasRemaining()) {
            if (client.read(found) < 0) {
                throw new EOFException("a program without its end");
            }
        }
        return found.flip();
    }

    private static void inBackground(Runnable work) {
        Thread thread = new Thread(work, "weft-ready");
        thread.setDaemon(true);
        thread.start();
    }

    private static void endWithout(Path socket, AtomicBoolean asked) {
        try {
            while (Files.exists(socket)) {
                Thread.sleep(PAUSE_MILLIS);
            }
        } catch (InterruptedException ending) {
            return;
        }
        if (!asked.get()) {
            Runtime.getRuntime().halt(0);
        }
    }

    private static void endWith(SocketChannel client, AtomicBoolean ended) {
        try {
            // it sends nothing more: this returns at its end
            client.read(ByteBuffer.allocate(1));
        } catch (IOException closed) {
            return;
        }
        if (!ended.get()) {
            Runtime.getRuntime().halt(GONE);
        }
    }
}
