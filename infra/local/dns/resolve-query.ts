import { AUTHORITATIVE_ANSWER, decode, encode, type StringAnswer, type TxtAnswer } from 'dns-packet';
import type { DnsRecord } from './records.ts';

const TTL_SECONDS = 0;
const NXDOMAIN = 3;
const NOT_IMPLEMENTED = 4;
const OPCODE_QUERY = 0;
/** Maximum number of CNAME records in a response. If a chain is longer, the response contains only its beginning. */
const ALIASES_MAX = 8;
/** Splits a value into the character strings of a TXT record, which have at most 255 bytes (RFC 1035). */
const TXT_CHUNK = /.{1,255}/gs;

/** Responds to a query as an authoritative server does. Returns undefined if the packet is not a query. */
export function resolveDnsQuery(packet: Buffer, records: readonly DnsRecord[]): Buffer | undefined {
  const query = tryDecode(packet);
  const [question, ...more] = query?.questions ?? [];
  if (query?.type !== 'query' || question === undefined) return undefined;
  const { id = 0, flags = 0 } = query;
  const response = { type: 'response' as const, id, questions: [question] };
  if (more.length > 0 || getOpcode(flags) !== OPCODE_QUERY) return encode({ ...response, flags: NOT_IMPLEMENTED });
  const { answers, nameExists } = resolveName(question.name.toLowerCase(), question.type, records);
  return encode({ ...response, flags: AUTHORITATIVE_ANSWER | (nameExists ? 0 : NXDOMAIN), answers });
}

const getOpcode = (flags: number) => (flags >> 11) & 0xf;

function tryDecode(packet: Buffer) {
  try {
    return decode(packet);
  } catch {
    return undefined;
  }
}

/** Finds the records of a name, and follows CNAME records. `nameExists` is false if the name has no record. */
function resolveName(name: string, type: string, records: readonly DnsRecord[]) {
  const answers: (TxtAnswer | StringAnswer)[] = [];
  let currentName = name;
  for (let aliases = 0; aliases < ALIASES_MAX; aliases += 1) {
    const ofName = records.filter((record) => record.name === currentName);
    const ofType = ofName.filter((record) => record.type === type || type === 'ANY');
    answers.push(...ofType.map(toAnswer));
    const alias = ofName.find((record) => record.type === 'CNAME');
    if (ofType.length > 0 || alias === undefined) return { answers, nameExists: ofName.length > 0 || aliases > 0 };
    answers.push(toAnswer(alias));
    currentName = alias.value;
  }
  return { answers, nameExists: true };
}

function toAnswer({ name, type, value }: DnsRecord): TxtAnswer | StringAnswer {
  const common = { name, ttl: TTL_SECONDS, class: 'IN' as const };
  if (type === 'CNAME') return { ...common, type, data: value };
  return { ...common, type, data: value.match(TXT_CHUNK) ?? [''] };
}
