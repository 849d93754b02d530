import { isDeepStrictEqual } from 'node:util';
import type { FunnelVersion } from '../../../shared/funnels/funnel.ts';
import type { UploadBlock } from '../../../shared/funnels/upload-block.ts';
import type { Clock } from '../../../shared/platform/clock.ts';
import { toDefinition, toFunnelVersion, toSettings, toUploadBlocks, withSettings } from './definition/convert.ts';
import { deriveUuid } from './definition/derive-uuid.ts';
import { type DefinitionDiff, diffDefinitions } from './definition/diff-definitions.ts';
import type { FunnelDefinition } from './definition/funnel-definition.ts';
import type { FunnelAdminRepository } from './dynamo-funnel-admin-repository.ts';
import { type FunnelRecord, FunnelSettings, type VersionSource } from './funnel-admin.ts';

export type PublicationPlan = {
  /** The funnel as it was read. */
  funnel: FunnelRecord;
  version: FunnelVersion;
  source: VersionSource;
  blocks: UploadBlock[];
  settings: FunnelSettings;
  changes: DefinitionDiff;
  /** Whether the version is not stored yet. */
  isNew: boolean;
  /**
   * Whether the version is already published with the settings of the plan. If so, applying the plan only completes an
   * interrupted publication.
   */
  isAlreadyPublished: boolean;
};

export type PublishPorts = { funnels: FunnelAdminRepository; clock: Clock };

/** @throws Error for an unknown funnel */
export async function requireFunnel(funnels: FunnelAdminRepository, funnelId: string): Promise<FunnelRecord> {
  const funnel = await funnels.find(funnelId);
  if (funnel === undefined) throw new Error(`There is no funnel ${funnelId}: see "funnels list".`);
  return funnel;
}

/**
 * Plans the publication of a file. The same file and the same published version give the same version id, so that a
 * repeated command continues an interrupted command.
 *
 * @throws Error for an unknown or archived funnel, and if another funnel or record uses the id of an upload block
 */
export async function planDefinition(
  funnels: FunnelAdminRepository,
  funnelId: string,
  file: FunnelDefinition,
): Promise<PublicationPlan> {
  const { funnel, current } = await readState(funnels, funnelId);
  const previous = funnel.publishedVersionId ?? '';
  const isSame = current !== undefined && isDeepStrictEqual(current.source.file, file);
  const id = isSame ? current.version.id : deriveUuid('funnel version', funnelId, previous, JSON.stringify(file));
  const blocks = toUploadBlocks(file, funnelId, current?.source.blocks ?? []);
  const aiId = current?.version.ai?.id ?? deriveUuid('ai block', funnelId);
  const version = isSame ? current.version : toFunnelVersion(file, blocks, { id, funnelId, aiId });
  const isNew = !isSame && (await funnels.version(funnelId, id)) === undefined;
  return { ...(await planOf(funnels, { funnel, current, version, blocks, file })), isNew };
}

/**
 * Plans to publish a stored version.
 *
 * @throws Error like `planDefinition`, and for an unknown version
 */
export async function planStoredVersion(
  funnels: FunnelAdminRepository,
  funnelId: string,
  versionId: string,
): Promise<PublicationPlan> {
  const { funnel, current } = await readState(funnels, funnelId);
  const { version, source } = await requireStoredVersion(funnels, funnel, versionId);
  const blocks = toUploadBlocks(source.file, funnelId, source.blocks);
  return { ...(await planOf(funnels, { funnel, current, version, blocks, file: source.file })), isNew: false };
}

/**
 * Returns the id of the version that a rollback publishes. It is the version that was published when the current
 * version was created.
 *
 * @throws Error if no such version is known, and for an unknown or unpublished funnel
 */
export async function getPreviousVersionId(funnels: FunnelAdminRepository, funnelId: string): Promise<string> {
  const { publishedVersionId, unpublishedAt } = await requireFunnel(funnels, funnelId);
  if (publishedVersionId === null)
    throw new Error('The funnel was never published: publish it first with "funnels publish".');
  if (unpublishedAt !== null)
    throw new Error('The funnel is not published: publish one of its versions with "funnels publish --version".');
  const versions = await funnels.versions(funnelId);
  const before = versions.find(({ id }) => id === publishedVersionId)?.previousVersionId ?? null;
  if (before === null)
    throw new Error('The version before the current version is not known: give a version with --to.');
  return before;
}

/**
 * Applies a plan. The public routes use the published version and settings within 30 s. If the command crashes, the
 * funnel is either unchanged or published. Repeating the command completes the remaining writes.
 *
 * @throws Error if another command published a different version or changed the status after the plan was made. Also
 *   throws if another funnel or record uses the id of an upload block
 */
export async function applyPublication({ funnels, clock }: PublishPorts, plan: PublicationPlan): Promise<void> {
  const { funnel, version, source, blocks, settings } = plan;
  const at = new Date(clock.now()).toISOString();
  const stored = await Promise.all(blocks.map(({ id }) => funnels.block(funnel.orgId, id)));
  const put = async (isNew: boolean) => {
    for (const [index, block] of blocks.entries()) {
      const before = stored[index];
      if ((before === undefined) === isNew && !isDeepStrictEqual(before, block))
        await funnels.putBlock(funnel.orgId, block);
    }
  };
  // Creates new blocks first, so that the published version refers only to existing blocks. Existing blocks are updated
  // after the publication, so that a rejected publication does not change them.
  await put(true);
  if (plan.isNew) await funnels.addVersion(version, source, { at, previous: funnel.publishedVersionId });
  await markReplacedVersion(funnels, plan, at);
  if (!plan.isAlreadyPublished) {
    const earlierLeadRetention = earlierPeriods(funnel, settings.leadRetentionDays, at);
    const publication = { versionId: version.id, settings, at, earlierLeadRetention };
    if (!(await funnels.publish(funnel.id, funnel, publication))) await requireSamePublication(funnels, plan);
  }
  await put(false);
  await funnels.markPublished(funnel.id, version.id, at);
}

/**
 * Returns the new value of `earlierLeadRetention`. If the publication lengthens or removes the retention period, adds
 * the old period to the list. Each stored lead keeps the old period until its next submit.
 */
function earlierPeriods(
  { leadRetentionDays: days, earlierLeadRetention: earlier }: FunnelRecord,
  nextDays: number | undefined,
  at: string,
): FunnelRecord['earlierLeadRetention'] {
  if (days === undefined || (nextDays !== undefined && nextDays <= days)) return earlier;
  return [...earlier.filter((one) => one.days !== days), { days, until: at }];
}

/**
 * Calls `markPublished` for the version that this publication replaces. Visitors may still use that version. Without
 * the mark, only the version that the funnel refers to can be used.
 */
async function markReplacedVersion(
  funnels: FunnelAdminRepository,
  { funnel, version }: PublicationPlan,
  at: string,
): Promise<void> {
  const { id, publishedVersionId: last, publishedAt = at } = funnel;
  if (last !== null && last !== version.id) await funnels.markPublished(id, last, publishedAt);
}

/** @throws Error if the funnel was changed, except if another command has published the same version */
async function requireSamePublication(
  funnels: FunnelAdminRepository,
  { funnel, version }: PublicationPlan,
): Promise<void> {
  const now = await requireFunnel(funnels, funnel.id);
  if (now.publishedVersionId === version.id && now.unpublishedAt === null && now.archivedAt === null) return;
  throw new Error(
    'Another command changed the funnel at the same time: nothing was published. ' +
      'Check the state with "funnels show", and try again.',
  );
}

type Stored = { version: FunnelVersion; source: VersionSource };
type State = { funnel: FunnelRecord; current: Stored | undefined };

async function readState(funnels: FunnelAdminRepository, funnelId: string): Promise<State> {
  const funnel = await requireFunnel(funnels, funnelId);
  if (funnel.archivedAt !== null) throw new Error('The funnel is archived: restore it first with "funnels restore".');
  const { publishedVersionId } = funnel;
  return {
    funnel,
    current: publishedVersionId === null ? undefined : await requireStoredVersion(funnels, funnel, publishedVersionId),
  };
}

/** Returns a version with its source. Derives the source if none is stored. @throws Error for an unknown version */
export async function requireStoredVersion(
  funnels: FunnelAdminRepository,
  funnel: FunnelRecord,
  versionId: string,
): Promise<Stored> {
  const [version, source] = await Promise.all([
    funnels.version(funnel.id, versionId),
    funnels.source(funnel.id, versionId),
  ]);
  if (version === undefined) throw new Error(`The funnel has no version ${versionId}: see "funnels versions".`);
  if (source !== undefined) return { version, source };
  const ids = [...new Set(version.fields.flatMap(({ blockId }) => blockId ?? []))];
  const found = await Promise.all(ids.map((id) => funnels.block(funnel.orgId, id)));
  const blocks = found.flatMap((block) => (block === undefined || block === 'other' ? [] : [block]));
  const definition = toDefinition(version, blocks, funnel.name ?? 'Unnamed funnel');
  const named = blocks.map(({ id, name }) => ({ id, name: name ?? id }));
  return { version, source: { file: withSettings(definition, funnel), blocks: named } };
}

type PlanInput = State & { version: FunnelVersion; blocks: UploadBlock[]; file: FunnelDefinition };

async function planOf(funnels: FunnelAdminRepository, { funnel, current, version, blocks, file }: PlanInput) {
  const settings = toSettings(file);
  const now = FunnelSettings.parse(funnel);
  const published = current && withSettings(current.source.file, now);
  const isPublished = funnel.publishedVersionId === version.id && funnel.unpublishedAt === null;
  await refuseOtherBlocks(funnels, funnel, blocks);
  return {
    funnel,
    version,
    blocks,
    settings,
    source: { file, blocks: blocks.map(({ id, name = id }) => ({ id, name })) },
    changes: diffDefinitions(published, file),
    isAlreadyPublished: isPublished && isDeepStrictEqual(settings, now),
  };
}

async function refuseOtherBlocks(
  funnels: FunnelAdminRepository,
  { id, orgId }: FunnelRecord,
  blocks: UploadBlock[],
): Promise<void> {
  const stored = await Promise.all(blocks.map((block) => funnels.block(orgId, block.id)));
  const other = stored.findIndex((block) => block !== undefined && (block === 'other' || block.funnelId !== id));
  if (other < 0) return;
  throw new Error(
    `uploadBlocks[${other}].id belongs to another funnel or to another kind of block: give the upload block another id.`,
  );
}
