/* Adds a calendar to each date field. Clicking a day writes it into the field, which can also be typed into. If there is
   room, two months are shown, with the nights of the stay as a band. On a narrow screen, the filters are folded. */

const MONTHS =
  "January February March April May June July August September October November December".split(" ");
const FROM_MONDAY = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
/* The distance of a calendar from its field and from the edges of the window. */
const AWAY_PX = 4;
const WIDE = matchMedia("(min-width: 52rem)");
const DAY = /^\d{4}-\d\d-\d\d$/;

const barEnd = () => Math.max(0, document.querySelector("[data-task-bar]")?.getBoundingClientRect().bottom ?? 0);

/** @type {(tag: string, fields?: object, children?: Element[]) => any} */
const create = (tag, fields = {}, children = []) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...children);
  return element;
};
/** @param {Date} day */
const written = (day) => day.toISOString().slice(0, 10);
/** @param {string} text */
const read = (text) => (DAY.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(NaN));
/** @type {(year: number, month: number, day: number) => Date} */
const onDay = (year, month, day) => new Date(Date.UTC(year, month, day));

/** @type {(field: HTMLInputElement) => HTMLInputElement[]} */
const fieldsOf = (field) => Array.from(field.form.querySelectorAll("[data-called]"));

/** @param {HTMLInputElement} field */
const pickerOf = (field) => {
  const { first, called, pick, earlier: back, later: on } = field.dataset;
  /* The first day of the week, where Monday is 0. */
  const monday = Number(field.dataset.weekday);
  const weekdays = [...FROM_MONDAY.slice(monday), ...FROM_MONDAY.slice(0, monday)];
  /** @type {(name: string, by: number) => HTMLButtonElement} */
  const step = (name, by) =>
    create("button", { type: "button", className: "button-small", textContent: name, onclick: () => show(by) });
  const earlier = step(back, -1);
  const head = create("div", { className: "row row-apart" }, [earlier, step(on, 1)]);
  const shown = create("div", { className: "stays-picker-months" });
  shown.setAttribute("aria-live", "polite");
  const box = create("div", { className: "stays-picker", popover: "manual" }, [head, shown]);
  box.setAttribute("role", "dialog");
  box.setAttribute("aria-label", called);
  const opener = create("button", { type: "button", className: "stays-picker-open", textContent: pick });
  opener.setAttribute("aria-label", called);
  opener.setAttribute("aria-expanded", "false");
  let month = read(first);

  /* The calendar lies on top of everything, so that it is never cut off, and below its field, or above it if all of it
     is visible only there. */
  const isOpen = () => box.matches(":popover-open");
  const placed = () => {
    if (!isOpen()) return;
    const around = field.getBoundingClientRect();
    const under = around.bottom + AWAY_PX;
    const over = around.top - AWAY_PX - box.offsetHeight;
    const lowest = innerHeight - AWAY_PX - box.offsetHeight;
    const furthest = document.documentElement.clientWidth - AWAY_PX - box.offsetWidth;
    const top = under <= lowest ? under : over >= barEnd() ? over : lowest;
    box.style.top = `${Math.max(AWAY_PX, top)}px`;
    box.style.left = `${Math.max(AWAY_PX, Math.min(around.left, furthest))}px`;
  };
  /** @param {boolean} isVisible */
  const open = (isVisible) => {
    if (isOpen() !== isVisible) box.togglePopover(isVisible);
    opener.setAttribute("aria-expanded", String(isVisible));
    placed();
  };
  WIDE.addEventListener("change", () => isOpen() && show(0));
  addEventListener("scroll", placed, { capture: true, passive: true });
  addEventListener("resize", placed, { passive: true });

  /** @param {string} day */
  const choose = (day) => {
    field.value = day;
    field.dispatchEvent(new Event("input", { bubbles: true }));
    open(false);
    opener.focus();
  };

  /* Returns the classes of a day that is in the band, or at one of its ends. */
  /** @type {(day: string, ends: string[]) => string} */
  const bandOf = (day, [from, to]) => {
    const isEnd = day === from || day === to;
    const isChosen = from < to && from <= day && day <= to;
    /** @type {Record<string, boolean>} */
    const kinds = { "is-end": isEnd, "is-chosen": isChosen, "is-first": isChosen && day === from, "is-last": isChosen && day === to };
    return Object.keys(kinds).filter((kind) => kinds[kind]).join(" ");
  };

  /** @type {(day: Date, of: Date, ends: string[]) => HTMLTableCellElement} */
  const cell = (day, of, ends) => {
    if (day.getUTCMonth() !== of.getUTCMonth()) return create("td");
    const text = written(day);
    const button = create("button", { type: "button", textContent: day.getUTCDate(), disabled: text < first, onclick: () => choose(text) });
    button.setAttribute("aria-label", `${day.getUTCDate()} ${MONTHS[of.getUTCMonth()]}`);
    if (text === field.value) button.setAttribute("aria-current", "date");
    return create("td", { className: bandOf(text, ends) }, [button]);
  };

  /** @param {Date} of */
  const monthOf = (of) => {
    const [year, number] = [of.getUTCFullYear(), of.getUTCMonth()];
    const before = (of.getUTCDay() + 6 - monday + 7) % 7;
    const length = onDay(year, number + 1, 0).getUTCDate();
    const ends = fieldsOf(field).map((one) => (DAY.test(one.value) ? one.value : ""));
    const weeks = Array.from({ length: Math.ceil((before + length) / 7) }, (_, week) =>
      create("tr", {}, weekdays.map((_name, place) => cell(onDay(year, number, 1 - before + 7 * week + place), of, ends))),
    );
    const names = weekdays.map((name) => create("th", { scope: "col", abbr: name, textContent: name.slice(0, 2) }));
    const table = create("table", {}, [create("thead", {}, [create("tr", {}, names)]), create("tbody", {}, weeks)]);
    return create("div", {}, [create("p", { className: "stays-picker-title", textContent: `${MONTHS[number]} ${year}` }), table]);
  };

  /** @param {number} by */
  const show = (by) => {
    month = onDay(month.getUTCFullYear(), month.getUTCMonth() + by, 1);
    box.classList.toggle("has-two", WIDE.matches);
    const months = WIDE.matches ? [month, onDay(month.getUTCFullYear(), month.getUTCMonth() + 1, 1)] : [month];
    shown.replaceChildren(...months.map(monthOf));
    earlier.disabled = written(month) <= first;
    placed();
  };

  opener.onclick = () => {
    /* For an empty departure, the calendar opens at the month of arrival. */
    const known = [field, ...fieldsOf(field)].map((one) => read(one.value));
    month = known.find((day) => !Number.isNaN(day.getTime())) ?? read(first);
    show(0);
    open(!isOpen());
  };
  box.addEventListener("gym:close", () => {
    open(false);
    opener.focus();
  });
  for (const kind of ["click", "focusin"]) {
    document.addEventListener(kind, (event) => {
      if (!event.composedPath().includes(box) && event.target !== opener) open(false);
    });
  }
  field.after(opener, box);
};

/** @type {NodeListOf<HTMLInputElement>} */
const dayFields = document.querySelectorAll("[data-called]");
dayFields.forEach(pickerOf);

for (const fold of /** @type {NodeListOf<HTMLDetailsElement>} */ (document.querySelectorAll("[data-fold]"))) {
  const folded = () => (fold.open = WIDE.matches);
  folded();
  WIDE.addEventListener("change", folded);
}

/** @type {HTMLDetailsElement} */
const account = document.querySelector("[data-account]");
document.addEventListener("click", (event) => {
  if (!account.contains(/** @type {Node} */ (event.target))) account.open = false;
});
account.addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !account.open) return;
  event.preventDefault();
  account.open = false;
  account.querySelector("summary").focus();
});

/* Escape closes only the calendar, or else the form's dialog, and no pop-up that covers the page. */
addEventListener(
  "keydown",
  (event) => {
    const picker = document.querySelector(".stays-picker:popover-open");
    const dialog = document.querySelector(".stays-dialog:popover-open");
    if (event.key !== "Escape" || !(picker ?? dialog)) return;
    event.preventDefault();
    event.stopPropagation();
    if (picker) picker.dispatchEvent(new Event("gym:close"));
    else dialog.hidePopover();
  },
  { capture: true },
);
