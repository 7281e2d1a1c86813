package io.weft.hadoop;

import java.io.IOException;
import javax.servlet.Filter;
import javax.servlet.FilterChain;
import javax.servlet.FilterConfig;
import javax.servlet.ServletException;
import javax.servlet.ServletRequest;
import javax.servlet.ServletResponse;
import javax.servlet.http.HttpServletRequest;
import javax.servlet.http.HttpServletResponse;

/** Lets only requests with a token of the run through to a daemon's pages. */
public final class PageFilter implements Filter {
    private BearerToken token;

    @Override
    public void init(FilterConfig settings) {
        token = BearerToken.of(settings.getInitParameter(BearerToken.SECRET_FILE));
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain pages)
            throws IOException, ServletException {
        if (token.isIn(((HttpServletRequest) request).getHeader("Authorization"))) {
            pages.doFilter(request, response);
        } else {
            HttpServletResponse answer = (HttpServletResponse) response;
            answer.setHeader("WWW-Authenticate", BearerToken.CHALLENGE);
            answer.sendError(HttpServletResponse.SC_UNAUTHORIZED);
        }
    }

    @Override
    public void destroy() {
    }
}
