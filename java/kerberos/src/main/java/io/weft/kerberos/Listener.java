package io.weft.kerberos;

import java.io.Closeable;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * Messages over TCP, each behind its length (RFC 4120, 7.2.2). Kerby's own listener keeps 4 MiB for every connection,
 * of which a handful end it; a connection to this one takes a thread for some seconds at most.
 */
final class Listener implements Closeable {
    private static final int LONGEST = 64 << 10;
    private static final int PATIENCE_MS = 5_000;
    private static final int AT_ONCE = 256;

    private final ServerSocket server = new ServerSocket();
    private final Answer answer;
    private final ExecutorService threads = new ThreadPoolExecutor(
            0, AT_ONCE, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), Listener::daemon,
            new ThreadPoolExecutor.CallerRunsPolicy());

    /** What to say to a message, its own length included. */
    interface Answer {
        ByteBuffer to(ByteBuffer message, InetAddress sender) throws Exception;
    }

    Listener(String address, int port, Answer answer) throws IOException {
        this.answer = answer;
        server.setReuseAddress(true);
        server.bind(new InetSocketAddress(address, port), AT_ONCE);
    }

    int port() {
        return server.getLocalPort();
    }

    /** Until it is closed. */
    void serve() throws IOException {
        while (true) {
            Socket socket;
            try {
                socket = server.accept();
            } catch (SocketException end) {
                if (server.isClosed()) {
                    return;
                }
                throw end;
            }
            threads.execute(() -> converse(socket));
        }
    }

    @Override
    public void close() throws IOException {
        server.close();
        threads.shutdownNow();
    }

    private void converse(Socket socket) {
        try (socket) {
            socket.setSoTimeout(PATIENCE_MS);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            while (true) {
                int length = in.readInt();
                if (length <= 0 || length > LONGEST) {
                    throw new IOException("a message of " + length + " bytes");
                }
                ByteBuffer reply = answer.to(ByteBuffer.wrap(in.readNBytes(length)), socket.getInetAddress());
                socket.getOutputStream().write(reply.array(), reply.arrayOffset(), reply.limit());
            }
        } catch (EOFException end) {
            return;
        } catch (Exception error) {
            System.err.println(socket.getRemoteSocketAddress() + ": " + error);
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work);
        thread.setDaemon(true);
        return thread;
    }
}
