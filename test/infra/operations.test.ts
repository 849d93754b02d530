import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OUTPUTS, outputName } from '../../infra/outputs.ts';
import { admin } from '../support/admin.ts';
import { synthesize } from '../support/stacks.ts';

// infra/operations.md is followed by people in a hurry: what it names must be there.

const text = readFileSync(join(import.meta.dirname, '../../infra/operations.md'), 'utf8');
const matches = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))];

const COMMANDS = matches(/^npm run admin -- (.+?)(?: +#.*)?$/gm);

test('it has commands', () => expect(COMMANDS.length).toBeGreaterThan(3));

test.each(COMMANDS)('the command exists with its options: %s', async (command) => {
  const words = command.split(/\s+/);
  const { out, code } = await admin([...words.slice(0, 2), '--help']);
  expect(code).toBe(0);
  for (const option of words.filter((word) => word.startsWith('--'))) expect(out).toContain(`${option} `);
});

test('outputs of the data stack that it reads are there', () => {
  const named = matches(/tributary-prod-data"\]\.(\w+)/g);
  expect(named.length).toBeGreaterThan(1);
  expect(Object.keys(OUTPUTS).map(outputName)).toEqual(expect.arrayContaining(named));
});

test('files that it names are there', () => {
  const named = matches(/((?:infra|shared|test)\/[\w./-]+\.\w+)/g);
  expect(named.length).toBeGreaterThan(3);
  for (const file of named) expect(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).not.toBe('');
});

test('provisioned shards change the mode of the stream and nothing else', () => {
  const [onDemand, provisioned] = [synthesize(), synthesize({ eventShards: '8' })].map(({ templates }) =>
    Object.values(templates).map((template) => template.toJSON()),
  );
  const streams = (stacks: Record<string, unknown>[] = []) =>
    stacks.flatMap(({ Resources }) =>
      Object.values(Resources as Record<string, { Type: string; Properties: Record<string, unknown> }>).filter(
        ({ Type }) => Type === 'AWS::Kinesis::Stream',
      ),
    );
  const [stream] = streams(provisioned);
  expect(stream?.Properties).toMatchObject({ ShardCount: 8, StreamModeDetails: { StreamMode: 'PROVISIONED' } });
  for (const { Properties } of [...streams(onDemand), ...streams(provisioned)]) {
    delete Properties.ShardCount;
    delete Properties.StreamModeDetails;
  }
  expect(provisioned).toEqual(onDemand);
});

test('a number of shards that is none is refused', () => {
  expect(() => synthesize({ eventShards: 'many' })).toThrow('eventShards: must be a number of shards, 1 to 9999.');
});
