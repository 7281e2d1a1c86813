package io.weft.core;

import picocli.CommandLine.Option;

/**
 * How many of the first N points of the Halton sequence lie in the circle, without visiting them: the points of a box
 * (an x of a bits, a y of b base-3 digits) are those whose numbers leave one remainder by 2^a 3^b. Boxes that are
 * wholly inside or outside are counted by arithmetic; only those that the circle cuts are divided further.
 */
public final class PiAnswer extends Program {
    @Option(names = "--points", required = true)
    @Bounds(min = 1, max = Halton.MOST)
    private long points;

    public static void main(String[] args) {
        main(new PiAnswer(), args);
    }

    @Override
    public void run(Outcome outcome) {
        long inside = inside(points);
        outcome.put("points", points).put("inside", inside).put("pi", 4.0 * inside / points);
    }

    /** Of the points 1 to N: those in the circle. */
    public static long inside(long points) {
        // point 0, which the sequence leaves out, is a corner and so outside
        PiAnswer answer = new PiAnswer();
        answer.points = points;
        return answer.count(0, 1, 0, Halton.X_UNITS, 0, Halton.Y_UNITS);
    }

    /** Counts in a box of a width and a height, whose points have numbers that are a remainder modulo a period. */
    private long count(long remainder, long period, long x, long width, long y, long height) {
        if (remainder > points) {
            return 0;
        }
        long numbers = (points - remainder) / period + 1;
        // the box's sides, as twice their distances from the centre
        long left = 2 * x - Halton.X_UNITS;
        long right = left + 2 * width;
        long low = 2 * y - Halton.Y_UNITS;
        long high = low + 2 * height;
        if (!Halton.inside(nearest(left, right), nearest(low, high))) {
            return 0;
        }
        // a circle is convex: a box is inside when its corners are
        if (Halton.inside(left, low) && Halton.inside(right, low)
                && Halton.inside(left, high) && Halton.inside(right, high)) {
            return numbers;
        }
        if (numbers == 1) {
            return Halton.inside(2 * Halton.inverse2(remainder) - Halton.X_UNITS,
                    2 * Halton.inverse3(remainder) - Halton.Y_UNITS) ? 1 : 0;
        }
        return (double) width * Halton.Y_UNITS > (double) height * Halton.X_UNITS
                ? halves(remainder, period, x, width, y, height) : thirds(remainder, period, x, width, y, height);
    }

    private static long nearest(long from, long to) {
        return from > 0 ? from : Math.min(to, 0);
    }

    private long halves(long remainder, long period, long x, long width, long y, long height) {
        long half = width / 2;
        long count = 0;
        for (int i = 0; i < 2; i++) {
            long next = remainder + i * period;
            long own = Halton.inverse2(next);
            count += count(next, 2 * period, own < x + half ? x : x + half, half, y, height);
        }
        return count;
    }

    private long thirds(long remainder, long period, long x, long width, long y, long height) {
        long third = height / 3;
        long count = 0;
        for (int i = 0; i < 3; i++) {
            long next = remainder + i * period;
            long own = Halton.inverse3(next);
            count += count(next, 3 * period, x, width, y + (own - y) / third * third, third);
        }
        return count;
    }
}
