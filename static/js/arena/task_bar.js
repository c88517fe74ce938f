/* Shows the task bar on every page as it was left on the last one: open or folded, with what was typed into it. Until
   someone changes that, it is as the server sent it: open on the first page and folded on later ones. Typing into the
   bar keeps it open. Its state belongs to this tab and episode. The script also measures the bar, for the layout below. */

/** @type {(bar: HTMLElement, root: string) => void} */
const keep = (bar, root) => {
  const KEY = `task-bar ${root}`;
  const fold = bar.querySelector("details");
  /** @type {HTMLInputElement[]} */
  const fields = Array.from(bar.querySelectorAll("input[name=answer]"));
  const isRefused = "refused" in bar.dataset;

  /* If the tab has no storage, nothing is stored. */
  const stored = () => {
    try {
      return JSON.parse(sessionStorage.getItem(KEY)) ?? {};
    } catch {
      return {};
    }
  };
  /** @param {{ isOpen: boolean, answers?: string[] }} news */
  const store = (news) => {
    try {
      sessionStorage.setItem(KEY, JSON.stringify({ ...stored(), ...news }));
    } catch {
      return;
    }
  };

  const restore = () => {
    const { isOpen = fold.open, answers = [] } = stored();
    fold.open = isRefused || isOpen;
    fields.forEach((field, place) => {
      field.value = answers[place] ?? field.value;
    });
  };

  /* A text that scrolls must be reachable by keyboard; a text that does not scroll must not be a tab stop. */
  const text = bar.querySelector(".task-text");
  const measure = () => {
    document.documentElement.style.setProperty("--bar", `${bar.offsetHeight}px`);
    if (fold.open && text.scrollHeight > text.clientHeight) text.tabIndex = 0;
    else text.removeAttribute("tabindex");
  };

  restore();
  measure();
  new ResizeObserver(measure).observe(bar);
  fold.querySelector("summary").addEventListener("click", () => {
    setTimeout(() => store({ isOpen: fold.open }));
  });
  bar.addEventListener("input", () => store({ isOpen: true, answers: fields.map((field) => field.value) }));
  /* A page from the browser's back-forward cache has missed the changes on the pages in between. */
  addEventListener("pageshow", (event) => event.persisted && restore());
};

const bar = document.querySelector("[data-task-bar]");
const match = location.pathname.match(/^\/e\/[^/]+\//);
if (bar && match) keep(bar, match[0]);
