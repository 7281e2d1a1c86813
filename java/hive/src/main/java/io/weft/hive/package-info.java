/** Queries on Hive. */
package io.weft.hive;
