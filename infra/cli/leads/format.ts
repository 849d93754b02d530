/** `2026-03-01 12:00` of an instant, UTC. */
export const formatMinute = (at: string): string => at.slice(0, 16).replace('T', ' ');

/** `2026-03-01 12:00:05` of an instant, UTC. */
export const formatSecond = (at: string): string => at.slice(0, 19).replace('T', ' ');

/** A stored value for reading: text without its quotes, anything else as its JSON text. */
export function formatValue(json: string): string {
  const value: unknown = json.startsWith('"') ? JSON.parse(json) : undefined;
  return typeof value === 'string' ? value : json;
}
