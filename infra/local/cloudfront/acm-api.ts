import * as z from 'zod/mini';
import { tryParseJson } from '../../common/parse-json.ts';
import { jsonResponse, type StandInRequest, type StandInResponse } from '../common/stand-in-http.ts';
import { type EdgeState, removeCertificate } from './state.ts';
import { certificateUsage } from './tenants.ts';

const JSON_TYPE = 'application/x-amz-json-1.1';
const TARGET = /^CertificateManager\.(\w+)$/;
const ARN = /^arn:[\w+=/,.@-]+:acm:[\w+=/,.@-]*:[0-9]+:[\w+=,.@-]+(?:\/[\w+=,.@-]+)*$/;

const DeleteCertificate = z.object({ CertificateArn: z.string().check(z.minLength(20), z.maxLength(2_048)) });

/** Returns the operation of a request to ACM (AWS JSON 1.1). Returns undefined for other requests. */
export function matchAcmOperation({
  method,
  headers,
  body,
}: StandInRequest): { name: string; run(state: EdgeState): StandInResponse } | undefined {
  const [, name] = TARGET.exec(String(headers['x-amz-target'] ?? '')) ?? [];
  if (method !== 'POST' || name === undefined) return undefined;
  if (name !== 'DeleteCertificate') {
    return {
      name,
      run: () => acmErrorResponse(400, 'UnknownOperationException', 'Only DeleteCertificate is supported.'),
    };
  }
  return { name, run: (state) => deleteCertificate(state, body) };
}

function deleteCertificate(state: EdgeState, body: string): StandInResponse {
  const { data } = DeleteCertificate.safeParse(tryParseJson(body));
  if (data === undefined) return acmErrorResponse(400, 'ValidationException', 'CertificateArn is missing or invalid.');
  const { CertificateArn: arn } = data;
  if (!ARN.test(arn)) return acmErrorResponse(400, 'InvalidArnException', 'CertificateArn must be an ARN of ACM.');
  const usage = certificateUsage(state, arn);
  if (usage === 'missing') return acmErrorResponse(400, 'ResourceNotFoundException', 'The certificate does not exist.');
  if (usage === 'in use') return acmErrorResponse(400, 'ResourceInUseException', 'The certificate is in use.');
  removeCertificate(state, arn);
  return jsonResponse(200, {}, JSON_TYPE);
}

export const acmErrorResponse = (status: number, name: string, message: string): StandInResponse =>
  jsonResponse(status, { __type: name, message }, JSON_TYPE);
