import { createHmac, timingSafeEqual } from 'node:crypto';
import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';

/** The fields of a posted form before its file, with names in lower case. */
export type PostFields = ReadonlyMap<string, string>;

const Condition = z.union([
  z.record(z.string(), z.string()),
  z.tuple([z.enum(['eq', 'starts-with']), z.string(), z.string()]),
  z.tuple([z.literal('content-length-range'), z.int(), z.int()]),
]);
const Policy = z.object({ expiration: z.string(), conditions: z.array(Condition) });

/** Fields that need no condition ("POST Policy" in the S3 API reference). */
const UNCHECKED_FIELDS = /^(?:policy|x-amz-signature|file|x-ignore-.*)$/;

type ValidationResult = { violation: string } | { bytesMin: number; bytesMax: number };

/**
 * Validates a form as S3 does. The policy must be signed with the account's key and must not have expired. All its
 * conditions must be satisfied. Every field must have a condition, except `UNCHECKED_FIELDS`.
 *
 * @returns the first violation, or the allowed size of the file
 */
export function validatePostPolicy(fields: PostFields, secretAccessKey: string, nowMs: number): ValidationResult {
  const encoded = fields.get('policy');
  if (encoded === undefined || !isSignatureValid(fields, encoded, secretAccessKey)) {
    return { violation: 'the signature is invalid' };
  }
  const parsed = Policy.safeParse(tryParseJson(Buffer.from(encoded, 'base64').toString()));
  if (!parsed.success) return { violation: 'the policy is malformed' };
  const { expiration, conditions } = parsed.data;
  if (!(Date.parse(expiration) > nowMs)) return { violation: 'the policy has expired' };
  const range = { bytesMin: 0, bytesMax: Number.MAX_SAFE_INTEGER };
  const checkedFields = new Set<string>();
  for (const condition of conditions) {
    if (Array.isArray(condition) && condition[0] === 'content-length-range') {
      [, range.bytesMin, range.bytesMax] = condition;
      continue;
    }
    for (const [name, isSatisfied] of toFieldChecks(condition)) {
      checkedFields.add(name);
      if (!isSatisfied(fields.get(name) ?? '')) return { violation: `the condition on ${name} is not satisfied` };
    }
  }
  const extra = [...fields.keys()].find((name) => !checkedFields.has(name) && !UNCHECKED_FIELDS.test(name));
  return extra === undefined ? range : { violation: `the field ${extra} has no condition` };
}

type FieldCheck = [name: string, isSatisfied: (value: string) => boolean];

function toFieldChecks(condition: z.infer<typeof Condition>): FieldCheck[] {
  if (!Array.isArray(condition)) {
    return Object.entries(condition).map(([name, expected]) => [name.toLowerCase(), (value) => value === expected]);
  }
  const [operator, field, expected] = condition;
  const name = String(field).replace(/^\$/, '').toLowerCase();
  return [[name, (value) => (operator === 'eq' ? value === expected : value.startsWith(String(expected)))]];
}

function isSignatureValid(fields: PostFields, policy: string, secretAccessKey: string): boolean {
  const [, date = '', region = '', service = ''] = (fields.get('x-amz-credential') ?? '').split('/');
  const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();
  const dateKey = hmac(`AWS4${secretAccessKey}`, date);
  const signingKey = hmac(hmac(hmac(dateKey, region), service), 'aws4_request');
  const signature = Buffer.from(fields.get('x-amz-signature') ?? '', 'hex');
  const expected = hmac(signingKey, policy);
  return signature.length === expected.length && timingSafeEqual(signature, expected);
}
