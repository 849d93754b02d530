/** Bounds the work for names of a caller, and keeps what is repeated of them safe in a header. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NAMES_COMPARED_MAX = 300;
const WARNINGS_MAX = 3;

/** What spellings of a name have in common, apart from case, underscores and hyphens. */
const plain = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/** The declared name that `given` spells in another way; undefined when it is declared, or like none of them. */
export function findIntendedName(given: string, declared: readonly string[]): string | undefined {
  if (declared.includes(given) || !NAME.test(given)) return undefined;
  const meant = plain(given);
  return declared.find((name) => NAME.test(name) && plain(name) === meant);
}

/** The names of an object's members; none of anything else. */
export const memberNames = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

/**
 * Adds a warning for each of the first names that is a declared one in another spelling.
 *
 * @param warnings of the request; they become the response header `x-warning`
 * @param place for example `body`
 */
export function warnAboutMisspellings(
  warnings: Set<string>,
  given: Iterable<string>,
  declared: readonly string[],
  place: string,
): void {
  let compared = 0;
  for (const name of given) {
    if (warnings.size >= WARNINGS_MAX || ++compared > NAMES_COMPARED_MAX) return;
    const meant = findIntendedName(name, declared);
    if (meant !== undefined) warnings.add(`${place}.${name}: did you mean ${meant}?`);
  }
}
