import type { TableName } from '../../stacks/data/tables.ts';
import type { Endpoints } from '../emulators/launcher.ts';
import type { Issuer } from '../oidc/issuer.ts';
import { type Demo, type DemoEnvironment, demoJson } from '../seed/demo-json.ts';
import { demoTokens } from '../seed/people.ts';
import { address, BUCKETS, REGION, STREAM, tableName } from './environment.ts';
import type { LocalSecrets } from './secrets.ts';

type Running = {
  endpoints: Endpoints;
  secrets: LocalSecrets;
  issuer: Issuer;
  port: number;
  pagesPort: number;
  receiverPort: number;
};

/** Returns the content of `demo.json`, which describes the running demo and contains new tokens. */
export async function describeDemo({ endpoints, secrets, issuer, ...ports }: Running): Promise<Demo> {
  const environment: DemoEnvironment = {
    baseUrl: address(ports.port),
    pagesUrl: address(ports.pagesPort),
    voiceWebhookSecret: secrets.values.voiceWebhook,
    mailbox: `${address(endpoints.mail)}/store`,
    webhookReceiverUrl: address(ports.receiverPort),
    endpoints: {
      dynamodb: address(endpoints.dynamodb),
      s3: address(endpoints.s3),
      kinesis: address(endpoints.kinesis),
    },
    region: REGION,
    bucket: BUCKETS.uploads,
    stream: STREAM,
    tables: TABLE_NAMES,
  };
  return demoJson(environment, await demoTokens(issuer));
}

const TABLE_NAMES: Record<TableName, string> = {
  directory: tableName('directory'),
  leads: tableName('leads'),
  training: tableName('training'),
  analytics: tableName('analytics'),
  uploads: tableName('uploads'),
  limits: tableName('limits'),
  webhooks: tableName('webhooks'),
  deliveries: tableName('deliveries'),
  notifications: tableName('notifications'),
};
