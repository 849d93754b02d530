import { ulid } from 'ulid';
import type { BaseRewriter } from '../../../../shared/analytics/compaction/ports.ts';
import { mergeFactsBySession } from '../../../../shared/analytics/facts/fact.ts';
import type { FactFile } from '../../../../shared/analytics/facts/fact-files.ts';
import type { FactFileStore, FactReader, FactWriter } from '../../../../shared/analytics/facts/ports.ts';
import type { Clock } from '../../../../shared/platform/clock.ts';
import { createMemoryFactFiles } from '../analytics.ts';

export type StoredFiles = {
  factReader: FactReader;
  writer: FactWriter;
  rewriter: BaseRewriter;
  swept: Pick<FactFileStore, 'list' | 'remove'>;
};

/** Creates in-memory fact files, which get their times from the clock. Reading a removed file throws an Error. */
export function storedFiles(clock: Clock, fileSessionsMax: number): StoredFiles {
  const inner = createMemoryFactFiles();
  const stored = new Map<string, { file: FactFile; storedMs: number }>();
  const within = (files: readonly FactFile[]) => files.map(({ name }) => stored.get(name)?.file ?? missing(name));
  const writer: FactWriter = {
    write: async (funnelId, facts, completeUntilMs) => {
      const file = await inner.write(funnelId, facts, completeUntilMs);
      const name = `${funnelId}/${ulid(clock.now())}`;
      stored.set(name, { file, storedMs: clock.now() });
      return { ...file, name };
    },
  };
  const files: FactReader = {
    prefetch: () => undefined,
    evictExcept: () => undefined,
    read: (given) => inner.read(within(given)),
    findBySessionKeys: (given, keys) => inner.findBySessionKeys(within(given), keys),
    count: (given, ...how) => inner.count(within(given), ...how),
    countValues: (given, ...how) => inner.countValues(within(given), ...how),
  };
  return {
    factReader: files,
    writer,
    rewriter: rewriterOver(files, writer, fileSessionsMax),
    swept: sweptFrom(stored),
  };
}

function rewriterOver(files: FactReader, writer: FactWriter, fileSessionsMax: number): BaseRewriter {
  return {
    rewrite: async ({ funnelId, range, base, level1Files, completeUntilMs }) => {
      const inRange = ({ sessionKey }: { sessionKey: bigint }) => sessionKey >= range.from && sessionKey <= range.to;
      const level1Facts = (await files.read(level1Files)).filter(inRange);
      if (level1Facts.length === 0) return undefined;
      const before = base === undefined ? [] : await files.read([base]);
      const merged = [...mergeFactsBySession([...before, ...level1Facts]).values()];
      const byKey = merged.sort((a, b) => (a.sessionKey < b.sessionKey ? -1 : 1));
      const made: FactFile[] = [];
      for (let at = 0; at < byKey.length; at += fileSessionsMax)
        made.push(await writer.write(funnelId, byKey.slice(at, at + fileSessionsMax), completeUntilMs));
      return made;
    },
  };
}

function sweptFrom(stored: Map<string, { storedMs: number }>): Pick<FactFileStore, 'list' | 'remove'> {
  return {
    list: async function* () {
      const all = Array.from(stored, ([name, { storedMs }]) => ({ name, storedMs }));
      for (const file of all.sort((a, b) => (a.name < b.name ? -1 : 1))) yield [file];
    },
    remove: async (name) => void stored.delete(name),
  };
}

const missing = (name: string): never => {
  throw new Error(`There is no file ${name}.`);
};
