package io.weft.hadoop;

import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.util.ReferenceCountUtil;
import org.apache.hadoop.conf.Configuration;

/** The same as {@link PageFilter} at a DataNode's front, which serves blocks itself before it passes on to its pages. */
@Sharable
public final class PageHandler extends ChannelInboundHandlerAdapter {
    private final BearerToken token;

    /** How a DataNode makes it: with what {@link #initializeState} gives. */
    public PageHandler(BearerToken token) {
        this.token = token;
    }

    /** Looked up by name, by a DataNode whose dfs.datanode.httpserver.filter.handlers names this class. */
    public static BearerToken initializeState(Configuration settings) {
        return BearerToken.of(settings.get(BearerToken.SECRET_FILE));
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (message instanceof HttpRequest request && !token.isIn(request.headers().get(HttpHeaderNames.AUTHORIZATION))) {
            ReferenceCountUtil.release(message);
            refuse(context);
        } else {
            context.fireChannelRead(message);
        }
    }

    private static void refuse(ChannelHandlerContext context) {
        FullHttpResponse answer = new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.UNAUTHORIZED);
        answer.headers().set(HttpHeaderNames.WWW_AUTHENTICATE, BearerToken.CHALLENGE);
        answer.headers().set(HttpHeaderNames.CONTENT_LENGTH, 0);
        answer.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        context.writeAndFlush(answer).addListener(ChannelFutureListener.CLOSE);
    }
}
