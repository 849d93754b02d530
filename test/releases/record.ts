import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetObjectCommand, paginateListObjectsV2, S3Client } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { bundlePageClient, readIntegrity } from '../../infra/bundles/page-client.ts';
import { BUCKETS, CREDENTIALS } from '../../infra/local/runtime/environment.ts';
import type { Demo } from '../../infra/local/seed/demo-json.ts';
import { readVersions, VERSIONS_FILE, withCurrentPublished } from '../../infra/page-client/versions.ts';
import packageJson from '../../package.json' with { type: 'json' };
import { startLocalRuntime } from '../support/local/runtime.ts';
import { signatureOf, transcription } from '../support/training/voice-webhook.ts';
import { aPdf, aPng } from '../support/uploads/sample-files.ts';
import { type Known, type StoredFile, type StoredItem, toText } from './recording.ts';

const HELP = `Usage: npm run record-release

Publishes the current version of the page client: records the hashes of its
files. Then records what this release stores: runs "npm start", stores leads,
sessions, calls and pages, and writes the stored items and files to
test/releases/<version>.jsonl, except counters of limits and files over 50 KB.
Run the command on the commit of a release, before a later commit changes a
format. The command takes about two minutes.`;

const WAIT_MS = 300_000;
/** Counters that are used for at most a day, so that no later release needs them. */
const NOT_RECORDED = 'limits';
/** Larger files are not recorded. They are audio, whose content the service does not read. */
const FILE_BYTES_MAX = 50_000;

async function request(url: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(url, init);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} responded with status ${answer.status}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

const post = (url: string, body: unknown, headers: Record<string, string> = {}) =>
  request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

async function until<T>(what: string, read: () => Promise<T | undefined>): Promise<T> {
  const endsAtMs = Date.now() + WAIT_MS;
  while (Date.now() < endsAtMs) {
    const found = await read();
    if (found !== undefined) return found;
    await sleep(1_000);
  }
  throw new Error(`${what} did not happen within ${WAIT_MS / 1_000} s.`);
}

type Stores = { dynamo: DynamoDBClient; s3: S3Client };

function storesOf({ aws }: Demo): Stores {
  const shared = { region: aws.region, credentials: CREDENTIALS };
  return {
    dynamo: new DynamoDBClient({ ...shared, endpoint: aws.dynamodb }),
    s3: new S3Client({ ...shared, endpoint: aws.s3, forcePathStyle: true }),
  };
}

async function storedItems({ dynamo }: Stores, { aws }: Demo): Promise<StoredItem[]> {
  const found: StoredItem[] = [];
  for (const [name, TableName] of Object.entries(aws.tables)) {
    if (name === NOT_RECORDED) continue;
    for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName, ConsistentRead: true }))
      found.push(...Items.map((item) => ({ table: name as StoredItem['table'], item })));
  }
  return found;
}

async function storedFiles({ s3 }: Stores): Promise<StoredFile[]> {
  const found: StoredFile[] = [];
  for (const [bucket, Bucket] of Object.entries(BUCKETS)) {
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3 }, { Bucket })) {
      for (const { Key: key = '', Size = 0 } of Contents) {
        if (Size > FILE_BYTES_MAX) continue;
        const file = await s3.send(new GetObjectCommand({ Bucket, Key: key }));
        found.push({
          bucket: bucket as StoredFile['bucket'],
          key,
          contentType: file.ContentType ?? '',
          metadata: file.Metadata ?? {},
          body: (await file.Body?.transformToString('base64')) ?? '',
        });
      }
    }
  }
  return found;
}

const Handle = z.object({ data: z.object({ id: z.string(), update_token: z.string() }) });
const Uploaded = z.object({ data: z.object({ uuid: z.string() }) });
const Created = z.object({ id: z.string() });
const Session = z.object({ trainingCallId: z.string() });
const Call = z.object({ status: z.string() });
const Copied = z.object({ landingPageId: z.string() });

async function recordLead(demo: Demo): Promise<Pick<Known, 'lead' | 'attachedFileId' | 'looseFileId'>> {
  const api = `${demo.baseUrl}/api/v2/public/funnel`;
  const upload = async (content: Buffer, name: string): Promise<string> => {
    const form = new FormData();
    form.set('organizationId', demo.organizations.a.id);
    form.set('blockId', demo.funnel.uploadBlockId);
    form.set('file', new Blob([content]), name);
    return Uploaded.parse(await request(`${api}/upload`, { method: 'POST', body: form })).data.uuid;
  };
  const attachedFileId = await upload(aPng(), 'roof.png');
  const looseFileId = await upload(aPdf(), 'plan.pdf');
  const data = { name: 'Ada Example', email: 'ada@shop.example', residents: 3, roof_photo: attachedFileId };
  const { id, update_token } = Handle.parse(await post(`${api}/${demo.funnel.id}/submit`, { data })).data;
  const lead = { lead_id: id, update_token };
  await post(`${api}/${demo.funnel.id}/mfa/send`, { ...lead, channel: 'email' });
  return { lead, attachedFileId, looseFileId };
}

async function recordSessions(demo: Demo, { s3 }: Stores): Promise<number> {
  const url = `${demo.baseUrl}/api/v2/public/funnel/${demo.funnel.id}/analytics`;
  const report = (sessionId: string) => {
    const event = { sessionId, timestamp: new Date().toISOString() };
    const events = ['start', 'complete'].map((type) => ({ ...event, eventId: randomUUID(), payload: { type } }));
    return post(url, { events });
  };
  await report('compacted-1');
  await report('compacted-2');
  await until('The compaction', async () => {
    for await (const { KeyCount } of paginateListObjectsV2({ client: s3 }, { Bucket: BUCKETS.facts }))
      if (KeyCount) return true;
    return undefined;
  });
  await report('fresh-1');
  await sleep(5_000);
  return 3;
}

async function recordTraining(demo: Demo, { dynamo }: Stores): Promise<Pick<Known, 'caseId' | 'callId'>> {
  const api = `${demo.baseUrl}/api/v2/organizations/${demo.organizations.a.id}/training`;
  const as = (token: string) => ({ authorization: `Bearer ${token}` });
  const said = {
    name: 'A late delivery',
    description: 'The customer waits',
    situation: 'The panels are late.',
    objective: 'Keep the order',
    successCriteria: 'A date is agreed',
    dos: [{ label: 'Names the next step' }],
  };
  const { id: caseId } = Created.parse(await post(`${api}/cases`, said, as(demo.tokens.adminA)));
  const opening = { caseId, personaId: demo.personaIds[0] };
  const opened = await post(`${api}/session`, opening, as(demo.tokens.memberA));
  const { trainingCallId: callId } = Session.parse(opened);
  const conversationId = await until('The start of the conversation', async () => {
    for await (const { Items = [] } of paginateScan({ client: dynamo }, { TableName: demo.aws.tables.training })) {
      const lookUp = Items.find(({ pk, callId: id }) => pk?.S?.startsWith('conversation#') && id?.S === callId);
      if (lookUp?.pk?.S !== undefined) return lookUp.pk.S.slice('conversation#'.length);
    }
    return undefined;
  });
  const event = { ...transcription(conversationId), event_timestamp: Math.floor(Date.now() / 1_000) };
  const body = JSON.stringify(event);
  await post(demo.webhook.url, body, signatureOf(body, { atMs: Date.now(), secret: demo.webhook.secret }));
  await until('The analysis of the call', async () => {
    const call = Call.parse(await request(`${api}/calls/${callId}`, { headers: as(demo.tokens.memberA) }));
    return call.status === 'ready' ? true : undefined;
  });
  return { caseId, callId };
}

async function recordCopy(demo: Demo): Promise<string> {
  const { a, b } = demo.organizations;
  const url = `${demo.baseUrl}/api/v2/organizations/${a.id}/landing-pages/${demo.landingPageId}/copy`;
  const headers = { authorization: `Bearer ${demo.tokens.adminAB}`, 'idempotency-key': randomUUID() };
  return Copied.parse(await post(url, { targetOrganizationId: b.id, copyAssets: true }, headers)).landingPageId;
}

async function publishPageClient(): Promise<void> {
  await bundlePageClient();
  const versions = withCurrentPublished(readVersions(), await readIntegrity());
  await writeFile(VERSIONS_FILE, `${JSON.stringify(versions, null, 2)}\n`);
  process.stdout.write(`${VERSIONS_FILE}: page client ${versions.current}\n`);
}

if (process.argv.length > 2) {
  console.log(HELP);
  process.exit(process.argv.includes('--help') || process.argv.includes('-h') ? 0 : 2);
}
const file = join(import.meta.dirname, `${packageJson.version}.jsonl`);
if (existsSync(file))
  throw new Error(
    `${file} exists, and the recording of a release never changes. Set the next version in package.json first.`,
  );
await publishPageClient();
const runtime = await startLocalRuntime({ args: ['--empty'] });
try {
  const { demo } = runtime;
  const stores = storesOf(demo);
  const known: Known = {
    release: packageJson.version,
    recordedAtMs: 0,
    ...(await recordLead(demo)),
    ...(await recordTraining(demo, stores)),
    copiedPageId: await recordCopy(demo),
    sessions: await recordSessions(demo, stores),
  };
  known.recordedAtMs = Date.now();
  const recording = { known, items: await storedItems(stores, demo), files: await storedFiles(stores) };
  await writeFile(file, toText(recording));
  process.stdout.write(`${file}: ${recording.items.length} items, ${recording.files.length} files\n`);
} finally {
  await runtime.stop();
}
