import { commitFiles } from '../../../../shared/analytics/facts/commit-files.ts';
import { FACTS_PREFIX, factObjectKey } from '../../../../shared/analytics/facts/fact-files.ts';
import type { ListedFile, Manifest } from '../../../../shared/analytics/facts/manifest.ts';
import type {
  FactReader,
  FactWriter,
  FreshFactRepository,
  ManifestRepository,
  TombstoneRepository,
} from '../../../../shared/analytics/facts/ports.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import type { NoncurrentVersions, ObjectStore } from '../../../../shared/platform/object-store.ts';

export type EraseFactsPorts = {
  tombstones: Pick<TombstoneRepository, 'findFreshItems'>;
  fresh: Pick<FreshFactRepository, 'add' | 'remove'>;
  manifests: Pick<ManifestRepository, 'read' | 'replaceIfUnchanged'>;
  factReader: Pick<FactReader, 'read' | 'findBySessionKeys'>;
  writer: FactWriter;
  objects: Pick<ObjectStore, 'list' | 'deleteAllVersions'>;
  oldVersions: NoncurrentVersions;
  /** Whether the fact file holds any of these sessions. The file need not be listed in a manifest. */
  containsAnySession(objectKey: string, sessionKeys: readonly bigint[]): Promise<boolean>;
  clock: Clock;
};

type Keys = ReadonlySet<bigint>;

const SOURCE = { first: 'after-erasure', last: 'after-erasure' };

/**
 * Erases the facts of these sessions from the fresh items. Before an item is deleted, its other facts are stored as a
 * new item, so that a crash loses no fact.
 *
 * @returns the number of erased facts; in a dry run, the number of facts that would be erased
 */
export async function eraseFreshFacts(
  ports: EraseFactsPorts,
  funnelId: string,
  keys: Keys,
  dryRun: boolean,
): Promise<number> {
  let facts = 0;
  for await (const { ref, erased, others } of ports.tombstones.findFreshItems(funnelId, keys)) {
    facts += erased;
    if (dryRun) continue;
    if (others.length > 0) await ports.fresh.add(funnelId, SOURCE, others);
    await ports.fresh.remove(funnelId, [ref]);
  }
  return facts;
}

/**
 * Maps the name of each listed file to its replacement. If the erasure leaves no fact, `file` is null. If the file
 * holds no fact to erase, the value is undefined, and the file stays listed.
 */
type Replacements = Map<string, { file: ListedFile | null; erased: number } | undefined>;

/** Maximum age of replacements at a commit. Older ones are written again, because `commitFiles` could reject them. */
const REPLACEMENT_MS_MAX = 30 * 60_000;

/**
 * Replaces the listed files that hold any of the sessions. One commit lists the replacements and increments the
 * generation, even if there are no replacements. The increment prevents running compactions from committing, because
 * they may have read fresh facts before the erasure.
 */
export async function eraseManifestFiles(
  ports: EraseFactsPorts,
  funnelId: string,
  keys: Keys,
): Promise<{ files: number; facts: number }> {
  let replacements: Replacements = new Map();
  let beganMs = ports.clock.now();
  for (;;) {
    const read = await ports.manifests.read(funnelId);
    const tookMs = ports.clock.now() - beganMs;
    if (tookMs < 0 || tookMs > REPLACEMENT_MS_MAX) {
      replacements = new Map();
      beganMs = ports.clock.now();
    }
    for (const file of read.files)
      if (!replacements.has(file.name)) replacements.set(file.name, await replacementOf(ports, funnelId, file, keys));
    const done = read.files.flatMap(({ name }) => replacements.get(name) ?? []);
    const files = done.flatMap(({ file }) => file ?? []);
    const next = withReplacements(read, replacements, ports.clock.now());
    const result = await commitFiles(ports, funnelId, files, beganMs, ({ version }) =>
      version === read.version ? next : undefined,
    );
    if (result === 'committed') return { files: done.length, facts: done.reduce((sum, { erased }) => sum + erased, 0) };
  }
}

/** Counts the listed files that hold any of the sessions, and the facts of the sessions in these files. */
export async function countFactsInManifestFiles(
  { manifests, factReader }: EraseFactsPorts,
  funnelId: string,
  keys: Keys,
) {
  const counted = { files: 0, facts: 0 };
  for (const file of (await manifests.read(funnelId)).files) {
    const facts = (await factReader.findBySessionKeys([file], [...keys])).length;
    if (facts > 0) counted.files++;
    counted.facts += facts;
  }
  return counted;
}

async function replacementOf({ factReader, writer }: EraseFactsPorts, funnelId: string, file: ListedFile, keys: Keys) {
  if ((await factReader.findBySessionKeys([file], [...keys])).length === 0) return undefined;
  const all = await factReader.read([file]);
  const others = all.filter(({ sessionKey }) => !keys.has(sessionKey));
  const erased = all.length - others.length;
  if (others.length === 0) return { file: null, erased };
  const written = await writer.write(funnelId, others, file.completeUntilMs);
  return { file: { ...written, level: file.level }, erased };
}

/** Builds the new manifest. Marks all retired files with `purgeVersions`, because they may also hold the sessions. */
function withReplacements(read: Manifest, replacements: Replacements, nowMs: number) {
  const files: ListedFile[] = [];
  const retired = read.retired.map((file) => ({ ...file, purgeVersions: true as const }));
  for (const file of read.files) {
    const replacement = replacements.get(file.name);
    if (replacement === undefined) files.push(file);
    else if (replacement.file !== null) files.push(replacement.file);
    if (replacement !== undefined) retired.push({ name: file.name, retiredMs: nowMs, purgeVersions: true as const });
  }
  return { generation: read.generation + 1, files, retired };
}

/**
 * Deletes the funnel's fact files that hold any of the sessions but are not in the manifest, for example after a crash.
 * Also deletes all noncurrent versions of the funnel's fact files, because they may hold the sessions. If an operator
 * later restores an old manifest from a backup, some of its files may be missing. The operator must then rebuild the
 * facts from raw events.
 */
export async function eraseUnlistedFiles(ports: EraseFactsPorts, funnelId: string, keys: Keys) {
  const { files, retired } = await ports.manifests.read(funnelId);
  const known = new Set([...files, ...retired].map(factObjectKey));
  const prefix = `${FACTS_PREFIX}funnel_id=${funnelId}/`;
  let orphans = 0;
  for await (const { key } of ports.objects.list(prefix)) {
    if (known.has(key) || !(await ports.containsAnySession(key, [...keys]))) continue;
    await ports.objects.deleteAllVersions(key);
    orphans++;
  }
  return { orphans, oldVersions: await ports.oldVersions.remove(prefix) };
}
