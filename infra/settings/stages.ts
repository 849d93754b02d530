import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import type { ServiceOperation } from '../../functions/declare-operation.ts';
import { type AiSettings, parseAiSettings } from './ai-settings.ts';
import { type DomainSettings, parseDomainSettings, parseWebDomainSettings } from './domain-settings.ts';
import { type EdgeSettings, parseEdgeSettings } from './edge-settings.ts';
import { parseIngestPath } from './ingest-path.ts';
import { type MessageSettings, parseMessageSettings } from './message-settings.ts';
import { parseExpiry, rejectExpiry } from './preview-settings.ts';
import { parseRegionSettings, type RegionSettings } from './region-settings.ts';
import { rejectUnknownNames, rejectUnusableValues, type SettingName, type Settings } from './settings.ts';
import { type StageKind, stageKind, stageNameIssue } from './stage-name.ts';
import { parseVoiceSettings, type VoiceSettings } from './voice-settings.ts';
import { parseWatchSettings, type WatchSettings } from './watch-settings.ts';

/** The issuer of access tokens. */
export type Oidc = { issuer: string; audience: string; jwksUri: string };

/** The settings of a deployment. */
export type Stage = {
  name: string;
  /** When a preview expires (ISO 8601). Absent in dev and prod. `npm run stage` can remove expired previews. */
  expiresAt?: string;
  /** Whether the stage has point-in-time recovery and deletion protection, and retains data of deleted stacks. */
  keepsData: boolean;
  logRetention: RetentionDays;
  /**
   * Whether functions reserve concurrency. On only in prod, because the quota of a new account, 10 concurrent
   * executions, is too small.
   */
  reservesConcurrency: boolean;
  /**
   * Whether the stream consumer processes several batches of a shard concurrently. On only in prod, because two batches
   * for each of four shards would use 8 of the 10 concurrent executions of a new account.
   */
  consumesBatchesInParallel: boolean;
  /** Whether a command can sign in with a user's password, without a front end. Off only in prod. */
  signsInByPassword: boolean;
  /**
   * Whether the API writes access logs. On only in prod, because access logs require a role in the settings of the
   * account. A new account has no such role.
   */
  accessLogs: boolean;
  /**
   * Whether new versions are deployed as canaries, with automatic rollback. On only in prod, because canaries slow down
   * deployments.
   */
  shiftsGradually: boolean;
  /** Whether the firewall has AWS managed rules. The rules count requests of known attacks and block none. */
  watchesForAttacks: boolean;
  /**
   * Whether the stage has custom metrics and dashboards. Such a stage has alarms if it is prod or `alarmMail` is set.
   * Off in previews, because metrics, dashboards and alarms have fixed costs.
   */
  isMonitored: boolean;
  /** Days for which the event stream keeps records. With more than one day, a provisioned shard costs more. */
  streamDays: number;
  /** Origins whose pages may call organization routes. */
  corsOrigins: readonly string[];
  /**
   * Days for which a lead's update token is valid after the lead's last submit. If absent, the operation's default
   * applies.
   */
  leadTokenDays?: number;
  /** The second path of ingest. If absent, the operation's default applies. */
  ingestPath?: NonNullable<ServiceOperation['alternativePath']>;
  /** Number of shards of the event stream. If absent, the stream is on demand. Always set in a preview. */
  eventShards?: number;
  ai: AiSettings;
  messages: MessageSettings;
  voice: VoiceSettings;
  edge: EdgeSettings;
  watch: WatchSettings;
  region: RegionSettings;
  /** If absent, the API has only the hostname of API Gateway. */
  domain?: DomainSettings;
  /** If absent, the page client has only the hostname of CloudFront. */
  webDomain?: DomainSettings;
  /** If absent, the issuer is a Cognito user pool, which the data stack creates. */
  oidc?: Oidc;
};

const DEV = {
  keepsData: false,
  logRetention: RetentionDays.ONE_WEEK,
  reservesConcurrency: false,
  consumesBatchesInParallel: false,
  signsInByPassword: true,
  accessLogs: false,
  shiftsGradually: false,
  watchesForAttacks: false,
  isMonitored: true,
  streamDays: 7,
} as const;

const STAGES = {
  dev: DEV,
  // A preview has one shard, because an on-demand stream costs more per hour, even without traffic.
  preview: { ...DEV, isMonitored: false, streamDays: 1, eventShards: 1 },
  prod: {
    keepsData: true,
    logRetention: RetentionDays.THREE_MONTHS,
    reservesConcurrency: true,
    consumesBatchesInParallel: true,
    signsInByPassword: false,
    accessLogs: true,
    shiftsGradually: true,
    watchesForAttacks: true,
    isMonitored: true,
    streamDays: 7,
  },
} satisfies Record<
  StageKind,
  Omit<
    Stage,
    | 'name'
    | 'expiresAt'
    | 'corsOrigins'
    | 'leadTokenDays'
    | 'ingestPath'
    | 'ai'
    | 'messages'
    | 'voice'
    | 'edge'
    | 'watch'
    | 'region'
    | 'domain'
    | 'webDomain'
    | 'oidc'
  >
>;

/**
 * Reads a stage from CDK context. See `SETTINGS` for the available settings.
 *
 * @param names all names in the context; unknown settings are rejected
 * @param region region of the deployment
 * @param nowMs time of the deployment, from which the expiry of a preview counts
 * @throws Error with a message for the operator
 */
export function parseStage(
  context: Settings,
  names: readonly string[] = [],
  region?: string,
  nowMs = Date.now(),
): Stage {
  rejectUnknownNames(names);
  rejectUnusableValues(names, context);
  const name = context('stage') ?? 'dev';
  const issue = stageNameIssue(name);
  if (issue !== undefined) throw new Error(issue);
  const stage = String(name);
  const kind = stageKind(stage);
  if (kind !== 'preview') rejectExpiry(context, stage);
  const oidc = oidcOf(context);
  const domain = parseDomainSettings(context);
  const ingestPath = parseIngestPath(context);
  const webDomain = parseWebDomainSettings(context);
  const leadTokenDays = countOf('leadTokenDays', 'a number of days', context, LEAD_TOKEN_DAYS_MAX);
  const eventShards = countOf('eventShards', 'a number of shards', context, EVENT_SHARDS_MAX);
  return {
    name: stage,
    ...STAGES[kind],
    ...(kind === 'preview' && { expiresAt: parseExpiry(context, nowMs) }),
    corsOrigins: originsOf(context('corsOrigins')),
    ...(leadTokenDays && { leadTokenDays }),
    ...(ingestPath && { ingestPath }),
    ...(eventShards && { eventShards }),
    ai: parseAiSettings(context, region),
    messages: parseMessageSettings(context),
    voice: parseVoiceSettings(context),
    edge: parseEdgeSettings(context),
    watch: parseWatchSettings(context),
    region: parseRegionSettings(context, region),
    ...(domain && { domain }),
    ...(webDomain && { webDomain }),
    ...(oidc && { oidc }),
  };
}

/**
 * The form of an origin. A mapping template of API Gateway contains the origins in quotes, so a host may consist only
 * of lowercase letters, digits, dots and hyphens.
 */
const ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d{1,5})?$/;

function originsOf(list: unknown): string[] {
  const origins = String(list ?? '')
    .split(',')
    .map((origin) => origin.trim())
    .filter((origin) => origin !== '');
  const odd = origins.find((origin) => !ORIGIN.test(origin) || URL.parse(origin)?.origin !== origin);
  if (odd !== undefined) throw new Error(`corsOrigins: ${odd} is not an origin such as https://app.example.com.`);
  return origins;
}

/**
 * An idle lane expires after 400 days. After that, an update of its lead would be sent as `lead.created` again.
 * Therefore, the update token of the lead must expire earlier.
 */
const LEAD_TOKEN_DAYS_MAX = 365;
const EVENT_SHARDS_MAX = 9_999;

function countOf(name: SettingName, what: string, context: Settings, max: number): number | undefined {
  const count = context(name);
  if (count === undefined) return undefined;
  if (!/^[1-9]\d*$/.test(String(count)) || Number(count) > max)
    throw new Error(`${name}: must be ${what}, 1 to ${max}.`);
  return Number(count);
}

function oidcOf(context: Settings): Oidc | undefined {
  const [issuer, audience, jwksUri] = (['oidcIssuer', 'oidcAudience', 'oidcJwksUri'] as const).map(context);
  if (issuer === undefined && audience === undefined && jwksUri === undefined) return undefined;
  if (typeof issuer !== 'string' || typeof audience !== 'string' || typeof jwksUri !== 'string')
    throw new Error('An issuer of your own needs all three settings: oidcIssuer, oidcAudience and oidcJwksUri.');
  for (const [name, url] of Object.entries({ oidcIssuer: issuer, oidcJwksUri: jwksUri })) {
    // Requires https, because tokens are verified with the keys from oidcJwksUri.
    if (URL.parse(url)?.protocol !== 'https:') throw new Error(`${name}: must be a URL that begins with https://.`);
  }
  return { issuer, audience, jwksUri };
}
