import { randomUUID } from 'node:crypto';
import type { AwsRequest } from '../requests/aws-request.ts';
import { SECRETS_EXTENSION } from '../requests/required-permissions.ts';

export type AccessDeniedResponse = { status: number; headers: Record<string, string>; body: string };

/**
 * Builds the response of AWS to a denied request, in the protocol of the service. Therefore, a function gets the same
 * error as in a deployment.
 */
export function buildAccessDenied(
  { service, method }: Pick<AwsRequest, 'service' | 'method'>,
  message: string,
): AccessDeniedResponse {
  const format = FORMATS[service] ?? formatJsonProtocol;
  const { status, type, body } = format(message);
  return {
    status,
    headers: {
      'content-type': type,
      'x-amzn-errortype': 'AccessDeniedException',
      'x-amzn-requestid': randomUUID(),
    },
    // A response to HEAD has no body, so clients of S3 see only the status.
    body: method === 'HEAD' ? '' : body,
  };
}

type Format = (message: string) => { status: number; type: string; body: string };

/** AWS JSON 1.0 and 1.1: DynamoDB, Kinesis, ACM, End User Messaging. */
const formatJsonProtocol: Format = (message) => ({
  status: 400,
  type: 'application/x-amz-json-1.1',
  body: JSON.stringify({ __type: 'com.amazon.coral.service#AccessDeniedException', Message: message }),
});

/** REST with JSON and the error name in a header: SES v2, Lambda, Bedrock. */
const formatRestJson: Format = (message) => ({
  status: 403,
  type: 'application/json',
  body: JSON.stringify({ Message: message, message }),
});

const escapeXml = (text: string): string => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);

const formatS3: Format = (message) => ({
  status: 403,
  type: 'application/xml',
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>${escapeXml(message)}</Message></Error>`,
});

const formatCloudFront: Format = (message) => ({
  status: 403,
  type: 'text/xml',
  body:
    '<?xml version="1.0"?>\n<ErrorResponse xmlns="http://cloudfront.amazonaws.com/doc/2020-05-31/"><Error>' +
    `<Type>Sender</Type><Code>AccessDenied</Code><Message>${escapeXml(message)}</Message></Error></ErrorResponse>`,
});

const FORMATS: Readonly<Record<string, Format>> = {
  s3: formatS3,
  cloudfront: formatCloudFront,
  ses: formatRestJson,
  lambda: formatRestJson,
  bedrock: formatRestJson,
  // The extension returns the status and the body that it gets from Secrets Manager.
  [SECRETS_EXTENSION]: formatJsonProtocol,
};
