/** The data of spark-perf's MLlib tests and their right answers, computed without an engine. */
package io.weft.core.ml;
