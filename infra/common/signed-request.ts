import { RegionInfo } from 'aws-cdk-lib/region-info';
import { AwsV4Signer } from 'aws4fetch';
import { XMLParser } from 'fast-xml-parser';
import * as z from 'zod/mini';
import { tryParseJson } from './parse-json.ts';

/**
 * Services without an SDK client, because only one or two operations of each are called. Maps each service to the
 * environment variable that sets its endpoint. SDK clients read the same variables.
 */
const ENDPOINT_VARIABLES = {
  apigateway: 'AWS_ENDPOINT_URL_API_GATEWAY',
  bedrock: 'AWS_ENDPOINT_URL_BEDROCK',
  lambda: 'AWS_ENDPOINT_URL_LAMBDA',
  logs: 'AWS_ENDPOINT_URL_CLOUDWATCH_LOGS',
  secretsmanager: 'AWS_ENDPOINT_URL_SECRETS_MANAGER',
  ssm: 'AWS_ENDPOINT_URL_SSM',
  sts: 'AWS_ENDPOINT_URL_STS',
} as const;

export type Service = keyof typeof ENDPOINT_VARIABLES;

/** A request with a body is a POST. A request without a body is a GET. */
export type SignedRequest = { path?: string; headers?: Record<string, string>; body?: string };

/** An error response of AWS. Its name is the error code, as in errors of the SDK. */
class ServiceError extends Error {
  constructor(code: string, message: string) {
    super(message);
    this.name = code;
  }
}

type Credentials = { accessKeyId: string; secretAccessKey: string; sessionToken?: string | undefined };

/** Returns the body of the response. @throws ServiceError for a response with an error */
export async function sendSigned(
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
    service,
    region,
    accessKeyId,
    secretAccessKey,
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
