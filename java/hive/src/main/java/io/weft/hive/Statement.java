package io.weft.hive;

import org.antlr.runtime.CommonToken;
import org.antlr.runtime.Token;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hive.ql.parse.ASTNode;
import org.apache.hadoop.hive.ql.parse.HiveParser;
import org.apache.hadoop.hive.ql.parse.ParseDriver;
import org.apache.hadoop.hive.ql.parse.ParseException;
import org.apache.hadoop.hive.ql.parse.ParseResult;

/**
 * A query by Hive's own parser: its WITH, which Hive wants before INSERT, and the rest.
 *
 * @param with empty without one
 */
record Statement(String with, String rest) {
    /**
     * @param conf says what double quotes mean
     * @throws ParseException for what is no statement of Hive's, with the lines of the user's own file
     */
    static Statement of(String text, Configuration conf) throws ParseException {
        ParseResult parsed = new ParseDriver().parse(text, conf);
        int end = end(parsed, parsed.getTree());
        return new Statement(text.substring(0, end), text.substring(end));
    }

    /** The statement whose rows go where a clause says. */
    String into(String clause) {
        return with + (with.isEmpty() ? "" : "\n") + clause + rest;
    }

    /** Where the WITH of the outermost query ends. */
    private static int end(ParseResult parsed, ASTNode tree) {
        ASTNode query = tree.getToken() == null ? (ASTNode) tree.getChild(0) : tree;
        ASTNode with = (ASTNode) query.getFirstChildWithType(HiveParser.TOK_CTE);
        if (with == null) {
            return 0;
        }
        Token last = parsed.getTokenRewriteStream().get(with.getTokenStopIndex());
        return ((CommonToken) last).getStopIndex() + 1;
    }
}
