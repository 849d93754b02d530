import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import * as z from 'zod/mini';
import { parseXml } from '../../common/signed-request.ts';
import { blockedStack } from '../../deploy/stack-state.ts';
import { STACKS, stackName } from '../../names.ts';
import type { Stage } from '../../settings/stages.ts';
import { type Aws, hasCode, isMissingStack, permitted } from '../aws.ts';
import { blocker, type Check, type Finding, type Fix, ok } from '../check.ts';
import type { Plan } from '../plan.ts';

export const ACCOUNT = 'Account and region';

export const regionMissing = (): Finding =>
  blocker('No region is set.', {
    advice: 'Choose the region of the deployment:',
    commands: ['export AWS_REGION=eu-central-1'],
  });

const Caller = z.object({
  GetCallerIdentityResponse: z.object({
    GetCallerIdentityResult: z.object({ Account: z.string(), Arn: z.string() }),
  }),
});

/** AWS must accept the credentials. Calls GetCallerIdentity, because it needs no permission. */
export const account = (aws: Aws): Check => ({
  name: ACCOUNT,
  async run() {
    try {
      const body = await aws.request('sts', {
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: 'Action=GetCallerIdentity&Version=2011-06-15',
      });
      const { Account, Arn } = Caller.parse(parseXml(body)).GetCallerIdentityResponse.GetCallerIdentityResult;
      return ok(`${Account} in ${aws.region}, as ${Arn}`);
    } catch (error) {
      const fix = CREDENTIALS.find(({ codes }) => hasCode(error, ...codes))?.fix;
      if (fix === undefined || !(error instanceof Error)) throw error;
      return blocker(`AWS credentials are missing or not valid: ${error.message}`, fix);
    }
  },
});

const CREDENTIALS: readonly { codes: readonly string[]; fix: Fix }[] = [
  {
    codes: ['CredentialsProviderError', 'TokenProviderError'],
    fix: {
      advice: 'Sign in, then select the profile. To create a profile: aws configure sso',
      commands: ['aws sso login --profile NAME', 'export AWS_PROFILE=NAME'],
    },
  },
  {
    codes: ['ExpiredToken', 'ExpiredTokenException'],
    fix: { advice: 'The session has expired. Sign in again:', commands: ['aws sso login'] },
  },
  {
    codes: ['InvalidClientTokenId', 'UnrecognizedClientException'],
    fix: {
      advice:
        'Check that the access key exists and is active, and that the region is enabled for the account ' +
        '(console: Account > AWS Regions).',
    },
  },
  {
    codes: ['SignatureDoesNotMatch'],
    fix: { advice: 'Check the secret access key, and the clock of this machine.' },
  },
];

const Parameter = z.object({ Parameter: z.object({ Value: z.string() }) });

/** `cdk deploy` fails if the bucket and roles of `cdk bootstrap` are missing or too old. */
export const bootstrap = (aws: Aws, { bootstrap: { parameter, versionMin } }: Plan): Check => ({
  name: 'CDK bootstrap',
  async run() {
    const fix = { advice: 'Create or update the resources that the CDK CLI uses:', commands: ['npx cdk bootstrap'] };
    try {
      const request = aws.request('ssm', {
        headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AmazonSSM.GetParameter' },
        body: JSON.stringify({ Name: parameter }),
      });
      const version = Number(Parameter.parse(JSON.parse(await permitted('ssm:GetParameter', request))).Parameter.Value);
      if (version >= versionMin) return ok(`version ${version}; the templates need at least ${versionMin}`);
      return blocker(
        `The bootstrap resources have version ${version}. The templates need at least ${versionMin}.`,
        fix,
      );
    } catch (error) {
      if (!hasCode(error, 'ParameterNotFound')) throw error;
      return blocker('This region of the account is not bootstrapped for the CDK.', fix);
    }
  },
});

/** An earlier deployment or deletion can leave a stack that cannot be updated. */
export const stacks = (aws: Aws, stage: Stage): Check => ({
  name: 'Stacks',
  async run() {
    const names = STACKS.map((part) => stackName(stage, part));
    const statuses = await permitted(
      'cloudformation:DescribeStacks',
      Promise.all(names.map((name) => statusOf(aws, name))),
    );
    const stuck = names.flatMap((name, at) => {
      const status = statuses[at] ?? '';
      const blocked = blockedStack(name, status, aws.command);
      return blocked === undefined || blocked.canDeploy ? [] : [{ ...blocked, name, status }];
    });
    const existing = statuses.filter((status) => status !== undefined).length;
    if (stuck.length === 0) return ok(existing === 0 ? 'none exists yet' : `${existing} of ${names.length} exist`);
    return blocker(stuck.map(({ name, status, reason }) => `${name} is in ${status}. ${reason}`).join(' '), {
      advice: stuck.map(({ advice }) => advice).join(' '),
    });
  },
});

async function statusOf({ cloudFormation }: Aws, name: string): Promise<string | undefined> {
  try {
    const { Stacks } = await cloudFormation.send(new DescribeStacksCommand({ StackName: name }));
    return Stacks?.[0]?.StackStatus;
  } catch (error) {
    if (isMissingStack(error)) return undefined;
    throw error;
  }
}
