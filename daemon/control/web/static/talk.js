// The conversation, as it happens: both sides, what was done for it, and what it cost.
import { $, el, act, api, clock, ms, setText, toast, words } from "./dom.js";

// What is shown at most; a tab that is open for days must not grow.
const maxTurns = 100;

let app, asked = "";
const turns = new Map(); // by id

export function start(a) {
  app = a;
  const { live } = app;
  live.on("open", () => load().catch((e) => toast(e.message, true)));
  live.on("missed", () => load().catch(() => {}));
  live.on("event:woken", (e) => { if (e.turn) of(e).by(e.by); });
  live.on("event:heard", (e) => of(e).heard(e.text));
  live.on("event:routed", (e) => of(e).routed(e.route));
  live.on("event:said", (e) => { if (e.text) of(e).said(e.text); }); // a ring says nothing, over and over
  live.on("event:tool_started", (e) => { if (e.turn) of(e).tool({ ...e }); });
  live.on("event:tool_finished", (e) => {
    if (e.turn) of(e).tool({ ...e, result: e.text });
    if (e.tool.startsWith("memory_forget") && e.outcome === "ok") forgetAll();
  });
  live.on("event:barge_in", (e) => { if (e.turn) of(e).note("interrupted"); });
  live.on("event:turn", (e) => of(e).end(e));
  $("ask").addEventListener("submit", (e) => {
    e.preventDefault();
    send(e.submitter?.name === "say" ? "say" : "ask", e.submitter);
  });
}

export function status(s) {
  $("private").hidden = Boolean(s.transcripts);
}

async function send(how, button) {
  const text = $("words").value.trim();
  if (!text) return;
  $("words").value = "";
  if (how === "say") {
    await act(button, () => api("POST", "/v1/say", { text }));
    return;
  }
  // A yes names the question that it answers: the one that this page was asked last.
  const question = asked;
  asked = "";
  const answer = await act(button, () => api("POST", "/v1/ask", question ? { text, question } : { text }));
  if (!answer) return;
  asked = answer.question || "";
  // Who asked gets the words, whatever events may show.
  of(answer).end(answer);
}

async function load() {
  const list = await api("GET", "/v1/turns?limit=30");
  for (const t of list.reverse()) {
    const c = of(t);
    for (const call of t.calls || []) c.tool(call);
    for (const m of t.marks || []) if (m.kind === "barge_in") c.note("interrupted");
    c.end(t);
  }
  bottom(true);
}

function of(e) {
  let t = turns.get(e.turn);
  if (t) return t;
  t = new Talk(e.turn, e.begun || e.time);
  turns.set(e.turn, t);
  const log = $("talk-log");
  const after = [...log.children].find((c) => Number(c.dataset.turn) > e.turn);
  log.insertBefore(t.root, after || null);
  while (turns.size > maxTurns) {
    const first = log.firstElementChild;
    turns.delete(Number(first.dataset.turn));
    first.remove();
  }
  return t;
}

function forgetAll() {
  for (const t of turns.values()) t.forget();
}

// bottom keeps the newest in sight, unless somebody reads further up.
function bottom(force) {
  const log = $("talk-log");
  if (force || log.scrollHeight - log.scrollTop - log.clientHeight < 160) log.scrollTop = log.scrollHeight;
}

const sources = { voice: "Somebody", text: "In writing", announcement: "Announcement" };

class Talk {
  constructor(id, at) {
    this.id = id;
    this.head = el("p", { class: "talk-head" }, el("time", { datetime: at }, clock(at)));
    this.how = el("span", {});
    this.head.append(" ", this.how);
    this.asked = el("p", { class: "asked", hidden: true });
    this.tools = el("ul", { class: "calls", hidden: true });
    this.answer = el("p", { class: "answer", hidden: true });
    this.cites = el("ul", { class: "cites", hidden: true });
    this.chips = el("p", { class: "chips" });
    this.root = el("li", { class: "turn", "data-turn": id }, this.head, this.asked, this.tools, this.answer, this.cites, this.chips);
    this.calls = new Map();
    this.over = false;
  }

  by(name) { this.opened = name; setText(this.how, words(name)); }

  heard(text) {
    if (!text) return;
    this.asked.hidden = false;
    setText(this.asked, text);
    bottom();
  }

  routed(route) { this.chip("route", words(route)); }

  said(text) {
    if (!text || this.over) return;
    this.answer.hidden = false;
    setText(this.answer, (this.answer.textContent + " " + text).trim());
    bottom();
  }

  tool(c) {
    let li = this.calls.get(c.call);
    if (!li) {
      li = el("li", {});
      this.calls.set(c.call, li);
      this.tools.append(li);
      this.tools.hidden = false;
    }
    const old = li.call || {};
    const call = li.call = { ...old, ...Object.fromEntries(Object.entries(c).filter(([, v]) => v !== undefined && v !== "")) };
    const head = [el("code", {}, call.tool), " ", call.outcome
      ? el("span", { class: { ok: "good", asked: "muted" }[call.outcome] || "bad" }, `${words(call.outcome)}, ${ms(call.took_ms)}`)
      : el("span", { class: "muted" }, "running")];
    if (!call.arguments && !call.result) {
      li.replaceChildren(...head);
    } else {
      const open = li.firstElementChild?.open;
      const d = el("details", {}, el("summary", {}, head),
        call.arguments ? el("pre", {}, call.arguments) : null, call.result ? el("pre", {}, call.result) : null);
      d.open = Boolean(open);
      li.replaceChildren(d);
    }
    bottom();
  }

  note(text) { this.chip("note-" + text, text, "warn"); }

  chip(key, text, kind = "") {
    let c = [...this.chips.children].find((k) => k.dataset.key === key);
    if (!c) this.chips.append(c = el("span", { "data-key": key }));
    c.className = "chip " + kind;
    setText(c, text);
  }

  // end shows the document of the turn.
  end(t) {
    this.over = true;
    setText(this.how, [sources[t.source], t.woken_by && t.woken_by !== t.source ? words(t.woken_by) : ""].filter(Boolean).join(" · "));
    this.heard(t.transcript);
    if (t.answer) {
      this.answer.hidden = false;
      setText(this.answer, t.answer);
    }
    if (t.route) this.chip("route", words(t.route) + (t.thinker ? " · " + t.thinker : ""));
    if (t.outcome !== "answered") this.chip("outcome", words(t.outcome) + (t.reason && t.reason !== t.outcome ? ": " + words(t.reason) : ""), "warn");
    if (t.cached) this.chip("cached", "from the cache");
    if (t.cost) this.chip("cost", t.cost.toFixed(4) + " " + (app.status?.responder?.currency || ""));
    if (t.recalled) this.chip("recalled", t.recalled + (t.recalled === 1 ? " memory" : " memories"));
    const wait = t.stages_ms?.first_sound;
    if (wait) this.chip("wait", "heard after " + ms(wait));
    if (!this.more) {
      this.more = el("a", { class: "chip link", href: "#turns/" + t.turn }, "timeline");
      this.chips.append(this.more);
    }
    this.cite(t.sources || []);
    bottom();
  }

  cite(list) {
    this.cites.hidden = list.length === 0;
    this.cites.replaceChildren(...list.map((s) => el("li", {}, /^https?:\/\//.test(s.url || "")
      ? el("a", { href: s.url, rel: "noreferrer noopener", target: "_blank" }, s.title || s.url) : s.title)));
  }

  forget() {
    for (const e of [this.asked, this.answer]) { setText(e, ""); e.hidden = true; }
    this.cite([]);
    for (const li of this.calls.values()) {
      delete li.call.arguments;
      delete li.call.result;
      this.tool(li.call);
    }
  }
}
