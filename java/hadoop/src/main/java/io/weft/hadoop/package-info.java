/** The workloads on Hadoop. */
package io.weft.hadoop;
