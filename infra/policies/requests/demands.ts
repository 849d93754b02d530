import { type AwsRequest, pathAndQuery, UnknownRequest } from './aws-request.ts';
import { dynamoDemands } from './dynamodb.ts';
import { acmDemands, cloudFrontDemands } from './edge.ts';
import { bedrockDemands, extensionDemands, kinesisDemands, lambdaDemands, sesDemands, smsDemands } from './others.ts';
import { type S3Demands, s3Demands } from './s3.ts';

type Mapping = (request: AwsRequest) => S3Demands;

const all =
  (of: (request: AwsRequest) => S3Demands['demands']): Mapping =>
  (request) => ({ demands: of(request) });

/** Not a service: by this name the guard hands on what a function asks the extension for. */
export const EXTENSION = 'secrets-extension';

/** By the name that signatures have for the service. */
const MAPPINGS: Readonly<Record<string, Mapping>> = {
  dynamodb: all(dynamoDemands),
  s3: s3Demands,
  kinesis: all(kinesisDemands),
  lambda: all(lambdaDemands),
  ses: all(sesDemands),
  'sms-voice': all(smsDemands),
  bedrock: all(bedrockDemands),
  cloudfront: all(cloudFrontDemands),
  acm: all(acmDemands),
  [EXTENSION]: all(extensionDemands),
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
export function demandsOf(request: AwsRequest): S3Demands {
  const mapping = Object.hasOwn(MAPPINGS, request.service) ? MAPPINGS[request.service] : undefined;
  if (mapping === undefined) throw new UnknownRequest(`a call of ${request.service}`);
  return mapping(request);
}
