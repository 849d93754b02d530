import type { Clock } from '../../../shared/platform/clock.ts';
import type { IdGenerator } from '../../../shared/platform/id-generator.ts';
import { toSettings, withSettings } from './definition/convert.ts';
import type { FunnelDefinition } from './definition/funnel-definition.ts';
import type { FunnelAdminRepository } from './dynamo-funnel-admin-repository.ts';
import { FunnelRecord, FunnelSettings, type VersionSummary } from './funnel-admin.ts';
import { requireFunnel, requireStoredVersion } from './publication.ts';

type Ports = { funnels: FunnelAdminRepository; clock: Clock };

/** Creates a funnel that visitors cannot reach before it is published. */
export async function createFunnel(
  { funnels, clock, ids }: Ports & { ids: IdGenerator },
  orgId: string,
  file: FunnelDefinition,
): Promise<FunnelRecord> {
  const created = { id: ids.uuid(), orgId, publishedVersionId: null, createdAt: new Date(clock.now()).toISOString() };
  const funnel = FunnelRecord.parse({ ...toSettings(file), ...created });
  await funnels.add(funnel, file);
  return funnel;
}

/**
 * Returns the file of a version. Default: the last published version, or the draft if no version was published. In the
 * file of the last published version, the funnel's current settings replace the settings of the file.
 *
 * @throws Error for an unknown funnel or version, and if the funnel has neither a version nor a draft
 */
export async function getDefinition(
  funnels: FunnelAdminRepository,
  funnelId: string,
  versionId?: string,
): Promise<FunnelDefinition> {
  const funnel = await requireFunnel(funnels, funnelId);
  const wantedId = versionId ?? funnel.publishedVersionId;
  if (wantedId === null) return requireDraft(funnels, funnelId);
  const { source } = await requireStoredVersion(funnels, funnel, wantedId);
  return wantedId === funnel.publishedVersionId ? withSettings(source.file, FunnelSettings.parse(funnel)) : source.file;
}

async function requireDraft(funnels: FunnelAdminRepository, funnelId: string): Promise<FunnelDefinition> {
  const draft = await funnels.draft(funnelId);
  if (draft === undefined) {
    throw new Error(
      `The funnel ${funnelId} has neither a version nor a draft: publish a file first with "funnels publish".`,
    );
  }
  return draft;
}

/** Lists a funnel's versions, newest first. Versions that were created without a file come last. */
export async function listVersions(funnels: FunnelAdminRepository, funnelId: string): Promise<VersionSummary[]> {
  await requireFunnel(funnels, funnelId);
  const versions = await funnels.versions(funnelId);
  const order = ({ createdAt = '', id }: VersionSummary) => `${createdAt} ${id}`;
  return versions.sort((one, other) => (order(one) > order(other) ? -1 : 1));
}

export type LifecycleResult = 'done' | 'already' | 'never published';

/** Unpublishes a funnel. Unless it is archived, visitors can use it for 24 h more. @throws Error like `updateStatus` */
export async function unpublishFunnel(ports: Ports, funnelId: string): Promise<LifecycleResult> {
  return updateStatus(ports, funnelId, (funnel, now) => {
    if (funnel.publishedVersionId === null) return 'never published';
    return funnel.unpublishedAt === null ? { unpublishedAt: now } : 'already';
  });
}

/** Archives a funnel. Visitors can no longer use it. Its leads stay readable. @throws Error like `updateStatus` */
export const archiveFunnel = (ports: Ports, funnelId: string): Promise<LifecycleResult> =>
  updateStatus(ports, funnelId, ({ archivedAt }, now) => (archivedAt === null ? { archivedAt: now } : 'already'));

/** Restores an archived funnel to its previous state. @throws Error like `updateStatus` */
export const restoreFunnel = (ports: Ports, funnelId: string): Promise<LifecycleResult> =>
  updateStatus(ports, funnelId, ({ archivedAt }) => (archivedAt === null ? 'already' : { archivedAt: null }));

type To = Parameters<FunnelAdminRepository['updateStatus']>[2];

/** @throws Error for an unknown funnel, and for a concurrent change */
async function updateStatus(
  { funnels, clock }: Ports,
  funnelId: string,
  decide: (funnel: FunnelRecord, now: string) => To | Exclude<LifecycleResult, 'done'>,
): Promise<LifecycleResult> {
  const now = new Date(clock.now()).toISOString();
  const funnel = await requireFunnel(funnels, funnelId);
  const to = decide(funnel, now);
  if (typeof to === 'string') return to;
  if (await funnels.updateStatus(funnelId, funnel, to)) return 'done';
  // If the response of a successful write was lost, the SDK repeats the write, and the condition of the repetition
  // fails. The funnel then already has the wanted state.
  if (decide(await requireFunnel(funnels, funnelId), now) === 'already') return 'done';
  throw new Error(
    'Another command changed the funnel at the same time, so this command changed nothing. ' +
      'Check the state with "funnels show", and try again.',
  );
}
