import { fileURLToPath } from 'node:url';
import { mergeConfig, type Plugin } from 'vitest/config';
import base from '../vitest.config.ts';
import { replacementOf } from './replaced.ts';

export default mergeConfig(base, {
  plugins: [
    {
      name: 'independent-stores',
      enforce: 'pre',
      async resolveId(source: string, importer: string | undefined, options: object) {
        const resolved = await this.resolve(source, importer, { ...options, skipSelf: true });
        const replacement = resolved === null ? undefined : replacementOf(resolved.id);
        return replacement && fileURLToPath(replacement);
      },
    } satisfies Plugin,
  ],
});
