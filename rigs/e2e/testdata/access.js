// What a person who cannot see the page, or not well, would stumble over. It gives a
// list of findings. Contrast is that of WCAG 2.2, 1.4.3, names are those of 4.1.2.
(() => {
  const found = [];
  const visible = (e) => e.checkVisibility({ opacityProperty: true, visibilityProperty: true });
  const told = (e) => `${e.tagName.toLowerCase()}${e.id ? "#" + e.id : ""} “${(e.textContent || "").trim().slice(0, 30)}”`;

  const name = (e) => {
    const by = e.getAttribute("aria-labelledby");
    if (by) return by.split(/\s+/).map((id) => document.getElementById(id)?.textContent || "").join(" ");
    return e.getAttribute("aria-label") || [...(e.labels || [])].map((l) => l.textContent).join(" ") || e.alt
      || (e.matches("button, a, summary") ? e.textContent || e.querySelector("img")?.alt : "") || "";
  };
  for (const e of document.querySelectorAll("input, select, textarea, button, a[href], summary, [role=meter], [role=img], [role=log]")) {
    if (visible(e) && !name(e).trim()) found.push(`has no name: ${told(e)}`);
  }
  for (const e of document.images) if (!e.hasAttribute("alt")) found.push(`has no alt: ${e.src}`);
  for (const e of document.querySelectorAll("th")) if (!e.scope) found.push("a table's head has no scope");
  for (const e of document.querySelectorAll("[aria-labelledby], [for], [aria-describedby]")) {
    for (const id of (e.getAttribute("aria-labelledby") || e.getAttribute("for") || e.getAttribute("aria-describedby")).split(/\s+/)) {
      if (!document.getElementById(id)) found.push(`names nothing: ${id} of ${told(e)}`);
    }
  }
  const ids = new Set();
  for (const e of document.querySelectorAll("[id]")) {
    if (ids.has(e.id)) found.push(`stands twice: #${e.id}`);
    ids.add(e.id);
  }
  const heads = [...document.querySelectorAll("h1, h2, h3")].filter((e) => e.closest("[hidden]") === null);
  if (heads.filter((e) => e.tagName === "H1").length !== 1) found.push("there is not one h1");
  heads.reduce((was, e) => {
    const level = Number(e.tagName[1]);
    if (level > was + 1) found.push(`a level is left out before ${told(e)}`);
    return level;
  }, 0);
  if (!document.documentElement.lang || !document.title) found.push("there is no language or no title");
  if (!document.querySelector("main") || !document.querySelector("nav[aria-label]") || !document.querySelector("header")) found.push("a landmark is missing");

  const rgba = (text) => {
    const n = text.match(/[\d.]+%?|none/g)?.map(parseFloat) || [0, 0, 0, 0];
    const scale = text.startsWith("color(") ? 255 : 1;
    return [n[0] * scale, n[1] * scale, n[2] * scale, n[3] === undefined ? 1 : n[3]];
  };
  const over = (a, b) => [0, 1, 2].map((i) => a[i] * a[3] + b[i] * (1 - a[3])).concat(1);
  const behind = (e) => {
    const layers = [];
    for (let p = e; p; p = p.parentElement) {
      const c = rgba(getComputedStyle(p).backgroundColor);
      if (c[3] > 0) layers.push(c);
      if (c[3] === 1) break;
    }
    return layers.reverse().reduce((below, c) => over(c, below), [255, 255, 255, 1]);
  };
  const light = (c) => {
    const [r, g, b] = c.slice(0, 3).map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const seen = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  let texts = 0;
  for (let t = walk.nextNode(); t; t = walk.nextNode()) {
    const e = t.parentElement;
    if (!t.textContent.trim() || seen.has(e) || !visible(e) || e.closest(":disabled, .sr, .skip, option, dialog:not([open])")) continue;
    seen.add(e);
    texts++;
    const s = getComputedStyle(e), back = behind(e), front = over(rgba(s.color), back);
    const [a, b] = [light(front), light(back)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const size = parseFloat(s.fontSize), large = size >= 24 || size >= 18.66 && Number(s.fontWeight) >= 700;
    if (ratio < (large ? 3 : 4.5)) found.push(`contrast ${ratio.toFixed(2)}: ${told(e)} ${s.color} on ${back.map(Math.round)}`);
  }
  if (texts < 10) found.push("there is hardly a text: the check sees nothing");
  for (const e of document.querySelectorAll("main *")) {
    if (e.scrollWidth > e.clientWidth + 1 && e.closest(".scroll, .stream, pre, .lane, .bar, canvas, .said, .name, .sr, table, .talk-log, input") === null && getComputedStyle(e).overflowX === "visible" && visible(e) && e.clientWidth > 0) {
      found.push(`runs over its edge: ${told(e)}`);
    }
  }
  const root = document.documentElement;
  if (root.scrollWidth > root.clientWidth) found.push(`is wider than the screen: ${root.scrollWidth} of ${root.clientWidth}`);
  return [...new Set(found)];
})()
