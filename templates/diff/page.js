"use strict";
(() => {
  const filters = document.getElementById("filters");
  if (!filters) return;
  filters.hidden = false;
  const { q: textBox, kind: kindSelect, audience: audienceSelect } = filters.elements;
  const shownCount = document.getElementById("shown");
  const noMatches = document.getElementById("no-matches");
  const checkboxes = [...filters.querySelectorAll("input[type=checkbox]")];
  const FOLDED = "details.group, details.minor, details.alpha, .topic > details";
  const CONTAINERS = `${FOLDED}, section.api-group, section.upgrade, .topic`;

  // The text and the containers of each item are read once, not at every key press.
  const items = [...document.querySelectorAll("li[data-severity], tr.row")].map((element) => {
    const containers = [];
    for (let node = element.parentElement; node; node = node.parentElement) {
      if (node.matches(CONTAINERS)) containers.push(node);
    }
    const { severity, stability, kinds = "", definition = "", audiences = "", count = "1" } = element.dataset;
    return {
      element, containers, severity, stability,
      // The lists at the beginning repeat changes that follow.
      isListed: !element.closest(".upgrade"),
      counted: !element.closest(".graduations, .upgrade"),
      count: Number(count),
      text: `${definition} ${element.textContent}`.toLowerCase(),
      kinds: new Set(kinds.split(" ")),
      audiences: new Map(audiences.trim().split(" ").map((pair) => pair.split(":"))),
    };
  });
  const allDetails = [...document.querySelectorAll(FOLDED)];
  const openAtFirst = new Set(allDetails.filter((details) => details.open));
  const containers = new Set(items.flatMap((item) => item.containers));
  const sum = (list) => list.filter((item) => item.counted).reduce((count, item) => count + item.count, 0);
  const total = sum(items);
  let matches = [];
  let current = -1;
  let wasFiltered = false;

  function severityOf(item) {
    return item.audiences.get(audienceSelect?.value) ?? item.severity;
  }

  function applyFilters() {
    const words = textBox.value.toLowerCase().split(/\s+/).filter(Boolean);
    const kind = kindSelect?.value && String(kindSelect.selectedIndex - 1); // without "All kinds"
    const unchecked = new Set(checkboxes.filter((box) => !box.checked).map((box) => box.value));
    const shown = items.filter((item) => !unchecked.has(severityOf(item)) && !unchecked.has(item.stability)
      && (!kind || item.kinds.has(kind)) && words.every((word) => item.text.includes(word)));
    matches = shown.filter((item) => item.isListed);
    current = -1;
    const visible = new Set(shown.flatMap((item) => [item.element, ...item.containers]));
    for (const item of items) item.element.hidden = !visible.has(item.element);
    for (const container of containers) container.hidden = !visible.has(container);
    showSeverities();
    const count = sum(matches);
    shownCount.textContent = count === total ? `${total} shown` : `${count} of ${total} shown`;
    if (noMatches) noMatches.hidden = matches.length > 0 || total === 0;
    // What a filter finds is shown even where it is folded at first.
    const isFiltered = count !== total;
    if (isFiltered || wasFiltered) {
      for (const details of allDetails) {
        details.open = isFiltered ? containers.has(details) && !details.hidden : openAtFirst.has(details);
      }
    }
    wasFiltered = isFiltered;
    writeAddress();
  }

  // The badges show the severity for the chosen audience.
  function showSeverities() {
    for (const item of items) {
      const badge = item.element.querySelector(".badge");
      if (!badge || badge.textContent === severityOf(item)) continue;
      badge.textContent = severityOf(item);
      badge.className = `badge ${severityOf(item)}`;
    }
  }

  // The filters are part of the address, so that a link shows what its sender sees.
  function writeAddress() {
    const query = new URLSearchParams([...new FormData(filters)].filter(([, value]) => value.trim()));
    for (const name of new Set(checkboxes.map((box) => box.name))) {
      const chosen = query.getAll(name);
      if (chosen.length === checkboxes.filter((box) => box.name === name).length) query.delete(name);
      else query.set(name, chosen.join(","));
    }
    const search = query.size ? `?${query}` : "";
    if (search === location.search) return;
    history.replaceState(null, "", `${location.pathname}${search}${location.hash}`);
  }

  function readAddress() {
    const query = new URLSearchParams(location.search);
    for (const box of checkboxes) box.checked = query.get(box.name)?.split(",").includes(box.value) ?? true;
    for (const control of [textBox, kindSelect, audienceSelect].filter(Boolean)) {
      control.value = query.get(control.name) ?? "";
      if (control.selectedIndex < 0) control.value = "";
    }
  }

  function showAll() {
    filters.reset();
    applyFilters();
  }

  function unfold(element) {
    for (let node = element; node; node = node.parentElement) {
      if (node.matches(FOLDED)) node.open = true;
    }
  }

  // A link to a change shows it even if it is filtered out or its group is closed.
  function showLinkTarget() {
    let target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    target = target.closest("li[data-severity]") || target;
    if (target.closest("[hidden]")) showAll();
    unfold(target);
    // Groups get their real height when they come into view, which moves the rest.
    target.scrollIntoView();
    requestAnimationFrame(() => requestAnimationFrame(() => target.scrollIntoView()));
  }

  function moveTo(index) {
    if (!matches.length) return;
    for (const element of document.querySelectorAll(".current")) element.classList.remove("current");
    current = Math.min(Math.max(index, 0), matches.length - 1);
    const { element } = matches[current];
    unfold(element);
    element.classList.add("current");
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "center" });
  }

  let typingPause = 0;
  textBox.addEventListener("input", () => {
    clearTimeout(typingPause);
    typingPause = setTimeout(applyFilters, 80);
  });
  filters.addEventListener("change", applyFilters);
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
  readAddress();
  applyFilters();
  if (location.hash) showLinkTarget();
})();
