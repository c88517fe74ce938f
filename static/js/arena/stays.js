/* A calendar beside each field of a day: the day pressed is written into the field, which takes typing as well. */
"use strict";

(() => {
  const MONTHS =
    "January February March April May June July August September October November December".split(" ");
  const WEEKDAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split(" ");
  const DAY = /^\d{4}-\d\d-\d\d$/;

  const made = (tag, fields = {}, children = []) => {
    const element = Object.assign(document.createElement(tag), fields);
    element.append(...children);
    return element;
  };
  const written = (day) => day.toISOString().slice(0, 10);
  const read = (text) => (DAY.test(text) ? new Date(`${text}T00:00:00Z`) : new Date(NaN));
  const onDay = (year, month, day) => new Date(Date.UTC(year, month, day));

  const pickerOf = (field) => {
    const { first, called } = field.dataset;
    const title = made("p", { className: "stays-picker-title" });
    title.setAttribute("aria-live", "polite");
    const days = made("tbody");
    const step = (name, by) =>
      made("button", { type: "button", className: "button-small", textContent: name, onclick: () => show(by) });
    const earlier = step("Earlier", -1);
    const head = made("div", { className: "row row-apart" }, [earlier, title, step("Later", 1)]);
    const names = WEEKDAYS.map((name) => made("th", { scope: "col", abbr: name, textContent: name.slice(0, 2) }));
    const table = made("table", {}, [made("thead", {}, [made("tr", {}, names)]), days]);
    const box = made("div", { className: "stays-picker", hidden: true }, [head, table]);
    box.setAttribute("role", "dialog");
    box.setAttribute("aria-label", called);
    const opener = made("button", { type: "button", className: "stays-picker-open", textContent: "Calendar" });
    opener.setAttribute("aria-label", called);
    opener.setAttribute("aria-expanded", "false");
    let month = read(first);

    const open = (isOpen) => {
      box.hidden = !isOpen;
      opener.setAttribute("aria-expanded", String(isOpen));
    };

    const cell = (day) => {
      if (day.getUTCMonth() !== month.getUTCMonth()) return made("td");
      const isChosen = written(day) === field.value;
      const button = made("button", {
        type: "button",
        textContent: day.getUTCDate(),
        disabled: written(day) < first,
        onclick: () => {
          field.value = written(day);
          field.dispatchEvent(new Event("input", { bubbles: true }));
          open(false);
          opener.focus();
        },
      });
      button.setAttribute("aria-label", `${day.getUTCDate()} ${title.textContent}`);
      if (isChosen) button.setAttribute("aria-current", "date");
      return made("td", {}, [button]);
    };

    const show = (by) => {
      month = onDay(month.getUTCFullYear(), month.getUTCMonth() + by, 1);
      title.textContent = `${MONTHS[month.getUTCMonth()]} ${month.getUTCFullYear()}`;
      const before = (month.getUTCDay() + 6) % 7;
      const length = onDay(month.getUTCFullYear(), month.getUTCMonth() + 1, 0).getUTCDate();
      const weeks = Array.from({ length: Math.ceil((before + length) / 7) }, (_, week) =>
        made(
          "tr",
          {},
          WEEKDAYS.map((_name, place) =>
            cell(onDay(month.getUTCFullYear(), month.getUTCMonth(), 1 - before + 7 * week + place)),
          ),
        ),
      );
      days.replaceChildren(...weeks);
      earlier.disabled = written(month) <= first;
    };

    opener.onclick = () => {
      /* A day of departure is looked for from the month of arrival on. */
      const known = [field, ...field.form.querySelectorAll("[data-called]")].map((one) => read(one.value));
      month = known.find((day) => !Number.isNaN(day.getTime())) ?? read(first);
      show(0);
      open(box.hidden);
    };
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Escape") return;
      open(false);
      opener.focus();
    });
    document.addEventListener("click", (event) => {
      if (!event.composedPath().includes(box) && event.target !== opener) open(false);
    });
    field.after(opener, box);
  };

  document.querySelectorAll("[data-called]").forEach(pickerOf);
})();
