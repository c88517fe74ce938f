/* Where steps stand in the timeline. Each has a place of its own, counted from 0, and each stretch of step numbers that
   were never recorded has one. */

/**
 * @typedef {{ first: number, last: number, place: number }} Gap
 *
 * @typedef {object} Places
 * @property {number} count
 * @property {(index: number) => Gap | null} gapOf
 * @property {(index: number) => number} placeOf
 * @property {(place: number) => number} indexAt
 */

/* `gapText` lists the stretches in order, as in "4-9999 10002-10002", and `last` is the highest step number. */
/** @type {(gapText: string, last: number) => Places} */
export const placesOf = (gapText, last) => {
  let shared = 0;
  const gaps = gapText.match(/\d+-\d+/g)?.map((pair) => {
    const [first, end] = pair.split("-").map(Number);
    const gap = { first, last: end, place: first - 1 - shared };
    shared += end - first;
    return gap;
  });
  /** @type {(name: "first" | "place", most: number) => Gap | undefined} */
  const gapUpTo = (name, most) => gaps?.findLast((gap) => gap[name] <= most);

  return Object.freeze({
    count: last - shared,
    gapOf: (index) => {
      const gap = gapUpTo("first", index);
      return gap && index <= gap.last ? gap : null;
    },
    placeOf: (index) => {
      const gap = gapUpTo("first", index);
      if (!gap) return index - 1;
      return gap.place + Math.max(0, index - gap.last);
    },
    indexAt: (place) => {
      const gap = gapUpTo("place", place);
      if (!gap) return place + 1;
      return place === gap.place ? gap.first : gap.last + place - gap.place;
    },
  });
};
