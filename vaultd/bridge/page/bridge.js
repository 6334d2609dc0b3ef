// The way to vaultd: requests and the stream of events, with the key of this tab.

const KEPT = "vaultd-token";
const SILENCE = 40_000; // ms; a living stream says something every 15 s

/** vaultd answered, and refused. */
export class Refused extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** Nobody answers. */
export class Away extends Error {}

/** Speaks to the vaultd that this page came from. */
export class Bridge {
  #token = sessionStorage.getItem(KEPT) ?? "";

  /** Trade the one-time code in the address for the key, and take the code out of the address. */
  async pair() {
    const code = new URLSearchParams(location.hash.slice(1)).get("code");
    if (!code) return;
    history.replaceState(null, "", location.pathname);
    try {
      this.#token = (await this.post("/v1/pair", { code })).token;
      sessionStorage.setItem(KEPT, this.#token);
    } catch (error) {
      if (!(error instanceof Refused)) throw error; // a used code: the key kept may still open
    }
  }

  get(route, signal) {
    return this.#answer(route, { signal });
  }

  post(route, body = {}, signal) {
    return this.#answer(route, { ...posted(body), signal });
  }

  remove(route) {
    return this.#answer(route, { method: "DELETE" });
  }

  /** Call `tell` with every event until the stream ends; with a `body` it is asked for by POST. */
  async stream(route, tell, body = null) {
    const stop = new AbortController();
    let watch = setTimeout(() => stop.abort(), SILENCE);
    try {
      const response = await this.#response(route, { ...(body && posted(body)), signal: stop.signal });
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        clearTimeout(watch);
        watch = setTimeout(() => stop.abort(), SILENCE);
        const blocks = (rest + value).split("\n\n");
        rest = blocks.pop();
        for (const block of blocks) tellOf(block, tell);
      }
    } catch (error) {
      if (error instanceof Refused) throw error;
      throw new Away("the stream broke", { cause: error });
    } finally {
      clearTimeout(watch);
    }
  }

  async #answer(route, wanted) {
    return (await this.#response(route, wanted)).json();
  }

  async #response(route, wanted) {
    const key = this.#token && { Authorization: `Bearer ${this.#token}` };
    const headers = { ...wanted.headers, ...key };
    let response;
    try {
      response = await fetch(route, { ...wanted, headers, credentials: "omit" });
    } catch (error) {
      if (error.name === "AbortError") throw error;
      throw new Away("vaultd does not answer", { cause: error });
    }
    if (response.ok) return response;
    throw new Refused(response.status, await detailOf(response));
  }
}

function posted(body) {
  const headers = { "Content-Type": "application/json" };
  return { method: "POST", headers, body: JSON.stringify(body) };
}

function tellOf(block, tell) {
  const lines = block.split("\n").filter((line) => line.startsWith("data:"));
  if (!lines.length) return;
  const told = JSON.parse(lines.map((line) => line.slice(5).trimStart()).join("\n"));
  if (block.startsWith("event: problem\n")) throw new Refused(told.status, told.detail);
  tell(told);
}

async function detailOf(response) {
  try {
    return (await response.json()).detail;
  } catch {
    return `vaultd answered with code ${response.status}.`;
  }
}
