"""Why a program of a run failed: from its logs, those of the cluster, the kernel and the storage."""
