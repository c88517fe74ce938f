/* Charts that share an axis: pointing at a policy version in one chart marks it in all of them. Without this file, each
   point still has a tooltip. */

/** @param {HTMLElement} group */
const link = (group) => {
  /** @param {string} version */
  const mark = (version) => {
    for (const dot of group.querySelectorAll("[data-version]")) {
      dot.classList.toggle("is-pointed-at", dot.dataset.version === version);
    }
  };

  group.addEventListener("pointerover", ({ target }) => mark(target.closest?.("[data-version]")?.dataset.version ?? ""));
  group.addEventListener("pointerleave", () => mark(""));
};

const group = document.querySelector("[data-linked-charts]");
if (group) link(group);
