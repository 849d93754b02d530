/**
 * Only names that match this expression are compared. The maximum length bounds the work. The allowed characters are
 * safe in the response header `x-warning`.
 */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
const NAMES_COMPARED_MAX = 300;
const WARNINGS_MAX = 3;

/** Removes the differences between `lead_id`, `lead-id` and `leadId`. */
const normalizeName = (name: string): string => name.replace(/[_-]/g, '').toLowerCase();

/**
 * If `given` is another spelling of a declared name, returns the declared name. Otherwise, or if `given` is declared
 * itself, returns undefined.
 */
export function findIntendedName(given: string, declared: readonly string[]): string | undefined {
  if (declared.includes(given) || !NAME.test(given)) return undefined;
  const normalized = normalizeName(given);
  return declared.find((name) => NAME.test(name) && normalizeName(name) === normalized);
}

export const propertyNames = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

/**
 * Adds a warning for each name that spells a declared name differently, up to three warnings per request. Compares the
 * first 300 names.
 *
 * @param warnings the warnings of the request, which become the response header `x-warning`
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
