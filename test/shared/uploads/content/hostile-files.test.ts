import { describe, expect, test } from 'vitest';
import { sanitizeContent } from '../../../../shared/uploads/content/sanitize-content.ts';
import { measured } from '../../../support/measured.ts';
import { HOSTILE_FILES, HOSTILE_HEICS } from '../../../support/uploads/hostile-files.ts';

const CPU_MS_MAX = 1_000;
const GROWN_BYTES_MAX = 64 * 1024 * 1024;

async function expectLowCost(work: () => unknown): Promise<void> {
  const { cpuMs, grownBytes } = await measured(work);
  expect(cpuMs).toBeLessThan(CPU_MS_MAX);
  expect(grownBytes).toBeLessThan(GROWN_BYTES_MAX);
}

describe('a HEIC with', () => {
  test.each(Object.entries(HOSTILE_HEICS))(
    '%s needs less than 1 s of CPU time and 64 MB of memory',
    async (_, make) => {
      const file = make();
      await expectLowCost(() => expect(sanitizeContent(file, 'photo.heic', undefined)).toBe('heic'));
    },
  );
});

test.each(Object.entries(HOSTILE_FILES))(
  '%s needs less than 1 s of CPU time and 64 MB of memory',
  async (name, make) => {
    const file = make();
    await expectLowCost(() => sanitizeContent(file, name.slice(0, name.indexOf(' ')), undefined));
  },
);
