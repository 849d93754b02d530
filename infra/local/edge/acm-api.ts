import * as z from 'zod/mini';
import type { Answer, Asked } from '../mailbox/answer.ts';
import { parsedJson } from '../parsed-json.ts';
import { dropCertificate, type World } from './state.ts';
import { certificateState } from './tenants.ts';

const TARGET = /^CertificateManager\.(\w+)$/;
const ARN = /^arn:[\w+=/,.@-]+:acm:[\w+=/,.@-]*:[0-9]+:[\w+=,.@-]+(?:\/[\w+=,.@-]+)*$/;

const DeleteCertificate = z.object({ CertificateArn: z.string().check(z.minLength(20), z.maxLength(2_048)) });

/** AWS Certificate Manager as far as the service uses it (JSON 1.1). Undefined: another service's call. */
export function acmOperation({
  method,
  headers,
  body,
}: Asked): { name: string; run(world: World): Answer } | undefined {
  const [, name] = TARGET.exec(String(headers['x-amz-target'] ?? '')) ?? [];
  if (method !== 'POST' || name === undefined) return undefined;
  if (name !== 'DeleteCertificate') {
    return { name, run: () => acmRefused(400, 'UnknownOperationException', 'Only DeleteCertificate is there.') };
  }
  return { name, run: (world) => remove(world, body) };
}

function remove(world: World, body: string): Answer {
  const { data } = DeleteCertificate.safeParse(parsedJson(body));
  if (data === undefined) return acmRefused(400, 'ValidationException', 'The request is not valid.');
  const { CertificateArn: arn } = data;
  if (!ARN.test(arn)) return acmRefused(400, 'InvalidArnException', 'The ARN is not valid.');
  const state = certificateState(world, arn);
  if (state === 'missing') return acmRefused(400, 'ResourceNotFoundException', 'The certificate is not there.');
  if (state === 'in use') return acmRefused(400, 'ResourceInUseException', 'The certificate is in use.');
  dropCertificate(world, arn);
  return answer(200, {});
}

/** An error as ACM writes it. */
export const acmRefused = (status: number, name: string, message: string): Answer =>
  answer(status, { __type: name, message });

const answer = (status: number, body: object): Answer => ({
  status,
  headers: { 'Content-Type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(body),
});
