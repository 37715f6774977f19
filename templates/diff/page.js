"use strict";
(() => {
  const filters = document.getElementById("filters");
  if (!filters) return;
  filters.hidden = false;
  const textBox = document.getElementById("text");
  const kindSelect = document.getElementById("kind");
  const shownCount = document.getElementById("shown");
  const noMatches = document.getElementById("no-matches");
  const checkboxes = [...filters.querySelectorAll("input[type=checkbox]")];

  // The text and the containers of each item are read once, not at every key press.
  const items = [...document.querySelectorAll(".definition li[data-severity], tr.row")].map((element) => {
    const definition = element.closest(".definition");
    const group = element.closest(".group");
    const name = definition ? definition.querySelector(".permalink").title : "";
    const title = group ? group.querySelector("summary").textContent : "";
    return {
      element, definition, group,
      counted: !group || group.classList.contains("kind"),
      text: `${title} ${name} ${element.textContent}`.toLowerCase(),
      severity: element.dataset.severity, stability: element.dataset.stability,
      kinds: definition ? new Set(definition.dataset.kinds.split(" ")) : new Set(),
    };
  });
  const containers = new Set(items.flatMap((item) => [item.definition, item.group]).filter(Boolean));
  const total = items.filter((item) => item.counted).length;
  let matches = items;
  let current = -1;

  function applyFilters() {
    const words = textBox.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = kindSelect ? kindSelect.value : "";
    const unchecked = new Set(checkboxes.filter((box) => !box.checked).map((box) => box.value));
    const matching = (item) => !unchecked.has(item.severity) && !unchecked.has(item.stability)
      && (!kind || item.kinds.has(kind)) && words.every((word) => item.text.includes(word));
    matches = items.filter(matching);
    current = -1;
    const visible = new Set(matches.flatMap((item) => [item.element, item.definition, item.group]));
    for (const item of items) item.element.hidden = !visible.has(item.element);
    for (const container of containers) container.hidden = !visible.has(container);
    const count = matches.filter((item) => item.counted).length;
    shownCount.textContent = count === total ? `${total} shown` : `${count} of ${total} shown`;
    if (noMatches) noMatches.hidden = matches.length > 0 || total === 0;
  }

  function showAll() {
    filters.reset();
    applyFilters();
  }

  // A link to a change shows it even if it is filtered out or its group is closed.
  function showLinkTarget() {
    const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    if (target.closest("[hidden]") || target.querySelector(":scope > [hidden]")) showAll();
    const group = target.closest("details.group");
    if (group) group.open = true;
    // Groups get their real height when they come into view, which moves the rest.
    target.scrollIntoView();
    requestAnimationFrame(() => requestAnimationFrame(() => target.scrollIntoView()));
  }

  function moveTo(index) {
    if (!matches.length) return;
    for (const element of document.querySelectorAll(".current")) element.classList.remove("current");
    current = Math.min(Math.max(index, 0), matches.length - 1);
    const { element, group } = matches[current];
    if (group) group.open = true;
    element.classList.add("current");
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "center" });
  }

  let typingPause = 0;
  textBox.addEventListener("input", () => {
    clearTimeout(typingPause);
    typingPause = setTimeout(applyFilters, 80);
  });
  for (const control of [kindSelect, ...checkboxes].filter(Boolean)) {
    control.addEventListener("change", applyFilters);
  }
  filters.addEventListener("submit", (event) => {
    event.preventDefault();
    applyFilters();
    moveTo(0);
  });
  filters.addEventListener("reset", () => setTimeout(applyFilters));
  addEventListener("hashchange", showLinkTarget);
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape") {
      showAll();
      textBox.blur();
      return;
    }
    if (event.target.matches("input[type=search], select")) return;
    if (event.key === "/") {
      event.preventDefault();
      textBox.focus();
    } else if (event.key === "j") moveTo(current + 1);
    else if (event.key === "k") moveTo(current - 1);
  });
  applyFilters();
  if (location.hash) showLinkTarget();
})();
