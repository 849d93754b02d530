/** Bounds the work for names that a client sends, and makes the ones that are repeated in a header safe. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NAMES_COMPARED_MAX = 300;
const WARNINGS_MAX = 3;

/** Removes the differences between `lead_id`, `lead-id` and `leadId`. */
const normalizeName = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/** The declared name that `given` spells differently. Undefined when `given` is declared itself or matches none. */
export function findIntendedName(given: string, declared: readonly string[]): string | undefined {
  if (declared.includes(given) || !NAME.test(given)) return undefined;
  const normalized = normalizeName(given);
  return declared.find((name) => NAME.test(name) && normalizeName(name) === normalized);
}

/** The property names of an object; empty for any other value. */
export const propertyNames = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

/**
 * Adds a warning for each of the first three names that spell a declared name differently.
 *
 * @param warnings of the request; they become the response header `x-warning`
 * @param location where the names are, for example `body`
 */
export function warnAboutMisspellings(
  warnings: Set<string>,
  given: Iterable<string>,
  declared: readonly string[],
  location: string,
): void {
  let compared = 0;
  for (const name of given) {
    if (warnings.size >= WARNINGS_MAX || ++compared > NAMES_COMPARED_MAX) return;
    const intended = findIntendedName(name, declared);
    if (intended !== undefined) warnings.add(`${location}.${name}: did you mean ${intended}?`);
  }
}
