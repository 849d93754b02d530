const HEADER_CHARACTERS_MAX = 500;

/**
 * Returns the available language that the client prefers most.
 *
 * @param acceptLanguage the request header (RFC 9110, 12.5.4); malformed parts are ignored
 * @param fallbacks languages that are tried in order if the client accepts none of the available ones
 * @returns undefined if no accepted language and no fallback is available
 */
export function negotiateLanguage(
  acceptLanguage: string | undefined,
  available: readonly string[],
  fallbacks: readonly string[],
): string | undefined {
  const wanted = (acceptLanguage ?? '')
    .slice(0, HEADER_CHARACTERS_MAX)
    .split(',')
    .map(rangeOf)
    .filter(({ weight }) => weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ range }) => range);
  for (const range of [...wanted, ...fallbacks]) {
    const found = available.find((tag) => isSame(tag, range)) ?? available.find((tag) => isSame(tag, primary(range)));
    if (found !== undefined) return found;
  }
  return undefined;
}

function rangeOf(part: string): { range: string; weight: number } {
  const [range = '', ...parameters] = part.split(';').map((text) => text.trim());
  const weight = Number(parameters.find((parameter) => /^q=/i.test(parameter))?.slice(2) ?? 1);
  return { range, weight: Number.isFinite(weight) ? weight : 0 };
}

const primary = (range: string): string => range.split('-')[0] ?? '';

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
