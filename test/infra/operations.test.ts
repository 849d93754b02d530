import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OUTPUTS, outputName } from '../../infra/outputs.ts';
import { admin } from '../support/cli/admin.ts';
import { synthesize, synthesizedStage } from '../support/stacks.ts';

// Operators follow docs/operations.md and docs/runbook.md during incidents. Everything that these documents name must
// exist.

const text = ['operations.md', 'runbook.md']
  .map((name) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8'))
  .join('\n');
const matches = (pattern: RegExp) => [...new Set([...text.matchAll(pattern)].map(([, found = '']) => found))];

const COMMANDS = matches(/^npm run admin -- (.+?)(?: +#.*)?$/gm);

test('operations.md and runbook.md contain more than ten commands', () => expect(COMMANDS.length).toBeGreaterThan(10));

test.each(COMMANDS)('the documented command exists, with its options: %s', async (command) => {
  const words = command.split(/\s+/);
  const named = words.slice(
    0,
    words.findIndex((word, at) => at > 0 && !/^[a-z][a-z-]*$/.test(word)),
  );
  const { out, code } = await admin([...named, '--help']);
  expect(code).toBe(0);
  // For an unknown command, the output is the help of a group. The pattern does not match this help.
  const [, usage = ''] = /^Usage: npm run admin -- ([a-z -]+) \[options\](?! \[?<?command)/.exec(out) ?? [];
  expect(usage).not.toBe('');
  expect(command).toMatch(new RegExp(`^${usage}( |$)`));
  for (const option of words.filter((word) => word.startsWith('--'))) expect(out).toContain(`${option} `);
});

test('operations.md and runbook.md name only existing outputs of the data stack', () => {
  const named = matches(/tributary-prod-data"\]\.(\w+)/g);
  expect(named.length).toBeGreaterThan(1);
  expect(Object.keys(OUTPUTS).map(outputName)).toEqual(expect.arrayContaining(named));
});

test('operations.md and runbook.md name only deployed functions, queues and dashboards', () => {
  const { templates } = synthesizedStage('prod');
  const deployed = JSON.stringify(Object.values(templates).map((template) => template.toJSON()));
  const named = matches(/\b(tributary-prod-[a-z-]*[a-z])/g).filter((name) => name !== 'tributary-prod-background');
  expect(named.length).toBeGreaterThan(8);
  const stacks = Object.keys(templates).map((name) => `tributary-prod-${name}`);
  expect(named.filter((name) => !stacks.includes(name) && !deployed.includes(`"${name}"`))).toEqual([]);
});

test('operations.md and runbook.md name only existing alarms', () => {
  const { templates } = synthesize({ stage: 'prod', smsSender: 'phone-number/phone-demo', monthlySmsUsd: '100' });
  const alarms = Object.values(templates).flatMap((template) =>
    Object.keys(template.findResources('AWS::CloudWatch::Alarm')),
  );
  const named = matches(/\balarm\s+`?([A-Z]\w+)/g);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((name) => !alarms.some((id) => id.startsWith(name)))).toEqual([]);
});

test('operations.md and runbook.md name only existing files', () => {
  const named = matches(/((?:functions|infra|shared|test)\/[\w./-]+\.\w+)/g);
  expect(named.length).toBeGreaterThan(1);
  for (const file of named) expect(readFileSync(join(import.meta.dirname, '../..', file), 'utf8')).not.toBe('');
});

test('the setting eventShards changes only the mode and the shard count of the stream', () => {
  const [onDemand, provisioned] = [synthesizedStage(), synthesize({ eventShards: '8' })].map(({ templates }) =>
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

test('a value of eventShards that is not a number is rejected', () => {
  expect(() => synthesize({ eventShards: 'many' })).toThrow('eventShards: must be a number of shards, 1 to 9999.');
});
