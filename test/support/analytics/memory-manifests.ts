import { EMPTY_MANIFEST, fileCreatedMs, isLevel1, type Manifest } from '../../../shared/analytics/facts/manifest.ts';
import type { ManifestRepository } from '../../../shared/analytics/facts/ports.ts';

export function createMemoryManifests(): ManifestRepository & { funnels(): AsyncGenerator<string> } {
  const manifests = new Map<string, Manifest>();
  const current = (funnelId: string): Manifest => manifests.get(funnelId) ?? EMPTY_MANIFEST;
  return {
    read: async (funnelId) => current(funnelId),
    funnels: async function* () {
      yield* manifests.keys();
    },
    replaceIfUnchanged: async (funnelId, { version }, next) => {
      if (current(funnelId).version !== version) return false;
      manifests.set(funnelId, { ...next, version: version + 1 });
      return true;
    },
    listFunnelsWithLevel1Files: async () =>
      [...manifests].flatMap(([funnelId, { files }]) =>
        files.some(isLevel1) ? [{ funnelId, oldestMs: Math.min(...files.filter(isLevel1).map(fileCreatedMs)) }] : [],
      ),
  };
}
