package io.weft.core;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.math.BigInteger;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Sum128Test {
    @Test
    void agreesWithBigIntegers() {
        Random random = new Random(3);
        BigInteger expected = BigInteger.ZERO;
        Sum128 sum = new Sum128();
        Sum128 half = new Sum128();
        for (int i = 0; i < 1000; i++) {
            long value = random.nextLong();
            expected = expected.add(new BigInteger(Long.toUnsignedString(value)));
            (i % 2 == 0 ? sum : half).add(value);
        }
        sum.add(half);
        assertEquals(expected.toString(16), sum.hex());
    }

    @Test
    void hasNoLeadingZeros() {
        Sum128 sum = new Sum128();
        assertEquals("0", sum.hex());
        sum.add(-1);
        sum.add(17);
        assertEquals("10000000000000010", sum.hex());
    }
}
