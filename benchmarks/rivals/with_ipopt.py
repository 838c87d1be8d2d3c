"""IPOPT through cyipopt, in the plain formulation and in the better, lifted one."""

from __future__ import annotations

from boxes import solved
from serving import serve

if __name__ == "__main__":
    serve(
        {"solve": {"IPOPT": solved("ipopt"), "IPOPT lifted": solved("ipopt-lifted")}},
        ("cyipopt", "numpy"),
    )
