import type { TableName } from '../../stacks/data/tables.ts';
import { demoVersion } from './demo-funnel.ts';
import { DEMO_IDS } from './demo-ids.ts';
import type { DemoTokens } from './people.ts';
import { DEMO_ORGANIZATIONS } from './seed-directory.ts';

type TableNames = Record<TableName, string>;

/** The addresses and names of a running demo. */
export type DemoEnvironment = {
  /** The API's origin, without a trailing slash. */
  baseUrl: string;
  /** The origin of the example pages, with or without a trailing slash. */
  pagesUrl: string;
  voiceWebhookSecret: string;
  /** URL of the sent messages as JSON. */
  mailbox: string;
  /** The origin of the webhook receiver, with or without a trailing slash. */
  webhookReceiverUrl: string;
  endpoints: { dynamodb: string; s3: string; kinesis: string };
  region: string;
  /** The bucket of uploads and of assets of landing pages. */
  bucket: string;
  stream: string;
  tables: TableNames;
};

export type Demo = ReturnType<typeof demoJson>;

/** Builds the content of `.local/demo.json`. Scripts and tests depend on its shape. */
export function demoJson(environment: DemoEnvironment, tokens: DemoTokens) {
  const { baseUrl, pagesUrl, mailbox, webhookReceiverUrl, endpoints, region, bucket, stream, tables } = environment;
  return {
    baseUrl,
    pages: {
      funnel: new URL('/', pagesUrl).href,
      numbers: new URL('/numbers', pagesUrl).href,
      api: new URL('/api', pagesUrl).href,
    },
    organizations: DEMO_ORGANIZATIONS,
    tokens,
    funnel: {
      id: DEMO_IDS.funnel,
      versionId: DEMO_IDS.version,
      uploadBlockId: DEMO_IDS.uploadBlock,
      fields: demoVersion().fields.map(({ id, type, required, stepId }) => ({ id, type, required, stepId })),
    },
    emptyFunnel: { id: DEMO_IDS.emptyFunnel },
    caseId: DEMO_IDS.trainingCase,
    archivedCaseId: DEMO_IDS.archivedCase,
    personaIds: DEMO_IDS.personas,
    readyCallId: DEMO_IDS.readyCall,
    landingPageId: DEMO_IDS.landingPage,
    domainAssetIds: DEMO_IDS.domainAssets,
    webhookEndpointIds: DEMO_IDS.webhookEndpoints,
    webhook: { url: `${baseUrl}/api/v2/webhooks/voice`, secret: environment.voiceWebhookSecret },
    mailbox,
    webhookReceiver: {
      page: new URL('/', webhookReceiverUrl).href,
      hook: new URL('/hook', webhookReceiverUrl).href,
      deliveries: new URL('/deliveries', webhookReceiverUrl).href,
    },
    aws: { ...endpoints, region, bucket, stream, tables },
  };
}
