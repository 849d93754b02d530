import type { Clock } from '../../platform/clock.ts';
import { listFiles } from '../facts/commit.ts';
import type { Erasures } from '../facts/erasures.ts';
import { type Fact, mergeAll } from '../facts/fact.ts';
import type { FactFile, FactWriter } from '../facts/fact-files.ts';
import { completeUntil, isBase, type ListedFile, type Manifest, type Manifests, writtenMs } from '../facts/manifest.ts';
import { reduceEvents } from '../facts/reduce-events.ts';
import { type Comparison, compare, noDifference } from './comparison.ts';
import type { FactStaging, StagedFact, WithStaging } from './fact-staging.ts';
import type { RawEvents } from './raw-events.ts';
import type { InTurn } from './turns.ts';

export type RebuildPorts = {
  raw: Pick<RawEvents, 'files' | 'open'>;
  staging: WithStaging;
  manifests: Pick<Manifests, 'read' | 'commit'>;
  writer: FactWriter;
  erasures: Pick<Erasures, 'keys'>;
  inTurn: InTurn;
  clock: Clock;
};

export type RebuildOptions = {
  /** The longest that an event takes from the stream to a raw file. */
  marginMs: number;
  fileSessionsMax?: number;
  /** Looks at the difference before anything is written. @returns whether to go on */
  agree(comparison: Comparison): Promise<boolean>;
};

export type Rebuild =
  | { outcome: 'rebuilt'; comparison: Comparison; files: number; replaced: number; kept: number }
  | { outcome: 'declined'; comparison: Comparison }
  /** A base file may hold what no raw file holds yet. */
  | { outcome: 'too early'; waitMs: number }
  /** Facts were compacted, rebuilt or erased meanwhile: nothing has changed. */
  | { outcome: 'overtaken' };

/** As many facts as writing a file holds in memory, some 100 MB. */
const FILE_SESSIONS_MAX = 150_000;

/**
 * Makes a funnel's fact files anew from its raw events. What was counted since the margin may stand in no raw file yet:
 * such files stay listed, and fresh facts are left alone, so that reads never lose what was acknowledged. One commit
 * puts the new base in the place of everything older.
 *
 * @throws when a file is missing or damaged, or others that may not run beside it took too long; nothing has changed then
 */
export async function rebuild(ports: RebuildPorts, funnelId: string, options: RebuildOptions): Promise<Rebuild> {
  const beganMs = ports.clock.now();
  const manifest = await ports.manifests.read(funnelId);
  const isYoung = (file: FactFile) => writtenMs(file) >= beganMs - options.marginMs;
  const youngest = Math.max(0, ...manifest.files.filter(isBase).filter(isYoung).map(writtenMs));
  if (youngest > 0) return { outcome: 'too early', waitMs: youngest + options.marginMs - beganMs + 1 };
  const [kept, replaced] = partition(manifest.files, isYoung);
  return ports.staging(async (staging) => {
    for (const file of replaced) await staging.addFile('replaced', file);
    for (const file of kept) await staging.addFile('kept', file);
    // An erasure moves rows to other files, so that some would be met nowhere; afterwards it ends this by its commit.
    await ports.inTurn(() => stageRawEvents(ports.raw, funnelId, staging));
    const erased = new Set(await ports.erasures.keys(funnelId));
    const comparison = await compareSessions(staging, erased);
    if (!(await options.agree(comparison))) return { outcome: 'declined', comparison };
    const startMs = ports.clock.now();
    const max = options.fileSessionsMax ?? FILE_SESSIONS_MAX;
    const files: FactFile[] = [];
    for await (const facts of rebuilt(staging, erased, max))
      files.push(await ports.writer.write(funnelId, facts, completeUntil(manifest.files)));
    const next = (read: Manifest) => replacing(read, manifest, replaced, files, ports.clock.now());
    const listing = await listFiles(ports, funnelId, files, startMs, next);
    if (listing === 'outdated') return { outcome: 'overtaken' };
    return { outcome: 'rebuilt', comparison, files: files.length, replaced: replaced.length, kept: kept.length };
  });
}

function partition(files: readonly ListedFile[], isFirst: (file: ListedFile) => boolean) {
  return [files.filter(isFirst), files.filter((file) => !isFirst(file))] as const;
}

async function stageRawEvents(raw: RebuildPorts['raw'], funnelId: string, staging: FactStaging): Promise<void> {
  for await (const { key } of raw.files()) {
    const staged = await raw.open(key, async (file) => {
      for await (const events of file.events(funnelId)) {
        const facts = reduceEvents(events).get(funnelId) ?? [];
        if (facts.length > 0) await staging.add('raw', facts);
      }
      return true;
    });
    if (staged === undefined)
      throw new Error('A file of raw events was replaced meanwhile, as erasing does: begin again.');
  }
}

/** A session's facts merged, of those sides that count. */
const merged = (session: readonly StagedFact[], counts: (staged: StagedFact) => boolean): Fact | undefined =>
  mergeAll(session.filter(counts).map(({ fact }) => fact))
    .values()
    .next().value;

const isErased = ([first]: readonly StagedFact[], erased: ReadonlySet<bigint>): boolean =>
  first !== undefined && erased.has(first.fact.sessionKey);

async function compareSessions(staging: FactStaging, erased: ReadonlySet<bigint>): Promise<Comparison> {
  const counted = noDifference();
  for await (const session of staging.sessions()) {
    if (isErased(session, erased)) continue;
    compare(
      counted,
      merged(session, ({ side }) => side !== 'raw'),
      merged(session, ({ side }) => side !== 'replaced'),
    );
  }
  return counted;
}

/** What the raw events say of each session, in lots of neighbouring keys. */
async function* rebuilt(staging: FactStaging, erased: ReadonlySet<bigint>, max: number): AsyncGenerator<Fact[]> {
  let facts: Fact[] = [];
  for await (const session of staging.sessions()) {
    const fact = isErased(session, erased) ? undefined : merged(session, ({ side }) => side === 'raw');
    if (fact !== undefined) facts.push(fact);
    if (facts.length < max) continue;
    yield facts;
    facts = [];
  }
  if (facts.length > 0) yield facts;
}

/** The new base and whatever was added since, or undefined when what it replaces has gone elsewhere meanwhile. */
function replacing(
  read: Manifest,
  began: Manifest,
  replaced: readonly ListedFile[],
  files: readonly FactFile[],
  nowMs: number,
) {
  const old = new Set(replaced.map(({ name }) => name));
  const stays = read.files.filter(({ name }) => !old.has(name));
  const allListed = read.files.length - stays.length === old.size;
  if (read.generation !== began.generation || !allListed || stays.some(isBase)) return undefined;
  const base = files.map((file) => ({ ...file, level: 'base' as const }));
  const retired = replaced.map(({ name }) => ({ name, retiredMs: nowMs }));
  return {
    generation: read.generation + 1,
    files: [...base, ...stays],
    retired: [...read.retired, ...retired],
  };
}
