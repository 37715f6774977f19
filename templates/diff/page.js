"use strict";
(() => {
  const filters = document.getElementById("filters");
  if (!filters) return;
  filters.hidden = false;
  const box = document.getElementById("text");
  const kind = document.getElementById("kind");
  const shown = document.getElementById("shown");
  const nothing = document.getElementById("nothing");
  const checks = [...filters.querySelectorAll("input[type=checkbox]")];

  // What is filtered is read once: its words, and what surrounds it.
  const items = [...document.querySelectorAll(".part li[data-severity], tr.row")].map((element) => {
    const part = element.closest(".part");
    const group = element.closest(".group");
    const around = part ? part.querySelector(".self").title : "";
    const title = group ? group.querySelector("summary").textContent : "";
    return {
      element, part, group,
      counted: !group || group.classList.contains("kind"),
      text: `${title} ${around} ${element.textContent}`.toLowerCase(),
      severity: element.dataset.severity, stability: element.dataset.stability,
      kinds: part ? new Set(part.dataset.kinds.split(" ")) : new Set(),
    };
  });
  const containers = new Set();
  for (const item of items) for (const each of [item.part, item.group]) if (each) containers.add(each);
  const total = items.filter((item) => item.counted).length;
  let visible = items;
  let here = -1;

  function apply() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = kind ? kind.value : "";
    const off = new Set(checks.filter((each) => !each.checked).map((each) => each.value));
    const kept = new Set();
    here = -1;
    visible = [];
    for (const item of items) {
      const fits = !off.has(item.severity) && !off.has(item.stability)
        && (!wanted || item.kinds.has(wanted)) && words.every((word) => item.text.includes(word));
      item.element.hidden = !fits;
      if (!fits) continue;
      visible.push(item);
      kept.add(item.part);
      kept.add(item.group);
    }
    for (const each of containers) each.hidden = !kept.has(each);
    const count = visible.filter((item) => item.counted).length;
    shown.textContent = count === total ? `${total} shown` : `${count} of ${total} shown`;
    if (nothing) nothing.hidden = visible.length > 0 || total === 0;
  }

  function showAll() {
    filters.reset();
    apply();
  }

  // A link to a change shows it, whatever is filtered or folded away.
  function follow() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]") || target.querySelector(":scope > [hidden]")) showAll();
    const group = target.closest("details.group");
    if (group) group.open = true;
    // Groups get their real height when they come into view, which moves the rest.
    target.scrollIntoView();
    requestAnimationFrame(() => requestAnimationFrame(() => target.scrollIntoView()));
  }

  function step(by) {
    if (!visible.length) return;
    for (const old of document.querySelectorAll(".here")) old.classList.remove("here");
    here = Math.min(Math.max(here + by, 0), visible.length - 1);
    const { element, group } = visible[here];
    if (group) group.open = true;
    element.classList.add("here");
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "center" });
  }

  let waiting = 0;
  box.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(apply, 80);
  });
  for (const each of [kind, ...checks]) if (each) each.addEventListener("change", apply);
  filters.addEventListener("submit", (event) => {
    event.preventDefault();
    apply();
    here = -1;
    step(1);
  });
  filters.addEventListener("reset", () => setTimeout(apply));
  addEventListener("hashchange", follow);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      showAll();
      box.blur();
      return;
    }
    if (event.target.matches("input[type=search], select")) return;
    if (event.key === "/") {
      event.preventDefault();
      box.focus();
    } else if (event.key === "j") step(1);
    else if (event.key === "k") step(-1);
  });
  apply();
  if (location.hash) follow();
})();
