package io.weft.spark;

import java.util.List;
import scala.collection.Iterable;
import scala.collection.immutable.Seq;
import scala.jdk.javaapi.CollectionConverters;

/** Java's collections as Scala's. */
final class Scala {
    private Scala() {}

    /** A copy. To Eclipse's compiler, toSeq() of a Buffer is ambiguous. */
    static <T> Seq<T> seq(List<T> list) {
        Iterable<T> all = CollectionConverters.asScala(list);
        return all.toSeq();
    }
}
