"""A headless Chromium, driven over its own debugging protocol through a pipe."""

from __future__ import annotations

import base64
import fcntl
import io
import itertools
import json
import os
import shutil
import subprocess
import tempfile
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from PIL import Image

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--remote-debugging-pipe", "--hide-scrollbars", "--force-color-profile=srgb"),
)
FAR_ABOVE = 100  # of the descriptors that a shell uses for itself
LAST_WORDS = 2_000  # characters of what a browser complained of
PATIENCE = 30.0  # seconds; a loaded machine starts and draws slowly
KEYS = {"Enter": 13, "Tab": 9, "Escape": 27, "ArrowUp": 38, "ArrowDown": 40, " ": 32}


def find_chromium() -> str | None:
    """Return the browser of this machine, None if it has none."""
    return next((place for name in NAMES if (place := shutil.which(name))), None)


def pipes() -> tuple[int, int, int, int]:
    """Return our ends of two pipes, and a browser's, which has them as 3 and 4 in the end.

    Its ends are far above: where 3 or 4 is free, one would be closed before it is copied.
    """
    reading, low_writing = os.pipe()
    low_reading, writing = os.pipe()
    theirs = [fcntl.fcntl(low, fcntl.F_DUPFD, FAR_ABOVE) for low in (low_reading, low_writing)]
    os.close(low_reading)
    os.close(low_writing)
    return reading, writing, theirs[0], theirs[1]


class PageError(AssertionError):
    """What the page was asked for failed, or did not come about."""


class Browser:
    """One browser with one page. `requests` are the addresses it asked for, `errors` what the
    page complained of."""

    def __init__(self, program: str, profile: Path) -> None:
        self._complaints = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the browser
        reading, writing, their_reading, their_writing = pipes()
        self._process = subprocess.Popen(
            ["bash", "-c", 'exec "$0" "$@" 3<&"$IN" 4>&"$OUT"', program, *FLAGS]
            + [f"--user-data-dir={profile}", "about:blank"],
            env={**os.environ, "IN": str(their_reading), "OUT": str(their_writing)},
            pass_fds=(their_reading, their_writing),
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
        )
        os.close(their_reading)
        os.close(their_writing)
        self._reading, self._writing = os.fdopen(reading, "rb"), os.fdopen(writing, "wb", 0)
        self._numbers = itertools.count(1)
        self._answers: dict[int, Any] = {}
        self._came = threading.Condition()
        self._session: str | None = None
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def __enter__(self) -> Browser:
        try:
            self._attach()
        except BaseException:
            self.close()
            raise
        return self

    def _attach(self) -> None:
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the browser."""
        self._process.terminate()
        self._process.wait(PATIENCE)
        self._reader.join(PATIENCE)
        self._writing.close()
        self._reading.close()
        self._complaints.close()

    def call(self, method: str, **params: Any) -> Any:
        """Call a method of the protocol and return its result."""
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": params}
        if self._session and not method.startswith("Target."):
            message["sessionId"] = self._session
        self._writing.write(json.dumps(message).encode() + b"\0")
        with self._came:
            if not self._came.wait_for(lambda: number in self._answers, PATIENCE):
                self._complaints.seek(0)
                said = self._complaints.read().decode(errors="replace")[-LAST_WORDS:]
                raise PageError(f"{method} was not answered ({self._process.poll()}): {said}")
            answer = self._answers.pop(number)
        if "error" in answer:
            raise PageError(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def open(self, address: str) -> None:
        """Load an address and wait until it is there."""
        self.call("Page.navigate", url=address)
        self.until("document.readyState === 'complete'")

    def run(self, script: str) -> Any:
        """Return the value of an expression, awaited, in the page."""
        done = self.call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        if "exceptionDetails" in done:
            details = done["exceptionDetails"]
            raise PageError(details.get("exception", {}).get("description", details["text"]))
        return done["result"].get("value")

    def until(self, condition: str, within: float = PATIENCE) -> None:
        """Wait until an expression holds."""
        end = time.monotonic() + within
        while True:
            if self.run(f"Boolean({condition})"):
                return
            if time.monotonic() > end:
                shown = self.run("document.body.innerText")
                raise PageError(f"not so within {within} s: {condition}\n\n{shown}")
            time.sleep(0.03)

    def text(self, selector: str = "body") -> str:
        """Return the text a person sees in an element, "" if it is not there."""
        return str(self.run(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''"))

    def click(self, selector: str) -> None:
        """Click an element, which has to be there and visible."""
        self.run(
            f"(() => {{ const e = document.querySelector({json.dumps(selector)});"
            f" if (!e?.checkVisibility()) throw new Error('cannot be clicked: ' +"
            f" {json.dumps(selector)}); e.click(); }})()"
        )

    def type(self, text: str) -> None:
        """Type into what has the focus."""
        self.call("Input.insertText", text=text)

    def press(self, key: str) -> None:
        """Press one key."""
        known: dict[str, Any] = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0]))}
        letter = "\r" if key == "Enter" else key if len(key) == 1 else ""
        typed = {"text": letter} if letter else {}
        self.call("Input.dispatchKeyEvent", type="keyDown", **known, **typed)
        self.call("Input.dispatchKeyEvent", type="keyUp", **known)

    def look(self, *, width: int, height: int = 900, dark: bool = False) -> None:
        """Give the window a size and the system a colour scheme."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        scheme = "dark" if dark else "light"
        feature = {"name": "prefers-color-scheme", "value": scheme}
        self.call("Emulation.setEmulatedMedia", features=[feature])

    def picture(self, place: Path) -> None:
        """Write a picture of the whole page, in few colours: it is one of text."""
        size = self.call("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1}
        shot = self.call("Page.captureScreenshot", clip=clip, captureBeyondViewport=True)
        with Image.open(io.BytesIO(base64.b64decode(shot["data"]))) as image:
            image.convert("RGB").quantize(160).save(place, optimize=True)

    def _read(self) -> None:
        rest = b""
        while piece := self._reading.read1(1 << 16):
            *messages, rest = (rest + piece).split(b"\0")
            for message in messages:
                self._take(json.loads(message))

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            with self._came:
                self._answers[message["id"]] = message
                self._came.notify_all()
            return
        params = message.get("params", {})
        match message["method"]:
            case "Network.requestWillBeSent":
                self.requests.append(params["request"]["url"])
            case "Runtime.exceptionThrown":
                details = params["exceptionDetails"]
                self.errors.append(details.get("exception", {}).get("description", details["text"]))
            case "Log.entryAdded" if params["entry"]["level"] == "error":
                self.errors.append(params["entry"]["text"])
