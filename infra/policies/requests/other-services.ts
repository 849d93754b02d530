import * as z from 'zod/mini';
import { PSEUDO_PARAMETERS } from '../resolve-template.ts';
import type { RequiredPermission } from '../statement.ts';
import { type AwsRequest, operationOf, pathAndQuery, UnknownRequest } from './aws-request.ts';

const arn = (service: string, region: string, resource: string) =>
  `arn:${PSEUDO_PARAMETERS.partition}:${service}:${region}:${PSEUDO_PARAMETERS.account}:${resource}`;

const isArn = (name: string): boolean => name.startsWith('arn:');

const OnStream = z
  .partial(z.object({ StreamName: z.string(), StreamARN: z.string() }))
  .check(z.refine(({ StreamName, StreamARN }) => StreamName !== undefined || StreamARN !== undefined));

/** Their action has their name. A read by an iterator alone, as the event source makes, names no stream. */
const ON_STREAM: ReadonlySet<string> = new Set(['PutRecord', 'PutRecords']);

export function kinesisPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationOf(request);
  if (!ON_STREAM.has(operation)) throw new UnknownRequest(`Kinesis's ${operation}`);
  const { StreamName, StreamARN } = OnStream.parse(JSON.parse(request.body));
  const resource = StreamARN ?? arn('kinesis', request.region, `stream/${StreamName}`);
  return [{ action: `kinesis:${operation}`, resource }];
}

/** A function is named by its name, that with an alias or version behind a colon, or its ARN. */
export function lambdaPermissions(request: AwsRequest): RequiredPermission[] {
  const { path, query } = pathAndQuery(request);
  const [, encoded] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(path) ?? [];
  if (request.method !== 'POST' || encoded === undefined)
    throw new UnknownRequest(`Lambda's ${request.method} ${path}`);
  const name = decodeURIComponent(encoded);
  const qualifier = query.get('Qualifier');
  const named = isArn(name) ? name : arn('lambda', request.region, `function:${name}`);
  return [{ action: 'lambda:InvokeFunction', resource: qualifier === null ? named : `${named}:${qualifier}` }];
}

/** The AWS Parameters and Secrets Lambda Extension reads with the function's role. */
export function extensionPermissions({ target, region }: Pick<AwsRequest, 'target' | 'region'>): RequiredPermission[] {
  const { path, query } = pathAndQuery({ target });
  const secretId = query.get('secretId');
  if (path !== '/secretsmanager/get' || secretId === null) throw new UnknownRequest(`the extension's ${path}`);
  const resource = isArn(secretId) ? secretId : arn('secretsmanager', region, `secret:${secretId}`);
  return [{ action: 'secretsmanager:GetSecretValue', resource }];
}

const Mail = z.object({
  FromEmailAddress: z.string(),
  FromEmailAddressIdentityArn: z.optional(z.string()),
  ConfigurationSetName: z.optional(z.string()),
});

/**
 * SES checks the identity of the sender, here always its domain, and the configuration set if one is named. It takes the
 * address without the display name for the condition.
 */
export function sesPermissions(request: AwsRequest): RequiredPermission[] {
  const { path } = pathAndQuery(request);
  if (request.method !== 'POST' || path !== '/v2/email/outbound-emails') {
    throw new UnknownRequest(`SES's ${request.method} ${path}`);
  }
  const mail = Mail.parse(JSON.parse(request.body));
  const [, address = mail.FromEmailAddress] = /<([^<>]*)>\s*$/.exec(mail.FromEmailAddress) ?? [];
  const domain = address.replace(/^.*@/s, '').toLowerCase();
  const demand = (resource: string) => ({
    action: 'ses:SendEmail',
    resource,
    context: { 'ses:fromaddress': address },
  });
  const identity = mail.FromEmailAddressIdentityArn ?? arn('ses', request.region, `identity/${domain}`);
  const set = mail.ConfigurationSetName;
  return [
    demand(identity),
    ...(set === undefined ? [] : [demand(arn('ses', request.region, `configuration-set/${set}`))]),
  ];
}

const Sms = z.object({ OriginationIdentity: z.string() });

/** Only the ARN tells what kind of identity sends. */
export function smsPermissions(request: AwsRequest): RequiredPermission[] {
  const operation = operationOf(request);
  if (operation !== 'SendTextMessage') throw new UnknownRequest(`End User Messaging's ${operation}`);
  const { OriginationIdentity: resource } = Sms.parse(JSON.parse(request.body));
  if (!isArn(resource)) throw new UnknownRequest('an SMS whose origination identity is not an ARN');
  return [{ action: 'sms-voice:SendTextMessage', resource }];
}

const MODEL_ACTIONS: Readonly<Record<string, string>> = {
  converse: 'InvokeModel',
  'converse-stream': 'InvokeModelWithResponseStream',
  invoke: 'InvokeModel',
  'invoke-with-response-stream': 'InvokeModelWithResponseStream',
};
/** The ids of profiles begin with where they spread calls to. */
const PROFILE = /^(?:[a-z]{2}(?:-gov)?|apac|global)\.[a-z][\w-]*\./;

/** Converse and Invoke share their actions (API reference). What a profile calls in its regions can't be seen here. */
export function bedrockPermissions(request: AwsRequest): RequiredPermission[] {
  const { path } = pathAndQuery(request);
  const [, encoded = '', operation = ''] = /^\/model\/([^/]+)\/([\w-]+)$/.exec(path) ?? [];
  const action = MODEL_ACTIONS[operation];
  if (request.method !== 'POST' || action === undefined)
    throw new UnknownRequest(`Bedrock's ${request.method} ${path}`);
  const model = decodeURIComponent(encoded);
  const foundation = `arn:${PSEUDO_PARAMETERS.partition}:bedrock:${request.region}::foundation-model/${model}`;
  const profile = arn('bedrock', request.region, `inference-profile/${model}`);
  const resource = isArn(model) ? model : PROFILE.test(model) ? profile : foundation;
  return [{ action: `bedrock:${action}`, resource }];
}
