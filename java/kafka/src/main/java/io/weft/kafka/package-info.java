/** Programs that use a run's Kafka brokers. */
package io.weft.kafka;
