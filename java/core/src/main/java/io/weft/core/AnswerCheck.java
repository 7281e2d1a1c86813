package io.weft.core;

import java.nio.file.Path;
import java.util.List;
import picocli.CommandLine.Option;

/** Compares the answer that a job left in a file with what the generator's data give, without the engine. */
public abstract class AnswerCheck extends Program {
    @Option(names = "--answer", required = true)
    private Path file;

    /** Takes each line of a right answer, and puts each difference as a problem. */
    protected abstract void check(Answer answer, Outcome outcome) throws Exception;

    @Override
    public final void run(Outcome outcome) throws Exception {
        Answer answer = Answer.read(file);
        check(answer, outcome);
        List<String> left = answer.names();
        if (outcome.valid() && !left.isEmpty()) {
            outcome.problem("the answer has " + left.size() + " lines that no right answer has, such as " + left.get(0));
        }
    }
}
