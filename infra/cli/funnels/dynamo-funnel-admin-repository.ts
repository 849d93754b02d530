import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import * as z from 'zod/mini';
import {
  definitionKey,
  funnelKey,
  organizationFunnelKey,
  uploadBlockKey,
  versionKey,
} from '../../../shared/funnels/aws/keys.ts';
import { FunnelVersion } from '../../../shared/funnels/funnel.ts';
import { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import { type Condition, createRecordTable } from '../environment/record-table.ts';
import { FunnelDefinition } from './definition/funnel-definition.ts';
import {
  FunnelRecord,
  type FunnelSettings,
  type PublicationState,
  VersionSource,
  type VersionSummary,
} from './funnel-admin.ts';

export type FunnelAdminRepository = ReturnType<typeof createDynamoFunnelAdminRepository>;

/** Omits `isCandidate`, which only the public routes check. Operators may publish any version. */
const Version = z.omit(FunnelVersion, { isCandidate: true });

/** A definition is stored as JSON text, so that it is exported unchanged. */
const StoredDefinition = z.pipe(
  z.looseObject({ file: z.string() }),
  z.transform(({ file, ...stored }) => ({ ...stored, file: FunnelDefinition.parse(JSON.parse(file)) })),
);
const StoredSource = z.pipe(
  StoredDefinition,
  z.transform((stored) => VersionSource.parse(stored)),
);
const StoredBlock = z.pipe(
  z.looseObject({}),
  z.transform((stored) => (stored.kind === 'upload' ? UploadBlock.parse(stored) : ('other' as const))),
);
const StoredTimes = z.object({
  sk: z.string(),
  createdAt: z.optional(z.string()),
  publishedAt: z.optional(z.string()),
  previousVersionId: z.nullish(z.string()),
});

type Publication = Pick<FunnelRecord, 'earlierLeadRetention'> & {
  versionId: string;
  settings: FunnelSettings;
  at: string;
};

/** Gives operators access to funnels in the directory table. All reads are strongly consistent. */
export function createDynamoFunnelAdminRepository(client?: DynamoDBDocumentClient) {
  const { read, put, update, list } = createRecordTable('directoryTable', client);
  return {
    find: (funnelId: string) => read(FunnelRecord, funnelKey(funnelId)),

    /** Stores a funnel that has no version yet. Also stores its draft, the file for the first publication. */
    add: async (funnel: FunnelRecord, draft: FunnelDefinition) => {
      await put(definitionKey(funnel.id, 'draft'), { file: JSON.stringify(draft) });
      // Writes the funnel last, so that every existing funnel is complete and listed. A crash can leave a list entry
      // without a funnel.
      await put(organizationFunnelKey(funnel.orgId, funnel.id), { orgId: funnel.orgId, funnelId: funnel.id });
      await put(funnelKey(funnel.id), funnel);
    },

    draft: async (funnelId: string) => (await read(StoredDefinition, definitionKey(funnelId, 'draft')))?.file,

    version: (funnelId: string, versionId: string) => read(Version, versionKey(funnelId, versionId)),

    /** Returns undefined for a version that was created without a file. */
    source: (funnelId: string, versionId: string) => read(StoredSource, definitionKey(funnelId, versionId)),

    /** Lists the versions of a funnel, unordered. */
    versions: async (funnelId: string): Promise<VersionSummary[]> => {
      const ids: string[] = [];
      const times = new Map<string, z.output<typeof StoredTimes>>();
      const [versionPrefix, definitionPrefix] = [versionKey(funnelId, '').sk, definitionKey(funnelId, '').sk];
      // Requests no large attributes, so that responses are small. Nevertheless, DynamoDB reads whole items, at most
      // 1 MB of them per request.
      const listing = { only: Object.keys(StoredTimes.shape) };
      for await (const stored of list(StoredTimes, { ...funnelKey(funnelId), sk: '' }, listing)) {
        if (stored.sk.startsWith(versionPrefix)) ids.push(stored.sk.slice(versionPrefix.length));
        if (stored.sk.startsWith(definitionPrefix)) times.set(stored.sk.slice(definitionPrefix.length), stored);
      }
      return ids.map((id) => {
        const { createdAt, publishedAt, previousVersionId = null } = times.get(id) ?? {};
        return { id, createdAt, publishedAt, previousVersionId };
      });
    },

    /** Finds an upload block. Returns `other` if another kind of block has the id, and undefined if no block has it. */
    block: (orgId: string, blockId: string) => read(StoredBlock, uploadBlockKey(orgId, blockId)),

    /** Writes a block. @throws Error if the id belongs to a block of another funnel or to another kind of record */
    putBlock: async (orgId: string, block: UploadBlock) => {
      const expression = 'attribute_not_exists(pk) OR (kind = :kind AND funnelId = :funnelId)';
      const values = { ':kind': block.kind, ':funnelId': block.funnelId };
      if (await put(uploadBlockKey(orgId, block.id), block, { expression, values })) return;
      throw new Error(
        `The id ${block.id} belongs to another funnel or to another kind of block: give the upload block another id.`,
      );
    },

    /**
     * Stores a new version. Visitors cannot use the version until the funnel refers to it. If a version with this id
     * exists, it stays unchanged.
     *
     * @param created.previous id of the version that is published at the time of the write
     */
    addVersion: async (
      version: FunnelVersion,
      { file, blocks }: VersionSource,
      created: { at: string; previous: string | null },
    ) => {
      const { id, funnelId } = version;
      const source = { file: JSON.stringify(file), blocks, createdAt: created.at, previousVersionId: created.previous };
      // Writes the source first, so that every stored version has its source.
      await put(definitionKey(funnelId, id), source);
      await put(versionKey(funnelId, id), { ...version, isCandidate: true });
    },

    /** Publishes a stored version if the publication state is still `from`. @returns whether it was published */
    publish: (
      funnelId: string,
      from: PublicationState,
      { versionId, settings, at, earlierLeadRetention }: Publication,
    ) => {
      const { name, allowedOrigins, leadRetentionDays, verification, limits } = settings;
      const published = { publishedVersionId: versionId, publishedAt: at, unpublishedAt: null };
      const to = { name, allowedOrigins, leadRetentionDays, earlierLeadRetention, verification, limits, ...published };
      return update(funnelKey(funnelId), to, ifUnchangedSince(from));
    },

    /** Lets visitors use a version even after the funnel refers to another version. */
    markPublished: async (funnelId: string, versionId: string, at: string) => {
      // Writes the time last. A version with this time is therefore completely published.
      await update(versionKey(funnelId, versionId), { isCandidate: false });
      const expression = 'attribute_exists(pk) AND attribute_not_exists(#publishedAt)';
      await update(definitionKey(funnelId, versionId), { publishedAt: at }, { expression });
    },

    /** If the publication state of a funnel is still `from`, changes it to `to`. @returns whether it was changed */
    updateStatus: (
      funnelId: string,
      from: PublicationState,
      to: Partial<Pick<PublicationState, 'unpublishedAt' | 'archivedAt'>>,
    ) => update(funnelKey(funnelId), to, ifUnchangedSince(from)),
  };
}

/** Returns the condition that the funnel exists and its publication state has not changed since it was read. */
function ifUnchangedSince({ publishedVersionId, unpublishedAt, archivedAt }: PublicationState): Condition {
  const read = Object.entries({ publishedVersionId, unpublishedAt, archivedAt });
  const conditions = read.map(([name, value]) => {
    const same = `#was_${name} = :was_${name}`;
    // A record may lack an attribute whose value is null.
    return value === null ? `(attribute_not_exists(#was_${name}) OR ${same})` : same;
  });
  return {
    expression: ['attribute_exists(pk)', ...conditions].join(' AND '),
    names: Object.fromEntries(read.map(([name]) => [`#was_${name}`, name])),
    values: Object.fromEntries(read.map(([name, value]) => [`:was_${name}`, value])),
  };
}
