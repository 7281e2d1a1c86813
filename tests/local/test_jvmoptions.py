"""The options of Java that weft takes over from Spark are those of the Spark that it downloads."""

import re
import zipfile

from weft.host.provision import distribution
from weft.layout.jvm import OPENS


def test_the_options_of_java_are_those_of_sparks_launcher() -> None:
    (jar,) = distribution.home("spark", print).glob("jars/spark-launcher_*.jar")
    with zipfile.ZipFile(jar) as file:
        code = file.read("org/apache/spark/launcher/JavaModuleOptions.class")
    found = {text.decode() for text in re.findall(rb"-[-XD][\x20-\x7e]+", code)}
    own = {
        "--add-modules=jdk.incubator.vector",
        "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    }
    assert {*OPENS} == found - own
