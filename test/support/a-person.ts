import { randomUUID } from 'node:crypto';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { createDirectoryWriter } from '../../infra/local/seed/directory-writer.ts';
import { type Field, Funnel, FunnelVersion } from '../../shared/funnels/funnel.ts';
import { createDynamoLeadRepository } from '../../shared/leads/aws/dynamo-lead-repository.ts';
import type { LeadKey } from '../../shared/leads/lead.ts';
import type { LeadChange } from '../../shared/leads/ports.ts';
import { Organization } from '../../shared/organizations/organization.ts';
import { dynamoDocumentClient } from '../../shared/platform/aws/dynamo-client.ts';
import { createS3FileStore } from '../../shared/uploads/aws/s3-file-store.ts';
import { incomingPathOf, type Upload } from '../../shared/uploads/upload.ts';
import { aLeadChangeOf } from './leads/stored-leads.ts';
import { aField } from './leads/submit.ts';
import { readStoredData } from './stored-personal-data.ts';
import { anUpload, storeUpload } from './uploads/stored-uploads.ts';

export const EMAIL = 'ada.secret@shop.example';
export const PHONE = '+4930901820';

const FIELDS = [
  aField({ id: 'name', type: 'text' }),
  aField({ id: 'email', type: 'email', verifiable: true }),
  aField({ id: 'phone', type: 'phone', country: 'DE' }),
  aField({ id: 'cv', type: 'file' }),
  aField({ id: 'photo', type: 'file' }),
];

export async function anOrganization(): Promise<string> {
  const id = randomUUID();
  await createDirectoryWriter().putOrganization(Organization.parse({ id, name: 'Shop' }));
  return id;
}

export async function aFunnelOf(
  orgId: string,
  overrides: Partial<Funnel> = {},
  fields: Field[] = FIELDS,
): Promise<string> {
  const [id, versionId] = [randomUUID(), randomUUID()];
  const version = FunnelVersion.parse({ id: versionId, funnelId: id, fields });
  await createDirectoryWriter().publishFunnel(
    Funnel.parse({ id, orgId, publishedVersionId: versionId, ...overrides }),
    version,
  );
  return id;
}

export async function storeLead(
  funnelId: string,
  data: Record<string, unknown>,
  overrides: Partial<LeadChange> = {},
): Promise<LeadKey> {
  const key = { funnelId, leadId: randomUUID() };
  await createDynamoLeadRepository().create(key, aLeadChangeOf(data, overrides));
  return key;
}

/**
 * Stores an upload to which these leads refer: its record, its final object, and the object that the visitor sent. Both
 * objects contain `name`.
 */
export async function aStoredFile(orgId: string, name: string, leads: readonly LeadKey[]): Promise<Upload> {
  const of = leads.map(({ funnelId, leadId }) => `${funnelId}/${leadId}`);
  const funnelId = leads[0]?.funnelId ?? randomUUID();
  const upload = await storeUpload(
    anUpload({ orgId, funnelId, name: `${name}.pdf`, kind: 'pdf', state: 'attached', leads: of }),
  );
  await createS3FileStore().put(upload.storagePath, Buffer.from(`%PDF- bytes of ${name}`));
  await createS3FileStore().put(incomingPathOf(upload.storagePath), Buffer.from(`%PDF- sent of ${name}`));
  return upload;
}

const setFileField = (key: LeadKey, field: string, { uuid }: Upload) =>
  createDynamoLeadRepository().merge(key, aLeadChangeOf({ [field]: uuid }));

async function setVerification(key: LeadKey, state: object): Promise<void> {
  await dynamoDocumentClient().send(
    new UpdateCommand({
      TableName: 'leads',
      Key: { pk: `lead#${key.funnelId}#${key.leadId}`, sk: 'lead' },
      UpdateExpression: 'SET verification = :state',
      ExpressionAttributeValues: { ':state': JSON.stringify(state) },
    }),
  );
}

/**
 * Creates a person with a lead in each of two funnels of an organization. The second funnel is archived, and its lead
 * has expired. The person has a file, a replaced file, and a file that is shared with another person. Also creates
 * other people.
 */
export async function aPersonAndOthers() {
  const [org, otherOrg] = [await anOrganization(), await anOrganization()];
  const [shop, old, foreign] = [
    await aFunnelOf(org),
    await aFunnelOf(org, { archivedAt: '2026-03-02T00:00:00.000Z' }),
    await aFunnelOf(otherOrg),
  ];
  const ada = await storeLead(shop, { name: 'Ada Geheim', email: 'Ada.Secret@Shop.example', phone: PHONE });
  const before = await storeLead(
    old,
    { said: { contact: [` ${EMAIL.toUpperCase()} `] }, note: 'Ada Geheim of old' },
    { retainedUntilMs: Date.parse('2026-03-03T00:00:00.000Z') },
  );
  const bob = await storeLead(shop, { name: 'Bob', email: 'bob@shop.example' });
  const others = [
    bob,
    await storeLead(shop, { email: `x${EMAIL}` }),
    await storeLead(shop, { email: `${EMAIL}.org`, phone: '+4930901821' }),
    await storeLead(shop, { note: `Not ${EMAIL} herself`, phone: '+493090182' }),
    await storeLead(foreign, { email: EMAIL, phone: PHONE }),
  ];
  const files = {
    own: await aStoredFile(org, 'own file of Ada', [ada]),
    shared: await aStoredFile(org, 'file of both', [ada, bob]),
    replaced: await aStoredFile(org, 'earlier file of Ada', [ada]),
    bobs: await aStoredFile(org, 'file of Bob', [bob]),
  };
  await setFileField(ada, 'cv', files.own);
  await setFileField(ada, 'photo', files.shared);
  await setFileField(bob, 'photo', files.shared);
  await setFileField(bob, 'cv', files.bobs);
  await setVerification(ada, {
    revision: 'r',
    codes: [],
    lastSentTo: 'email',
    wrong: 0,
    lockedUntilMs: 0,
    verified: [{ field: 'email', valueHash: 'hash-of-ada', atMs: 1 }],
  });
  return { org, otherOrg, shop, old, foreign, ada, before, bob, others, files };
}

export type PersonWorld = Awaited<ReturnType<typeof aPersonAndOthers>>;

/** Finds where ids of this person are stored. Searches for ids, because other tests store people of the same name. */
export async function namedIn(root: string, { ada, before, files }: PersonWorld): Promise<string[]> {
  const own = [ada.leadId, before.leadId, files.own.uuid, files.replaced.uuid];
  const found = [...(await readStoredData(root))].filter(([, content]) => own.some((id) => content.includes(id)));
  return found.map(([where]) => where).sort();
}

/** Returns the locations of the tombstones of the person's leads. Only these items remain after the erasure. */
export const tombstonesOf = ({ ada, before }: PersonWorld): string[] =>
  [ada, before]
    .flatMap(({ funnelId, leadId }) => [
      `leads lead#${funnelId}#${leadId} lead`,
      `analytics funnel#${funnelId} named#${leadId}`,
    ])
    .sort();
