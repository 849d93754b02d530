import { expect, test } from 'vitest';
import {
  CONTENT_BYTES_MAX,
  type FunnelDefinition,
} from '../../../../infra/cli/funnels/definition/funnel-definition.ts';
import { getDefinition } from '../../../../infra/cli/funnels/funnel-lifecycle.ts';
import { aFunnelDefinition, issuesIn } from '../../../support/cli/funnel-definition.ts';
import { aFunnelRepository } from '../../../support/cli/funnel-repository.ts';
import { useDynamo } from '../../../support/dynamo.ts';

useDynamo();

const times = (count: number) => Array.from({ length: count }, (_, at) => at);

/** A file of the maximum size: 200 fields with many short choices, and texts that fill the remaining bytes. */
function filled(): FunnelDefinition {
  const fields = times(200).map((at) => ({
    id: `${at}`,
    type: 'choices' as const,
    step: 'contact',
    required: true,
    choices: times(100).map((index) => `${index}`),
  }));
  const file = aFunnelDefinition({ fields, ai: { systemPrompt: 'x', texts: [] } });
  const texts = file.ai?.texts ?? [];
  const left = () => CONTENT_BYTES_MAX - Buffer.byteLength(JSON.stringify(file));
  while (left() > 20_100) texts.push('x'.repeat(20_000));
  texts.push('x'.repeat(left() - 3));
  return file;
}

test('the largest accepted file can be published, and a file with one more byte is rejected', async () => {
  const file = filled();
  expect(Buffer.byteLength(JSON.stringify(file))).toBe(CONTENT_BYTES_MAX);
  expect(issuesIn(file)).toEqual([]);
  const { funnels, aFunnel } = aFunnelRepository();
  const { id } = await aFunnel(file);
  expect(await getDefinition(funnels, id)).toEqual(file);
  expect(issuesIn({ ...file, name: `${file.name}s` })).toEqual([expect.stringContaining('shorten ai')]);
});

test('a file of emojis can be published if its bytes in UTF-8 are just below the maximum size', async () => {
  const file = aFunnelDefinition({ ai: { systemPrompt: 'x', texts: times(5).map(() => '😀'.repeat(17_400)) } });
  expect(issuesIn(file)).toEqual([]);
  await expect(aFunnelRepository().aFunnel(file)).resolves.toBeDefined();
});
