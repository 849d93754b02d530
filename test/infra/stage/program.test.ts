import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { runStage } from '../../../infra/stage/program.ts';
import { SimulatedAws } from '../../support/stage/aws.ts';

const aws = new SimulatedAws();
let clients: Awaited<ReturnType<SimulatedAws['start']>>;
beforeAll(async () => {
  clients = await aws.start();
});
afterAll(() => aws.stop());
beforeEach(() => {
  aws.reset();
  vi.setSystemTime('2026-02-03T12:00:00.000Z');
});
afterEach(() => void vi.useRealTimers());

const expiring = (stage: string, expires: string) => aws.addStage(stage, { preview: stage, expires });

async function stage(args: string, { answer, onWrite }: { answer?: string; onWrite?: (text: string) => void } = {}) {
  const [out, notes]: [string[], string[]] = [[], []];
  const code = await runStage(args.split(' '), {
    terminal: {
      columns: undefined,
      write: async (text) => {
        out.push(text);
        onWrite?.(text);
      },
      note: (line) => void notes.push(line),
      ...(answer !== undefined && {
        ask: async (question: string) => {
          notes.push(question);
          return answer;
        },
      }),
    },
    connect: () => ({ ...clients, pollMs: 0, retryMs: 0 }),
  });
  return { code, out: out.join(''), notes: notes.join('\n') };
}

const stagesLeft = () => [...new Set(aws.existing().stacks.map(({ tags }) => tags.preview ?? 'permanent'))];

describe('list', () => {
  test('prints name, age, expiry and status of each preview, and no other stage', async () => {
    aws.addStage('dev', {});
    expiring('pr-2', '2026-02-04T00:00:00.000Z');
    expiring('pr-1', '2026-02-03T12:00:00.000Z');
    aws.stack('tributary-pr-1-api').status = 'DELETE_FAILED';
    aws.stacks.delete(aws.stack('tributary-pr-1-lake').id);
    for (const { createdAt, ...stack } of [...aws.stacks.values()].filter(({ tags }) => tags.preview === 'pr-2'))
      aws.stacks.set(stack.id, { ...stack, createdAt: '2026-02-03T07:00:00.000Z' });
    const { code, out } = await stage('list');
    expect([code, out.trimEnd().split('\n')]).toEqual([
      0,
      [
        expect.stringMatching(/^Name +Age +Expires +Status$/),
        expect.stringMatching(/^pr-1 +33 days +2026-02-03 12:00:00 UTC \(expired\) +lake missing, api DELETE_FAILED$/),
        expect.stringMatching(/^pr-2 +5 hours +2026-02-04 00:00:00 UTC +deployed$/),
      ],
    ]);
  });

  test('prints the latest expiry of the stacks of a preview; prints “unknown” if the expiry is not a time', async () => {
    expiring('pr-1', '2026-02-01T00:00:00.000Z');
    aws.stack('tributary-pr-1-data').tags.expires = '2026-03-01T00:00:00.000Z';
    expiring('pr-2', 'tomorrow');
    const { out } = await stage('list');
    expect(out).toMatch(/^pr-1 .* 2026-03-01 00:00:00 UTC +deployed$/m);
    expect(out).toMatch(/^pr-2 .* unknown +deployed$/m);
  });

  test('says that there is no preview', async () => {
    aws.addStage('prod', {});
    expect(await stage('list')).toEqual({ code: 0, out: '', notes: 'There is no preview stage.' });
  });

  test('does not list stacks of dev and prod that have the tag of a preview', async () => {
    aws.addStage('dev', { preview: 'dev', expires: '2026-01-01T00:00:00.000Z' });
    aws.addStage('prod', { preview: 'pr-1', expires: '2026-01-01T00:00:00.000Z' });
    expect(await stage('list')).toMatchObject({ notes: 'There is no preview stage.' });
  });
});

describe('remove', () => {
  test.each(['dev', 'prod'])('2: does not remove %s, and sends no request to AWS', async (name) => {
    aws.addStage(name, { preview: name, expires: '2026-01-01T00:00:00.000Z' });
    expect(await stage(`remove ${name} --yes`)).toMatchObject({
      code: 2,
      notes: expect.stringContaining(`${name} is not a preview stage, so this command does not remove it.`),
    });
    expect(aws.calls).toEqual([]);
  });

  test.each([
    ['remove Pr-1 --yes', '"Pr-1" is not a stage name. A stage name has 2 to 16 characters'],
    ['remove pr_1 --yes', '"pr_1" is not a stage name.'],
    ['remove --yes', 'give either the name of a preview stage or --expired.'],
    ['remove pr-1 --expired --yes', 'give either the name of a preview stage or --expired.'],
  ])('2: rejects the arguments "%s"', async (args, sentence) => {
    expect(await stage(args)).toMatchObject({ code: 2, notes: expect.stringContaining(sentence) });
    expect(aws.calls).toEqual([]);
  });

  test.each([
    ['n', 1, ['pr-1']],
    ['y', 0, []],
  ])('asks before it deletes data, and after the reply "%s" exits with code %i', async (answer, code, left) => {
    aws.addStage('pr-1');
    const result = await stage('remove pr-1', { answer });
    expect([result.code, stagesLeft()]).toEqual([code, left]);
    expect(result.notes).toContain('Delete all stacks and all data of pr-1? [y/N]');
  });

  test('1: needs --yes if stdin is not a terminal', async () => {
    aws.addStage('pr-1');
    expect(await stage('remove pr-1')).toMatchObject({ code: 1, notes: expect.stringContaining('give --yes') });
    expect(stagesLeft()).toEqual(['pr-1']);
  });

  test('--expired removes every expired preview, and no other stage', async () => {
    aws.addStage('dev', { expires: '2026-01-01T00:00:00.000Z' });
    aws.addStage('prod', { preview: 'prod', expires: '2026-01-01T00:00:00.000Z' });
    expiring('pr-1', '2026-02-03T11:59:59.000Z');
    expiring('pr-2', '2026-02-03T12:00:01.000Z');
    expiring('pr-3', '2026-01-01T00:00:00.000Z');
    expiring('pr-4', 'never');
    const { code } = await stage('remove --expired --yes');
    expect([code, stagesLeft()]).toEqual([0, ['permanent', 'prod', 'pr-2', 'pr-4']]);
    expect(await stage('remove --expired --yes')).toMatchObject({ code: 0, out: 'No preview stage has expired.\n' });
  });

  test('--expired continues with the next preview if one cannot be removed, and exits with 1', async () => {
    expiring('pr-1', '2026-01-01T00:00:00.000Z');
    expiring('pr-2', '2026-01-01T00:00:00.000Z');
    aws.stack('tributary-pr-1-api').fails = ['In use.', 'In use.', 'In use.'];
    const { code, notes } = await stage('remove --expired --yes');
    expect([code, stagesLeft()]).toEqual([1, ['pr-1']]);
    expect(notes).toMatch(/^pr-1: CloudFormation could not delete tributary-pr-1-api in 3 attempts: .*In use\./m);
    expect(notes).toContain('Not removed: pr-1.');
  });

  test('--expired keeps a preview that was deployed again while another preview was removed', async () => {
    expiring('pr-1', '2026-01-01T00:00:00.000Z');
    expiring('pr-2', '2026-01-01T00:00:00.000Z');
    const onWrite = (text: string) => {
      if (!text.startsWith('pr-1 is removed.')) return;
      for (const { tags } of aws.stacks.values())
        if (tags.preview === 'pr-2') tags.expires = '2026-03-01T00:00:00.000Z';
    };
    const { code } = await stage('remove --expired --yes', { onWrite });
    expect([code, stagesLeft()]).toEqual([0, ['pr-2']]);
  });
});

test('npm run stage uses the region and the credentials of the environment', async () => {
  aws.addStage('pr-1');
  const run = (env: Record<string, string>) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const { AWS_REGION: _, AWS_DEFAULT_REGION: __, ...inherited } = process.env;
      const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test' };
      const endpoints = { AWS_ENDPOINT_URL_CLOUDFORMATION: clients.endpoint, AWS_ENDPOINT_URL_S3: clients.endpoint };
      execFile(
        'node',
        [join(import.meta.dirname, '../../../infra/stage/main.ts'), 'list'],
        { env: { ...inherited, ...credentials, ...endpoints, ...env } },
        (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  expect(await run({ AWS_DEFAULT_REGION: 'eu-central-1' })).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^pr-1 .* deployed$/m),
  });
  expect(await run({})).toMatchObject({ code: 1, err: expect.stringContaining('AWS_REGION is not set') });
});
