import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { KinesisStreamEvent } from 'aws-lambda';
import * as z from 'zod/mini';
import { operations } from '../../../functions/declarations.ts';
import { startEmulators } from '../../../infra/local/emulators/launcher.ts';
import { toKinesisEvent } from '../../../infra/local/event-source/kinesis-event.ts';
import { createKinesisSource } from '../../../infra/local/event-source/kinesis-source.ts';
import { createLocalIssuer, ISSUER } from '../../../infra/local/oidc/issuer.ts';
import { describeDemo } from '../../../infra/local/runtime/describe-demo.ts';
import {
  AI_SECRET,
  apiEnvironment,
  applyEnvironment,
  BUCKETS,
  CDN_SECRET,
  functionEnvironment,
  HASH_SECRET,
  LEAD_SECRET,
  NOTIFICATION_SECRET,
  sdkEnvironment,
  tableName,
  VOICE_SECRET,
  VOICE_WEBHOOK_SECRET,
  WEBHOOK_SECRET,
} from '../../../infra/local/runtime/environment.ts';
import { provision } from '../../../infra/local/runtime/provision.ts';
import { loadOrCreateSecrets } from '../../../infra/local/runtime/secrets.ts';
import { openStateFolder } from '../../../infra/local/runtime/state-folder.ts';
import { seed } from '../../../infra/local/seed/seed.ts';
import type { ApiGatewayStreamHandler } from '../../../shared/http/stream-endpoint.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { proxyEvent, type Request } from '../http.ts';
import { streamCaller } from '../stream-caller.ts';
import { FORM_HEADERS } from '../uploads/upload-api.ts';

const NOWHERE = { webhookUrl: 'http://127.0.0.1:9/', apiKey: 'rehearsal' };
const NO_PORT = 9;

/** Starts the stand-ins with the demo data except sessions. Handlers that are imported later use the stand-ins. */
export async function startDeployedEnvironment() {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-deployed-'));
  const state = await openStateFolder(folder, { reset: false });
  const secrets = loadOrCreateSecrets(state);
  const { leads, hashes, cdn, voiceWebhook, webhooks, notifications } = secrets.values;
  const emulators = await startEmulators({
    folder,
    buckets: Object.values(BUCKETS),
    issuerKey: secrets.issuerKey,
    secrets: {
      [LEAD_SECRET]: leads,
      [HASH_SECRET]: hashes,
      [CDN_SECRET]: cdn,
      [WEBHOOK_SECRET]: webhooks,
      [NOTIFICATION_SECRET]: notifications,
      [AI_SECRET]: 'none',
      [VOICE_SECRET]: NOWHERE.apiKey,
      [VOICE_WEBHOOK_SECRET]: voiceWebhook,
    },
    voice: { ...NOWHERE, webhookSecret: voiceWebhook },
    edgeStepMs: 0,
  });
  const { endpoints } = emulators;
  applyEnvironment({ ...sdkEnvironment(endpoints), ...functionEnvironment(endpoints, []), ...apiEnvironment(NO_PORT) });
  await provision();
  await seed({ issuerUrl: ISSUER, buckets: BUCKETS, empty: true, progress: () => undefined });
  const issuer = createLocalIssuer(secrets);
  return {
    demo: await describeDemo({ endpoints, secrets, issuer, port: NO_PORT, pagesPort: NO_PORT, receiverPort: NO_PORT }),
    openedCalls,
    streamed,
    end: async () => {
      await emulators.stop();
      state.release();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const LookUp = z.object({ pk: z.string(), callId: z.string(), agentId: z.string() });
const CONVERSATION = 'conversation#';

/**
 * Returns the calls that tests opened. Their look-up items have an agent's id, unlike the look-up item of the demo's
 * call.
 */
async function openedCalls() {
  const { Items = [] } = await dynamoDocumentClient().send(new ScanCommand({ TableName: tableName('training') }));
  return Items.flatMap((item) => LookUp.safeParse(item).data ?? []).map(({ pk, callId }) => ({
    conversationId: pk.slice(CONVERSATION.length),
    callId,
  }));
}

type Asked = Request & { form?: Buffer };
type Handler = (event: unknown, context: unknown) => Promise<unknown>;
const Reply = z.object({ statusCode: z.number(), body: z.string() });

/** Runs the exported handlers of these functions, which are wired as in a deployment. */
export async function deployedCallers(ids: readonly string[]) {
  const load = async (id: string): Promise<[string, Handler]> => {
    const file = new URL(`../../../functions/${id}/handler.ts`, import.meta.url).pathname;
    return [id, (await import(/* @vite-ignore */ file)).handler];
  };
  const handlers = new Map(await Promise.all(ids.map(load)));
  const handlerOf = (id: string): Handler => {
    const handler = handlers.get(id);
    if (handler === undefined) throw new Error(`There is no function ${id}.`);
    return handler;
  };
  return {
    run: (id: string, event: unknown) => handlerOf(id)(event, { getRemainingTimeInMillis: () => 800_000 }),
    call: async (id: string, { form, ...request }: Asked): Promise<{ status: number; text: string; body: unknown }> => {
      const declared = operations.find((operation) => operation.id === id);
      if (declared === undefined) throw new Error(`There is no operation ${id}.`);
      const handler = handlerOf(id);
      if (declared.streamContentTypes !== undefined)
        return streamCaller(declared, handler as ApiGatewayStreamHandler)(request);
      const event = { ...proxyEvent(declared, request), ...(form && { headers: FORM_HEADERS, ...asBinary(form) }) };
      const { statusCode, body } = Reply.parse(await handler(event, {}));
      return { status: statusCode, text: body, body: declared.isPage ? undefined : JSON.parse(body) };
    },
  };
}

const asBinary = (bytes: Buffer) => ({ body: bytes.toString('base64'), isBase64Encoded: true });

/** Returns the records of the stream as an event for a function. */
async function streamed(): Promise<KinesisStreamEvent> {
  const source = createKinesisSource();
  const events = (await source.listShards()).map(async (shard) => {
    const records = await source.read(shard, undefined, 100);
    return toKinesisEvent(shard, records).Records;
  });
  return { Records: (await Promise.all(events)).flat() };
}
