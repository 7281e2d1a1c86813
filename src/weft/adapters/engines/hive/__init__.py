"""Hive: queries on YARN by Tez or MapReduce."""
