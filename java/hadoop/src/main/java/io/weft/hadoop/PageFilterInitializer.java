package io.weft.hadoop;

import java.util.Map;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.http.FilterContainer;
import org.apache.hadoop.http.FilterInitializer;

/** Puts {@link PageFilter} before every page of a daemon, where hadoop.http.filter.initializers names this class first. */
public final class PageFilterInitializer extends FilterInitializer {
    @Override
    public void initFilter(FilterContainer pages, Configuration settings) {
        String file = settings.get(BearerToken.SECRET_FILE, "");
        pages.addGlobalFilter("weft", PageFilter.class.getName(), Map.of(BearerToken.SECRET_FILE, file));
    }
}
