import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deployArgumentsOf } from '../../../infra/deploy/arguments.ts';
import { deploy, type RunCdk } from '../../../infra/deploy/deploy.ts';
import { STACKS, stackName, UNPROTECTED_STACKS } from '../../../infra/names.ts';
import { ALIAS_FOLDER } from '../../../infra/page-client/delivery.ts';
import { synthesize } from '../../support/stacks.ts';

const ROOT = join(import.meta.dirname, '../../..');
const NAMES = STACKS.map((part) => stackName({ name: 'prod' }, part));
const [DATA = '', STREAMING = '', LAKE = '', API = '', ADMIN = '', OBSERVABILITY = '', WEB = ''] = NAMES;

/** Stacks of the simulated CloudFormation. */
const stacks = new Map<string, { status: string; isProtected: boolean }>();
const calls: string[] = [];
/** Number of calls that still succeed. Later calls are refused. */
let callsLeft = Number.POSITIVE_INFINITY;

const NAMESPACE = 'http://cloudformation.amazonaws.com/doc/2010-05-15/';
const REQUEST = '<RequestId>00000000-0000-4000-8000-000000000000</RequestId>';
const metadata = `<ResponseMetadata>${REQUEST}</ResponseMetadata>`;

const arn = (name: string) => `arn:aws:cloudformation:eu-central-1:111122223333:stack/${name}/example`;
const described = (name: string, { status, isProtected }: { status: string; isProtected: boolean }) =>
  `<DescribeStacksResponse xmlns="${NAMESPACE}"><DescribeStacksResult><Stacks><member><StackId>${arn(name)}</StackId>` +
  `<StackName>${name}</StackName><StackStatus>${status}</StackStatus><CreationTime>2026-01-01T00:00:00.000Z</CreationTime>` +
  `<DisableRollback>false</DisableRollback><EnableTerminationProtection>${isProtected}</EnableTerminationProtection>` +
  `</member></Stacks></DescribeStacksResult>${metadata}</DescribeStacksResponse>`;
const updated = (name: string) =>
  `<UpdateTerminationProtectionResponse xmlns="${NAMESPACE}"><UpdateTerminationProtectionResult><StackId>${arn(name)}</StackId>` +
  `</UpdateTerminationProtectionResult>${metadata}</UpdateTerminationProtectionResponse>`;
const refused = (code: string, message: string) =>
  `<ErrorResponse xmlns="${NAMESPACE}"><Error><Type>Sender</Type><Code>${code}</Code>` +
  `<Message>${message}</Message></Error>${REQUEST}</ErrorResponse>`;

/** Responds as CloudFormation to the two actions that the deployment uses. */
function respond(form: URLSearchParams): { status: number; body: string } {
  const [action, name] = [form.get('Action') ?? '', form.get('StackName') ?? ''];
  const stack = stacks.get(name);
  calls.push([action, name, form.get('EnableTerminationProtection')].filter((part) => part !== null).join(' '));
  if (callsLeft <= 0) return { status: 403, body: refused('AccessDenied', 'The session has ended.') };
  callsLeft -= 1;
  if (stack === undefined && action === 'DescribeStacks')
    return { status: 400, body: refused('ValidationError', `Stack with id ${name} does not exist`) };
  if (stack === undefined) return { status: 400, body: refused('ValidationError', `Stack [${name}] does not exist`) };
  if (action === 'DescribeStacks') return { status: 200, body: described(name, stack) };
  stack.isProtected = form.get('EnableTerminationProtection') === 'true';
  return { status: 200, body: updated(name) };
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const { status, body } = respond(new URLSearchParams(Buffer.concat(parts).toString()));
  response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
});
let endpoint: string;
let cloudFormation: CloudFormationClient;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const credentials = { accessKeyId: 'test', secretAccessKey: 'test' };
  cloudFormation = new CloudFormationClient({ endpoint, region: 'eu-central-1', credentials });
});
afterAll(() => void server.close());
beforeEach(() => {
  stacks.clear();
  calls.length = 0;
  callsLeft = Number.POSITIVE_INFINITY;
});

class Killed extends Error {}

type Fate = {
  /** Stacks whose creation fails and is rolled back. */
  fails?: readonly string[];
  /** Number of steps, counted over all stacks, after which the CDK CLI is killed. */
  killedAt?: number;
};

/** Simulates what the CDK CLI does with each stack, in the same order (aws-cdk 2.1148.1, deployStack). */
function cdkOf({ fails = [], killedAt = Number.POSITIVE_INFINITY }: Fate = {}): RunCdk {
  let steps = 0;
  const step = () => {
    if (steps >= killedAt) throw new Killed();
    steps += 1;
  };
  return async (unprotected) => {
    for (const name of NAMES) {
      const isProtected = !unprotected.includes(name);
      const before = stacks.get(name);
      step();
      if (before?.status.startsWith('ROLLBACK_')) {
        if (before.isProtected) return 1;
        stacks.delete(name);
        step();
      }
      const stack = stacks.get(name) ?? { status: 'REVIEW_IN_PROGRESS', isProtected: false };
      const isFirst = stack.status === 'REVIEW_IN_PROGRESS';
      stacks.set(name, stack);
      step();
      stack.isProtected = isProtected;
      step();
      if (isFirst) stack.status = fails.includes(name) ? 'ROLLBACK_COMPLETE' : 'CREATE_COMPLETE';
      if (fails.includes(name)) return 1;
    }
    return 0;
  };
}

const deployOnce = (runCdk = cdkOf()) => deploy({ cloudFormation, runCdk, protectedStacks: NAMES });
const changes = () => calls.filter((call) => !call.startsWith('DescribeStacks'));
const allDeployed = () => NAMES.map((name) => [name, { status: 'CREATE_COMPLETE', isProtected: true }]);

describe('the first deployment of prod', () => {
  test('protects every stack if it succeeds', async () => {
    expect(await deployOnce()).toBe(0);
    expect([...stacks]).toEqual(allDeployed());
    expect(changes()).toEqual(NAMES.map((name) => `UpdateTerminationProtection ${name} true`));
  });

  test('protects only the successful stacks if it fails, and can be retried', async () => {
    expect(await deployOnce(cdkOf({ fails: [LAKE] }))).toBe(1);
    expect([...stacks]).toEqual([
      [DATA, { status: 'CREATE_COMPLETE', isProtected: true }],
      [STREAMING, { status: 'CREATE_COMPLETE', isProtected: true }],
      [LAKE, { status: 'ROLLBACK_COMPLETE', isProtected: false }],
    ]);
    expect(await deployOnce()).toBe(0);
    expect([...stacks].toSorted()).toEqual(allDeployed().toSorted());
  });

  test.each(['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED'])(
    'succeeds if an earlier plain cdk deploy left a protected stack with the status %s',
    async (status) => {
      stacks.set(DATA, { status, isProtected: true });
      expect(await deployOnce()).toBe(0);
      expect([...stacks].toSorted()).toEqual(allDeployed().toSorted());
      expect(changes()[0]).toBe(`UpdateTerminationProtection ${DATA} false`);
    },
  );

  test('succeeds after any failed attempts, which never protect a failed stack', async () => {
    const deaths = fc.record({
      killedAt: fc.nat(28),
      callsLeft: fc.nat(19),
      fails: fc.subarray(NAMES, { maxLength: 1 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(deaths, { minLength: 1, maxLength: 3 }), async (attempts) => {
        stacks.clear();
        for (const { callsLeft: calls, ...fate } of attempts) {
          callsLeft = calls;
          await deployOnce(cdkOf(fate)).catch(() => undefined);
          for (const { status, isProtected } of stacks.values())
            expect(isProtected && status.startsWith('ROLLBACK')).toBe(false);
        }
        callsLeft = Number.POSITIVE_INFINITY;
        expect(await deployOnce()).toBe(0);
        expect([...stacks].toSorted()).toEqual(allDeployed().toSorted());
      }),
      { numRuns: 60 },
    );
  });
});

describe('a later deployment', () => {
  const deployedWith = (status: string) => {
    for (const name of NAMES) stacks.set(name, { status, isProtected: true });
  };

  test.each(['CREATE_COMPLETE', 'UPDATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'UPDATE_ROLLBACK_FAILED'])(
    'of stacks with the status %s keeps the protection of every stack',
    async (status) => {
      deployedWith(status);
      const unprotected: string[][] = [];
      const runCdk: RunCdk = async (names) => unprotected.push([...names]);
      await deployOnce(runCdk);
      expect(unprotected).toEqual([[]]);
      expect(changes()).toEqual([]);
      expect([...stacks.values()].every(({ isProtected }) => isProtected)).toBe(true);
    },
  );

  test('protects a new stack after the CDK CLI has ended, and keeps the protection of the other stacks', async () => {
    deployedWith('UPDATE_COMPLETE');
    stacks.delete(OBSERVABILITY);
    const seen: unknown[] = [];
    await deployOnce(async (names) => {
      seen.push(
        names,
        [DATA, API].map((name) => stacks.get(name)?.isProtected),
      );
      return cdkOf()(names);
    });
    expect(seen).toEqual([[OBSERVABILITY], [true, true]]);
    expect(stacks.get(OBSERVABILITY)).toEqual({ status: 'CREATE_COMPLETE', isProtected: true });
  });

  test('does not run the CDK CLI if CloudFormation refuses to describe a stack', async () => {
    callsLeft = 0;
    await expect(deployOnce(() => Promise.reject(new Error('cdk ran')))).rejects.toThrow('The session has ended.');
  });
});

describe('the CDK app', () => {
  const protection = (context: Record<string, string>) =>
    synthesize(context).assembly.stacks.map(({ stackName: name, terminationProtection }) => [
      name,
      terminationProtection ?? false,
    ]);

  test('protects every stack of prod by default, and has the same stacks as the deployment', () => {
    expect(protection({ stage: 'prod' }).toSorted()).toEqual(NAMES.map((name) => [name, true]).toSorted());
  });

  test('protects all stacks except those that the context names', () => {
    const context = { stage: 'prod', [UNPROTECTED_STACKS]: `${LAKE},${API}` };
    expect(protection(context).toSorted()).toEqual(
      NAMES.map((name) => [name, name !== LAKE && name !== API]).toSorted(),
    );
  });
});

describe('the arguments', () => {
  test.each([
    [['-c', 'stage=prod'], { context: { stage: 'prod' } }],
    [['--context', 'stage=prod', '--context=eventShards=8'], { context: { stage: 'prod', eventShards: '8' } }],
    [['-cstage=prod', '-c=alarmMail=a=b@example.com'], { context: { stage: 'prod', alarmMail: 'a=b@example.com' } }],
    [['--profile', 'ops', '--force', 'tributary-prod-api'], { context: {}, profile: 'ops' }],
  ])('%j are parsed, and are passed to the CDK CLI unchanged', (args, expected) => {
    expect(deployArgumentsOf(args)).toEqual({ ...expected, skipsDoctor: false, cdk: args });
  });

  test.each([
    [
      ['--stage', 'pr-1', '--force'],
      ['--force', '-c', 'stage=pr-1'],
    ],
    [
      ['--stage=pr-1', 'tributary-pr-1-api'],
      ['tributary-pr-1-api', '-c', 'stage=pr-1'],
    ],
    [
      ['-c', 'stage=pr-1', '--expires', '3d'],
      ['-c', 'stage=pr-1', '-c', 'expires=3d'],
    ],
  ])('--stage and --expires in %j are passed to the CDK CLI as settings', (args, cdk) => {
    const { context, ...passed } = deployArgumentsOf(args);
    expect(passed).toEqual({ skipsDoctor: false, cdk });
    expect(context.stage).toBe('pr-1');
    expect(context.expires).toBe(args.includes('3d') ? '3d' : undefined);
  });

  test.each([
    [['--stage'], '--stage needs a value, such as --stage pr-123.'],
    [['--stage', 'pr-1', '-c', 'stage=prod'], 'The setting stage is given twice, as "prod" and as "pr-1".'],
    [['--stage', 'pr-1', '--stage', 'prod'], 'The setting stage is given twice, as "pr-1" and as "prod".'],
  ])('%j are rejected', (args, sentence) => {
    expect(() => deployArgumentsOf(args)).toThrow(sentence);
  });
});

describe('npm run deploy', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-deploy-'));
    const cdk = `#!/usr/bin/env node
      const { writeFileSync } = require('fs');
      writeFileSync(${JSON.stringify(join(folder, 'args'))}, JSON.stringify(process.argv.slice(2)));
      if (process.env.CDK_OUTPUTS) writeFileSync(process.argv[5], process.env.CDK_OUTPUTS);
      process.exit(Number(process.env.CDK_EXIT_CODE ?? 3));`;
    // Replaces npm: accepts only `npm run layer`, and does nothing.
    const npm = `#!/usr/bin/env node\nprocess.exit(process.argv.slice(2).join(' ') === 'run layer' ? 0 : 9);\n`;
    for (const [name, script] of Object.entries({ cdk, npm })) {
      await writeFile(join(folder, name), script);
      await chmod(join(folder, name), 0o755);
    }
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (...args: string[]) => runDeploy([...args, '--skip-doctor']);
  const runDeploy = (args: readonly string[], environment: Record<string, string> = {}) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const env = {
        ...process.env,
        PATH: `${folder}${delimiter}${process.env.PATH}`,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_ENDPOINT_URL_CLOUDFORMATION: endpoint,
        ...environment,
      };
      execFile('node', [join(ROOT, 'infra/deploy/main.ts'), ...args], { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  const cdkArguments = async () => JSON.parse(await readFile(join(folder, 'args'), 'utf8'));

  test('passes the names of unprotected stacks to the CDK CLI, and returns its exit code', async () => {
    stacks.set(DATA, { status: 'UPDATE_COMPLETE', isProtected: true });
    expect(await run('-c', 'stage=prod', '--require-approval', 'never')).toMatchObject({ code: 3 });
    expect(await cdkArguments()).toEqual([
      ...['deploy', '--all', '--outputs-file', 'cdk-outputs.prod.json'],
      ...['-c', `${UNPROTECTED_STACKS}=${[STREAMING, LAKE, API, ADMIN, OBSERVABILITY, WEB]}`],
      ...['-c', 'stage=prod', '--require-approval', 'never'],
    ]);
  });

  test('prints the address, the commands to run once, and how to check the deployment', async () => {
    const outputs = {
      'tributary-dev-data': {
        FillVoiceSecret: 'aws secretsmanager put-secret-value --secret-id voice',
        LeadsTable: 'leads',
      },
      'tributary-dev-api': { ApiAddress: 'https://api.example.com' },
    };
    await writeFile(join(folder, 'cdk-outputs.dev.json'), JSON.stringify(outputs));
    const { code, out } = await runDeploy(['--skip-doctor'], { CDK_EXIT_CODE: '0' });
    expect(code).toBe(0);
    expect(out).toContain('The API is at https://api.example.com');
    expect(out).toContain('already run it:\n  aws secretsmanager put-secret-value --secret-id voice\n');
    expect(out).toContain('npm run smoke -- --stage dev --funnel ID');
    expect(out).not.toContain('leads');
  });

  describe('uploads the page client', () => {
    const CLIENT = 'https://d1.cloudfront.example/client/2/funnel.js';
    const outputs = JSON.stringify({
      'tributary-dev-web': { PageClientBucket: 'client-bucket', PageClientAddress: CLIENT },
    });
    const keys: string[] = [];
    const s3 = createServer((request, response) => {
      keys.push(`${request.method} ${request.url?.split('?')[0]}`);
      request.resume().on('end', () => response.end());
    });
    let endpointOfS3: string;
    beforeAll(async () => {
      await new Promise<void>((resolve) => s3.listen(0, '127.0.0.1', resolve));
      endpointOfS3 = `http://127.0.0.1:${(s3.address() as AddressInfo).port}`;
    });
    afterAll(() => void s3.close());
    beforeEach(() => void keys.splice(0));
    const uploadWith = (environment: Record<string, string>) =>
      runDeploy(['--skip-doctor'], { AWS_ENDPOINT_URL_S3: endpointOfS3, ...environment });

    test('to the bucket in the outputs of the deployment, and prints the address of the script', async () => {
      const { code, out } = await uploadWith({ CDK_EXIT_CODE: '0', CDK_OUTPUTS: outputs });
      expect(code).toBe(0);
      expect(out).toContain(`The page client is at ${CLIENT}\n`);
      expect(keys).toContain(`PUT /client-bucket/${ALIAS_FOLDER}/funnel.js`);
    });

    test('only if the CDK CLI succeeds and writes new outputs', async () => {
      expect((await uploadWith({ CDK_EXIT_CODE: '1', CDK_OUTPUTS: outputs })).code).toBe(1);
      expect((await uploadWith({ CDK_EXIT_CODE: '0' })).out).toContain(`The page client is at ${CLIENT}\n`);
      expect(keys).toEqual([]);
    });
  });

  test('deploys nothing if the check of the account finds a problem', async () => {
    await rm(join(folder, 'args'), { force: true });
    const { code, out, err } = await runDeploy([], { AWS_ENDPOINT_URL: 'http://127.0.0.1:1' });
    expect([code, out]).toEqual([1, expect.stringContaining('Checking the account for the stage dev.')]);
    expect(err).toContain('Nothing was deployed. To deploy without the check of the account, add --skip-doctor.');
    await expect(cdkArguments()).rejects.toThrow('ENOENT');
  }, 60_000);

  test('0: --help lists the options and settings, and does not run the CDK CLI', async () => {
    await rm(join(folder, 'args'), { force: true });
    const { code, out } = await runDeploy(['--stage', 'prod', '--help']);
    expect(code).toBe(0);
    for (const word of ['--stage', '--expires', '--skip-doctor', 'alarmMail']) expect(out).toContain(word);
    await expect(cdkArguments()).rejects.toThrow('ENOENT');
  });

  test('sends CloudFormation no requests of its own for dev, whose stacks are not protected', async () => {
    expect(await run()).toMatchObject({ code: 3 });
    expect(await cdkArguments()).toEqual(['deploy', '--all', '--outputs-file', 'cdk-outputs.dev.json']);
    expect(calls).toEqual([]);
  });

  test('deploys a preview without protection, and says that it expires', async () => {
    const { code, err } = await run('--stage', 'pr-123', '--expires', '3d', '--force');
    expect(code).toBe(3);
    expect(err).toContain('pr-123 is a preview stage. "npm run stage -- list" shows when it expires.');
    expect(await cdkArguments()).toEqual([
      ...['deploy', '--all', '--outputs-file', 'cdk-outputs.pr-123.json'],
      ...['--force', '-c', 'stage=pr-123', '-c', 'expires=3d'],
    ]);
    expect(calls).toEqual([]);
  });

  test.each([
    [['-c', 'stage=production'], 'The stage "production" does not exist. Did you mean prod?'],
    [['--stage', 'PR-1'], '"PR-1" is not a stage name. A stage name has 2 to 16 characters'],
    [['--stage', 'pr-1', '--expires', 'soon'], 'expires: must be a number of days or hours, such as 3d or 12h'],
    [['--expires', '3d'], 'expires: the stage dev does not expire.'],
  ])('rejects %j with a message, and does not run the CDK CLI', async (args, sentence) => {
    await rm(join(folder, 'args'), { force: true });
    expect(await run(...args)).toMatchObject({ code: 1, err: expect.stringContaining(sentence) });
    await expect(cdkArguments()).rejects.toThrow('ENOENT');
  });
});
