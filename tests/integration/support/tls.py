# SPDX-License-Identifier: Apache-2.0
"""Certificates for daemons that speak TLS."""
import subprocess
from pathlib import Path


def make_certificate(folder: Path, name: str) -> tuple:
    """(certificate, key), signed by itself, for localhost and 127.0.0.1."""
    certificate, key = folder / f"{name}.pem", folder / f"{name}.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                    "-subj", f"/CN={name}", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key),
                    "-out", str(certificate)], check=True, capture_output=True)
    return certificate, key
