// Elements, texts and requests. Whatever comes from outside becomes a text node or an
// attribute, never markup.

export const $ = (id) => document.getElementById(id);

// el makes an element. Functions among the props are listeners, true and false are
// attributes without a value, and kids are elements or texts.
export function el(tag, props = {}, ...kids) {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) {
    if (typeof v === "function") e.addEventListener(k, v);
    else if (v === true) e.setAttribute(k, "");
    else if (v !== false && v !== undefined && v !== null) e.setAttribute(k, String(v));
  }
  e.append(...kids.flat(3).filter((k) => k !== null && k !== undefined && k !== ""));
  return e;
}

// setText writes only what has changed, so that screen readers are not told twice.
export function setText(e, text) {
  if (e.textContent !== text) e.textContent = text;
}

export const replace = (e, ...kids) => e.replaceChildren(...kids.flat(3).filter(Boolean));

// ahead is by how many ms the clocks of the household are ahead of UTC, told by one of its times.
let ahead = -60000 * new Date().getTimezoneOffset(); // until that is known
export const keepZone = (now) => { ahead = Date.parse(now.replace(/(Z|[+-]\d\d:\d\d)$/, "Z")) - Date.parse(now); };

// household is what the clocks of the household show at t: a Date to be read as if it were of the browser's zone.
export const household = (t) => new Date(new Date(Date.parse(t) + ahead).toISOString().slice(0, 23));

// written is the same for what hearthd has written in the zone of the household, whose clocks may change until then.
export const written = (t) => new Date(t.slice(0, 19));

export function clock(t) {
  return household(t).toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
}

// day is a time to the minute, with its day unless that is today.
export function day(t, d = household(t)) {
  const today = new Date(Date.now() + (d - new Date(t))), minute = { hour: "numeric", minute: "2-digit" };
  return d.toDateString() === today.toDateString() ? d.toLocaleTimeString([], minute)
    : d.toLocaleString([], { weekday: "short", day: "numeric", month: "short", ...minute });
}

const weekdays = { MO: "Monday", TU: "Tuesday", WE: "Wednesday", TH: "Thursday", FR: "Friday", SA: "Saturday", SU: "Sunday" };

// often says in words what hearthd has as an RRULE.
export function often(rule) {
  const { FREQ, INTERVAL, BYDAY } = Object.fromEntries(rule.split(";").map((p) => p.split("=")));
  const every = INTERVAL ? "every other " : "every ";
  if (BYDAY === "MO,TU,WE,TH,FR" && !INTERVAL) return "on weekdays";
  if (BYDAY) return every + BYDAY.split(",").map((d) => weekdays[d]).join(", ");
  return every + { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" }[FREQ];
}

export function ms(n) {
  if (n < 1000) return Math.round(n) + " ms";
  return (n / 1000).toFixed(n < 10000 ? 2 : 1) + " s";
}

// span is a length of time for people, in seconds.
export function span(s) {
  s = Math.max(0, Math.round(s));
  const d = Math.floor(s / 86400), h = Math.floor(s / 3600) % 24, m = Math.floor(s / 60) % 60;
  if (d) return `${d} d ${h} h`;
  if (h) return `${h} h ${m} min`;
  if (m) return `${m} min ${s % 60} s`;
  return `${s} s`;
}

export const words = (name) => String(name).replaceAll("_", " ");

// The session that hearthd has given to this browser. It is kept where no other port of the host can see it, unlike
// a cookie, and nothing adds it to a request but ask.
const kept = "hearthd.session";
export const session = () => localStorage.getItem(kept) || "";
export const remember = (secret) => (secret ? localStorage.setItem(kept, secret) : localStorage.removeItem(kept));

// ask is fetch with the session.
export function ask(path, init = {}) {
  return fetch(path, { ...init, headers: { ...init.headers, ...(session() && { Authorization: "Bearer " + session() }) } });
}

// api asks hearthd. What it refuses is an error with its words.
export async function api(method, path, body) {
  const init = { method, headers: {} };
  if (body !== undefined) {
    init.headers["Content-Type"] = "application/json";
    init.body = JSON.stringify(body);
  } else if (method === "POST") {
    init.headers["Content-Type"] = "application/json";
    init.body = "{}";
  }
  let res;
  try {
    res = await ask(path, init);
  } catch {
    throw new Error("hearthd does not answer");
  }
  const answer = await res.json().catch(() => ({}));
  if (res.status === 401) document.dispatchEvent(new Event("locked"));
  if (!res.ok) throw new Error(answer.error || `hearthd answers ${res.status}`);
  return answer;
}

// toast shows a message for some seconds.
export function toast(text, bad = false) {
  const t = el("p", { class: bad ? "toast bad" : "toast" }, text);
  const all = $("toasts");
  all.append(t);
  while (all.children.length > 4) all.firstChild.remove();
  setTimeout(() => t.remove(), 6000);
}

// act runs what a button starts, with the button disabled meanwhile, and shows what
// went wrong.
export async function act(button, what) {
  if (button) button.disabled = true;
  try {
    return await what();
  } catch (e) {
    toast(e.message, true);
    return undefined;
  } finally {
    if (button) button.disabled = false;
  }
}

// table makes one with a head. On a phone its rows stand below each other, each cell
// with its head before it; the roles keep it a table then.
export function table(heads, rows, caption) {
  for (const r of rows) [...r.children].forEach((c, i) => { c.dataset.head = heads[i]; });
  return el("table", { role: "table" },
    caption ? el("caption", { class: "sr" }, caption) : null,
    el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, heads.map((h) => el("th", { scope: "col", role: "columnheader" }, h)))),
    el("tbody", { role: "rowgroup" }, rows));
}

export const row = (...cells) => el("tr", { role: "row" }, cells.map((c) => el("td", { role: "cell" }, c)));

// confirmed asks the person, in a dialog of the page.
export function confirmed(question, yes = "Yes") {
  return new Promise((done) => {
    const id = "ask-" + Math.random().toString(36).slice(2);
    const d = el("dialog", { "aria-labelledby": id }, el("p", { id }, question),
      el("div", { class: "buttons" },
        el("button", { class: "primary", click: () => d.close("yes") }, yes),
        el("button", { click: () => d.close("") }, "Cancel")));
    d.addEventListener("close", () => { d.remove(); done(d.returnValue === "yes"); });
    document.body.append(d);
    d.showModal();
  });
}
