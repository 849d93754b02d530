import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import { AwsV4Signer } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import * as z from 'zod/mini';
import { tryParseJson } from '../common/parse-json.ts';

/**
 * Services that are called with signed requests instead of an SDK client, because only one or two operations of each
 * are called. The values are the environment variables with which an SDK client overrides its endpoint.
 */
const ENDPOINT_VARIABLES = {
  apigateway: 'AWS_ENDPOINT_URL_API_GATEWAY',
  bedrock: 'AWS_ENDPOINT_URL_BEDROCK',
  lambda: 'AWS_ENDPOINT_URL_LAMBDA',
  logs: 'AWS_ENDPOINT_URL_CLOUDWATCH_LOGS',
  ssm: 'AWS_ENDPOINT_URL_SSM',
  sts: 'AWS_ENDPOINT_URL_STS',
} as const;

type Service = keyof typeof ENDPOINT_VARIABLES;

/** A request with a body is a POST. A request without a body is a GET. */
type SignedRequest = { path?: string; headers?: Record<string, string>; body?: string };

/** Clients for the account and region that are checked. */
export type Aws = {
  region: string;
  acm: ACMClient;
  cloudFormation: CloudFormationClient;
  kinesis: KinesisClient;
  mail: SESv2Client;
  sms: PinpointSMSVoiceV2Client;
  /** Returns the body of the response. @throws ServiceError for a response with an error */
  request(service: Service, request: SignedRequest): Promise<string>;
  /** Connects to another region of the same account. */
  inRegion(region: string): Aws;
  /** Returns a command of the AWS CLI for this region and profile. @param words without `aws` */
  command(words: string): string;
};

/** An error response of AWS. Its name is the error code, as in errors of the SDK. */
class ServiceError extends Error {
  constructor(code: string, message: string) {
    super(message);
    this.name = code;
  }
}

/** The credentials lack an IAM permission that a check needs. */
export class MissingPermissionError extends Error {
  override readonly name = 'MissingPermissionError';
}

const DENIED = new Set(['AccessDenied', 'AccessDeniedException', 'UnauthorizedOperation']);

export const hasCode = (error: unknown, ...codes: string[]): error is Error =>
  error instanceof Error && codes.includes(error.name);

/**
 * Returns the result of a call.
 *
 * @param action the IAM permission that the call needs
 * @throws MissingPermissionError if the permission is missing, or the error of the call
 */
export async function permitted<T>(action: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (cause) {
    if (!(cause instanceof Error && DENIED.has(cause.name))) throw cause;
    throw new MissingPermissionError(
      `These credentials lack the permission ${action}. Ask an administrator for this permission.`,
      { cause },
    );
  }
}

/** Finds the region as the CDK CLI does: first in the environment, then in the AWS configuration files. */
export async function findRegion(profile: string | undefined): Promise<string | undefined> {
  const region = process.env.AWS_REGION || process.env.AWS_DEFAULT_REGION;
  if (region) return region;
  return new CloudFormationClient({ ...(profile && { profile }) }).config.region().catch(() => undefined);
}

export function connectToAws(region: string, profile: string | undefined): Aws {
  const config = { region, ...(profile && { profile }) };
  const cloudFormation = new CloudFormationClient(config);
  const { credentials, requestHandler } = cloudFormation.config;
  return {
    region,
    cloudFormation,
    acm: new ACMClient(config),
    // The client's own handler would open an HTTP/2 session for a single call.
    kinesis: new KinesisClient({ ...config, requestHandler }),
    mail: new SESv2Client(config),
    sms: new PinpointSMSVoiceV2Client(config),
    request: async (service, request) => sendSigned(service, request, region, await credentials()),
    inRegion: (other) => connectToAws(other, profile),
    command: (words) => `aws ${words} --region ${region}${profile === undefined ? '' : ` --profile ${profile}`}`,
  };
}

type Credentials = Awaited<ReturnType<CloudFormationClient['config']['credentials']>>;

async function sendSigned(
  service: Service,
  { path = '/', headers = {}, body }: SignedRequest,
  region: string,
  { accessKeyId, secretAccessKey, sessionToken }: Credentials,
): Promise<string> {
  const signed = await new AwsV4Signer({
    method: body === undefined ? 'GET' : 'POST',
    url: `${endpointOf(service, region)}${path}`,
    headers,
    ...(body !== undefined && { body }),
    ...{ service, region, accessKeyId, secretAccessKey },
    ...(sessionToken !== undefined && { sessionToken }),
  }).sign();
  const response = await fetch(signed.url, signed);
  const text = await response.text();
  if (!response.ok) throw serviceError(response, text);
  return text;
}

function endpointOf(service: Service, region: string): string {
  const configured = process.env[ENDPOINT_VARIABLES[service]] || process.env.AWS_ENDPOINT_URL;
  if (configured) return configured.replace(/\/+$/, '');
  return `https://${service}.${region}.${RegionInfo.get(region).domainSuffix ?? 'amazonaws.com'}`;
}

const JsonError = z.object({
  __type: z.optional(z.string()),
  message: z.optional(z.string()),
  Message: z.optional(z.string()),
});
const XmlError = z.object({ ErrorResponse: z.object({ Error: z.object({ Code: z.string(), Message: z.string() }) }) });

/** Reads an error response in JSON or XML. In JSON, a namespace can precede the error code, and a URL can follow it. */
function serviceError({ status, headers }: Response, text: string): ServiceError {
  const { data: json } = JsonError.safeParse(tryParseJson(text));
  const { data: xml } = XmlError.safeParse(json === undefined ? parseXml(text) : undefined);
  const type = headers.get('x-amzn-errortype') ?? json?.__type ?? xml?.ErrorResponse.Error.Code;
  const message = json?.message ?? json?.Message ?? xml?.ErrorResponse.Error.Message ?? '';
  return new ServiceError(type?.replace(/^.*#|:.*$/g, '') ?? `HTTP status ${status}`, message);
}

/** Parses XML without converting values, because an account id can begin with zeros. */
export function parseXml(text: string): unknown {
  return new XMLParser({ parseTagValue: false }).parse(text);
}

/**
 * Returns the types of the resources of a stack by physical id, without deleted and retained resources. Returns an
 * empty map if the stack does not exist.
 */
export async function deployedResources(
  { cloudFormation }: Aws,
  stackName: string,
): Promise<ReadonlyMap<string, string>> {
  const list = async () => {
    const types = new Map<string, string>();
    for await (const { StackResourceSummaries = [] } of paginateListStackResources(
      { client: cloudFormation },
      { StackName: stackName },
    )) {
      for (const {
        PhysicalResourceId: id,
        ResourceStatus: status,
        ResourceType: type = '',
      } of StackResourceSummaries) {
        if (id !== undefined && status !== 'DELETE_COMPLETE' && status !== 'DELETE_SKIPPED') types.set(id, type);
      }
    }
    return types;
  };
  try {
    return await permitted('cloudformation:ListStackResources', list());
  } catch (error) {
    if (isMissingStack(error)) return new Map();
    throw error;
  }
}

/** CloudFormation has no specific error code for a stack that does not exist. */
export const isMissingStack = (error: unknown): boolean =>
  hasCode(error, 'ValidationError') && error.message.endsWith('does not exist');
