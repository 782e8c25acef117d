// What stands in the document is painted first; then the rest begins.
const wanted = "page-" + location.hash.slice(1).split("/")[0];
if (document.getElementById(wanted)) {
  for (const s of document.querySelectorAll("main > section")) s.hidden = s.id !== wanted;
}
const begin = () => import("./app.js");
if (document.hidden || !PerformanceObserver.supportedEntryTypes.includes("paint")) begin(); // nothing tells of a paint
else new PerformanceObserver((_, o) => { o.disconnect(); begin(); }).observe({ type: "paint", buffered: true });
