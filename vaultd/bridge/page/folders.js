// The folders with what each is about. Opened ones are asked for when they open.

import { Away, Refused } from "./bridge.js";
import { at, h, own, show, write } from "./dom.js";
import { count, nameOf, obsidian } from "./words.js";

const FIRST = "wiki"; // is open at the beginning
const STATES = {
  fallback: "by rule, to be improved",
  stale: "older than its pages",
  failed: "could not be described",
};
const MOST = 200; // entries of one folder; the rest is for Obsidian's own list

function routeOf(path) {
  return `/v1/folders?path=${encodeURIComponent(path)}&children=${MOST}`;
}

export function makeFolders(bridge) {
  let vault = "";
  const open = new Map(); // path -> the element that holds its children

  /** Show the folders, and anew what is open. */
  async function render(vaultName) {
    vault = vaultName;
    const { children } = await bridge.get(routeOf("."));
    fillList(at("folders"), children);
    at("folders-empty").hidden = children.length > 0;
    await Promise.all([...open].map(([path, element]) => load(path, element)));
  }

  function branch(folder) {
    const element = h(
      "details",
      {},
      h(
        "summary",
        {},
        own("span", { class: "title" }, folder.name),
        h("span", { class: "note" }),
        own("span", { class: "abstract" }),
      ),
      h("ul", { class: "children" }),
      h("p", { class: "more quiet" }),
    );
    element.addEventListener("toggle", () => {
      if (element.open) load(folder.path, element);
      else open.delete(folder.path);
    });
    describe(element, folder);
    element.open = folder.path === FIRST; // which asks for its children
    return element;
  }

  async function load(path, element) {
    open.set(path, element);
    try {
      fill(element, await bridge.get(routeOf(path)));
    } catch (error) {
      if (error instanceof Away) return; // it is shown again when vaultd is back
      if (!(error instanceof Refused)) throw error;
      open.delete(path);
    }
  }

  function fill(element, view) {
    describe(element, view);
    fillList(element.querySelector(":scope > ul"), view.children);
    const rest = view.child_count - view.children.length;
    const isCut = view.children.length === MOST && rest > 0;
    write(element.querySelector(":scope > .more"), isCut ? `and ${count(rest)} more` : "");
  }

  function fillList(list, children) {
    show(list, children, (child) => child.path, (child, known) => draw(child, known ?? h("li")));
  }

  function draw(child, item) {
    if (child.kind === "file") fillPage(item, child);
    else if (item.firstElementChild) describe(item.firstElementChild, child);
    else item.append(branch(child));
    return item;
  }

  function describe(element, folder) {
    const summary = element.querySelector(":scope > summary");
    write(summary.querySelector(".note"), STATES[folder.state] ?? "");
    write(summary.querySelector(".abstract"), folder.abstract);
  }

  function fillPage(item, child) {
    if (item.dataset.shown === child.title + child.abstract) return; // keeps the focus
    item.dataset.shown = child.title + child.abstract;
    const link = own("a", { href: obsidian(vault, child.path) }, child.title || nameOf(child.path));
    item.replaceChildren(link, own("p", { class: "abstract" }, child.abstract));
  }

  return { render };
}
