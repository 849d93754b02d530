/**
 * Replaces characters of the Unicode categories C (such as control characters) and Z (separators) with single spaces,
 * because a line break could inject a mail header. Shortens the text to `charactersMax` characters.
 */
export function oneLine(text: string, charactersMax: number): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  return Array.from(line).slice(0, charactersMax).join('').trim();
}
