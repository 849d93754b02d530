import { type AwsRequest, splitTarget, UnknownRequest } from './aws-request.ts';
import { acmPermissions, cloudFrontPermissions } from './cloudfront.ts';
import { dynamoPermissions } from './dynamodb.ts';
import {
  bedrockPermissions,
  extensionPermissions,
  kinesisPermissions,
  lambdaPermissions,
  sesPermissions,
  smsPermissions,
} from './other-services.ts';
import { type RequestPermissions, s3Permissions } from './s3.ts';

type Mapping = (request: AwsRequest) => RequestPermissions;

const allOf =
  (getPermissions: (request: AwsRequest) => RequestPermissions['permissions']): Mapping =>
  (request) => ({ permissions: getPermissions(request) });

/** The `service` of requests to the AWS Parameters and Secrets Lambda Extension. These requests have no signature. */
export const SECRETS_EXTENSION = 'secrets-extension';

/** Mappings by the `service` of a request. */
const MAPPINGS: Readonly<Record<string, Mapping>> = {
  dynamodb: allOf(dynamoPermissions),
  s3: s3Permissions,
  kinesis: allOf(kinesisPermissions),
  lambda: allOf(lambdaPermissions),
  ses: allOf(sesPermissions),
  'sms-voice': allOf(smsPermissions),
  bedrock: allOf(bedrockPermissions),
  cloudfront: allOf(cloudFrontPermissions),
  acm: allOf(acmPermissions),
  [SECRETS_EXTENSION]: allOf(extensionPermissions),
};

/** Whether the permissions that a request needs depend on its body. */
export function needsBody(request: Omit<AwsRequest, 'body'>): boolean {
  const { service, method } = request;
  if (service === 's3') return method === 'POST' && splitTarget(request).query.has('delete');
  return !['lambda', 'bedrock', SECRETS_EXTENSION].includes(service) && method !== 'GET' && method !== 'DELETE';
}

/**
 * Derives the permissions that a request needs from the request, without calls to AWS.
 *
 * @throws UnknownRequest for an operation that is not mapped; Error for a body that cannot be parsed
 */
export function requiredPermissions(request: AwsRequest): RequestPermissions {
  const mapping = Object.hasOwn(MAPPINGS, request.service) ? MAPPINGS[request.service] : undefined;
  if (mapping === undefined) throw new UnknownRequest(`a request to ${request.service}`);
  return mapping(request);
}
