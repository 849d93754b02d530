import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeleteItemCommand, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { DeleteObjectCommand, ListObjectsV2Command, PutObjectCommand, paginateListObjectsV2 } from '@aws-sdk/client-s3';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { BUCKETS, tableName } from '../../infra/local/runtime/environment.ts';
import { TABLES } from '../../infra/stacks/data/tables.ts';
import { dynamoClient } from '../../shared/platform/aws/dynamo-client.ts';
import { s3Client } from '../../shared/platform/aws/s3-client.ts';
import { admin } from '../support/cli/admin.ts';
import { useDeployedFunctions } from '../support/deployed/use-functions.ts';
import { aPng } from '../support/uploads/sample-files.ts';
import { fromText, type Recording } from './recording.ts';

/*
 * Checks that the current code can use what earlier releases stored. If a test fails, a changed format makes the data
 * of deployments unreadable. Before that change, publish a release that reads both the old and the new format.
 */

const RECORDINGS = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.jsonl'));
const HOURS_LATER = 25;

async function clearStores(): Promise<void> {
  const client = dynamoClient();
  for (const { name } of TABLES) {
    const TableName = tableName(name);
    for await (const { Items = [] } of paginateScan({ client }, { TableName }))
      for (const { pk, sk } of Items)
        if (pk && sk) await client.send(new DeleteItemCommand({ TableName, Key: { pk, sk } }));
  }
  for (const Bucket of Object.values(BUCKETS))
    for await (const { Contents = [] } of paginateListObjectsV2({ client: s3Client() }, { Bucket }))
      for (const { Key } of Contents) await s3Client().send(new DeleteObjectCommand({ Bucket, Key }));
}

const keysIn = async (Bucket: string): Promise<unknown[]> =>
  ((await s3Client().send(new ListObjectsV2Command({ Bucket }))).Contents ?? []).map(({ Key }) => Key);

/** Replaces the data of all stores with a recording, before the tests of the recording. */
function useStoredData(recording: Recording): void {
  beforeAll(async () => {
    await clearStores();
    await restore(recording);
  });
}

async function restore({ items, files }: Recording): Promise<void> {
  for (const { table, item } of items)
    await dynamoClient().send(new PutItemCommand({ TableName: tableName(table), Item: item }));
  for (const { bucket, key, contentType, metadata, body } of files) {
    const object = { ContentType: contentType, Metadata: metadata, Body: Buffer.from(body, 'base64') };
    await s3Client().send(new PutObjectCommand({ Bucket: BUCKETS[bucket], Key: key, ...object }));
  }
}

describe.each(RECORDINGS)('with the data of %s,', (name) => {
  const recording = fromText(readFileSync(join(import.meta.dirname, name), 'utf8'));
  const { known } = recording;
  // At this time, leads and tokens have not expired, and a compaction of the base is due.
  const aDayAfterRecording = () =>
    vi.useFakeTimers({ toFake: ['Date'], now: known.recordedAtMs + HOURS_LATER * 3_600_000 });
  beforeAll(() => void aDayAfterRecording());
  const functions = useDeployedFunctions(
    ...['funnel/submit', 'funnel/mfa-send', 'analytics/overview', 'training/read-call', 'training/open-session'],
    ...['landing-pages/copy', 'domains/delete', 'background/compact-facts', 'background/compact-base'],
  );
  useStoredData(recording);
  beforeEach(() => void aDayAfterRecording());

  const submit = (body: object) => functions.call('funnel/submit', { path: { id: functions.demo().funnel.id }, body });
  /** Runs a command of `npm run admin` and returns its JSON. */
  const read = async (...words: string[]) => {
    const { out, err, code } = await admin([...words, '--json']);
    expect([code, err]).toEqual([0, '']);
    return JSON.parse(out);
  };
  const readLead = () => read('leads', 'show', functions.demo().funnel.id, known.lead.lead_id);

  test('a lead and the link to its attached file are read', async () => {
    expect(await readLead()).toMatchObject({
      submits: 1,
      data: { name: 'Ada Example', email: 'ada@shop.example', residents: 3, roof_photo: known.attachedFileId },
    });
    expect(await read('uploads', 'link', known.attachedFileId)).toMatchObject({
      name: 'roof.png',
      size: aPng().length,
    });
  });

  test('200: a submit with the token updates a lead and attaches an uploaded file', async () => {
    const data = { residents: 4, roof_photo: known.looseFileId };
    expect(await submit({ ...known.lead, data })).toMatchObject({ status: 200 });
    expect(await readLead()).toMatchObject({ submits: 2, data: { name: 'Ada Example', ...data } });
  });

  test('200: another verification code is sent to the address of a lead', async () => {
    const request = { path: { id: functions.demo().funnel.id }, body: { ...known.lead, channel: 'email' } };
    expect(await functions.call('funnel/mfa-send', request)).toMatchObject({
      status: 200,
      body: { data: { available_channels: ['email'] } },
    });
  });

  test('a funnel is read with its published version, which validates submits', async () => {
    const { id, versionId } = functions.demo().funnel;
    expect(JSON.stringify(await read('funnels', 'show', id))).toContain(versionId);
    const data = { name: 'Grace', residents: 2 };
    expect(await submit({ data })).toMatchObject({ status: 200 });
    expect(await submit({ data: { ...data, residents: 'many' } })).toMatchObject({ status: 422 });
  });

  const overview = async () => {
    const { organizations, funnel, tokens } = functions.demo();
    const path = { orgId: organizations.a.id, funnelId: funnel.id };
    const request = { path, headers: functions.bearer(tokens.memberA), query: { range: '7d' } };
    return functions.call('analytics/overview', request);
  };

  test('the overview counts the sessions of compacted files and of fresh facts, also after further compactions', async () => {
    const before = await overview();
    const counts = { totalStarts: known.sessions, totalCompletions: known.sessions };
    expect(before).toMatchObject({ status: 200, body: { overview: counts } });
    for (const compaction of ['background/compact-facts', 'background/compact-base']) {
      const files = await keysIn(BUCKETS.facts);
      await functions.run(compaction);
      expect((await keysIn(BUCKETS.facts)).length).toBe(files.length + 1);
    }
    expect((await overview()).body).toEqual(before.body);
  });

  test('200: a call is read with its transcript and case', async () => {
    const { organizations, tokens } = functions.demo();
    const path = { orgId: organizations.a.id, id: known.callId };
    expect(
      await functions.call('training/read-call', { path, headers: functions.bearer(tokens.memberA) }),
    ).toMatchObject({
      status: 200,
      body: { status: 'ready', transcript: expect.any(Array), caseSnapshot: { id: known.caseId } },
    });
  });

  test('201: a training session is opened with a case that an earlier release stored', async () => {
    const { organizations, tokens, personaIds } = functions.demo();
    const body = { caseId: known.caseId, personaId: personaIds[0] };
    const request = { path: { orgId: organizations.a.id }, headers: functions.bearer(tokens.memberA), body };
    expect(await functions.call('training/open-session', request)).toMatchObject({ status: 201 });
  });

  test('201: a page that was copied in the earlier release can be copied again', async () => {
    const { organizations, tokens } = functions.demo();
    const copied = await functions.call('landing-pages/copy', {
      path: { orgId: organizations.b.id, pageId: known.copiedPageId },
      headers: { ...functions.bearer(tokens.adminAB), 'idempotency-key': randomUUID() },
      body: { targetOrganizationId: organizations.a.id, copyAssets: true },
    });
    expect(copied).toMatchObject({ status: 201 });
  });

  test('200: the deletion of a domain invokes remove-domain', async () => {
    const { organizations, tokens, domainAssetIds } = functions.demo();
    const path = { orgId: organizations.a.id, assetId: domainAssetIds[0] };
    expect(await functions.call('domains/delete', { path, headers: functions.bearer(tokens.adminA) })).toMatchObject({
      status: 200,
    });
    expect(functions.invoked).toEqual([expect.stringContaining('remove-domain')]);
  });
});
