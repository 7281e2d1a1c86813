"""Flink's options with which both sides of every connection present the run's certificate."""

from weft.layout.certificate import Certificate
from weft.layout.plan import SECRET


def settings(certificate: Certificate, *, encrypt_data: bool) -> dict[str, str]:
    """Options for commands, files and REST; with `encrypt_data` also for data between TaskManagers."""
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
