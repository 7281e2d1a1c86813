"""Flink's settings: their notation, the certificate of every connection, and the login; and options of `flink run`."""

import json
import shlex
from collections.abc import Mapping

from weft.errors import UsageError
from weft.layout.certificate import Certificate
from weft.layout.job import Dependencies
from weft.layout.plan import SECRET
from weft.text.arguments import repeat

_EXCHANGES = "execution.batch-shuffle-mode"
_SCHEDULER, _ADAPTIVE = "jobmanager.scheduler", "AdaptiveBatch"
"""Flink's option, and its default for batch jobs."""


def job_options(dependencies: Dependencies) -> list[str]:
    """The dependencies of a job, as options of `flink run`."""
    arguments = ["-c", dependencies.main_class] if dependencies.main_class else []
    arguments += repeat("-C", (jar if ":/" in jar else f"file://{jar}" for jar in dependencies.jars))
    return arguments + [f"-D{key}={value}" for key, value in dependencies.shown.items()]


def java_options(conf: Mapping[str, str], role: str) -> list[str]:
    """What Flink's start scripts, which weft does not use, add to a JVM: of a client, jobmanager or taskmanager."""
    found: list[str] = []
    for key in ("env.java.opts.all", f"env.java.opts.{role}"):
        try:
            found += shlex.split(conf.get(key, ""))
        except ValueError as error:
            raise UsageError(f"flink: {key}: {str(error).lower()}", hint="close its quotes") from error
    return found


def require_supported(conf: Mapping[str, str]) -> None:
    """Raises UsageError for pipelined exchanges where Flink's scheduler of batch jobs does not support them: it starts who writes one, and
    never who reads it (Flink's documentation, "Adaptive Batch Scheduler", limitations)."""
    pipelined = conf.get(_EXCHANGES, "").upper() == "ALL_EXCHANGES_PIPELINED"
    if pipelined and conf.get(_SCHEDULER, _ADAPTIVE).lower() == _ADAPTIVE.lower():
        raise UsageError(
            f"flink: with {_EXCHANGES}={conf[_EXCHANGES]} a batch job would wait for ever: Flink's scheduler {_ADAPTIVE} does not support it",
            hint=f"set {_SCHEDULER}=Default too, and have a slot for each task of an operator; or omit {_EXCHANGES}",
        )


def yaml(settings: Mapping[str, str]) -> str:
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in sorted(settings.items()))


def ssl_settings(certificate: Certificate, *, encrypt_data: bool) -> dict[str, str]:
    """Options with which both sides of every connection present it, for commands, files and REST; with `encrypt_data` also for data between TaskManagers."""
    stores = {}
    for use in ("internal", "rest"):
        stores[f"security.ssl.{use}.enabled"] = "true"
        for store in ("keystore", "truststore"):
            stores[f"security.ssl.{use}.{store}"] = str(certificate.keystore)
            stores[f"security.ssl.{use}.{store}-password"] = SECRET
        stores[f"security.ssl.{use}.key-password"] = SECRET
    return {
        **stores,
        "security.ssl.rest.authentication-enabled": "true",
        "security.ssl.algorithms": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
        "taskmanager.data.ssl.enabled": str(encrypt_data).lower(),
    }


def login(known: Mapping[str, str]) -> dict[str, str]:
    """The login of Flink's processes to Hadoop; each has the keytab, so that none needs tokens."""
    if not known:
        return {}
    return {
        **{f"security.kerberos.login.{key}": value for key, value in known.items()},
        "security.kerberos.login.use-ticket-cache": "false",
        "security.delegation.tokens.enabled": "false",
    }
