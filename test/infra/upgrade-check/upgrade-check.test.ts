import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { XMLBuilder } from 'fast-xml-parser';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listenLocally } from '../../../infra/local/common/listen.ts';
import { type STACKS, stackName } from '../../../infra/names.ts';
import { runUpgradeCheck } from '../../../infra/upgrade-check/program.ts';
import { synthesize } from '../../support/stacks.ts';

const ROOT = join(import.meta.dirname, '../../..');
const nameOf = (part: (typeof STACKS)[number], stage = 'prod') => stackName({ name: stage }, part);
const [DATA, STREAMING, LAKE, API] = [nameOf('data'), nameOf('streaming'), nameOf('lake'), nameOf('api')];

type Resource = { Type: string; Properties: Record<string, unknown>; DeletionPolicy?: string };
type Template = { Resources: Record<string, Resource>; Outputs?: Record<string, unknown> };

const synthesized = (stage: 'dev' | 'prod') => {
  const { assembly } = synthesize({ stage });
  const stacks = assembly.stacks.map(({ stackName: name, template }) => ({ name, template: template as Template }));
  return { folder: assembly.directory, stacks };
};
const prod = synthesized('prod');
const dev = synthesized('dev');

type Drifted = Record<string, unknown> & { StackResourceDriftStatus: string };
type Detection = { isRunning?: boolean; runsFor?: number; status?: string; reason?: string; drifts?: Drifted[] };
type Deployed = { status: string; body: string; detection: Detection };

/** Stacks of the simulated CloudFormation. */
const stacks = new Map<string, Deployed>();
const calls: string[] = [];
/** Actions that are denied, for example `GetTemplate tributary-prod-api`. */
const denied = new Set<string>();

const deployed = (name: string): Deployed => {
  const stack = stacks.get(name);
  if (stack === undefined) throw new Error(`${name} is not deployed.`);
  return stack;
};

/** Returns a template as GetTemplate does, with question marks instead of characters outside ASCII. */
const asReturned = (template: Template) => JSON.stringify(template).replace(/[\u0080-\uffff]/g, '?');

function deploy(stage = prod): void {
  for (const { name, template } of stage.stacks)
    stacks.set(name, { status: 'UPDATE_COMPLETE', body: asReturned(template), detection: {} });
}

/** Changes the deployed template, as if an older release had deployed it. */
function deployedDiffers(name: string, change: (resources: Template['Resources']) => void): void {
  const stack = deployed(name);
  const template: Template = JSON.parse(stack.body);
  change(template.Resources);
  stack.body = asReturned(template);
}

const templateOf = (name: string): Template =>
  prod.stacks.find((stack) => stack.name === name)?.template ?? { Resources: {} };
const idOf = (name: string, prefix: string): string => {
  const id = Object.keys(templateOf(name).Resources).find((one) => one.startsWith(prefix));
  if (id === undefined) throw new Error(`${name} has no ${prefix}.`);
  return id;
};

const xml = new XMLBuilder({ suppressEmptyNode: true });
const REQUEST_ID = '00000000-0000-4000-8000-000000000000';
const succeeded = (action: string, result: unknown) => ({
  status: 200,
  body: xml.build({
    [`${action}Response`]: { [`${action}Result`]: result, ResponseMetadata: { RequestId: REQUEST_ID } },
  }),
});
const rejected = (status: number, Code: string, Message: string) => ({
  status,
  body: xml.build({ ErrorResponse: { Error: { Type: 'Sender', Code, Message }, RequestId: REQUEST_ID } }),
});

const DRIFTS_PER_PAGE = 1;

/** Responds as CloudFormation. The id of a drift detection is the name of the stack. */
function respond(form: URLSearchParams): { status: number; body: string } {
  const action = form.get('Action') ?? '';
  const name = form.get('StackName') ?? form.get('StackDriftDetectionId') ?? '';
  calls.push(`${action} ${name}`);
  if (denied.has(`${action} ${name}`)) {
    const who = 'arn:aws:sts::111122223333:assumed-role/deployer/ci';
    const message =
      `User: ${who} is not authorized to perform: cloudformation:${action} on resource: arn:aws:cloudformation:` +
      `eu-central-1:111122223333:stack/${name}/* because no identity-based policy allows the ` +
      `cloudformation:${action} action`;
    return rejected(403, 'AccessDenied', message);
  }
  const stack = stacks.get(name);
  if (stack === undefined) return rejected(400, 'ValidationError', `Stack with id ${name} does not exist`);
  const { detection } = stack;
  switch (action) {
    case 'DescribeStacks': {
      const member = { StackName: name, StackStatus: stack.status, CreationTime: '2026-01-01T00:00:00.000Z' };
      return succeeded(action, { Stacks: { member } });
    }
    case 'GetTemplate':
      expect(form.get('TemplateStage')).toBe('Original');
      return succeeded(action, { TemplateBody: stack.body });
    case 'DetectStackDrift':
      if (detection.isRunning)
        return rejected(400, 'ValidationError', `Drift detection is already in progress for stack ${name}.`);
      return succeeded(action, { StackDriftDetectionId: name });
    case 'DescribeStackDriftDetectionStatus': {
      const isRunning = (detection.runsFor ?? 0) > 0;
      detection.runsFor = (detection.runsFor ?? 0) - 1;
      return succeeded(action, {
        StackId: name,
        StackDriftDetectionId: name,
        Timestamp: '2026-01-01T00:00:00.000Z',
        DetectionStatus: isRunning ? 'DETECTION_IN_PROGRESS' : (detection.status ?? 'DETECTION_COMPLETE'),
        ...(detection.reason !== undefined && { DetectionStatusReason: detection.reason }),
      });
    }
    case 'DescribeStackResourceDrifts': {
      const at = Number(form.get('NextToken') ?? 0);
      const statuses = [...form].flatMap(([key, value]) => (key.includes('StatusFilters') ? [value] : []));
      const found = (detection.drifts ?? []).filter((one) => statuses.includes(one.StackResourceDriftStatus));
      const next = at + DRIFTS_PER_PAGE;
      return succeeded(action, {
        StackResourceDrifts: { member: found.slice(at, next) },
        ...(next < found.length && { NextToken: next }),
      });
    }
    default:
      return rejected(400, 'InvalidAction', `The check must not call ${action}.`);
  }
}

const server = createServer(async (request, response) => {
  const { status, body } = respond(new URLSearchParams(await text(request)));
  response.writeHead(status, { 'content-type': 'text/xml' }).end(body);
});
let endpoint: string;
beforeAll(async () => {
  endpoint = `http://127.0.0.1:${await listenLocally(server)}`;
});
afterAll(() => void server.close());
beforeEach(() => {
  stacks.clear();
  denied.clear();
  calls.length = 0;
});

/** Runs the check against the simulated CloudFormation. `next` is what the deployment would deploy. */
async function check(args: readonly string[] = [], { next = prod, limitMs = 5_000 } = {}) {
  const out: string[] = [];
  const err: string[] = [];
  const code = await runUpgradeCheck(['--stage', 'prod', ...args], {
    terminal: { columns: undefined, write: async (part) => void out.push(part), note: (line) => void err.push(line) },
    synthesize: async () => next.stacks,
    connect: () =>
      new CloudFormationClient({
        endpoint,
        region: 'eu-central-1',
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      }),
    driftWait: { limitMs, pollMs: 1 },
  });
  return { code, out: out.join(''), err: err.join('\n') };
}

/** Returns the part of the output about one stack. */
const partOf = (out: string, name: string): string =>
  out.split('\n\n').find((part) => part.startsWith(name)) ?? `There is no part about ${name}.`;
const problemsIn = (out: string): string => out.slice(out.indexOf('Solve these problems before you deploy:'));

describe('the changes', () => {
  test('0: reports no change for the same version, although CloudFormation returns “?” for some characters', async () => {
    deploy();
    expect(prod.stacks.some(({ template }) => asReturned(template) !== JSON.stringify(template))).toBe(true);
    const { code, out } = await check();
    expect(out).toBe(
      `${prod.stacks.map(({ name }) => `${name} (UPDATE_COMPLETE)\n  No change.\n\n`).join('')}` +
        'No drift: all resources that AWS can compare are as deployed.\n\nNothing prevents the deployment.\n',
    );
    expect(code).toBe(0);
  });

  test('0: lists what is added, changed, replaced and removed, by type and property', async () => {
    deploy();
    const functions = Object.entries(templateOf(API).Resources).filter(
      ([, { Type }]) => Type === 'AWS::Lambda::Function',
    );
    const [submit = '', upload = ''] = functions.map(([id]) => id);
    const version = idOf(API, 'FunnelSubmitCurrentVersion');
    deployedDiffers(API, (resources) => {
      for (const id of [submit, upload]) Object.assign(resources[id]?.Properties ?? {}, { Timeout: 1, MemorySize: 1 });
      resources.FunnelSubmitCurrentVersionOld = resources[version] as Resource;
      delete resources[version];
      resources.OldAlarm = { Type: 'AWS::CloudWatch::Alarm', Properties: {} };
      Object.assign(resources[idOf(API, 'FunnelSubmitRole')]?.Properties ?? {}, { RoleName: 'old' });
    });
    const { code, out } = await check();
    expect(partOf(out, API).split('\n')).toEqual(
      expect.arrayContaining([
        '  change MemorySize, Timeout: 2 AWS::Lambda::Function',
        `      ${submit}, ${upload}`,
        '  add: 1 AWS::Lambda::Version',
        '  remove from the stack, keep in AWS: 1 AWS::Lambda::Version',
        '  remove: 1 AWS::CloudWatch::Alarm',
        '      OldAlarm',
        expect.stringMatching(/^ {2}replace because of .*RoleName.*: 1 AWS::IAM::Role$/),
      ]),
    );
    expect(partOf(out, DATA)).toContain('No change.');
    expect([code, out]).toEqual([0, expect.stringContaining('Nothing prevents the deployment.')]);
  });

  test('0: lists an added output', async () => {
    deploy();
    const stack = deployed(DATA);
    const template: Template = JSON.parse(stack.body);
    delete template.Outputs?.LeadsTable;
    stack.body = asReturned(template);
    const { code, out } = await check();
    expect([code, partOf(out, DATA)]).toEqual([0, expect.stringContaining('  add: 1 output\n      LeadsTable')]);
  });

  test('0: reports no change if only metadata has changed', async () => {
    deploy();
    deployedDiffers(API, (resources) =>
      Object.assign(resources[idOf(API, 'FunnelSubmit')] ?? {}, { Metadata: { 'aws:asset:path': 'asset.old' } }),
    );
    const { code, out } = await check();
    expect([code, partOf(out, API)]).toEqual([0, `${API} (UPDATE_COMPLETE)\n  No change.`]);
  });
});

describe('resources with data', () => {
  test('1: reports a table that CloudFormation would replace', async () => {
    deploy();
    const leads = idOf(DATA, 'Leads');
    deployedDiffers(DATA, (resources) =>
      Object.assign(resources[leads]?.Properties ?? {}, { KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }] }),
    );
    const { code, out, err } = await check();
    expect(code).toBe(1);
    expect(err).toContain('Do not deploy yet: solve 1 problem first.');
    expect(problemsIn(out)).toBe(
      [
        'Solve these problems before you deploy:',
        `  ${DATA}: ${leads} (AWS::DynamoDB::GlobalTable)`,
        '      The resource would be replaced, because KeySchema would change: the service would use a new, ' +
          'empty table, and no longer read the items of the old one.',
        '      Keep the deployed value of KeySchema. If this is intended, copy the data first. ' +
          'See "When a resource is replaced" in docs/operations.md.',
        '',
        '',
      ].join('\n'),
    );
  });

  test('1: reports a table if CloudFormation’s specification requires its replacement', async () => {
    deploy();
    deployedDiffers(DATA, (resources) =>
      Object.assign(resources[idOf(DATA, 'Leads')]?.Properties ?? {}, {
        LocalSecondaryIndexes: [{ IndexName: 'old' }],
      }),
    );
    const { code, out } = await check();
    expect([code, problemsIn(out)]).toEqual([
      1,
      expect.stringContaining('would be replaced, because LocalSecondaryIndexes would change'),
    ]);
  });

  test('1: reports a secret if its generated value would change, even without a replacement', async () => {
    deploy();
    deployedDiffers(DATA, (resources) =>
      Object.assign(resources[idOf(DATA, 'LeadSecret')]?.Properties ?? {}, {
        GenerateSecretString: { PasswordLength: 32 },
        Description: 'old',
      }),
    );
    const { code, out } = await check();
    expect([code, problemsIn(out)]).toEqual([
      1,
      expect.stringMatching(
        /LeadSecret.*\n.*would be replaced or lose its content, because GenerateSecretString would change: a key/,
      ),
    ]);
  });

  test.each([
    ['0: accepts a longer retention of the stream', 24, 0],
    ['1: reports a shorter retention of the stream, because it deletes events', 8_760, 1],
  ])('%s', async (_, RetentionPeriodHours, expected) => {
    deploy();
    deployedDiffers(STREAMING, (resources) =>
      Object.assign(resources[idOf(STREAMING, 'Events')]?.Properties ?? {}, { RetentionPeriodHours }),
    );
    const { code, out } = await check();
    expect(partOf(out, STREAMING)).toContain('change RetentionPeriodHours: 1 AWS::Kinesis::Stream');
    expect(code).toBe(expected);
  });

  test('1: reports a bucket that would be removed from the stack but kept in AWS', async () => {
    deploy();
    deployedDiffers(DATA, (resources) => {
      resources.OldFiles = resources[idOf(DATA, 'Uploads')] as Resource;
    });
    const { code, out } = await check();
    expect([code, problemsIn(out)]).toEqual([
      1,
      expect.stringMatching(
        /OldFiles \(AWS::S3::Bucket\)\n {6}The resource would be removed from the stack, but kept in AWS: the service would use a new, empty/,
      ),
    ]);
  });

  test('1: reports a removed queue of dev, which CloudFormation would delete', async () => {
    deploy(dev);
    const name = nameOf('streaming', 'dev');
    deployedDiffers(name, (resources) => {
      resources.OldQueue = { Type: 'AWS::SQS::Queue', Properties: {} };
    });
    const { code, out } = await check([], { next: dev });
    expect([code, problemsIn(out)]).toEqual([
      1,
      expect.stringMatching(
        /OldQueue \(AWS::SQS::Queue\)\n {6}The resource would be deleted with its content: failed events/,
      ),
    ]);
  });

  test('1: reports a table with another logical id, with the advice to restore the id', async () => {
    deploy();
    const leads = idOf(DATA, 'Leads');
    deployedDiffers(DATA, (resources) => {
      resources.LeadsTable = resources[leads] as Resource;
      delete resources[leads];
    });
    const { code, out } = await check();
    expect([code, problemsIn(out)]).toEqual([
      1,
      expect.stringContaining(`If ${leads} is the same resource, rename its logical id back to LeadsTable.`),
    ]);
  });

  test('1: reports a removed resource with DeletionPolicy Retain, even if this release has no resource of its type', async () => {
    deploy();
    deployedDiffers(DATA, (resources) => {
      resources.OldTable = { Type: 'AWS::DynamoDB::Table', Properties: {}, DeletionPolicy: 'Retain' };
    });
    const { code, out } = await check();
    expect([code, problemsIn(out)]).toEqual([1, expect.stringContaining('OldTable (AWS::DynamoDB::Table)')]);
  });
});

describe('drift', () => {
  const resource = (id: string, StackResourceDriftStatus: string, more = {}) => ({
    StackId: DATA,
    LogicalResourceId: id,
    ResourceType: 'AWS::S3::Bucket',
    PhysicalResourceId: `${id}-physical`,
    StackResourceDriftStatus,
    Timestamp: '2026-01-01T00:00:00.000Z',
    ...more,
  });
  const difference = (PropertyPath: string, DifferenceType: string, ExpectedValue: string, ActualValue: string) => ({
    PropertyPath,
    DifferenceType,
    ExpectedValue,
    ActualValue,
  });

  test('0: waits for the detection; reports resource, property, expected and actual value from all pages', async () => {
    deploy();
    deployed(DATA).detection = {
      runsFor: 2,
      drifts: [
        resource('Files', 'MODIFIED', {
          PropertyDifferences: {
            member: [
              difference('/VersioningConfiguration/Status', 'NOT_EQUAL', 'Suspended', 'Enabled'),
              difference('/Tags/3', 'ADD', 'null', '{"Key":"owner","Value":"kim"}'),
              difference('/LifecycleConfiguration', 'REMOVE', '{"Rules":[]}', 'null'),
              difference('/BucketEncryption', 'NOT_EQUAL', 'x'.repeat(500), 'y'),
            ],
          },
        }),
        resource('Same', 'IN_SYNC'),
        resource('Gone', 'DELETED'),
      ],
    };
    const { code, out, err } = await check();
    expect(out.slice(out.indexOf('Drift'))).toBe(
      [
        'Drift: 2 resources changed outside CloudFormation.',
        `  ${DATA}: Files (AWS::S3::Bucket, Files-physical)`,
        '      VersioningConfiguration.Status: expected Suspended, actual Enabled',
        '      Tags.3: expected no value, actual {"Key":"owner","Value":"kim"}',
        '      LifecycleConfiguration: expected {"Rules":[]}, actual no value',
        `      BucketEncryption: expected ${'x'.repeat(160)}…, actual y`,
        `  ${DATA}: Gone (AWS::S3::Bucket, Gone-physical)`,
        '      deleted outside CloudFormation',
        '  CloudFormation compares the new template with the deployed template, not with the actual values. Undo ' +
          'each change in AWS, or put the actual value into the stack or its settings. A deployment that changes a ' +
          'deleted resource fails.',
        '',
        'Nothing prevents the deployment.',
        '',
      ].join('\n'),
    );
    expect(err).toContain('Detecting drift, for at most 5 seconds…');
    expect(code).toBe(0);
  });

  test('1: reports a detection that does not finish in time', async () => {
    deploy();
    deployed(LAKE).detection = { runsFor: Number.POSITIVE_INFINITY };
    const { code, out } = await check([], { limitMs: 30 });
    expect(out).not.toContain('No drift');
    expect([code, problemsIn(out)]).toEqual([
      1,
      expect.stringMatching(/ {2}Drift of tributary-prod-lake\n {6}The detection has not finished after 1 second\.\n/),
    ]);
  });

  test('1: reports a resource that CloudFormation could not read, and the drift of other resources', async () => {
    deploy();
    const reason = 'is not authorized to perform: s3:GetBucketTagging';
    const drifts = [resource('Gone', 'DELETED'), resource('Files', 'UNKNOWN', { DriftStatusReason: reason })];
    deployed(DATA).detection = { status: 'DETECTION_FAILED', reason: 'Failed to detect drift on [Files]', drifts };
    const { code, out } = await check();
    expect(out).toContain('Drift: 1 resource changed outside CloudFormation.');
    expect([code, problemsIn(out).split('\n').slice(1, 3)]).toEqual([
      1,
      [`  Drift of ${DATA}: Files`, `      CloudFormation could not detect the drift: ${reason}`],
    ]);
  });

  test('1: reports a detection that fails for the whole stack', async () => {
    deploy();
    deployed(DATA).detection = { status: 'DETECTION_FAILED', reason: 'Failed to detect drift on [Files]' };
    const { code, out } = await check();
    expect([code, problemsIn(out)]).toEqual([
      1,
      expect.stringContaining('the drift: Failed to detect drift on [Files]'),
    ]);
  });

  test('1: reports a detection that CloudFormation rejects, and the drift of other stacks', async () => {
    deploy();
    deployed(LAKE).detection = { isRunning: true };
    deployed(DATA).detection = { drifts: [resource('Gone', 'DELETED')] };
    const { code, out } = await check();
    expect(out).toContain('Drift: 1 resource changed outside CloudFormation.');
    expect([code, problemsIn(out)]).toEqual([
      1,
      expect.stringContaining('says: Drift detection is already in progress'),
    ]);
  });

  test('0: --no-drift detects no drift', async () => {
    deploy();
    const { code, out } = await check(['--no-drift']);
    expect([code, out]).toEqual([0, expect.not.stringContaining('rift')]);
    expect(calls.filter((call) => call.includes('Drift'))).toEqual([]);
  });
});

describe('the state of the stacks', () => {
  test.each(['does not exist', 'is in REVIEW_IN_PROGRESS'])(
    '0: reports that the deployment creates a stack that %s',
    async (state) => {
      deploy();
      if (state === 'does not exist') stacks.delete(LAKE);
      else deployed(LAKE).status = 'REVIEW_IN_PROGRESS';
      const { code, out } = await check();
      expect(out).toContain(`${LAKE}: not deployed yet. The deployment creates it.\n`);
      expect(calls.filter((call) => call.endsWith(LAKE))).toEqual([`DescribeStacks ${LAKE}`]);
      expect(code).toBe(0);
    },
  );

  test('1: reports that no stack of the stage is deployed in the region', async () => {
    const { code, out, err } = await check();
    expect([code, out]).toEqual([1, '']);
    expect(err).toMatch(/None of the stacks .*tributary-prod-data, .* is deployed in eu-central-1 .*Check AWS_REGION/);
  });

  test.each([
    ['ROLLBACK_COMPLETE', /this stack failed\. .*\n.*"npm run deploy" deletes this stack and creates it again/],
    ['ROLLBACK_FAILED', /The first deployment of this stack failed\. /],
    ['CREATE_FAILED', /npx cdk rollback tributary-prod-lake/],
    ['UPDATE_IN_PROGRESS', /rejects updates\.\n.*Wait until/],
    ['UPDATE_COMPLETE_CLEANUP_IN_PROGRESS', /rejects updates\.\n.*Wait until/],
    ['UPDATE_ROLLBACK_FAILED', /continue-update-rollback --stack-name tributary-prod-lake/],
    ['UPDATE_FAILED', /npx cdk rollback tributary-prod-lake/],
    ['DELETE_FAILED', /delete-stack --stack-name tributary-prod-lake/],
    ['IMPORT_ROLLBACK_FAILED', /describe-stack-events --stack-name tributary-prod-lake/],
  ])('1: reports a stack in %s with advice, and the changes of the other stacks', async (status, advice) => {
    deploy();
    deployed(LAKE).status = status;
    const { code, out } = await check();
    expect([code, problemsIn(out)]).toEqual([1, expect.stringMatching(advice)]);
    expect(problemsIn(out)).toContain(`  ${LAKE} is in ${status}\n`);
    expect(partOf(out, LAKE)).toContain('Not compared. The reason is below.');
    expect(partOf(out, API)).toContain('No change.');
  });

  test.each(['CREATE_COMPLETE', 'UPDATE_ROLLBACK_COMPLETE', 'IMPORT_COMPLETE'])(
    '0: accepts a stack in %s',
    async (status) => {
      deploy();
      deployed(LAKE).status = status;
      expect((await check()).code).toBe(0);
    },
  );

  test('1: reports a stack whose template is not JSON, because the CDK CLI did not deploy it', async () => {
    deploy();
    deployed(LAKE).body = 'Resources:\n  Table:\n    Type: AWS::DynamoDB::Table\n';
    const { code, out } = await check();
    expect([code, problemsIn(out)]).toEqual([1, expect.stringContaining('The deployed template is not JSON')]);
  });
});

describe('missing permissions', () => {
  test.each([
    'DescribeStacks',
    'GetTemplate',
    'DetectStackDrift',
    'DescribeStackDriftDetectionStatus',
    'DescribeStackResourceDrifts',
  ])('1: if %s is denied, the missing permission is named, and the other stacks are checked', async (action) => {
    deploy();
    denied.add(`${action} ${LAKE}`);
    const { code, out } = await check();
    expect(code).toBe(1);
    expect(problemsIn(out)).toMatch(
      new RegExp(
        ` {2}(Drift of )?${LAKE}\n {6}The permission cloudformation:${action} is missing\\. CloudFormation says: User: ` +
          `.*assumed-role/deployer/ci .*\n {6}Allow cloudformation:${action}, or use other credentials\\.`,
      ),
    );
    expect(partOf(out, API)).toContain('No change.');
    expect(calls).toContain(`DescribeStackResourceDrifts ${API}`);
  });
});

describe('npm run upgrade-check', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-upgrade-check-test-'));
    // Replaces the CDK CLI, because its synthesis takes a minute. Copies stacks that this test has synthesized.
    const cdk = `#!/usr/bin/env node
const { cpSync, writeFileSync } = require('node:fs');
const args = process.argv.slice(2);
writeFileSync(${JSON.stringify(join(folder, 'args'))}, JSON.stringify(args));
if (process.env.ASSEMBLY === undefined) { console.error('Error: aiModels:\\n  is empty.'); process.exit(1); }
console.log('many lines of the bundler');
cpSync(process.env.ASSEMBLY, args[args.indexOf('--output') + 1], { recursive: true });
`;
    await writeFile(join(folder, 'cdk'), cdk);
    await chmod(join(folder, 'cdk'), 0o755);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const run = (assembly: string | undefined, ...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      const env = {
        ...process.env,
        PATH: `${folder}${delimiter}${process.env.PATH}`,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'test',
        AWS_SECRET_ACCESS_KEY: 'test',
        AWS_ENDPOINT_URL_CLOUDFORMATION: endpoint,
        ...(assembly !== undefined && { ASSEMBLY: assembly }),
      };
      execFile('node', [join(ROOT, 'infra/upgrade-check/main.ts'), ...args], { cwd: folder, env }, (error, out, err) =>
        resolve({ code: error === null ? 0 : Number(error.code), out, err }),
      );
    });
  const cdkArguments = async (): Promise<string[]> => JSON.parse(await readFile(join(folder, 'args'), 'utf8'));

  test('0: compares deployed stacks with the stacks that the CDK CLI synthesizes from the settings, and leaves no files', async () => {
    deploy();
    const { code, out, err } = await run(prod.folder, '--stage', 'prod', '-c', 'alarmMail=a=b@example.com');
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(/^Synthesizing the stacks…\nDetecting drift, for at most 10 minutes…\n$/),
    ]);
    expect(out).toContain('Nothing prevents the deployment.');
    const [command, ...args] = await cdkArguments();
    const output = args[args.indexOf('--output') + 1] ?? '';
    expect([command, ...args]).toEqual([
      ...['synth', '--quiet', '--output', output, '-c', 'alarmMail=a=b@example.com', '-c', 'stage=prod'],
    ]);
    await expect(readFile(join(output, 'manifest.json'))).rejects.toThrow('ENOENT');
  });

  test('1: shows the output of the CDK CLI if it fails', async () => {
    expect(await run(undefined, '-c', 'stage=prod')).toEqual({
      code: 1,
      out: '',
      err: 'Synthesizing the stacks…\nError: aiModels:\n  is empty.\nThe stacks could not be synthesized. The messages above say why.\n',
    });
    expect(calls).toEqual([]);
  });

  test('1: refuses to compare stacks without the DuckDB layer', async () => {
    deploy();
    const { assembly } = synthesize({ stage: 'prod' }, { layer: false });
    const { code, err } = await run(assembly.directory, '--stage', 'prod');
    expect([code, err]).toEqual([1, expect.stringContaining('Run "npm run layer", then run this check again.')]);
  });

  test('1: rejects two different stages', async () => {
    const { code, err } = await run(prod.folder, '--stage', 'prod', '-c', 'stage=dev');
    expect([code, err]).toEqual([1, 'The setting stage is given twice, as "dev" and as "prod". Remove one of them.\n']);
  });

  test('2: rejects an unknown option', async () => {
    const { code, err } = await run(prod.folder, '--no-drifts');
    expect([code, err]).toEqual([2, expect.stringContaining('--help')]);
  });
});
