from pyspark.sql import SparkSession

s = SparkSession.builder.getOrCreate()
print("sum", s.range(1000).selectExpr("id % 10 as k").groupBy("k").count().count())
