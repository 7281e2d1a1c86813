/** Streams of numbers through Kafka: what producers publish, what engines keep of it, and what is right. */
package io.weft.stream;
