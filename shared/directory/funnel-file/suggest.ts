/** A longer word is no typo of a shorter one. */
const WORD_CHARACTERS_MAX = 128;
/** So many known words are compared, however many a file has. */
const KNOWN_MAX = 500;

/** `; did you mean "email"?` where one of the known words is near, else nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const near = word.length > WORD_CHARACTERS_MAX ? undefined : nearest(plain(word), known);
  return near === undefined ? '' : `; did you mean "${near}"?`;
}

/** The known word that a person most likely meant: at most a third of its letters differ. */
function nearest(word: string, known: Iterable<string>): string | undefined {
  let found: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const one of [...known].slice(0, KNOWN_MAX)) {
    if (one.length > WORD_CHARACTERS_MAX) continue;
    const edits = distance(word, plain(one));
    if (edits < least && edits <= Math.floor(one.length / 3)) [found, least] = [one, edits];
  }
  return found;
}

/** `max_bytes`, `maxbytes` and `maxBytes` are one word to whoever wrote them. */
const plain = (word: string): string => word.toLowerCase().replace(/[\s_-]/g, '');

/** Least insertions, deletions, replacements and swaps of neighbours (optimal string alignment). */
function distance(one: string, other: string): number {
  let [before, last]: [number[], number[]] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let at = 1; at <= other.length; at++) {
      const same = one[row - 1] === other[at - 1] ? 0 : 1;
      const swapped = row > 1 && at > 1 && one[row - 1] === other[at - 2] && one[row - 2] === other[at - 1];
      const edits = [(last[at] ?? 0) + 1, (next[at - 1] ?? 0) + 1, (last[at - 1] ?? 0) + same];
      next.push(Math.min(...edits, swapped ? (before[at - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}
