/* Creation of elements for scripts to put into pages. */

/** @type {(name: string, className?: string, text?: string) => any} */
export const create = (name, className, text) => {
  const element = document.createElement(name);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
