"""The server's own names and pages, and its clients, so that it can tell them apart.

A browser sends requests here for any page that somebody visits, with the page's origin. A
stranger's name may lead here (DNS rebinding), so the name in the request counts as well.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable
from contextlib import suppress

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.types import Scope

_AUTHORITY = re.compile(r"(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]{1,253}?))\.?(?::\d*)?")


class ServerNames:
    """The names by which a server may be called, besides its machine's own; None for any."""

    def __init__(self, names: Iterable[str] | None) -> None:
        self._names = None if names is None else frozenset(map(name_in, names))

    def refusal(self, headers: Headers) -> str | None:
        """Return the reason for refusing a request, None if it is accepted."""
        host = headers.get("host")
        if host is None or self._names is None:  # every browser tells it
            return None
        name = name_in(host)
        if is_loopback(name) or name in self._names - {""}:
            return None
        return f"not the name of this server: start it with --allow-host {name or 'NAME'}"


def name_in(authority: str) -> str:
    """Return the name or address of a host that may have a port, empty if there is none.

    >>> name_in("LocalHost:8080"), name_in("[::1]:8080"), name_in("<b>")
    ('localhost', '::1', '')
    """
    found = _AUTHORITY.fullmatch(authority.lower())
    return "" if found is None else found[1] or found[2]


def client_of(scope: Scope) -> str:
    """Return the client behind a request, which a proxy on this machine names in a header."""
    address = (scope.get("client") or ("",))[0]
    if is_loopback(address):
        told = Headers(scope=scope).get("x-forwarded-for", "")
        address = told.rpartition(",")[2].strip() or address
    return client_at(address)


def is_loopback(name: str) -> bool:
    """Return whether a name or address is a loopback: the machine of the client itself.

    >>> is_loopback("localhost"), is_loopback("127.0.0.2"), is_loopback("localhost.example")
    (True, True, False)
    """
    with suppress(ValueError):
        return ipaddress.ip_address(name).is_loopback
    return name == "localhost"


def client_at(address: str) -> str:
    """Return the name of a client: its address, or for IPv6 the network of its many addresses.

    >>> client_at("192.0.2.1"), client_at("2001:db8:1:2:3::4"), client_at("::ffff:192.0.2.1")
    ('192.0.2.1', '2001:db8:1:2::/64', '192.0.2.1')
    """
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(found, ipaddress.IPv4Address):
        return address
    if found.ipv4_mapped:
        return str(found.ipv4_mapped)
    return str(ipaddress.ip_network((int(found), 64), strict=False))


def is_own_page(headers: Headers) -> bool:
    """Return whether a request comes from a page of this server, or from none.

    Browsers name the site only to secure or local addresses, not to others over plain HTTP.
    """
    site, origin = headers.get("sec-fetch-site", "none"), headers.get("origin")
    own = origin is None or origin.lower().partition("://")[2] == headers.get("host", "").lower()
    return own and site in {"same-origin", "none"}


def require_own_page(headers: Headers, done: str) -> None:
    """Refuse pages of other servers: none that somebody happens to visit may begin what is long."""
    if not is_own_page(headers):
        raise HTTPException(
            403,
            f"pages of other servers cannot have positions {done} here: open the page of this one;"
            " a proxy before it must pass Host on",
        )
