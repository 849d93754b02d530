import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import type { StandInRequest, StandInResponse } from '../common/stand-in-http.ts';
import { type EdgeState, removeCertificate } from './state.ts';
import { certificateUsage } from './tenants.ts';

const TARGET = /^CertificateManager\.(\w+)$/;
const ARN = /^arn:[\w+=/,.@-]+:acm:[\w+=/,.@-]*:[0-9]+:[\w+=,.@-]+(?:\/[\w+=,.@-]+)*$/;

const DeleteCertificate = z.object({ CertificateArn: z.string().check(z.minLength(20), z.maxLength(2_048)) });

/** AWS Certificate Manager as far as the service uses it (JSON 1.1). Undefined: another service's call. */
export function matchAcmOperation({
  method,
  headers,
  body,
}: StandInRequest): { name: string; run(world: EdgeState): StandInResponse } | undefined {
  const [, name] = TARGET.exec(String(headers['x-amz-target'] ?? '')) ?? [];
  if (method !== 'POST' || name === undefined) return undefined;
  if (name !== 'DeleteCertificate') {
    return { name, run: () => acmErrorResponse(400, 'UnknownOperationException', 'Only DeleteCertificate is there.') };
  }
  return { name, run: (world) => remove(world, body) };
}

function remove(world: EdgeState, body: string): StandInResponse {
  const { data } = DeleteCertificate.safeParse(tryParseJson(body));
  if (data === undefined) return acmErrorResponse(400, 'ValidationException', 'The request is not valid.');
  const { CertificateArn: arn } = data;
  if (!ARN.test(arn)) return acmErrorResponse(400, 'InvalidArnException', 'The ARN is not valid.');
  const state = certificateUsage(world, arn);
  if (state === 'missing') return acmErrorResponse(400, 'ResourceNotFoundException', 'The certificate is not there.');
  if (state === 'in use') return acmErrorResponse(400, 'ResourceInUseException', 'The certificate is in use.');
  removeCertificate(world, arn);
  return answer(200, {});
}

/** An error as ACM writes it. */
export const acmErrorResponse = (status: number, name: string, message: string): StandInResponse =>
  answer(status, { __type: name, message });

const answer = (status: number, body: object): StandInResponse => ({
  status,
  headers: { 'Content-Type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(body),
});
