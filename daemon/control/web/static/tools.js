// What the box can do: try a sentence without doing it, and run a tool by hand.
import { $, el, act, api, confirmed, ms, replace, words } from "./dom.js";

let list, tried, filter, all = [];

export function start() {
  tried = el("div", { role: "status" });
  list = el("div", {});
  filter = el("input", { id: "tool-filter", type: "search", placeholder: "Name or description", input: draw });
  const text = el("input", { id: "try-text", maxlength: 1000, required: true, placeholder: "set a pasta timer for ten minutes" });
  $("page-tools").append(
    el("div", { class: "card" }, el("h2", {}, "Try a sentence"),
      el("p", { class: "muted" }, "Says which intent wins and why. Nothing is done."),
      el("form", { class: "ask", id: "try", submit: (e) => { e.preventDefault(); act(e.submitter, () => attempt(text.value)); } },
        el("label", { class: "sr", for: "try-text" }, "Sentence"), text, el("button", { class: "primary" }, "Try")),
      tried),
    el("div", { class: "card" }, el("h2", {}, "Tools"),
      el("label", { class: "sr", for: "tool-filter" }, "Find a tool"), filter, list));
}

export function show() {
  act(null, async () => {
    all = await api("GET", "/v1/tools");
    draw();
  });
}

export function hide() {
  all = [];
  replace(list);
  replace(tried);
}

async function attempt(text) {
  const e = await api("POST", "/v1/intents/try", { text });
  const facts = e.understood ? [
    ["Intent", e.intent], ["Tool", e.tool], ["Arguments", JSON.stringify(e.arguments || {})], ["Pattern", e.pattern], ["From", e.where],
    ["By voice", e.spoken ? "the built-in recogniser can hear it" : "typed, or with another recogniser"],
    ...(e.slots || []).map((s) => [s.argument, `“${s.words}” is ${JSON.stringify(s.value)} (${s.type})`]),
    ...(e.then ? [["And then", `${e.then.tool} ${JSON.stringify(e.then.arguments || {})}`]] : []),
  ] : [];
  replace(tried,
    el("p", { class: e.understood ? "good" : "bad" }, e.understood ? `Understood: ${e.intent}` : "No intent takes it; the thinker or the responder would be asked."),
    facts.length ? el("dl", { class: "facts wide" }, facts.map(([k, v]) => [el("dt", {}, k), el("dd", {}, v)])) : null,
    e.near?.length ? el("p", { class: "muted" }, "What came near:") : null,
    e.near?.length ? el("ul", {}, e.near.map((n) => el("li", {}, el("code", {}, n.intent), ` covered “${n.covered}” and wanted ${n.wanted ? "“" + n.wanted + "”" : "the end"} (${n.where})`))) : null);
}

function draw() {
  const q = filter.value.trim().toLowerCase();
  const found = all.filter((t) => !q || (t.name + " " + t.description).toLowerCase().includes(q));
  replace(list, found.map(tool));
}

function tool(t) {
  const d = el("details", { class: "toolbox" },
    el("summary", {}, el("code", {}, t.name), " ",
      t.read_only ? el("span", { class: "chip" }, "only looks") : null,
      t.confirm ? el("span", { class: "chip warn" }, "asks first") : null,
      t.origin === "built in" ? null : el("span", { class: "chip" }, t.origin),
      el("span", { class: "muted small" }, " " + t.description)));
  d.addEventListener("toggle", () => { if (d.open && d.children.length === 1) d.append(form(t)); });
  return d;
}

// form makes a field for each parameter of the JSON schema.
function form(t) {
  const out = el("div", { role: "status" });
  const params = Object.entries(t.parameters?.properties || {});
  const fields = params.map(([name, p]) => {
    const id = `arg-${t.name}-${name}`;
    let input;
    if (p.enum) {
      input = el("select", { id }, el("option", { value: "" }, ""), p.enum.map((v) => el("option", { value: v }, String(v))));
    } else if (p.type === "boolean") {
      input = el("select", { id }, ["", "true", "false"].map((v) => el("option", { value: v }, v)));
    } else {
      const number = p.type === "number" || p.type === "integer";
      input = el("input", { id, type: number ? "number" : "text", step: number ? "any" : null, maxlength: 4000 });
    }
    const needed = (t.parameters.required || []).includes(name);
    return { name, p, input, root: el("div", { class: "field" }, el("label", { for: id }, words(name) + (needed ? " *" : "")), input,
      p.description ? el("p", { class: "muted small" }, p.description) : null) };
  });
  return el("form", { class: "run", submit: (e) => { e.preventDefault(); run(e.submitter, t, fields, out); } },
    fields.map((f) => f.root),
    el("div", { class: "buttons" }, el("button", { class: "primary" }, "Run it")), out);
}

// value is what a field holds, as its schema wants it; undefined: nothing.
function value({ p, input }) {
  const text = input.value.trim();
  if (text === "") return undefined;
  switch (p.type) {
    case "number": case "integer": return Number(text);
    case "boolean": return text === "true";
    case "array": case "object":
      try { return JSON.parse(text); } catch { return p.type === "array" ? text.split(",").map((s) => s.trim()) : text; }
  }
  return text;
}

async function run(button, t, fields, out) {
  const args = {};
  for (const f of fields) {
    const v = value(f);
    if (v !== undefined) args[f.name] = v;
  }
  if (t.confirm && !t.read_only && !await confirmed(`Run ${t.name} with ${JSON.stringify(args)}?`, "Run it")) return;
  const call = (question) => act(button, () => api("POST", "/v1/tools/run",
    { name: t.name, arguments: args, confirmed: question !== undefined, question }));
  let answer = await call();
  while (answer?.outcome === "asked" && await confirmed(answer.question || answer.text)) answer = await call(answer.question || "");
  if (!answer) return;
  replace(out,
    el("p", { class: answer.outcome === "ok" ? "good" : "bad" }, `${words(answer.outcome)}, ${ms(answer.took_ms)}`),
    answer.foreign ? el("p", { class: "note" }, "Some of these words are from outside the house.") : null,
    el("pre", {}, answer.text), answer.data === undefined ? null : el("pre", {}, JSON.stringify(answer.data, null, 1)));
}
