"""The certificate of a run, as commands that make it."""

from dataclasses import fields
from pathlib import Path

from tests.fakes import fake_layout
from weft.host.work import Work
from weft.layout.certificate import Certificate
from weft.layout.plan import SECRET

HERE = Certificate(Path("/weft/work/RUN/tls"))


def test_a_key_is_derived_once_since_the_password_is_random() -> None:
    generate = HERE.made(fake_layout())[0].argv
    counts = [word for word in generate if "IterationCount" in word]
    assert counts == [f"-J-Dkeystore.pkcs12.{of}IterationCount=1" for of in ("mac", "certPbe", "keyPbe")]
    assert HERE.files() == {HERE.password: f"{SECRET}\n"}
    secret = next(field for field in fields(Work) if field.name == "secret").default_factory
    assert callable(secret)
    assert len(bytes.fromhex(secret())) == 32
