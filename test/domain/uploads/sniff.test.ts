import { fileTypeFromBuffer } from 'file-type';
import { describe, expect, test } from 'vitest';
import { sniff } from '../../../shared/uploads/content/sniff.ts';
import { sniffHead } from '../../../shared/uploads/content/sniff-head.ts';
import { ALL_FILES } from '../../support/files.ts';

describe.each(Object.entries(ALL_FILES))('%s', (kind, make) => {
  test('is known by its content', () => {
    expect(sniff(make())).toContain(kind);
    expect(sniffHead(make().subarray(0, 4_096))).toContain(kind);
  });

  test('is what the library file-type calls it', async () => {
    const found = await fileTypeFromBuffer(make());
    const office = ['doc', 'xls', 'ppt'].includes(kind) ? 'cfb' : undefined;
    expect(found?.ext).toBe(['txt', 'csv'].includes(kind) ? undefined : (office ?? kind));
  });
});
