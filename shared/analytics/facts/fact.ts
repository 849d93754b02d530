/**
 * What is known about one session from some of its events: the order key and the dimensions of the first event, and
 * whether the session started and completed. The order key is `firstTimeMs`, `clientTimeMs` and `stepIndex`, compared
 * in this order. All analytics count merged facts. ADR 0001.
 */
export type Fact = {
  /** First 8 bytes of SHA-256(funnelId, 0, sessionId) as a signed big-endian integer. */
  sessionKey: bigint;
  /**
   * `EventRow.time_ms` of the first event: the time of the event in milliseconds since the epoch, at most 5 minutes
   * after the event arrived.
   */
  firstTimeMs: number;
  /** Time of the first event by the client's clock, milliseconds since the epoch. */
  clientTimeMs: number;
  stepIndex: number | null;
  /** Host without `www.`, or `direct`. */
  referrer: string;
  utmSource: string;
  utmMedium: string;
  utmCampaign: string;
  utmTerm: string;
  utmContent: string;
  deviceType: string;
  browser: string;
  os: string;
  started: boolean;
  completed: boolean;
};

/** The dimensions of the first event. If order keys are equal, the dimensions are compared in this order. */
export const FACT_DIMENSIONS = [
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'utmTerm',
  'utmContent',
  'deviceType',
  'browser',
  'os',
] as const satisfies readonly (keyof Fact)[];

/**
 * Compares the first events of two facts of a session by their order keys, then by their dimensions. Returns a negative
 * number when the first event of `a` is earlier, and 0 only when all compared values are equal. A merge keeps no other
 * values of the first event. Its result therefore never depends on the order in which events arrive.
 */
export function compareFirstEvents(a: Fact, b: Fact): number {
  if (a.firstTimeMs !== b.firstTimeMs) return a.firstTimeMs - b.firstTimeMs;
  if (a.clientTimeMs !== b.clientTimeMs) return a.clientTimeMs - b.clientTimeMs;
  if (a.stepIndex !== b.stepIndex) return absentLast(a.stepIndex, b.stepIndex);
  for (const name of FACT_DIMENSIONS) {
    if (a[name] !== b[name]) return compareUtf8(a[name], b[name]);
  }
  return 0;
}

const absentLast = (a: number | null, b: number | null): number => (a === null ? 1 : b === null ? -1 : a - b);

/**
 * Compares two different texts by their UTF-8 bytes, as databases do. This order is also the order of code points. As
 * the only exception, the empty text is last. The operator `<` is not used, because it compares UTF-16 units, which
 * puts U+1F600 (a surrogate pair) before U+FF01.
 */
export function compareUtf8(a: string, b: string): number {
  if (a === '') return 1;
  if (b === '') return -1;
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const unitA = a.charCodeAt(at);
    const unitB = b.charCodeAt(at);
    if (unitA !== unitB) return utf8Rank(unitA) - utf8Rank(unitB);
  }
  return a.length - b.length;
}

/** Ranks surrogates above the units 0xE000 to 0xFFFF, because surrogates encode the highest code points. */
function utf8Rank(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/**
 * Merges two facts of one session. Idempotent, commutative and associative. If a merge with `b` does not change `a`,
 * returns the object `a` itself, because `queries/dirty-sessions.ts` compares by identity.
 */
export function mergeFacts(a: Fact, b: Fact): Fact {
  const first = compareFirstEvents(a, b) <= 0 ? a : b;
  const started = a.started || b.started;
  const completed = a.completed || b.completed;
  return first.started === started && first.completed === completed ? first : { ...first, started, completed };
}

/** Merges facts of one funnel. Returns one fact per session, by session key. */
export function mergeFactsBySession(facts: Iterable<Fact>): Map<bigint, Fact> {
  const merged = new Map<bigint, Fact>();
  mergeFactsInto(merged, facts);
  return merged;
}

/** Merges facts of one funnel into `merged`, which has one fact per session, by session key. */
export function mergeFactsInto(merged: Map<bigint, Fact>, facts: Iterable<Fact>): void {
  for (const fact of facts) {
    const known = merged.get(fact.sessionKey);
    merged.set(fact.sessionKey, known === undefined ? fact : mergeFacts(known, fact));
  }
}
