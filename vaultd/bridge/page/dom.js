// Elements from values. Text only ever becomes text: nothing on this page is parsed as markup.

const DRAWING = "http://www.w3.org/2000/svg";

/** Make an element. `wanted` holds attributes, and listeners where the value is a function. */
export function h(tag, wanted = {}, ...children) {
  return filled(document.createElement(tag), wanted, children);
}

/** Make an element of a drawing. */
export function svg(tag, wanted = {}, ...children) {
  return filled(document.createElementNS(DRAWING, tag), wanted, children);
}

function filled(element, wanted, children) {
  for (const [name, value] of Object.entries(wanted)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value != null) element.setAttribute(name, String(value));
  }
  element.append(...children.flat().filter((child) => child != null && child !== ""));
  return element;
}

/** Make a name or a text of the vault: from right to left where it is written so, by itself. */
export function own(tag, wanted, ...children) {
  return h(tag, { dir: "auto", ...wanted }, ...children);
}

/** Return a path whose folders keep their order, in whatever direction each is written. */
export function pathed(path) {
  return path.split("/").flatMap((name, number) => [number ? "/" : "", h("bdi", {}, name)]);
}

/** Return the element of the page with this id. */
export function at(id) {
  return document.getElementById(id);
}

/** Set a text, and touch the page only if it is another one. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Show `items` in `list`, in order. What stays keeps its element, and with it the focus and what a
 * person typed there; `draw` makes an element for an item, or returns an updated one for `known`.
 */
export function show(list, items, key, draw) {
  const known = new Map([...list.children].map((element) => [element.dataset.key, element]));
  let place = list.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    const before = known.get(name);
    const element = draw(item, before);
    element.dataset.key = name;
    known.delete(name);
    if (before && before !== element) {
      if (place === before) place = element;
      before.replaceWith(element);
    }
    if (element === place) place = element.nextElementSibling;
    else list.insertBefore(element, place);
  }
  for (const gone of known.values()) gone.remove();
}

/** Say something to those who do not see the page. */
export function announce(text) {
  at("said").textContent = text;
}
