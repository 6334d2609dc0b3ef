// Search as one types. Results are links that open the note in Obsidian.

import { Refused } from "./bridge.js";
import { at, h, show, write } from "./dom.js";
import { counted, folderOf, pieces } from "./words.js";

const PAUSE = 140; // ms after the last key; faster than that nobody reads results
const RESULTS = 6; // more push what is below out of sight

export function makeSearch(bridge) {
  const query = at("query");
  const list = at("results");
  const said = at("search-said");
  let asking = new AbortController();
  let timer = 0;

  async function ask({ typing }) {
    clearTimeout(timer);
    asking.abort();
    asking = new AbortController();
    const text = query.value.trim();
    if (!text) return clear();
    try {
      const body = { query: text, k: RESULTS, typing };
      render(await bridge.post("/v1/search", body, asking.signal));
    } catch (error) {
      if (error.name === "AbortError") return;
      list.replaceChildren();
      write(said, error instanceof Refused ? error.message : "vaultd does not answer.");
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
}

/** Arrow keys move between the field and the results, Escape goes back and empties. */
function move(event, query, list, clear) {
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
  const place = hit.page ? `page ${hit.page}` : hit.heading.split(" > ").at(-1);
  const folder = folderOf(hit.path);
  return h(
    "li",
    {},
    h(
      "a",
      { href: hit.link },
      h("span", { class: "title" }, hit.title),
      " ",
      h("span", { class: "where" }, [folder, place].filter(Boolean).join(" · ")),
      h("span", { class: "snippet" }, marked(hit.snippet)),
    ),
    hit.also?.length ? h("p", { class: "where also" }, "Also in ", ...hit.also.flatMap(drawStanding)) : "",
  );
}

function drawStanding(standing, number) {
  const name = standing.page ? `${standing.title}, page ${standing.page}` : standing.title;
  return [number ? ", " : "", h("a", { href: standing.link }, name)];
}

function marked(snippet) {
  return pieces(snippet).map(([text, found]) => (found && text ? h("mark", {}, text) : text));
}
