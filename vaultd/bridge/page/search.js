// Search as one types. Results are links that open the note in Obsidian.

import { Refused } from "./bridge.js";
import { at, h, own, pathed, show, write } from "./dom.js";
import { counted, folderOf, pieces } from "./words.js";

const PAUSE = 140; // ms after the last key; faster than that nobody reads results
const RESULTS = 6; // more push what is below out of sight

export function makeSearch(bridge) {
  const query = at("query");
  const list = at("results");
  const said = at("search-said");
  let asking = new AbortController();
  let timer = 0;
  let unanswered = false;

  async function ask({ typing }) {
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    unanswered = false;
    const text = query.value.trim();
    if (!text) return clear();
    try {
      const body = { query: text, k: RESULTS, typing };
      render(await bridge.post("/v1/search", body, asking.signal));
    } catch (error) {
      if (error.name === "AbortError") return;
      list.replaceChildren();
      unanswered = !(error instanceof Refused);
      write(said, unanswered ? "vaultd does not answer." : error.message);
    }
  }

  function clear() {
    list.replaceChildren();
    write(said, "");
  }

  function render(answer) {
    show(list, answer.results, (hit) => hit.id, drawHit);
    const found = answer.results.length ? counted(answer.results.length, "result") : "Nothing found";
    write(said, [`${found}.`, ...(answer.notes ?? [])].join(" "));
  }

  query.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => ask({ typing: true }), query.value.trim() ? PAUSE : 0);
  });
  at("search-form").addEventListener("submit", (event) => {
    event.preventDefault();
    ask({ typing: false });
  });
  at("search").addEventListener("keydown", (event) => move(event, query, list, clear));
  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    query.focus();
    query.select();
  });

  /** Ask again what nobody answered. */
  function again() {
    if (unanswered) ask({ typing: false });
  }

  return { again };
}

/** Arrow keys move between the field and the results, Escape goes back and empties. */
function move(event, query, list, clear) {
  if (event.isComposing) return; // the key chooses among the words of an input method
  const stops = [query, ...list.querySelectorAll("a")];
  const here = stops.indexOf(document.activeElement);
  if (event.key === "Escape") {
    event.preventDefault();
    if (here === 0) {
      query.value = "";
      clear();
    }
    query.focus();
    return;
  }
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step || here < 0 || !stops[here + step]) return;
  event.preventDefault();
  stops[here + step].focus();
}

function drawHit(hit) {
  const heading = hit.heading.split(" > ").at(-1);
  const place = hit.page ? `page ${hit.page}` : heading === hit.title ? "" : heading;
  return h(
    "li",
    {},
    h(
      "a",
      { href: hit.link },
      own("span", { class: "title" }, hit.title),
      " ",
      drawPlace(hit.path, place),
      own("span", { class: "snippet" }, marked(hit.snippet)),
    ),
    hit.also?.length ? h("p", { class: "also" }, "Also in ", ...hit.also.flatMap(drawStanding)) : "",
  );
}

function drawStanding(standing, number) {
  const link = own("a", { href: standing.link }, standing.title);
  const place = standing.page ? `page ${standing.page}` : "";
  return [number ? ", " : "", link, " ", drawPlace(standing.path, place)];
}

function drawPlace(path, place) {
  const folder = pathed(folderOf(path));
  const between = folderOf(path) && place ? " · " : "";
  return h("span", { class: "where" }, folder, between, place ? h("bdi", {}, place) : "");
}

function marked(snippet) {
  return pieces(snippet).map(([text, found]) => (found && text ? h("mark", {}, text) : text));
}
