const EVENT_STREAM = 'text/event-stream';
const PLAIN = 'text/plain';

/**
 * Whether the client prefers server-sent events to plain text (RFC 9110, 12.5.1). The type with the higher quality
 * wins. At equal quality, the type that the header names more specifically wins. In all other cases, the client gets
 * plain text. The RFC allows plain text even if the client accepts neither type.
 */
export function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.toLowerCase().split(',').map(parseMediaRange);
  const [events, plain] = [preferenceFor(EVENT_STREAM, ranges), preferenceFor(PLAIN, ranges)];
  if (events.quality !== plain.quality) return events.quality > plain.quality;
  return events.quality > 0 && events.specificity > plain.specificity;
}

type MediaRange = { type: string; quality: number };
type Preference = { quality: number; specificity: number };

function parseMediaRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : parseQuality(quality) };
}

/** Returns 0 for a malformed quality, because the client did not clearly ask for the type. */
const parseQuality = (text: string): number => (/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0);

/** Returns quality and specificity of the most specific range that contains the type. */
function preferenceFor(type: string, ranges: readonly MediaRange[]): Preference {
  const bySpecificity = ['*/*', 'text/*', type];
  let preference: Preference = { quality: 0, specificity: -1 };
  for (const range of ranges) {
    const specificity = bySpecificity.indexOf(range.type);
    if (specificity > preference.specificity) preference = { quality: range.quality, specificity };
  }
  return preference;
}
