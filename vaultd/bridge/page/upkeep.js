// What a person asks for now and then: a look over the wiki, the checks, what documents would cost.

import { Away, Refused } from "./bridge.js";
import { announce, at, h, own } from "./dom.js";
import { count, counted, nameOf, obsidian, pageName, short } from "./words.js";

const MOST = 40; // lines of one answer; the rest is counted
const AGAIN = 1000; // ms between two looks at a job
const UNDER_WAY = ["queued", "running"];

export function makeUpkeep(bridge, refresh) {
  let vault = "";
  const buttons = [...at("upkeep-actions").children];

  /** Show what can be asked for: rewriting needs a model. */
  function render(status) {
    vault = nameOf(status.vault.replaceAll("\\", "/"));
    at("rewrite").hidden = status.model.chat === "offline";
  }

  /** Let a button ask for something, and show what `ask` returns: a sentence and lines. */
  function offer(id, ask) {
    at(id).addEventListener("click", async () => {
      buttons.forEach((button) => (button.disabled = true));
      say(`${at(id).textContent}: under way.`);
      try {
        const { text, lines } = await ask();
        say(text, lines);
      } catch (error) {
        if (!(error instanceof Away || error instanceof Refused)) throw error;
        say(error.message);
      } finally {
        buttons.forEach((button) => (button.disabled = false));
        at(id).focus();
      }
    });
  }

  function say(text, lines = []) {
    at("upkeep-said").textContent = text;
    announce(text);
    const rest = lines.length - MOST;
    const more = rest > 0 ? [h("li", { class: "quiet" }, `and ${counted(rest, "more line")}`)] : [];
    at("upkeep-found").replaceChildren(...lines.slice(0, MOST), ...more);
  }

  function link(path) {
    return own("a", { href: obsidian(vault, path) }, pageName(path));
  }

  async function lint() {
    let job = await bridge.post("/v1/lint");
    while (UNDER_WAY.includes(job.state)) {
      await new Promise((resolve) => setTimeout(resolve, AGAIN));
      job = await bridge.get(`/v1/jobs/${job.id}`);
    }
    if (job.state !== "done") return { text: job.reason || `The look over the wiki is ${job.state}.` };
    const { findings } = await bridge.get("/v1/lint");
    if (!findings.length) return { text: "Nothing in the wiki needs a look." };
    return { text: `${counted(findings.length, "finding")} in the wiki.`, lines: findings.map(finding) };
  }

  function finding({ path, text, suggestions }) {
    const meant = suggestions.length ? ` Perhaps ${suggestions.map(pageName).join(" or ")}?` : "";
    return h("li", {}, link(path), h("p", { class: "why" }, text + meant));
  }

  async function doctor() {
    const { checks } = await bridge.get("/v1/doctor");
    const wrong = checks.filter((check) => check.state !== "ok");
    const text = wrong.length ? `${counted(wrong.length, "check")} to look at.` : "All is well.";
    const rank = (check) => ["failed", "warning", "ok"].indexOf(check.state);
    return { text, lines: checks.sort((one, other) => rank(one) - rank(other)).map(drawCheck) };
  }

  async function estimate() {
    const costs = [];
    const add = (cost) => {
      costs.push(cost);
      at("upkeep-said").textContent = `${counted(costs.length, "document")} estimated.`;
    };
    await bridge.stream("/v1/estimate", add, {});
    if (!costs.length) return { text: "Every document is taken already." };
    const read = costs.filter((cost) => !cost.reason);
    const total = read.reduce((sum, cost) => sum + cost.tokens, 0);
    const about = `About ${count(total)} tokens for ${counted(read.length, "document")} not taken yet.`;
    const unread = costs.length - read.length;
    const said = [read.length ? about : "", unread ? `${counted(unread, "document")} cannot be read.` : ""];
    costs.sort((one, other) => other.tokens - one.tokens);
    return {
      text: said.filter(Boolean).join(" "),
      lines: costs.map((cost) => drawCost(cost, link(cost.path))),
    };
  }

  async function rewrite() {
    const { jobs } = await bridge.post("/v1/retry", { what: "offline" });
    await refresh();
    if (!jobs.length) return { text: "Nothing here was written offline." };
    return { text: `${counted(jobs.length, "document")} will be written anew by the model.` };
  }

  offer("lint", lint);
  offer("doctor", doctor);
  offer("estimate", estimate);
  offer("rewrite", rewrite);
  return { render };
}

function drawCheck({ name, state, text, remedy }) {
  return h(
    "li",
    { "data-state": state },
    h("span", { class: "title" }, name),
    h("span", { class: "text" }, text),
    remedy ? h("p", { class: "why" }, remedy) : null,
  );
}

function drawCost({ tokens, reason, waits }, link) {
  const about = reason || (waits ? "Waits for your word, since it is much." : "");
  return h(
    "li",
    { class: "cost", "data-state": about ? "warning" : "ok" },
    link,
    reason ? null : h("span", { class: "where" }, `${short(tokens)} tokens`),
    about ? h("p", { class: "why" }, about) : null,
  );
}
