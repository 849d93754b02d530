import { AUTHORITATIVE_ANSWER, decode, encode, type StringAnswer, type TxtAnswer } from 'dns-packet';
import type { DnsRecord } from './records.ts';

const TTL_SECONDS = 0;
const NXDOMAIN = 3;
const NOT_IMPLEMENTED = 4;
const QUERY = 0;
/** So many CNAME records in a row are followed. */
const ALIASES_MAX = 8;
/** RFC 1035: a character-string of a TXT record. */
const TXT_CHUNK = /.{1,255}/gs;

/** The answer to a packet, as an authoritative server gives it; undefined to one that is no question. */
export function resolveDnsQuery(packet: Buffer, records: readonly DnsRecord[]): Buffer | undefined {
  const query = decodedQuery(packet);
  const [question, ...more] = query?.questions ?? [];
  if (query?.type !== 'query' || question === undefined) return undefined;
  const { id = 0, flags = 0 } = query;
  const reply = { type: 'response' as const, id, questions: [question] };
  if (more.length > 0 || opcodeIn(flags) !== QUERY) return encode({ ...reply, flags: NOT_IMPLEMENTED });
  const { answers, known } = found(question.name.toLowerCase(), question.type, records);
  return encode({ ...reply, flags: AUTHORITATIVE_ANSWER | (known ? 0 : NXDOMAIN), answers });
}

const opcodeIn = (flags: number) => (flags >> 11) & 0xf;

function decodedQuery(packet: Buffer) {
  try {
    return decode(packet);
  } catch {
    return undefined;
  }
}

/** `known`: whether the last name on the way has records of any type. */
function found(name: string, type: string, records: readonly DnsRecord[]) {
  const answers: (TxtAnswer | StringAnswer)[] = [];
  let at = name;
  for (let aliases = 0; aliases < ALIASES_MAX; aliases += 1) {
    const here = records.filter((one) => one.name === at);
    const fitting = here.filter((one) => one.type === type || type === 'ANY');
    answers.push(...fitting.map(answerOf));
    const alias = here.find((one) => one.type === 'CNAME');
    if (fitting.length > 0 || alias === undefined) return { answers, known: here.length > 0 || aliases > 0 };
    answers.push(answerOf(alias));
    at = alias.value;
  }
  return { answers, known: true };
}

function answerOf({ name, type, value }: DnsRecord): TxtAnswer | StringAnswer {
  const common = { name, ttl: TTL_SECONDS, class: 'IN' as const };
  if (type === 'CNAME') return { ...common, type, data: value };
  return { ...common, type, data: value.match(TXT_CHUNK) ?? [''] };
}
