import { fileURLToPath } from 'node:url';
import { mergeConfig, type Plugin } from 'vitest/config';
import base from '../../vitest.config.ts';
import { replacementOf } from './replaced.ts';

/**
 * Tests of the stand-ins themselves. Also tests that copy objects with the header If-None-Match, which versitygw 1.8.0
 * ignores.
 */
const EXCLUDED = [
  'test/infra/local/s3/server.test.ts',
  'test/infra/local/common/loopback-host.test.ts',
  'test/infra/smoke/smoke.test.ts',
];

export default mergeConfig(base, {
  test: { exclude: EXCLUDED },
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
