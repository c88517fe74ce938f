/* Menus of lists close when the reader presses Escape or clicks elsewhere. Without this file, their button closes them. */

/** @type {() => NodeListOf<HTMLDetailsElement>} */
const open = () => document.querySelectorAll("details.menu[open]");

document.addEventListener("click", ({ target }) => {
  for (const menu of open()) if (!menu.contains(/** @type {Node} */ (target))) menu.open = false;
});

document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  for (const menu of open()) {
    const isInside = menu.contains(document.activeElement);
    menu.open = false;
    if (isInside) menu.querySelector("summary").focus();
  }
});
