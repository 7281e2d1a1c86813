package io.weft.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.DefaultHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpVersion;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.servlet.http.HttpServlet;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.HttpServer2;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hadoop's own server with the filter, and a DataNode's front without a DataNode. */
class PagesTest {
    private static final Configuration SETTINGS = new Configuration();
    private static HttpServer2 server;

    /** Answers 200 to each request that reaches it. */
    public static final class Servlet extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        protected void doGet(HttpServletRequest request, HttpServletResponse response) {
            response.setStatus(HttpServletResponse.SC_OK);
        }
    }

    @BeforeAll
    static void start(@TempDir Path folder) throws Exception {
        Path secret = Files.writeString(folder.resolve("secret"), Tokens.SECRET + "\n");
        System.setProperty("hadoop.log.dir", folder.toString());
        SETTINGS.set(BearerToken.SECRET_FILE, secret.toString());
        SETTINGS.set(HttpServer2.FILTER_INITIALIZER_PROPERTY, PageFilterInitializer.class.getName());
        server = new HttpServer2.Builder().setName("pages").setConf(SETTINGS)
                .addEndpoint(URI.create("http://127.0.0.1:0")).setFindPort(true).build();
        server.addServlet("own", "/own", Servlet.class);
        server.addInternalServlet("internal", "/internal", Servlet.class);
        server.addInternalServlet("unauthenticated", "/unauthenticated", Servlet.class, false);
        server.start();
    }

    @AfterAll
    static void stop() throws Exception {
        server.stop();
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "/own", "/internal", "/unauthenticated", "/index.html", "/jmx", "/conf", "/stacks", "/static/picture", "/%6amx"
    })
    void everyPageWantsAToken(String page) throws Exception {
        assertEquals(401, status(page, null));
        assertEquals(401, status(page, Tokens.bearer(Tokens.OTHER_SECRET)));
        assertEquals(200, status(page, Tokens.bearer(Tokens.SECRET)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/logs/", "/logLevel?log=a", "/prof", "/prom", "/nothing", "//jmx", "/static/../jmx"})
    void whateverItWouldAnswer(String page) throws Exception {
        assertEquals(401, status(page, null));
        assertNotEquals(401, status(page, Tokens.bearer(Tokens.SECRET)));
    }

    private static int status(String page, String header) throws Exception {
        URI address = URI.create("http://127.0.0.1:" + server.getConnectorAddress(0).getPort() + page);
        HttpURLConnection connection = (HttpURLConnection) address.toURL().openConnection();
        connection.setInstanceFollowRedirects(false);
        if (header != null) {
            connection.setRequestProperty("Authorization", header);
        }
        return connection.getResponseCode();
    }

    @Test
    void aDataNodesFrontPassesOnWhatHasAToken() throws Exception {
        EmbeddedChannel front = front();
        HttpRequest request = request();
        request.headers().set("Authorization", Tokens.bearer(Tokens.SECRET));
        front.writeInbound(request);
        assertSame(request, front.readInbound());
        assertNull(front.readOutbound());
    }

    @Test
    void andRefusesTheRest() throws Exception {
        for (String header : new String[] {"", Tokens.bearer(Tokens.OTHER_SECRET)}) {
            EmbeddedChannel front = front();
            HttpRequest request = request();
            request.headers().set("Authorization", header);
            front.writeInbound(request);
            assertNull(front.readInbound());
            assertEquals(401, front.<HttpResponse>readOutbound().status().code());
            assertEquals(false, front.isOpen());
        }
    }

    private static EmbeddedChannel front() {
        return new EmbeddedChannel(new PageHandler(PageHandler.initializeState(SETTINGS)));
    }

    private static HttpRequest request() {
        return new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.GET, "/webhdfs/v1/?op=LISTSTATUS");
    }
}
