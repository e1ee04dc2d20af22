"""A certificate authority for one test, and what it signs."""

from __future__ import annotations

import datetime as dt
import ipaddress
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Authority:
    """``file`` is the CA's certificate."""

    file: Path
    certificate: x509.Certificate
    key: ec.EllipticCurvePrivateKey

    def issue(self, folder: Path, name: str, *, expired: bool = False, client: bool = False) -> tuple[Path, Path]:
        """A certificate for ``name`` and its key, as files."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = dt.datetime.now(dt.UTC)
        end = now - dt.timedelta(days=1) if expired else now + dt.timedelta(days=2)
        builder = (
            x509.CertificateBuilder()
            .subject_name(_name(name))
            .issuer_name(self.certificate.subject)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - dt.timedelta(days=3))
            .not_valid_after(end)
        )
        if not client:
            builder = builder.add_extension(x509.SubjectAlternativeName([_alternative(name)]), critical=False)
        signed = builder.sign(self.key, hashes.SHA256())
        stem = name.replace(".", "_") + ("_expired" if expired else "")
        return _write(folder / f"{stem}.crt", signed), _write_key(folder / f"{stem}.key", key)


def authority(folder: Path, name: str = "Test CA") -> Authority:
    key = ec.generate_private_key(ec.SECP256R1())
    now = dt.datetime.now(dt.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(_name(name))
        .issuer_name(_name(name))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=3))
        .not_valid_after(now + dt.timedelta(days=3))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    return Authority(_write(folder / f"{name.replace(' ', '_')}.crt", certificate), certificate, key)


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _write(file: Path, certificate: x509.Certificate) -> Path:
    file.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    file.chmod(0o644)
    return file


def _write_key(file: Path, key: ec.EllipticCurvePrivateKey) -> Path:
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    file.chmod(0o600)
    return file
