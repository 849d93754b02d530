import { expect, test } from 'vitest';
import { scanMultipart } from '../../../../shared/http/multipart/scan-multipart.ts';
import { measured } from '../../../support/measured.ts';

const formWith = (header: string) => Buffer.from(`--b\r\n${header}\r\n\r\nx\r\n--b--\r\n`, 'latin1');

test.each<[string, string]>([
  ['blanks before a NUL', `X:${' '.repeat(8_000)}\0`],
  ['blanks before a carriage return', `X:${' '.repeat(8_000)}\rx`],
  ['blanks, then text before a NUL', `X:${' '.repeat(4_000)}${'x'.repeat(4_000)}\0`],
])('a header line of 8 KB with %s is rejected within 20 ms of CPU time', async (_, header) => {
  const { cpuMs } = await measured(() => {
    for (let run = 0; run < 10; run++)
      expect(() => scanMultipart(formWith(header), 'b')).toThrow(/must be `name: value`/);
  });
  expect(cpuMs).toBeLessThan(200);
});
