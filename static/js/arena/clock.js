/* The page's clock is the episode's: Date begins at <html data-now> and goes on from there. */
"use strict";

(() => {
  const Wall = Date;
  const start = Wall.parse(document.documentElement.dataset.now);
  if (Number.isNaN(start)) return;
  const loaded = performance.now();
  const now = () => start + Math.floor(performance.now() - loaded);

  const Virtual = new Proxy(Wall, {
    construct: (target, given, made) => Reflect.construct(target, given.length ? given : [now()], made),
    apply: () => new Wall(now()).toString(),
    get: (target, name) => (name === "now" ? now : Reflect.get(target, name)),
  });
  Wall.prototype.constructor = Virtual;
  window.Date = Virtual;

  /* Intl asks the machine's clock when it is given no date. */
  for (const name of ["format", "formatToParts"]) {
    const own = Object.getOwnPropertyDescriptor(Intl.DateTimeFormat.prototype, name);
    if (name === "formatToParts") {
      Intl.DateTimeFormat.prototype[name] = function (date = now()) {
        return own.value.call(this, date);
      };
    } else {
      Object.defineProperty(Intl.DateTimeFormat.prototype, name, {
        ...own,
        get() {
          const bound = own.get.call(this);
          return (date = now()) => bound(date);
        },
      });
    }
  }
})();
