import { expect, test } from 'vitest';
import { CONTENT_BYTES_MAX, type FunnelFile } from '../../../shared/directory/funnel-file.ts';
import { fileOf } from '../../../shared/directory/keep-funnel.ts';
import { useDynamo } from '../../support/dynamo.ts';
import { aFunnelDesk } from '../../support/funnel-desk.ts';
import { aFunnelFile, faultsIn } from '../../support/funnel-file.ts';

useDynamo();

const times = (count: number) => Array.from({ length: count }, (_, at) => at);

/** Two hundred fields of many short choices, where names and marks of lists take most; texts fill the rest. */
function filled(): FunnelFile {
  const fields = times(200).map((at) => ({
    ...{ id: `${at}`, type: 'choices' as const, step: 'contact', required: true },
    choices: times(100).map((index) => `${index}`),
  }));
  const file = aFunnelFile({ fields, ai: { systemPrompt: 'x', texts: [] } });
  const texts = file.ai?.texts ?? [];
  const left = () => CONTENT_BYTES_MAX - Buffer.byteLength(JSON.stringify(file));
  while (left() > 20_100) texts.push('x'.repeat(20_000));
  texts.push('x'.repeat(left() - 3));
  return file;
}

test('the largest file that is taken fits where versions are stored, and a byte more is refused', async () => {
  const file = filled();
  expect(Buffer.byteLength(JSON.stringify(file))).toBe(CONTENT_BYTES_MAX);
  expect(faultsIn(file)).toEqual([]);
  const { desk, aFunnel } = aFunnelDesk();
  const { id } = await aFunnel(file);
  expect(await fileOf(desk, id)).toEqual(file);
  expect(faultsIn({ ...file, name: `${file.name}s` })).toEqual([expect.stringContaining('shorten ai')]);
});

test('emojis and letters beyond ASCII are counted as the database counts them', async () => {
  const file = aFunnelFile({ ai: { systemPrompt: 'x', texts: times(5).map(() => '😀'.repeat(17_400)) } });
  expect(faultsIn(file)).toEqual([]);
  await expect(aFunnelDesk().aFunnel(file)).resolves.toBeDefined();
});
