const EVENT_STREAM = 'text/event-stream';
const PLAIN = 'text/plain';

type Weight = { quality: number; specificity: number };

/**
 * Whether a client wants server-sent events rather than plain text (RFC 9110, 12.5.1): the type of the higher quality,
 * at the same quality the one that is named more precisely, else plain text. A client that wants neither has plain text
 * too, as the RFC allows.
 */
export function acceptsEventStream(accept: string | undefined): boolean {
  if (accept === undefined) return false;
  const ranges = accept.toLowerCase().split(',').map(rangeOf);
  const [events, plain] = [weightOf(EVENT_STREAM, ranges), weightOf(PLAIN, ranges)];
  if (events.quality !== plain.quality) return events.quality > plain.quality;
  return events.quality > 0 && events.specificity > plain.specificity;
}

type Range = { type: string; quality: number };

function rangeOf(text: string): Range {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='))?.slice(2);
  return { type, quality: quality === undefined ? 1 : qualityOf(quality) };
}

/** A quality that is not one counts as the least: nobody asked for it clearly. */
const qualityOf = (text: string): number => (/^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0);

/** Of the ranges that a type falls in, the most specific one counts. */
function weightOf(type: string, ranges: readonly Range[]): Weight {
  const specific = ['*/*', 'text/*', type];
  let weight: Weight = { quality: 0, specificity: -1 };
  for (const range of ranges) {
    const specificity = specific.indexOf(range.type);
    if (specificity > weight.specificity) weight = { quality: range.quality, specificity };
  }
  return weight;
}
