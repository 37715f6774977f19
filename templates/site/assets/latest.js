"use strict";
// The pages at /latest/ lead to the newest release, and keep the field of the address.
document.addEventListener("DOMContentLoaded", () => {
  const link = document.querySelector("a");
  if (location.protocol === "file:") link.href += "index.html";
  location.replace(link.href + location.hash);
});
