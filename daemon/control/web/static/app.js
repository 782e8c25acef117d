// The frame of the page: who may come in, which part is shown, and what the box is
// doing. Each part is a module with start(app), and show() and hide() if it cares.
import { $, api, act, ask, keepZone, remember, session, setText, toast, words } from "./dom.js";
import { Live } from "./live.js";
import * as now from "./now.js";
import * as phone from "./phone.js";
import * as talk from "./talk.js";
import * as turns from "./turns.js";
import * as house from "./house.js";
import * as tools from "./tools.js";
import * as hearing from "./hearing.js";
import * as health from "./health.js";

const pages = { now: [now, talk, phone], turns: [turns], house: [house], tools: [tools], hearing: [hearing], health: [health] };

const app = {
  live: new Live(),
  status: null,
  // state names what the box does, for people.
  says: {
    starting: "Starting", idle: "Ready", listening: "Listening", thinking: "Thinking", tool_calling: "Doing it",
    speaking: "Speaking", muted: "Muted", faulted: "Out of order",
  },
  // refresh asks for the status, and tells all parts.
  async refresh() {
    app.status = await api("GET", "/v1/status");
    keepZone(app.status.time);
    changed();
  },
  changed,
  // logout ends the session in hearthd, for all tabs and whoever else has got hold of it.
  async logout() {
    await ask("/session", { method: "DELETE" });
    remember("");
    lock();
  },
};

function changed() {
  const s = app.status;
  if (!s) return;
  setText($("node"), s.node);
  document.title = `${app.says[s.state] || s.state} · ${s.node}`;
  const pill = $("state");
  setText(pill, app.says[s.state] || words(s.state));
  pill.dataset.state = s.state;
  for (const p of Object.values(pages).flat()) if (p.status) p.status(s);
}

const countEach = 10000; // ms

// count looks at what no event tells.
async function count() {
  if (!shown || document.hidden) return;
  const { time, uptime_s, turns, dropped, broker, responder } = await api("GET", "/v1/status");
  keepZone(time);
  if (app.status) Object.assign(app.status, { uptime_s, turns, dropped, broker, responder });
  changed();
}

// Events keep the rest of the status; after a gap it is asked for anew.
function follow() {
  const { live } = app;
  const set = (f) => (e) => { if (app.status) { f(app.status, e); changed(); } };
  live.on("event:state", set((s, e) => { s.state = e.to; }));
  live.on("event:mute", set((s, e) => { s.muted = e.muted; }));
  live.on("event:volume", set((s, e) => { s.volume = e.percent; }));
  live.on("event:timers", set((s, e) => { s.timers = e.timers; }));
  live.on("event:media", set((s, e) => { s.media = e; }));
  live.on("event:policy", set((s, e) => { s.policy = e.policy; }));
  live.on("event:dnd", set((s, e) => { s.dnd = e.on; }));
  live.on("event:condition", set((s, e) => {
    s.conditions = s.conditions.filter((c) => c.code !== e.code);
    if (e.active) s.conditions.push({ code: e.code, severity: e.severity, text: e.text, since: e.since });
    s.conditions.sort((a, b) => (a.severity + a.code < b.severity + b.code ? -1 : 1)); // errors first, as hearthd lists them
  }));
  live.on("missed", () => app.refresh().catch(() => {}));
  live.on("open", () => {
    $("offline").hidden = true;
    app.refresh().catch((e) => toast(e.message, true));
  });
  live.on("closed", async () => {
    $("offline").hidden = document.hidden;
    // A session may have ended; the browser does not say why a socket is refused.
    const s = await ask("/session").then((r) => r.json()).catch(() => null);
    if (s && !s.in) document.dispatchEvent(new Event("locked"));
  });
}

let shown = "";

function route() {
  const [name, arg] = location.hash.slice(1).split("/");
  const page = pages[name] ? name : "now";
  if (page !== shown) {
    for (const p of pages[shown] || []) if (p.hide) p.hide();
    for (const s of document.querySelectorAll("main > section")) s.hidden = s.id !== "page-" + page;
    for (const a of document.querySelectorAll(".top nav a")) {
      if (a.hash === "#" + page) {
        a.setAttribute("aria-current", "page");
        a.scrollIntoView({ block: "nearest", inline: "nearest" });
      } else a.removeAttribute("aria-current");
    }
    if (shown) scrollTo(0, 0);
    shown = page;
  }
  for (const p of pages[page]) if (p.show) p.show(arg);
}

function lock() {
  app.live.stop();
  $("offline").hidden = true;
  for (const s of document.querySelectorAll("main > section")) s.hidden = s.id !== "page-login";
  shown = "";
  setText($("state"), "locked");
  $("token").focus();
}

async function enter() {
  await api("GET", "/v1/status").then((s) => keepZone(s.time)).catch(() => {}); // before any time is shown
  app.live.start();
  route();
}

async function begin() {
  document.addEventListener("locked", lock);
  $("login").addEventListener("submit", (e) => {
    e.preventDefault();
    act(e.submitter, async () => {
      setText($("login-error"), "");
      try {
        await login($("token").value);
      } catch (err) {
        setText($("login-error"), err.message);
      }
    });
  });
  follow();
  for (const p of Object.values(pages).flat()) p.start(app);
  setInterval(() => count().catch(() => {}), countEach);
  addEventListener("hashchange", () => { if (shown) route(); });
  // An address from hearthctl carries the token behind the #, which no server and no
  // other page sees; it must not stay in the history.
  const carried = /^#token=(.+)$/.exec(location.hash);
  if (carried) history.replaceState(null, "", location.pathname);
  const known = session() && await ask("/session").then((r) => r.json()).catch(() => ({ in: true }));
  if (known && known.in) return enter();
  if (carried) return login(decodeURIComponent(carried[1])).catch(() => lock());
  return lock();
}

async function login(token) {
  const res = await fetch("/session", {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ token }),
  });
  const answer = await res.json();
  if (!res.ok) throw new Error(answer.error);
  remember(answer.session);
  $("token").value = "";
  enter();
}

begin();
