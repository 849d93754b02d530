import { mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { connectToEnvironment } from '../../../../infra/cli/environment/target-environment.ts';
import { HttpError } from '../../../../shared/http/errors.ts';
import { admin } from '../../../support/cli/admin.ts';

const FUNNEL = '00000000-0000-4000-8000-000000000000';

const refusal = (name: string) => Object.assign(new Error('as AWS says it'), { name });

describe('help and usage errors', () => {
  test('0: --help lists the groups, the commands of a group, and the options of a command', async () => {
    expect(await admin(['--help'])).toMatchObject({ code: 0, out: expect.stringMatching(/leads .*uploads /s) });
    expect(await admin(['leads', '--help'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/list .*show .*export /s),
    });
    const { code, out } = await admin(['leads', 'export', '--help']);
    expect([code, out]).toEqual([0, expect.stringMatching(/--format .*--stage .*npm run -s admin/s)]);
  });

  test.each([[[]], [['--help']]])(
    '0: the arguments %j print an overview of the groups with an example',
    async (args) => {
      const { code, out, err } = await admin(args);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/organizations .*leads .*For example.*npm run admin -- organizations create/s);
    },
  );

  test('0: a group without a command lists its commands', async () => {
    expect(await admin(['leads'])).toEqual(await admin(['leads', '--help']));
    expect(await admin(['training', 'cases'])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('archive'),
    });
  });

  test.each([80, 200])('each line of the help fits into a terminal with %s columns', async (columns) => {
    const out = `${(await admin(['leads', '--help'], { columns })).out}${(await admin([], { columns })).out}`;
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(columns);
  });

  test.each([
    [['organisations', 'list'], 'Did you mean organizations?'],
    [['organizations', 'creat'], 'Did you mean create?'],
    [['organizations', 'list', '--jsn'], 'Did you mean --json?'],
    [['--stag', 'dev', 'organizations', 'list'], 'Did you mean --stage?'],
    [['frobnicate'], "unknown command 'frobnicate'"],
    [['lead', 'list', FUNNEL], 'Did you mean leads?'],
    [['leads', 'lst', FUNNEL], 'Did you mean list?'],
    [['leads', 'list', FUNNEL, '--limt', '3'], 'Did you mean --limit?'],
    [['leads', 'list'], "missing required argument 'funnel'"],
    [['leads', 'list', 'abc'], 'Give the funnel id, a UUID: see "funnels list".'],
    [['leads', 'show', FUNNEL, '1'], 'Give the lead id, a UUID: see "leads list".'],
    [['leads', 'list', FUNNEL, '--limit', '0'], 'Give a number from 1 to 1000.'],
    [['leads', 'list', FUNNEL, '--since', '2026-02-30'], 'Give a day such as'],
    [['leads', 'list', FUNNEL, '--until', '2026-01-01T10:00'], 'Give a day such as'],
    [
      ['leads', 'list', FUNNEL, '--after', '2026-01-01T10:00:00.000Z'],
      'Give the position that an earlier "leads list" printed',
    ],
    [
      ['leads', 'list', FUNNEL, '--after', `2026-99-01T10:00:00.000Z/${FUNNEL}`],
      'Give the position that an earlier "leads list" printed',
    ],
    [['leads', 'export', FUNNEL, '--format', 'xml'], 'Allowed choices are csv, jsonl.'],
    [['leads', 'export', FUNNEL, 'more'], 'too many arguments'],
    [
      ['leads', 'list', FUNNEL, '--since', '2026-03-02', '--until', '2026-03-01'],
      '--until is before --since: swap them',
    ],
    [
      ['leads', 'export', FUNNEL, '--since', '2026-03-02', '--until', '2026-03-01'],
      '--until is before --since: swap them',
    ],
    [['leads', 'export', FUNNEL, '--fields', ' ,'], 'Give the names of fields'],
    [['leads', 'export', FUNNEL, '--fields', ''], 'Give the names of fields'],
    [['organizations', 'create', '--nmae', 'x'], "unknown option '--nmae'\n(Did you mean --name?)"],
    [['org'], '(Did you mean organizations?)'],
    [['l', 'list'], '(Did you mean one of limits, leads?)'],
    [['leads', 'exp', FUNNEL], 'Did you mean export'],
    [['\u001b[31m'], "'\\u001b[31m'"],
    [['uploads', 'link', 'photo.jpg'], 'Give the file id, a UUID: see `uuid` in the data of a lead.'],
  ])('2: the arguments %j are rejected with a message, and the command connects to nothing', async (args, sentence) => {
    let connected = false;
    const connect = async () => {
      connected = true;
      return { indexDelayMs: 0 };
    };
    const { code, out, err } = await admin(args, { connect });
    expect([code, out, connected]).toEqual([2, '', false]);
    expect(err).toContain(sentence);
  });

  test('a very long argument is truncated in the message', async () => {
    const long = 'x'.repeat(5_000);
    for (const args of [
      [long],
      ['leads', 'show', FUNNEL, long],
      ['funnels', 'validate', long],
      ['leads', 'list', FUNNEL, `--limit=${long}`],
    ]) {
      const { err } = await admin(args);
      expect(err).toContain(`${'x'.repeat(200)}…`);
      expect(err.length).toBeLessThan(400);
    }
  });

  test('0: --help prints the help even after an unknown option', async () => {
    expect(await admin(['organizations', 'create', '--nmae', '--help'])).toMatchObject({
      code: 0,
      err: '',
      out: expect.stringContaining('Usage:'),
    });
  });

  test.each([
    [new Error('There is no such file.'), 'There is no such file.\n'],
    [new HttpError(404, 'There is no such page.'), 'There is no such page.\n'],
    [new HttpError(503, 'Pages cannot be read.'), /^A required service is not available: .*Pages cannot be read/],
    [Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }), /^A required service is not/],
    [refusal('CredentialsProviderError'), /^There are no AWS credentials .*: as AWS says it\)/],
    [refusal('ExpiredTokenException'), /^AWS rejects these credentials.*: as AWS says it\)/],
    [refusal('AccessDenied'), /^These AWS credentials do not permit this.*: as AWS says it\)/],
    [
      refusal('ResourceNotFoundException'),
      /^An AWS resource does not exist: check that AWS_REGION .*: as AWS says it\)/,
    ],
    [refusal('ValidationException'), /^The command failed\. ValidationException: as AWS says it/],
    [new TypeError('x is undefined\n\u001b[31m'), 'The command failed. TypeError: x is undefined\\u000a\\u001b[31m\n'],
  ])('1: prints the error “%s” as one line without a stack trace', async (failure, line) => {
    const { code, out, err } = await admin(['leads', 'list', FUNNEL], { connect: () => Promise.reject(failure) });
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(line);
    expect(err.trimEnd()).not.toContain('\n');
  });
});

describe('target environment', () => {
  let folder: string;
  const before = { ...process.env };
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-admin-'));
  });
  afterEach(async () => {
    process.env = { ...before };
    await rm(folder, { recursive: true, force: true });
  });

  const list = (...options: string[]) =>
    admin(['leads', 'list', FUNNEL, ...options], { connect: connectToEnvironment });

  test('1: without a local environment, says how to start one', async () => {
    const { code, err } = await list('--state', folder);
    expect([code, err]).toEqual([1, expect.stringContaining(`${folder}: start it with "npm start"`)]);
  });

  test('1: says how to start a local environment if the lock file belongs to a killed process', async () => {
    await writeFile(join(folder, 'lock'), '999999999');
    await writeFile(join(folder, 'environment.json'), '{}');
    expect(await list('--state', folder)).toMatchObject({ code: 1, err: expect.stringContaining('npm start') });
  });

  test('1: reports a stage whose outputs are not in the given file', async () => {
    const { code, err } = await list('--stage', 'prod', '--outputs', join(folder, 'outputs.json'));
    expect([code, err]).toEqual([1, expect.stringContaining('npm run deploy -- --stage prod')]);
    await writeFile(join(folder, 'outputs.json'), '{"tributary-dev-data":{}}');
    expect((await list('--stage', 'prod', '--outputs', join(folder, 'outputs.json'))).code).toBe(1);
  });

  test('1: without --outputs, looks for the stage in the file that npm run deploy writes', async () => {
    const { code, err } = await list('--stage', 'no-such-stage');
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('/cdk-outputs.no-such-stage.json does not exist, or has no'),
    ]);
  });

  test.each(['../prod', 'Prod', 'p'])(
    '2: the stage name %s is rejected with the rule for stage names',
    async (name) => {
      const { code, err } = await list('--stage', name);
      expect([code, err]).toEqual([2, expect.stringContaining('A stage name has 2 to 16 characters')]);
    },
  );

  test('connectToEnvironment sets environment variables from the outputs of a stage', async () => {
    const outputs = join(folder, 'outputs.json');
    const stack = { LeadsTable: 'leads-1', UploadsBucket: 'uploads-1', ExportsOutputRefX: 'x' };
    const streaming = { EventStream: 'events-1' };
    await writeFile(outputs, JSON.stringify({ 'tributary-dev-data': stack, 'tributary-dev-streaming': streaming }));
    process.env.AWS_REGION = 'eu-central-1';
    expect((await connectToEnvironment({ state: folder, stage: 'dev', outputs })).indexDelayMs).toBeGreaterThan(0);
    expect(process.env).toMatchObject({
      LEADS_TABLE: 'leads-1',
      UPLOADS_BUCKET: 'uploads-1',
      EVENT_STREAM: 'events-1',
    });
    expect(process.env).not.toHaveProperty('EXPORTS_OUTPUT_REF_X');
  });

  test('1: reports that AWS_REGION is missing', async () => {
    await writeFile(join(folder, 'outputs.json'), '{"tributary-dev-data":{}}');
    delete process.env.AWS_REGION;
    delete process.env.AWS_DEFAULT_REGION;
    const { code, err } = await list('--stage', 'dev', '--outputs', join(folder, 'outputs.json'));
    expect([code, err]).toEqual([1, expect.stringContaining('AWS_REGION')]);
  });

  test('uses the region in AWS_DEFAULT_REGION if AWS_REGION is empty', async () => {
    const outputs = join(folder, 'outputs.json');
    await writeFile(outputs, '{"tributary-dev-data":{}}');
    process.env.AWS_REGION = '';
    process.env.AWS_DEFAULT_REGION = 'eu-west-1';
    await connectToEnvironment({ state: folder, stage: 'dev', outputs });
    expect(process.env.AWS_REGION).toBe('eu-west-1');
  });

  test('1: reports that a local environment is still starting, and ignores the settings of an earlier environment', async () => {
    await writeFile(join(folder, 'environment.json'), '{"LEADS_TABLE":"earlier"}');
    await utimes(join(folder, 'environment.json'), 1, 1);
    await lockedByThisTest();
    expect(await list('--state', folder)).toMatchObject({ code: 1, err: expect.stringContaining('still starting') });
    expect(process.env.LEADS_TABLE).not.toBe('earlier');
  });

  /** Makes the process of this test look like a running local environment. */
  async function lockedByThisTest(): Promise<void> {
    await writeFile(join(folder, 'lock'), String(process.pid));
    const { title } = process;
    process.title = 'node start.ts';
    onTestFinished(() => {
      process.title = title;
    });
  }
});
