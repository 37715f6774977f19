"use strict";
// Compares two releases on the page of a type: of the change history, what lies between
// them. "fields.js" loads this when it is first used.
(() => {
  const button = document.getElementById("compare-button");
  const links = [...document.querySelectorAll(".switch [data-switch] a")].reverse();
  const releases = links.map((link) => link.textContent);
  const { root, release: ownRelease } = document.documentElement.dataset;
  const style = document.createElement("link");
  style.rel = "stylesheet";
  style.href = `${root}assets/compare.css`;
  document.head.append(style);

  function select(label, value) {
    const input = document.createElement("select");
    input.append(...releases.map((name) => new Option(name, name, false, name === value)));
    const wrapper = document.createElement("label");
    wrapper.append(`${label} `, input);
    return [wrapper, input];
  }

  const index = Math.max(releases.indexOf(ownRelease), 1);
  const [fromLabel, fromInput] = select("From", releases[index - 1]);
  const [toLabel, toInput] = select("to", releases[index]);
  const result = document.createElement("p");
  result.setAttribute("role", "status");

  /** Show the changes of the releases after the older one, up to the newer one. */
  function show() {
    const ends = [fromInput, toInput].map((input) => releases.indexOf(input.value));
    const [first, last] = ends.sort((one, other) => one - other);
    const steps = releases.slice(first + 1, last + 1);
    let count = 0;
    for (const list of document.querySelectorAll("[data-changes]")) {
      const isBetween = steps.includes(list.dataset.changes);
      list.hidden = list.previousElementSibling.hidden = !isBetween;
      if (isBetween) count += list.children.length;
    }
    const absent = [...new Set([first, last])].filter((end) => links[end].matches(".absent"));
    result.textContent =
      `${releases[first]} to ${releases[last]}: ${count} ${count === 1 ? "change" : "changes"}.` +
      absent.map((end) => ` ${releases[end]} does not have this type.`).join("");
  }

  const form = document.createElement("form");
  form.className = "compare";
  form.append(fromLabel, toLabel);
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  button.closest(".bar").after(form, result);
  button.remove();
  fromInput.focus();
  show();
})();
