package io.weft.job;

import io.weft.core.Answer;
import io.weft.core.Outcome;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** A job that leaves what it found in a file, for a program without the engine to check. */
public abstract class AnswerJob<S extends EngineSession> extends EngineJob<S> {
    @Option(names = "--answer", required = true)
    private Path file;

    /** The engine's work, measured; puts all that it found into the answer. */
    protected abstract void work(S session, Answer answer) throws Exception;

    @Override
    protected final void work(S session, Outcome outcome) throws Exception {
        Answer answer = new Answer();
        work(session, answer);
        answer.write(file);
    }
}
