import {
  isAmendment,
  type Manifest,
  type Manifests,
  NO_MANIFEST,
  writtenMs,
} from '../../shared/analytics/facts/manifest.ts';

export function memoryManifests(): Manifests & { funnels(): AsyncGenerator<string> } {
  const manifests = new Map<string, Manifest>();
  const current = (funnelId: string): Manifest => manifests.get(funnelId) ?? NO_MANIFEST;
  return {
    read: async (funnelId) => current(funnelId),
    funnels: async function* () {
      yield* manifests.keys();
    },
    commit: async (funnelId, { version }, next) => {
      if (current(funnelId).version !== version) return 'conflict';
      manifests.set(funnelId, { ...next, version: version + 1 });
      return 'committed';
    },
    amended: async () =>
      [...manifests].flatMap(([funnelId, { files }]) =>
        files.some(isAmendment) ? [{ funnelId, oldestMs: Math.min(...files.filter(isAmendment).map(writtenMs)) }] : [],
      ),
  };
}
