#%Module1.0
module-whatis "weft @VERSION@: runs Spark, Flink and Hadoop on this machine, checks the answers, shows where the time goes"
set prefix [file dirname [file dirname [file dirname [file dirname [file normalize $ModulesCurrentModulefile]]]]]
prepend-path PATH $prefix/bin
prepend-path MANPATH $prefix/share/man
prepend-path XDG_DATA_DIRS $prefix/share
