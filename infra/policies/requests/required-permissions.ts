import { type AwsRequest, pathAndQuery, UnknownRequest } from './aws-request.ts';
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

const all =
  (of: (request: AwsRequest) => RequestPermissions['permissions']): Mapping =>
  (request) => ({ permissions: of(request) });

/** Not a service: by this name the guard hands on what a function asks the extension for. */
export const EXTENSION = 'secrets-extension';

/** By the name that signatures have for the service. */
const MAPPINGS: Readonly<Record<string, Mapping>> = {
  dynamodb: all(dynamoPermissions),
  s3: s3Permissions,
  kinesis: all(kinesisPermissions),
  lambda: all(lambdaPermissions),
  ses: all(sesPermissions),
  'sms-voice': all(smsPermissions),
  bedrock: all(bedrockPermissions),
  cloudfront: all(cloudFrontPermissions),
  acm: all(acmPermissions),
  [EXTENSION]: all(extensionPermissions),
};

/** Whether what a request demands stands in its body too. */
export function readsBody(request: Omit<AwsRequest, 'body'>): boolean {
  const { service, method } = request;
  if (service === 's3') return method === 'POST' && pathAndQuery(request).query.has('delete');
  return !['lambda', 'bedrock', EXTENSION].includes(service) && method !== 'GET' && method !== 'DELETE';
}

/**
 * What a request demands of the policy of who sends it, from nothing but its bytes.
 *
 * @throws Error, `UnknownRequest` for one that nobody has looked up yet
 */
export function requiredPermissions(request: AwsRequest): RequestPermissions {
  const mapping = Object.hasOwn(MAPPINGS, request.service) ? MAPPINGS[request.service] : undefined;
  if (mapping === undefined) throw new UnknownRequest(`a call of ${request.service}`);
  return mapping(request);
}
