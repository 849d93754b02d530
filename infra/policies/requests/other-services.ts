import * as z from 'zod/mini';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, operationName, splitTarget, UnknownRequest } from './aws-request.ts';

const arn = (service: string, region: string, resource: string) =>
  `arn:${PSEUDO_PARAMETERS.partition}:${service}:${region}:${PSEUDO_PARAMETERS.account}:${resource}`;

const isArn = (name: string): boolean => name.startsWith('arn:');

const StreamRequest = z
  .partial(z.object({ StreamName: z.string(), StreamARN: z.string() }))
  .check(z.refine(({ StreamName, StreamARN }) => StreamName !== undefined || StreamARN !== undefined));

/**
 * Operations that write to a stream. The required action has the operation's name. Operations that read are not
 * supported: the resource is the stream, but a request can contain a shard iterator instead of the stream's name.
 */
const STREAM_OPERATIONS: ReadonlySet<string> = new Set(['PutRecord', 'PutRecords']);

export function kinesisPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationName(request);
  if (!STREAM_OPERATIONS.has(operation)) throw new UnknownRequest(`Kinesis's ${operation}`);
  const { StreamName, StreamARN } = StreamRequest.parse(JSON.parse(request.body));
  const resource = StreamARN ?? arn('kinesis', request.region, `stream/${StreamName}`);
  return [{ action: `kinesis:${operation}`, resource }];
}

/** A request names a function as `name`, `name:alias`, `name:version` or by its ARN. */
export function lambdaPermissions(request: AwsRequest): RequiredPermission[] {
  const { path, query } = splitTarget(request);
  const [, encodedName] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
  if (request.method !== 'POST' || encodedName === undefined) {
    throw new UnknownRequest(`Lambda's ${request.method} ${path}`);
  }
  const name = decodeURIComponent(encodedName);
  const qualifier = query.get('Qualifier');
  const functionArn = isArn(name) ? name : arn('lambda', request.region, `function:${name}`);
  return [
    { action: 'lambda:InvokeFunction', resource: qualifier === null ? functionArn : `${functionArn}:${qualifier}` },
  ];
}

/** The AWS Parameters and Secrets Lambda Extension reads secrets with the function's role. */
export function extensionPermissions({ target, region }: Pick<AwsRequest, 'target' | 'region'>): RequiredPermission[] {
  const { path, query } = splitTarget({ target });
  const secretId = query.get('secretId');
  if (path !== '/secretsmanager/get' || secretId === null) throw new UnknownRequest(`the extension's ${path}`);
  const resource = isArn(secretId) ? secretId : arn('secretsmanager', region, `secret:${secretId}`);
  return [{ action: 'secretsmanager:GetSecretValue', resource }];
}

const Email = z.object({
  FromEmailAddress: z.string(),
  FromEmailAddressIdentityArn: z.optional(z.string()),
  ConfigurationSetName: z.optional(z.string()),
});

/**
 * SES requires permission for the sender's identity. If the request names no identity, the identity is the domain of
 * the sender's address. If the request names a configuration set, SES also requires permission for the set. The
 * condition key `ses:fromaddress` holds the address without the display name.
 */
export function sesPermissions(request: AwsRequest): RequiredPermission[] {
  const { path } = splitTarget(request);
  if (request.method !== 'POST' || path !== '/v2/email/outbound-emails') {
    throw new UnknownRequest(`SES's ${request.method} ${path}`);
  }
  const email = Email.parse(JSON.parse(request.body));
  const [, address = email.FromEmailAddress] = /<([^<>]*)>\s*$/.exec(email.FromEmailAddress) ?? [];
  const domain = address.replace(/^.*@/s, '').toLowerCase();
  const permission = (resource: string) => ({
    action: 'ses:SendEmail',
    resource,
    context: { 'ses:fromaddress': address },
  });
  const identity = email.FromEmailAddressIdentityArn ?? arn('ses', request.region, `identity/${domain}`);
  const set = email.ConfigurationSetName;
  return [
    permission(identity),
    ...(set === undefined ? [] : [permission(arn('ses', request.region, `configuration-set/${set}`))]),
  ];
}

const Sms = z.object({ OriginationIdentity: z.string() });

/** The request must name the origination identity by ARN. Names don't show the type of the identity. */
export function smsPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationName(request);
  if (operation !== 'SendTextMessage') throw new UnknownRequest(`End User Messaging's ${operation}`);
  const { OriginationIdentity: resource } = Sms.parse(JSON.parse(request.body));
  if (!isArn(resource)) throw new UnknownRequest('an SMS whose origination identity is not an ARN');
  return [{ action: 'sms-voice:SendTextMessage', resource }];
}

/** Actions by the last part of the path. Converse and InvokeModel need the same actions (API reference). */
const MODEL_ACTIONS: Readonly<Record<string, string>> = {
  converse: 'InvokeModel',
  'converse-stream': 'InvokeModelWithResponseStream',
  invoke: 'InvokeModel',
  'invoke-with-response-stream': 'InvokeModelWithResponseStream',
};
/** The id of an inference profile begins with the geographic area to which the profile routes requests. */
const INFERENCE_PROFILE = /^(?:[a-z]{2}(?:-gov)?|apac|global)\.[a-z][\w-]*\./;

/**
 * For an inference profile, AWS also requires permissions for the models that the profile calls. These permissions are
 * missing here, because the request doesn't name the models.
 */
export function bedrockPermissions(request: AwsRequest): RequiredPermission[] {
  const { path } = splitTarget(request);
  const [, encodedModel = '', operation = ''] = /^\/model\/([^/]+)\/([\w-]+)$/.exec(path) ?? [];
  const action = MODEL_ACTIONS[operation];
  if (request.method !== 'POST' || action === undefined) {
    throw new UnknownRequest(`Bedrock's ${request.method} ${path}`);
  }
  const model = decodeURIComponent(encodedModel);
  return [{ action: `bedrock:${action}`, resource: modelArn(model, request.region) }];
}

function modelArn(model: string, region: string): string {
  if (isArn(model)) return model;
  if (INFERENCE_PROFILE.test(model)) return arn('bedrock', region, `inference-profile/${model}`);
  return `arn:${PSEUDO_PARAMETERS.partition}:bedrock:${region}::foundation-model/${model}`;
}
