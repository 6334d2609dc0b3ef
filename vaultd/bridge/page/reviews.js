// Questions to the person: each with its options, and room for their own words.

import { announce, at, h, own, show } from "./dom.js";
import { obsidian, pageName, reviewKind } from "./words.js";

const HELD = "parked"; // stands among the documents, where it can be tried again or left
const ANSWER = "answer"; // the action that carries a person's own words

export function makeReviews(bridge, refresh) {
  let vault = "";

  function render(reviews, vaultName) {
    vault = vaultName;
    const shown = reviews.filter((each) => each.kind !== HELD);
    show(at("reviews"), shown, (each) => each.id, (each, known) => known ?? draw(each));
    at("reviews-empty").hidden = shown.length > 0;
  }

  function draw(review) {
    const title = `review-${review.id}`;
    const item = h("li", { class: "review", "aria-labelledby": title });
    const decide = (action, text = "") => answer(item, review, action, text);
    const options = review.options.map((option) => {
      const name = `${option}: ${review.title}`;
      return h("button", { type: "button", "aria-label": name, click: () => decide(option) }, option);
    });
    item.append(
      h("p", { class: "kind" }, reviewKind(review.kind)),
      own("h3", { id: title }, review.title),
      ...review.text.split(/\n{2,}/).filter(Boolean).map((text) => own("p", { class: "text" }, text)),
      ...links(review),
      h("div", { class: "actions" }, options),
      ownWords(review, decide),
      h("p", { class: "why", role: "status" }),
    );
    return item;
  }

  function links(review) {
    const paths = [...review.pages, ...review.sources.map((source) => `raw/${source}`)];
    if (!paths.length) return [];
    const shown = paths.map((path) => own("a", { href: obsidian(vault, path) }, pageName(path)));
    return [h("p", { class: "pages" }, shown)];
  }

  async function answer(item, review, action, text) {
    const buttons = item.querySelectorAll("button");
    const said = item.querySelector(".why");
    for (const button of buttons) button.disabled = true;
    said.textContent = "Carrying it out …";
    try {
      await bridge.post(`/v1/reviews/${encodeURIComponent(review.id)}`, { action, text });
      announce(`Answered: ${review.title}`);
      await refresh();
    } catch (error) {
      said.textContent = error.message;
      for (const button of buttons) button.disabled = false;
    }
  }

  return { render };
}

function ownWords(review, decide) {
  const id = `words-${review.id}`;
  const words = own("textarea", { id, rows: 3 });
  const send = (event) => {
    event.preventDefault();
    if (words.value.trim()) decide(ANSWER, words.value.trim());
    else words.focus();
  };
  return h(
    "details",
    {},
    h("summary", {}, "In your own words"),
    h(
      "form",
      { submit: send },
      h("label", { for: id }, "They are put on the pages concerned, as yours."),
      words,
      h("button", { type: "submit" }, "Send"),
    ),
  );
}
