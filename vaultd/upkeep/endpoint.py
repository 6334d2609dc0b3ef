"""Looks whether a model's endpoint answers as one, by the list of its models."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from dataclasses import dataclass
from typing import Literal

USUAL_ADDRESS = "https://api.openai.com/v1"  # the client's default
PATIENCE = 5.0  # seconds for the endpoint to answer
LISTED = 2**20  # bytes of a list of models
NAMED = 4  # models named in a remedy
ANY_NAME = "llamacpp"  # the owner of a model that is served under any name

State = Literal["ok", "warning", "failed"]


@dataclass(frozen=True, slots=True)
class Finding:
    """How the endpoint stands, and what helps ("" where nothing has to be done)."""

    state: State
    text: str
    remedy: str = ""


def looked_at(model: str, address: str, key: str, key_name: str) -> Finding:
    """Ask the endpoint at `address` once; `key_name` is the variable that `key` came from."""
    address = (address or USUAL_ADDRESS).rstrip("/")
    headers = {"Authorization": f"Bearer {key}"}
    request = urllib.request.Request(f"{address}/models", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as answer:
            return _answered(model, address, answer.read(LISTED))
    except urllib.error.HTTPError as error:
        error.close()
        return _refused(model, address, error.code, key_name)
    except (OSError, ValueError) as error:
        reason = getattr(error, "reason", error)
        reason = getattr(reason, "strerror", None) or reason
        text = f"{model}: the endpoint does not answer ({reason})."
        return Finding("failed", text, f"Start the server at {address}, or correct its address.")


def _answered(model: str, address: str, body: bytes) -> Finding:
    try:
        listed = json.loads(body)["data"]
        owners = {str(each["id"]): str(each.get("owned_by", "")) for each in listed}
    except (ValueError, KeyError, TypeError, AttributeError):
        text = f"{model}: {address} answers, but not as the endpoint of a model."
        return Finding("failed", text, _correct(address))
    if model in ("", *owners) or not owners or ANY_NAME in owners.values():
        return Finding("ok", f"{model}: the endpoint answers.")
    names = ", ".join(sorted(owners)[:NAMED]) + (" …" if len(owners) > NAMED else "")
    text = f"{model}: the endpoint answers, but does not list this model."
    return Finding("warning", text, f"It lists {names}.")


def _refused(model: str, address: str, code: int, key_name: str) -> Finding:
    if code in (401, 403):
        text = f"{model}: the endpoint refuses the key (${key_name})."
        return Finding("failed", text, "Check the key and what it may use.")
    if code == 429:
        text = f"{model}: the endpoint asks to wait (429)."
        return Finding("warning", text, "Too many calls, or the quota is used up.")
    if code >= 500:
        text = f"{model}: the endpoint is out of order ({code})."
        return Finding("warning", text, "Look at the server; vaultd tries again by itself.")
    text = f"{model}: the endpoint answers, and lists no models ({code})."
    if address.endswith("/v1"):
        return Finding("ok", text)
    return Finding("warning", text, _correct(address))


def _correct(address: str) -> str:
    if address.endswith("/v1"):
        return "Correct its address (base_url)."
    return "Correct its address (base_url); most end in /v1."
