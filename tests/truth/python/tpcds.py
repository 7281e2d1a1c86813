"""DIRECTORY: a query of TPC-DS (55, over all years and managers) with one pandas UDF, on tables below the directory."""

import sys
from pathlib import Path

import numpy
import pandas
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

QUERY = """
SELECT i_brand_id, i_brand, d_year, sum(own(cast(ss_ext_sales_price AS double), cast(ss_quantity AS double))) price
FROM store_sales, item, date_dim
WHERE d_date_sk = ss_sold_date_sk AND ss_item_sk = i_item_sk AND d_moy = 11
GROUP BY i_brand_id, i_brand, d_year ORDER BY price DESC, i_brand_id, d_year LIMIT 100
"""


spark = SparkSession.builder.appName("tpcds").getOrCreate()


@pandas_udf("double")
def own(price: pandas.Series, quantity: pandas.Series) -> pandas.Series:
    return price.fillna(0) * (1 - numpy.log1p(quantity.fillna(0)) / 50)


for table in ("store_sales", "item", "date_dim"):
    spark.read.parquet(str(Path(sys.argv[1]) / table)).createOrReplaceTempView(table)
spark.udf.register("own", own)
print("brands", len(spark.sql(QUERY).collect()))
spark.stop()
