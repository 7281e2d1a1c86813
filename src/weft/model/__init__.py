"""Analysis of records: job metrics of engines, rates from counters, statistics of times. All pure."""
