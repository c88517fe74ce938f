/* Makes the page's clock the episode's: Date begins at <html data-now> and runs on from there, in the time zone of
   <html data-zone> and the language of <html data-locale>, whatever the browser's own are. */

/** @typedef {(this: any, locales?: Intl.LocalesArgument, options?: object) => string} Localized */

/** @type {(start: number, zone: string, locale: string) => void} */
const keepTime = (start, zone, locale) => {
  const Wall = Date;
  const loaded = performance.now();
  const now = () => start + Math.floor(performance.now() - loaded);
  /** @type {any} */
  const methods = Wall.prototype;
  /** @param {Intl.LocalesArgument} locales */
  const isNone = (locales) => locales === undefined || (Array.isArray(locales) && !locales.length);
  /** @param {Intl.LocalesArgument} locales */
  const spoken = (locales) => (isNone(locales) ? locale : locales);
  /** @param {Intl.DateTimeFormatOptions} [options] */
  const inZone = (options) => ({ ...options, timeZone: options?.timeZone ?? zone });

  /* Conversions between a moment, in milliseconds, and the moment at which UTC clocks show the same time as the zone's
     clocks do. In an hour that occurs twice the first one is meant; a skipped hour is read as before the change. */
  const FARTHEST = 8.64e15;
  const DAY = 86400000;
  const shifts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" });
  const named = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "long" });
  /** @type {(format: Intl.DateTimeFormat, time: number) => string} */
  const zoneName = (format, time) =>
    format.formatToParts(time).find((part) => part.type === "timeZoneName").value;
  /** @type {(time: number) => number} */
  const shift = (time) => {
    if (!(Math.abs(time) <= FARTHEST)) return NaN;
    const [, sign, ...parts] = /([+-])(\d\d):(\d\d)(?::(\d\d))?/.exec(zoneName(shifts, time)) ?? ["", "+"];
    const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
    return Number(`${sign}1`) * (hours * 3600 + minutes * 60 + seconds) * 1000;
  };
  /** @param {Date | number} time */
  const local = (time) => new Wall(Number(time) + shift(Number(time)));
  /** @param {number} shown */
  const moment = (shown) => {
    const [before, after] = [shift(shown - DAY), shift(shown + DAY)];
    const isAfter = shift(shown - before) !== before && shift(shown - after) === after;
    return shown - (isAfter ? after : before);
  };

  /* A text without a zone is in the page's zone, except a date in digits, which is in UTC. */
  const IN_UTC = /^[+-]?\d{4,6}(?:-\d\d){0,2}$/;
  const HAS_ZONE = /(?:Z|UT|UTC|GMT|[ECMP][SD]T|[+-]\d\d:?\d\d)\s*(?:\(.*\))?\s*$/i;
  /** @param {unknown} given */
  const parse = (given) => {
    const text = String(given);
    if (IN_UTC.test(text) || HAS_ZONE.test(text)) return Wall.parse(text);
    return moment(Wall.parse(/\dT\d/.test(text) ? `${text}Z` : `${text} UTC`));
  };

  /** @param {any} given */
  const read = (given) => {
    if (!given.length) return [now()];
    if (given.length > 1) return [moment(Wall.UTC(.../** @type {[number, number]} */ (given)))];
    return typeof given[0] === "string" ? [parse(given[0])] : given;
  };
  const Virtual = new Proxy(Wall, {
    construct: (target, given, made) => Reflect.construct(target, read(given), made),
    apply: () => new Wall(now()).toString(),
    get: (target, name) => /** @type {any} */ ({ now, parse })[name] ?? Reflect.get(target, name),
  });
  methods.constructor = Virtual;
  window.Date = Virtual;

  /** @type {(target: object, name: string, value: Function) => void} */
  const put = (target, name, value) =>
    Object.defineProperty(target, name, { value, writable: true, configurable: true });
  for (const part of ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds", "Milliseconds"]) {
    put(methods, `get${part}`, /** @this {Date} */ function () {
      return /** @type {any} */ (local(this.getTime()))[`getUTC${part}`]();
    });
    if (part === "Day") continue;
    put(methods, `set${part}`, /** @type {(this: Date, ...given: number[]) => number} */ function (...given) {
      /** @type {any} */
      const shown = local(this.getTime());
      shown[`setUTC${part}`](...given);
      return this.setTime(moment(shown.getTime()));
    });
  }
  put(methods, "getTimezoneOffset", /** @this {Date} */ function () {
    return 0 - shift(this.getTime()) / 60000;
  });

  /** @type {(write: (day: string, time: string) => string) => (this: Date) => string} */
  const asText = (write) =>
    function () {
      const time = this.getTime();
      if (Number.isNaN(time)) return "Invalid Date";
      const [, weekday, day, month, year, clock] = /(\w+), (\d+) (\w+) (\S+) (\S+)/.exec(local(time).toUTCString());
      const offset = Math.abs(shift(time)) / 60000;
      const figures = [offset / 60, offset % 60].map((part) => String(Math.floor(part)).padStart(2, "0")).join("");
      const sign = shift(time) < 0 ? "-" : "+";
      return write(`${weekday} ${month} ${day} ${year}`, `${clock} GMT${sign}${figures} (${zoneName(named, time)})`);
    };
  put(methods, "toDateString", asText((day) => day));
  put(methods, "toTimeString", asText((day, time) => time));
  put(methods, "toString", asText((day, time) => `${day} ${time}`));
  for (const name of ["toLocaleString", "toLocaleDateString", "toLocaleTimeString"]) {
    const own = methods[name];
    put(methods, name, /** @type {Localized} */ function (locales, options) {
      return own.call(this, spoken(locales), inZone(options));
    });
  }
  const ownNumber = Number.prototype.toLocaleString;
  put(Number.prototype, "toLocaleString", /** @type {Localized} */ function (locales, options) {
    return ownNumber.call(this, spoken(locales), options);
  });

  const WRITERS = ["DateTimeFormat", "NumberFormat", "PluralRules", "RelativeTimeFormat", "ListFormat", "Collator"];
  for (const name of WRITERS) {
    const Own = /** @type {any} */ (Intl)[name];
    /** @type {(locales?: Intl.LocalesArgument, options?: any) => [Intl.LocalesArgument, any]} */
    const given = (locales, options) => [
      spoken(locales),
      name === "DateTimeFormat" ? inZone(options) : options,
    ];
    const Defaulted = new Proxy(Own, {
      construct: (target, values, made) => Reflect.construct(target, given(...values), made),
      apply: (target, self, values) => Reflect.apply(target, self, given(...values)),
    });
    put(Own.prototype, "constructor", Defaulted);
    put(Intl, name, Defaulted);
  }

  /* Without a date, Intl would use the machine's clock. */
  const formats = Intl.DateTimeFormat.prototype;
  const ownParts = formats.formatToParts;
  put(formats, "formatToParts", /** @this {Intl.DateTimeFormat} */ function (date = now()) {
    return ownParts.call(this, date);
  });
  const ownFormat = Object.getOwnPropertyDescriptor(formats, "format");
  Object.defineProperty(formats, "format", {
    ...ownFormat,
    get() {
      const bound = ownFormat.get.call(this);
      return (date = now()) => bound(date);
    },
  });
};

const { now: begin, zone, locale } = document.documentElement.dataset;
const start = Date.parse(begin);
if (!Number.isNaN(start)) keepTime(start, zone, locale);
