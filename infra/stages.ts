import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { type AiSettings, aiSettingsOf } from './ai-settings.ts';
import { type EdgeSettings, edgeSettingsOf } from './edge-settings.ts';
import { type MessageSettings, messageSettingsOf } from './message-settings.ts';
import { type VoiceSettings, voiceSettingsOf } from './voice-settings.ts';

/** The issuer of access tokens. */
export type Oidc = { issuer: string; audience: string; jwksUri: string };

/** What differs between deployments. */
export type Stage = {
  name: 'dev' | 'prod';
  /** Data outlives mistakes: point-in-time recovery, deletion protection, and nothing is removed with its stack. */
  keepsData: boolean;
  logRetention: RetentionDays;
  /** Off in dev: a new account has a quota of 10 concurrent executions, and the deployment would fail. */
  reservesConcurrency: boolean;
  /** Off in dev: they need a role that an administrator sets once per account and region, and a new account has none. */
  accessLogs: boolean;
  /** Origins whose pages may call organization routes. */
  corsOrigins: readonly string[];
  /** Days after its last submit that a lead's update token is valid; absent: the operation's own default. */
  leadTokenDays?: number;
  ai: AiSettings;
  messages: MessageSettings;
  voice: VoiceSettings;
  edge: EdgeSettings;
  /** Absent: a Cognito user pool that the data stack creates. */
  oidc?: Oidc;
};

const STAGES = {
  dev: {
    name: 'dev',
    keepsData: false,
    logRetention: RetentionDays.ONE_WEEK,
    reservesConcurrency: false,
    accessLogs: false,
  },
  prod: {
    name: 'prod',
    keepsData: true,
    logRetention: RetentionDays.THREE_MONTHS,
    reservesConcurrency: true,
    accessLogs: true,
  },
} satisfies Record<
  string,
  Omit<Stage, 'corsOrigins' | 'leadTokenDays' | 'ai' | 'messages' | 'voice' | 'edge' | 'oidc'>
>;

const isStageName = (value: unknown): value is keyof typeof STAGES =>
  typeof value === 'string' && Object.hasOwn(STAGES, value);

/**
 * Reads a stage from CDK context: `stage` (dev by default), `corsOrigins` (separated by commas), `leadTokenDays`, `aiModels` and
 * `aiBaseUrl` (see `aiSettingsOf`), `mailFrom`, `mailReplyTo` and `smsSender` (see `messageSettingsOf`),
 * `voiceBaseUrl` (see `voiceSettingsOf`), `edgeDistribution` and `edgeConnectionGroup` (see `edgeSettingsOf`), and `oidcIssuer`, `oidcAudience`, `oidcJwksUri`, all three or none.
 */
export function stageOf(context: (name: string) => unknown): Stage {
  const name = context('stage') ?? 'dev';
  if (!isStageName(name)) throw new Error('There is no such stage: -c stage=dev or -c stage=prod.');
  const oidc = oidcOf(context);
  const leadTokenDays = daysOf(context('leadTokenDays'));
  return {
    ...STAGES[name],
    corsOrigins: originsOf(context('corsOrigins')),
    ...(leadTokenDays && { leadTokenDays }),
    ai: aiSettingsOf(context),
    messages: messageSettingsOf(context),
    voice: voiceSettingsOf(context),
    edge: edgeSettingsOf(context),
    ...(oidc && { oidc }),
  };
}

function originsOf(list: unknown): string[] {
  const origins = String(list ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  const odd = origins.find((origin) => !URL.canParse(origin) || new URL(origin).origin !== origin);
  if (odd !== undefined) throw new Error(`corsOrigins: ${odd} is not an origin such as https://app.example.com.`);
  return origins;
}

function daysOf(days: unknown): number | undefined {
  if (days === undefined) return undefined;
  if (!/^[1-9]\d{0,3}$/.test(String(days))) throw new Error('leadTokenDays: must be a number of days, 1 to 9999.');
  return Number(days);
}

function oidcOf(context: (name: string) => unknown): Oidc | undefined {
  const [issuer, audience, jwksUri] = ['oidcIssuer', 'oidcAudience', 'oidcJwksUri'].map(context);
  if (issuer === undefined && audience === undefined && jwksUri === undefined) return undefined;
  if (typeof issuer !== 'string' || typeof audience !== 'string' || typeof jwksUri !== 'string')
    throw new Error('An issuer of your own needs oidcIssuer, oidcAudience and oidcJwksUri, all three.');
  return { issuer, audience, jwksUri };
}
