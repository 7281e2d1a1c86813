package io.weft.core;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The least and the greatest value of an option that is a number. */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.FIELD)
public @interface Bounds {
    /** The least value allowed. */
    long min();

    /** The greatest value allowed. */
    long max() default Long.MAX_VALUE;
}
