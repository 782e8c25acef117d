// The frame that stands in the document is painted first; then the rest begins.
const wanted = "page-" + location.hash.slice(1).split("/")[0];
if (document.getElementById(wanted)) {
  for (const s of document.querySelectorAll("main > section")) s.hidden = s.id !== wanted;
}
const begin = () => import("./app.js");
if (document.hidden) begin(); // nothing is painted, and no frame comes
else requestAnimationFrame(() => setTimeout(begin));
