import { ACMClient } from '@aws-sdk/client-acm';
import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { KinesisClient } from '@aws-sdk/client-kinesis';
import { PinpointSMSVoiceV2Client } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { SESv2Client } from '@aws-sdk/client-sesv2';
import { type Service, type SignedRequest, sendSigned } from '../common/signed-request.ts';

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
 * @throws MissingPermissionError if AWS denies the call; otherwise the error of the call
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

/**
 * Maps the physical id of each resource of a stack to the type of the resource. Omits deleted and retained resources.
 * Returns an empty map if the stack does not exist.
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

/** Compares the message, because CloudFormation has no specific error code for a stack that does not exist. */
export const isMissingStack = (error: unknown): boolean =>
  hasCode(error, 'ValidationError') && error.message.endsWith('does not exist');
