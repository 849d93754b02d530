import { mergeConfig } from 'vitest/config';
import base from '../vitest.config.ts';
import { hasDynamoDbLocal, hasVersitygw } from './tools.ts';

/** In place of the embedded stand-ins, where a test starts one. */
const REPLACED: readonly [when: boolean, source: RegExp, by: string][] = [
  [hasDynamoDbLocal(), /^dynalite$/, './dynamodb-local.ts'],
  [hasVersitygw(), /\/local\/object-store\.ts$/, './versitygw.ts'],
];

export default mergeConfig(base, {
  plugins: [
    {
      name: 'independent-stores',
      enforce: 'pre',
      resolveId: (source: string) => {
        const found = REPLACED.find(([when, of]) => when && of.test(source));
        return found && new URL(found[2], import.meta.url).pathname;
      },
    },
  ],
});
