import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';

/** The fields of a browser's POST to S3 before its file, by name in lower case. */
export type PostFields = ReadonlyMap<string, string>;

const Condition = z.union([
  z.record(z.string(), z.string()),
  z.tuple([z.enum(['eq', 'starts-with']), z.string(), z.string()]),
  z.tuple([z.literal('content-length-range'), z.int(), z.int()]),
]);
const Policy = z.object({ expiration: z.string(), conditions: z.array(Condition) });

/** Fields that a policy need not name ("POST Policy" in S3's API reference). */
const UNCHECKED = /^(?:policy|x-amz-signature|file|x-ignore-.*)$/;

type Verdict = { fault: string } | { bytesMin: number; bytesMax: number };

/**
 * Judges a POST as S3 does: its policy is signed with the account's key, has not expired, and every field is as a
 * condition says.
 *
 * @returns what S3 would refuse it for, or how large the file may be
 */
export function validatePostPolicy(fields: PostFields, secretAccessKey: string, nowMs: number): Verdict {
  const encoded = fields.get('policy');
  if (encoded === undefined || !isSigned(fields, encoded, secretAccessKey)) return { fault: 'the signature' };
  const read = Policy.safeParse(tryParseJson(Buffer.from(encoded, 'base64').toString()));
  if (!read.success) return { fault: 'the policy' };
  const { expiration, conditions } = read.data;
  if (!(Date.parse(expiration) > nowMs)) return { fault: 'the policy has expired' };
  const range = { bytesMin: 0, bytesMax: Number.MAX_SAFE_INTEGER };
  const named = new Set<string>();
  for (const condition of conditions) {
    if (Array.isArray(condition) && condition[0] === 'content-length-range') {
      [, range.bytesMin, range.bytesMax] = condition;
      continue;
    }
    for (const [name, holds] of matches(condition)) {
      named.add(name);
      if (!holds(fields.get(name) ?? '')) return { fault: `the condition on ${name}` };
    }
  }
  const extra = [...fields.keys()].find((name) => !named.has(name) && !UNCHECKED.test(name));
  return extra === undefined ? range : { fault: `the extra field ${extra}` };
}

type Match = [name: string, holds: (value: string) => boolean];

function matches(condition: z.infer<typeof Condition>): Match[] {
  if (!Array.isArray(condition)) {
    return Object.entries(condition).map(([name, wanted]) => [name.toLowerCase(), (value) => value === wanted]);
  }
  const [how, field, wanted] = condition;
  const name = String(field).replace(/^\$/, '').toLowerCase();
  return [[name, (value) => (how === 'eq' ? value === wanted : value.startsWith(String(wanted)))]];
}

function isSigned(fields: PostFields, policy: string, secretAccessKey: string): boolean {
  const [, date = '', region = '', service = ''] = (fields.get('x-amz-credential') ?? '').split('/');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const dated = hmac(`AWS4${secretAccessKey}`, date);
  const key = hmac(hmac(hmac(dated, region), service), 'aws4_request');
  const given = Buffer.from(fields.get('x-amz-signature') ?? '', 'hex');
  const expected = hmac(key, policy);
  return given.length === expected.length && timingSafeEqual(given, expected);
}
