import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingName } from '../../../../infra/settings/settings.ts';
import { type Synthesized, synthesize } from '../../../support/stacks.ts';
import { deploymentsFolder } from '../../../support/synthesis-folder.ts';
import type { Deployment, Stack } from './template.ts';

/** A preview with the longest possible name, so that the checks find names that are too long. */
export const PREVIEW = 'pr-16-characters';
export type StageName = 'dev' | 'prod' | typeof PREVIEW;

/** A value for every setting. The compiler requires new settings here. Only previews have the setting `expires`. */
const EVERY_SETTING: Record<Exclude<SettingName, 'stage' | 'expires'>, string> = {
  corsOrigins: 'https://app.example.com,https://admin.example.com',
  leadTokenDays: '14',
  ingestPath: '/api/v2/public/funnel/{id}/progress',
  oidcIssuer: 'https://id.example.com',
  oidcAudience: 'tributary',
  oidcJwksUri: 'https://id.example.com/jwks',
  aiModels: [
    'eu.example.model-v1:0',
    'arn:aws:bedrock:eu-central-1::foundation-model/example.model-v1:0',
    'arn:aws:bedrock:eu-west-1::foundation-model/example.model-v1:0',
  ].join(','),
  aiBaseUrl: 'https://models.example.com/v1',
  mailFrom: 'codes@example.com',
  mailReplyTo: 'help@example.com',
  smsSender: 'phone-number/phone-example',
  voiceBaseUrl: 'https://voice.example.com',
  eventShards: '4',
  edgeDistribution: 'E1EXAMPLE23456',
  edgeConnectionGroup: 'cg_EXAMPLE',
  apiDomain: 'api.example.com',
  apiCertificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/example',
  webDomain: 'cdn.example.com',
  webCertificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/example',
  hostedZoneId: 'Z0EXAMPLE',
  hostedZoneName: 'example.com',
  alarmMail: 'ops@example.com',
  monthlyBudgetUsd: '500',
  monthlySmsUsd: '100',
  secretsLayerArn: 'arn:aws:lambda:eu-central-2:111122223333:layer:secrets:1',
};

const longList = (item: (at: number) => string, items: number): string =>
  Array.from({ length: items }, (_, at) => item(at)).join(',');

/** For every setting, another value than in `EVERY_SETTING`. Lists have about their maximum length. */
const OTHER_VALUES: typeof EVERY_SETTING = {
  corsOrigins: longList((at) => `https://tenant-${at}.other.example.com`, 65),
  leadTokenDays: '60',
  ingestPath: '/api/v2/public/funnel/{id}/other-progress',
  oidcIssuer: 'https://login.example.com',
  oidcAudience: 'other',
  oidcJwksUri: 'https://login.example.com/jwks',
  aiModels: longList((at) => `vendor.a-model-with-a-long-name-${at}-20260101-v1:0`, 40),
  aiBaseUrl: 'https://other.example.com/v1',
  mailFrom: 'other@example.org',
  mailReplyTo: 'answers@example.org',
  smsSender: 'pool/pool-other',
  voiceBaseUrl: 'https://other-voice.example.com',
  eventShards: '8',
  edgeDistribution: 'E2EXAMPLE65432',
  edgeConnectionGroup: 'cg_OTHER',
  apiDomain: 'other.example.org',
  apiCertificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/other',
  webDomain: 'scripts.example.org',
  webCertificateArn: 'arn:aws:acm:us-east-1:111122223333:certificate/other',
  hostedZoneId: 'Z1EXAMPLE',
  hostedZoneName: 'example.org',
  alarmMail: 'night@example.org',
  monthlyBudgetUsd: '900',
  monthlySmsUsd: '300',
  secretsLayerArn: 'arn:aws:lambda:eu-central-2:111122223333:layer:secrets:2',
};

/** Removes `aiBaseUrl` and the issuer, so that the stacks use Amazon Bedrock and the user pool. */
const withBedrockAndUserPool = ({
  aiBaseUrl: _,
  oidcIssuer: __,
  oidcAudience: ___,
  oidcJwksUri: ____,
  ...rest
}: typeof EVERY_SETTING) => rest;

const VARIANTS = {
  'with defaults': {},
  'with every setting': { ...EVERY_SETTING, aiModels: 'example-model' },
  'with Bedrock and the user pool': withBedrockAndUserPool(EVERY_SETTING),
  'with Bedrock and the user pool, changed': withBedrockAndUserPool(OTHER_VALUES),
  'with every setting, changed': OTHER_VALUES,
} as const;

export type Variant = keyof typeof VARIANTS;

export const contextOf = (stage: StageName, variant: Variant): Record<string, string> => ({
  stage,
  ...VARIANTS[variant],
});

const deployments = new Map<string, Deployment>();

/**
 * Returns the stacks of a deployment as CloudFormation receives them. Tests must not change the stacks. A synthesis
 * takes seconds, so its result is stored in a file, which other workers read.
 */
export function deploymentOf(stage: StageName, variant: Variant): Deployment {
  const title = `${stage}, ${variant}`;
  const deployment = deployments.get(title) ?? readDeployment(title) ?? synthesizeDeployment(stage, variant).deployment;
  deployments.set(title, deployment);
  return deployment;
}

const fileOf = (title: string): string => join(deploymentsFolder(), `${title}.json`);

const readDeployment = (title: string): Deployment | undefined =>
  existsSync(fileOf(title)) ? JSON.parse(readFileSync(fileOf(title), 'utf8')) : undefined;

function writeDeployment(deployment: Deployment): void {
  const draft = `${fileOf(deployment.title)}.${process.pid}`;
  mkdirSync(deploymentsFolder(), { recursive: true });
  writeFileSync(draft, JSON.stringify(deployment));
  renameSync(draft, fileOf(deployment.title));
}

/** Synthesizes a deployment, for tests that need the constructs. Never reads the result of another worker. */
export function synthesizeDeployment(
  stage: StageName,
  variant: Variant,
): { synthesized: Synthesized; deployment: Deployment } {
  const synthesized = synthesize(contextOf(stage, variant));
  const { assembly } = synthesized;
  const stacks = assembly.stacks.map(
    (artifact): Stack => ({
      name: artifact.stackName,
      isProtected: artifact.terminationProtection === true,
      needs: artifact.dependencies.map(({ id }) => id).filter((id) => !id.endsWith('.assets')),
      template: artifact.template,
    }),
  );
  const deployment = { title: `${stage}, ${variant}`, stage, settings: contextOf(stage, variant), stacks };
  deployments.set(deployment.title, deployment);
  writeDeployment(deployment);
  return { synthesized, deployment };
}

/** Each variant of prod, dev and a preview. The stacks are synthesized only when a test calls `deployment`. */
export const EVERY_DEPLOYMENT = (['prod', 'dev', PREVIEW] as const).flatMap((stage) =>
  (Object.keys(VARIANTS) as Variant[]).map((variant) => ({
    title: `${stage}, ${variant}`,
    stage,
    variant,
    deployment: () => deploymentOf(stage, variant),
  })),
);
