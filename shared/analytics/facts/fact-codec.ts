import { deflateSync, inflateSync } from 'node:zlib';
import { ByteReader, ByteWriter } from './bytes.ts';
import { FACT_DIMENSIONS, type Fact } from './fact.ts';

/** The first byte of encoded facts. A new layout needs a new version, and all versions must stay readable. */
const VERSION = 1;
/**
 * Limits the memory for inflating damaged or hostile bytes. The facts of one item need about a hundredth of this limit.
 */
const INFLATED_BYTES_MAX = 64 * 1024 * 1024;

const KEY_BYTES = 8;
const STARTED = 1;
const COMPLETED = 2;

/**
 * Encodes facts as deflated columns. A fact takes about 20 bytes: dimensions, steps and `clientTimeMs - firstTimeMs`
 * repeat, so they deflate to almost nothing. The facts must belong to different sessions. The bytes do not depend on
 * the order of the facts. Texts must be well-formed Unicode, and numbers must be integers within ±2^51.
 */
export function encodeFacts(facts: readonly Fact[]): Uint8Array {
  const sorted = facts.toSorted((a, b) => a.firstTimeMs - b.firstTimeMs || (a.sessionKey < b.sessionKey ? -1 : 1));
  const columns = new ByteWriter();
  columns.unsigned(sorted.length);
  for (const { sessionKey } of sorted) columns.int64(sessionKey);
  let before = 0;
  for (const { firstTimeMs: timeMs } of sorted) {
    columns.signed(timeMs - before);
    before = timeMs;
  }
  for (const { clientTimeMs, firstTimeMs: timeMs } of sorted) columns.signed(clientTimeMs - timeMs);
  for (const { stepIndex } of sorted) columns.unsigned(stepIndex === null ? 0 : 1);
  for (const { stepIndex } of sorted) if (stepIndex !== null) columns.signed(stepIndex);
  for (const name of FACT_DIMENSIONS) writeTexts(columns, sorted, name);
  for (const { started, completed } of sorted) columns.unsigned((started ? STARTED : 0) | (completed ? COMPLETED : 0));
  return Buffer.concat([Buffer.of(VERSION), deflateSync(columns.bytes())]);
}

/**
 * Decodes the output of `encodeFacts`, ordered by first time.
 *
 * @param name names the facts in the error message
 * @throws Error when the bytes are truncated, damaged or of an unknown version
 */
export function decodeFacts(bytes: Uint8Array, name = 'These facts'): Fact[] {
  if (bytes[0] !== VERSION) throw new Error(`${name} have the unknown format version ${bytes[0] ?? 'none'}.`);
  try {
    const columns = new ByteReader(inflateSync(bytes.subarray(1), { maxOutputLength: INFLATED_BYTES_MAX }));
    const facts = readFacts(columns);
    columns.end();
    return facts;
  } catch (cause) {
    throw new Error(`${name} are damaged: their bytes cannot be decoded.`, { cause });
  }
}

const BLANK: Fact = {
  sessionKey: 0n,
  firstTimeMs: 0,
  clientTimeMs: 0,
  stepIndex: null,
  referrer: '',
  utmSource: '',
  utmMedium: '',
  utmCampaign: '',
  utmTerm: '',
  utmContent: '',
  deviceType: '',
  browser: '',
  os: '',
  started: false,
  completed: false,
};

function readFacts(columns: ByteReader): Fact[] {
  const count = columns.unsigned();
  columns.expect(count * KEY_BYTES);
  const facts = Array.from({ length: count }, () => ({ ...BLANK, sessionKey: columns.int64() }));
  let timeMs = 0;
  for (const fact of facts) {
    timeMs += columns.signed();
    fact.firstTimeMs = timeMs;
  }
  for (const fact of facts) fact.clientTimeMs = fact.firstTimeMs + columns.signed();
  for (const fact of facts) fact.stepIndex = columns.unsigned() === 0 ? null : 0;
  for (const fact of facts) if (fact.stepIndex !== null) fact.stepIndex = columns.signed();
  for (const name of FACT_DIMENSIONS) readTexts(columns, facts, name);
  for (const fact of facts) {
    const flags = columns.unsigned();
    fact.started = (flags & STARTED) !== 0;
    fact.completed = (flags & COMPLETED) !== 0;
  }
  return facts;
}

/** Writes a column of texts: a dictionary of the distinct texts, then for each fact the index of its text. */
function writeTexts(columns: ByteWriter, facts: readonly Fact[], name: (typeof FACT_DIMENSIONS)[number]): void {
  const numbers = new Map<string, number>();
  for (const fact of facts) if (!numbers.has(fact[name])) numbers.set(fact[name], numbers.size);
  columns.unsigned(numbers.size);
  for (const text of numbers.keys()) columns.text(text);
  for (const fact of facts) columns.unsigned(numbers.get(fact[name]) ?? 0);
}

function readTexts(columns: ByteReader, facts: readonly Fact[], name: (typeof FACT_DIMENSIONS)[number]): void {
  const count = columns.unsigned();
  columns.expect(count);
  const texts = Array.from({ length: count }, () => columns.text());
  for (const fact of facts) {
    const index = columns.unsigned();
    const text = texts[index];
    if (text === undefined)
      throw new RangeError(`A fact refers to the text ${index} of ${name}, but only ${count} texts are stored.`);
    fact[name] = text;
  }
}
