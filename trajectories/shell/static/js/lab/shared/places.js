/* The places of steps in the timeline, counted from 0. Each step has a place of its own, and so does each range of step
   numbers that were never recorded. */

/**
 * @typedef {{ first: number, last: number, place: number }} MissingRange
 *
 * @typedef {object} Places
 * @property {number} count
 * @property {(index: number) => MissingRange | null} rangeOf
 * @property {(index: number) => number} placeOf
 * @property {(place: number) => number} indexAt
 */

/* `rangeText` lists the missing ranges in order, as in "4-9999 10002-10002"; `last` is the highest step number. */
/** @type {(rangeText: string, last: number) => Places} */
export const placesOf = (rangeText, last) => {
  let shared = 0;
  const missing = rangeText.match(/\d+-\d+/g)?.map((pair) => {
    const [first, end] = pair.split("-").map(Number);
    const range = { first, last: end, place: first - 1 - shared };
    shared += end - first;
    return range;
  });
  /** @type {(name: "first" | "place", most: number) => MissingRange | undefined} */
  const rangeUpTo = (name, most) => missing?.findLast((range) => range[name] <= most);

  return Object.freeze({
    count: last - shared,
    rangeOf: (index) => {
      const range = rangeUpTo("first", index);
      return range && index <= range.last ? range : null;
    },
    placeOf: (index) => {
      const range = rangeUpTo("first", index);
      if (!range) return index - 1;
      return range.place + Math.max(0, index - range.last);
    },
    indexAt: (place) => {
      const range = rangeUpTo("place", place);
      if (!range) return place + 1;
      return place === range.place ? range.first : range.last + place - range.place;
    },
  });
};
