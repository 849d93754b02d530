import type { Manifest, Manifests } from '../../shared/analytics/manifest.ts';

export function memoryManifests(): Manifests {
  const manifests = new Map<string, Manifest>();
  const current = (funnelId: string): Manifest => manifests.get(funnelId) ?? { version: 0, files: [] };
  return {
    read: async (funnelId) => current(funnelId),
    commit: async (funnelId, version, files) => {
      if (current(funnelId).version !== version) return 'conflict';
      manifests.set(funnelId, { version: version + 1, files: [...files] });
      return 'committed';
    },
  };
}
