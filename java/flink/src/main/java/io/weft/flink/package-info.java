/** The workloads on Flink. */
package io.weft.flink;
