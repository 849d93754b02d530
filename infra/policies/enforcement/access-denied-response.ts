import { randomUUID } from 'node:crypto';
import type { AwsRequest } from '../requests/aws-request.ts';
import { EXTENSION } from '../requests/required-permissions.ts';

export type AccessDeniedResponse = { status: number; headers: Record<string, string>; body: string };

/** What AWS answers to who is not allowed to, in each service's own protocol: functions see what they would deployed. */
export function buildAccessDenied(
  { service, method }: Pick<AwsRequest, 'service' | 'method'>,
  message: string,
): AccessDeniedResponse {
  const shape = SHAPES[service] ?? jsonProtocol;
  const { status, type, body } = shape(message);
  return {
    status,
    headers: {
      'content-type': type,
      'x-amzn-errortype': 'AccessDeniedException',
      'x-amzn-requestid': randomUUID(),
    },
    // What answers a HEAD has no body: S3's clients then know nothing but the status.
    body: method === 'HEAD' ? '' : body,
  };
}

type Shape = (message: string) => { status: number; type: string; body: string };

const JSON_TYPE = 'application/x-amz-json-1.1';
const NAME = 'AccessDeniedException';

/** DynamoDB, Kinesis, ACM, End User Messaging: AWS JSON 1.0 and 1.1. */
const jsonProtocol: Shape = (message) => ({
  status: 400,
  type: JSON_TYPE,
  body: JSON.stringify({ __type: `com.amazon.coral.service#${NAME}`, Message: message }),
});

/** SES v2, Lambda, Bedrock: REST with JSON, the name is in a header. */
const restJson: Shape = (message) => ({
  status: 403,
  type: 'application/json',
  body: JSON.stringify({ Message: message, message }),
});

const escaped = (text: string): string => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

const s3: Shape = (message) => ({
  status: 403,
  type: 'application/xml',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${escaped(message)}</Message></Error>`,
});

const cloudFront: Shape = (message) => ({
  status: 403,
  type: 'text/xml',
  body: `<?xml version="1.0"?>\n<ErrorResponse xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Error><Type>Sender</Type><Code>AccessDenied</Code><Message>${escaped(message)}</Message></Error></ErrorResponse>`,
});

const SHAPES: Readonly<Record<string, Shape>> = {
  s3,
  cloudfront: cloudFront,
  ses: restJson,
  lambda: restJson,
  bedrock: restJson,
  // It hands on the status and the text of Secrets Manager.
  [EXTENSION]: jsonProtocol,
};
