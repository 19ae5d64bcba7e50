"""A small authority of one's own: certificates for sites, for a time, and their end before that."""

from __future__ import annotations

import datetime
import os
import re
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from halocline.core.errors import UserError

years_of_an_authority = 10
site_name = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
day = datetime.timedelta(days=1)


def found_authority(folder: Path, passphrase: str | None) -> Path:
    """Make a new authority in `folder`: authority.pem, authority.key and an empty revoked.pem."""
    if (folder / "authority.key").exists():
        raise UserError(f"'{folder}' has an authority already. Take another folder.")
    folder.mkdir(parents=True, exist_ok=True)
    key = ec.generate_private_key(ec.SECP384R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Halocline sites")])
    now = datetime.datetime.now(datetime.UTC)
    identifier = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    certificate = (
        _begin(name, name, key.public_key(), now, years_of_an_authority * 365)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs_certificates=True), critical=True)
        .add_extension(identifier, critical=False)
        .sign(key, hashes.SHA384())
    )
    write_secret(folder / "authority.key", _key_bytes(key, passphrase))
    _write(folder / "authority.pem", certificate.public_bytes(serialization.Encoding.PEM))
    _write_revoked(folder, certificate, key, [])
    return folder


def issue(
    folder: Path,
    name: str,
    output: Path,
    *,
    days: float,
    passphrase: str | None,
    key_passphrase: str | None,
) -> Path:
    """Make a certificate for the site `name` and all that it needs, in the folder `output`."""
    check_name(name)
    if days <= 0:
        raise UserError(f"A certificate for {days:g} days is of no use. Give --days, as in 365.")
    if (output / "key.pem").exists():
        raise UserError(f"'{output}' has a certificate already. Take another folder (--output).")
    authority, signer = _open(folder, passphrase)
    key = ec.generate_private_key(ec.SECP256R1())
    now = datetime.datetime.now(datetime.UTC)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
    certificate = (
        _begin(subject, authority.subject, key.public_key(), now, days)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs_certificates=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key()), critical=False
        )
        .sign(signer, hashes.SHA384())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    output.mkdir(parents=True, exist_ok=True)
    write_secret(output / "key.pem", _key_bytes(key, key_passphrase))
    _write(output / "certificate.pem", pem)
    for file in ("authority.pem", "revoked.pem"):
        _write(output / file, (folder / file).read_bytes())
    issued = folder / "issued"
    issued.mkdir(exist_ok=True)
    _write(issued / f"{name}-{certificate.serial_number:x}.pem", pem)
    return output


def revoke(folder: Path, name: str, passphrase: str | None) -> int:
    """Put all certificates of the site `name` on the list of revoked ones; how many are new."""
    authority, signer = _open(folder, passphrase)
    old = x509.load_pem_x509_crl((folder / "revoked.pem").read_bytes())
    entries = {entry.serial_number: entry for entry in old}
    before = len(entries)
    now = datetime.datetime.now(datetime.UTC)
    own = [
        x509.load_pem_x509_certificate(path.read_bytes())
        for path in sorted((folder / "issued").glob("*.pem"))
        if path.stem.rpartition("-")[0] == name
    ]
    if not own:
        raise UserError(f"The authority in '{folder}' has given no certificate to '{name}'.")
    for certificate in own:
        if certificate.serial_number not in entries:
            builder = x509.RevokedCertificateBuilder(certificate.serial_number, now)
            entries[certificate.serial_number] = builder.build()
    _write_revoked(folder, authority, signer, list(entries.values()))
    return len(entries) - before


def check_name(name: str) -> None:
    """Refuse what is no name of a site."""
    if not site_name.fullmatch(name):
        raise UserError(
            f"'{name}' is no name of a site. Take small letters, digits and '-', 63 at most."
        )


def write_secret(path: Path, data: bytes) -> None:
    """Write a file that nobody else can read, at no moment; it must be new."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        os.fchmod(file.fileno(), 0o600)
        file.write(data)


def _write(path: Path, data: bytes) -> None:
    """Write or replace a file at once."""
    new = path.with_name(f".{path.name}.new")
    new.write_bytes(data)
    new.replace(path)


def _begin(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    now: datetime.datetime,
    days: float,
) -> x509.CertificateBuilder:
    """A certificate from a minute ago (clocks differ) for `days`."""
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(minutes=1))
        .not_valid_after(now + days * day)
    )


def _usage(*, signs_certificates: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=not signs_certificates,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs_certificates,
        crl_sign=signs_certificates,
        encipher_only=False,
        decipher_only=False,
    )


def _key_bytes(key: ec.EllipticCurvePrivateKey, passphrase: str | None) -> bytes:
    encryption: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        encryption = serialization.BestAvailableEncryption(passphrase.encode())
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, encryption
    )


def _open(
    folder: Path, passphrase: str | None
) -> tuple[x509.Certificate, ec.EllipticCurvePrivateKey]:
    """Certificate and key of the authority in a folder."""
    try:
        certificate = x509.load_pem_x509_certificate((folder / "authority.pem").read_bytes())
        data = (folder / "authority.key").read_bytes()
    except OSError:
        raise UserError(
            f"'{folder}' has no authority. Make one: halocline site authority {folder}"
        ) from None
    try:
        key = serialization.load_pem_private_key(data, passphrase.encode() if passphrase else None)
    except (TypeError, ValueError):
        raise UserError(
            f"The key of the authority in '{folder}' cannot be opened: its passphrase is wrong or"
            " missing."
        ) from None
    assert isinstance(key, ec.EllipticCurvePrivateKey)
    return certificate, key


def _write_revoked(
    folder: Path,
    authority: x509.Certificate,
    key: ec.EllipticCurvePrivateKey,
    entries: list[x509.RevokedCertificate],
) -> None:
    """The list holds as long as the authority: a run does not end because nobody renewed it."""
    now = datetime.datetime.now(datetime.UTC)
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(authority.subject)
        .last_update(now - datetime.timedelta(minutes=1))
        .next_update(authority.not_valid_after_utc)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(key.public_key()), critical=False
        )
        .add_extension(x509.CRLNumber(len(entries) + 1), critical=False)
    )
    for entry in entries:
        builder = builder.add_revoked_certificate(entry)
    revoked = builder.sign(key, hashes.SHA384())
    _write(folder / "revoked.pem", revoked.public_bytes(serialization.Encoding.PEM))
