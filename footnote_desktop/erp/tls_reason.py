"""Why a server's certificate was not accepted: libpq says only that it was not.

The handshake is tried once more with Python's ssl, which names the reason. No user and no password are sent.
"""

from __future__ import annotations

import contextlib
import socket
import ssl
import struct

from footnote_desktop.erp.conninfo import Address, default_root_file

#: https://www.postgresql.org/docs/current/protocol-message-formats.html (SSLRequest)
_SSL_REQUEST = struct.pack("!ii", 8, 80877103)


def verification_fault(address: Address, timeout: float = 5.0) -> str:
    """OpenSSL's own words, "certificate has expired", or "" when there is nothing to add."""
    endpoint = address.endpoints[0]
    if endpoint.is_socket:
        return ""
    ca = address.parameters.get("sslrootcert") or str(default_root_file())
    with contextlib.suppress(OSError, ValueError):
        context = ssl.create_default_context(cafile=None if ca == "system" else ca)
        context.check_hostname = address.sslmode == "verify-full"
        with socket.create_connection((endpoint.address or endpoint.host, endpoint.port), timeout) as plain:
            plain.sendall(_SSL_REQUEST)
            if plain.recv(1) != b"S":
                return ""
            try:
                with context.wrap_socket(plain, server_hostname=endpoint.host or endpoint.address):
                    return ""
            except ssl.SSLCertVerificationError as error:
                return error.verify_message
    return ""
