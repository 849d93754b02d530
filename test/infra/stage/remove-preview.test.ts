import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { STACKS, stackName } from '../../../infra/names.ts';
import { type RemovalPorts, removePreview } from '../../../infra/stage/remove-preview.ts';
import { SimulatedAws } from '../../support/stage/aws.ts';

const aws = new SimulatedAws();
const lines: string[] = [];
let ports: RemovalPorts;

beforeAll(async () => {
  const { cloudFormation, s3 } = await aws.start();
  ports = { cloudFormation, s3, pollMs: 0, retryMs: 0, report: async (line) => void lines.push(line) };
});
afterAll(() => aws.stop());

const namesOf = (stage: string) => STACKS.map((part) => stackName({ name: stage }, part));
const [DATA = '', STREAMING = '', LAKE = '', API = '', ADMIN = '', OBSERVABILITY = '', WEB = ''] = namesOf('pr-1');
const existingNames = () => aws.existing().stacks.map(({ name }) => name);

/** Everything that a removal of `pr-1` must not change. */
const others = () => {
  const { stacks, buckets } = aws.existing();
  return {
    stacks: stacks.filter(({ name }) => !namesOf('pr-1').includes(name)),
    buckets: buckets.filter(([name]) => !/^pr-1-(?:facts|uploads|results|client)$/.test(name)),
  };
};

beforeEach(() => {
  aws.reset();
  lines.length = 0;
  aws.addStage('dev', {});
  aws.addStage('prod', {});
  aws.addStage('pr-1');
  aws.addStage('pr-12');
  aws.addStage('pr-1-data');
  aws.addStack('shop-pr-1', { tags: { preview: 'pr-1' } }, ['shop']);
});

test('a removal deletes the stacks of the stage with the versions in their buckets, and nothing else', async () => {
  const before = others();
  await removePreview('pr-1', ports);
  expect(existingNames().filter((name) => namesOf('pr-1').includes(name))).toEqual([]);
  for (const bucket of ['facts', 'uploads', 'results', 'client']) expect(aws.buckets.has(`pr-1-${bucket}`)).toBe(false);
  expect(others()).toEqual(before);
  expect(lines.at(-1)).toBe('pr-1 is removed. No stack of it remains.');
});

test('if no deletion fails, a removal deletes each stack once, in the reverse order of the deployment', async () => {
  await removePreview('pr-1', ports);
  expect(aws.calls.filter((call) => call.startsWith('DeleteStack'))).toEqual(
    [WEB, OBSERVABILITY, ADMIN, API, LAKE, STREAMING, DATA].map((name) => `DeleteStack ${name}`),
  );
  expect(aws.outOfOrder).toEqual([]);
});

test('a removal reads all pages of stacks, resources and versions', async () => {
  aws.pageSize = 1;
  const before = others();
  await removePreview('pr-1', ports);
  expect(existingNames().filter((name) => namesOf('pr-1').includes(name))).toEqual([]);
  expect(others()).toEqual(before);
  expect(lines.filter((line) => line.includes('failed'))).toEqual([]);
});

test('a removal deletes 2,500 versions in batches of at most 1,000', async () => {
  const versions = Array.from({ length: 2_500 }, (_, at) => ({ key: `k${String(at).padStart(5, '0')}`, id: 'v1' }));
  aws.buckets.set('pr-1-uploads', versions);
  await removePreview('pr-1', ports);
  expect(aws.calls.filter((call) => call === 'DeleteObjects pr-1-uploads')).toHaveLength(3);
  expect(existingNames()).not.toContain(DATA);
});

test('a removal ignores a bucket that no longer exists', async () => {
  aws.buckets.delete('pr-1-uploads');
  await removePreview('pr-1', ports);
  expect(existingNames()).not.toContain(DATA);
});

test('a removal does not empty a bucket that CloudFormation has deleted, because another stack can use its name', async () => {
  aws.stack(DATA).resources.push({ id: 'Old', type: 'AWS::S3::Bucket', name: 'shop', status: 'DELETE_COMPLETE' });
  await removePreview('pr-1', ports);
  expect(aws.buckets.get('shop')).toHaveLength(1);
  expect(aws.calls).not.toContain('ListObjectVersions shop');
});

test('a removal names the object that S3 does not delete, and the reason', async () => {
  aws.objectError = 'InternalError';
  await expect(removePreview('pr-1', ports)).rejects.toThrow(
    /^S3 did not delete \S+ from the bucket pr-1-\w+ \(InternalError: The reason\)\. Run the command again\.$/,
  );
});

test('a removal waits for the deletion of a stack for at most an hour', async () => {
  aws.stack(OBSERVABILITY).isStuck = true;
  const startMs = Date.now();
  let minutes = 0;
  const clock = vi.spyOn(Date, 'now').mockImplementation(() => startMs + ++minutes * 60_000);
  await expect(removePreview('pr-1', ports)).rejects.toThrow(
    `CloudFormation has not deleted ${OBSERVABILITY} within an hour.`,
  );
  clock.mockRestore();
});

test('a removal reports a stage without stacks, and changes nothing', async () => {
  const before = aws.existing();
  await removePreview('pr-9', ports);
  expect(lines).toEqual(['There is no stack of pr-9 in eu-central-1.']);
  expect(aws.existing()).toEqual(before);
});

describe('a stack', () => {
  test.each([{}, { preview: 'pr-12' }, { preview: 'true' }])(
    'is kept and reported if it has a name of the preview but the tags %j; the other stacks are removed',
    async (tags) => {
      aws.stack(DATA).tags = tags;
      await expect(removePreview('pr-1', ports)).rejects.toThrow(`These stacks remain: ${DATA}.`);
      expect(aws.stack(DATA)).toMatchObject({ status: 'CREATE_COMPLETE' });
      expect(aws.buckets.get('pr-1-facts')).toHaveLength(3);
      expect(existingNames().filter((name) => namesOf('pr-1').includes(name))).toEqual([DATA]);
    },
  );

  test('with the tag of the preview and an unknown name is reported, and is not changed', async () => {
    aws.addStack('tributary-pr-1-search', { tags: { preview: 'pr-1' } });
    await expect(removePreview('pr-1', ports)).rejects.toThrow('These stacks remain: tributary-pr-1-search.');
    expect(aws.stack('tributary-pr-1-search').status).toBe('CREATE_COMPLETE');
  });

  test('prevents the removal while a deployment changes it; all stacks stay unchanged', async () => {
    aws.stack(DATA).status = 'UPDATE_IN_PROGRESS';
    const before = aws.existing();
    await expect(removePreview('pr-1', ports)).rejects.toThrow(`${DATA} is in UPDATE_IN_PROGRESS`);
    expect(aws.existing()).toEqual(before);
  });

  test('with termination protection prevents the removal, and all stacks stay unchanged', async () => {
    aws.stack(API).isProtected = true;
    const before = aws.existing();
    await expect(removePreview('pr-1', ports)).rejects.toThrow(`${API} has termination protection`);
    expect(aws.existing()).toEqual(before);
  });

  test('that was deployed again during the removal is not deleted, because the removal uses stack ids', async () => {
    const { id } = aws.stack(OBSERVABILITY);
    const report = async (line: string) => {
      if (line === `${OBSERVABILITY}: deleted.`) aws.addStack(OBSERVABILITY, { tags: { preview: 'pr-1' } });
    };
    await expect(removePreview('pr-1', { ...ports, report })).rejects.toThrow(`These stacks remain: ${OBSERVABILITY}.`);
    expect(aws.stack(OBSERVABILITY)).toMatchObject({ status: 'CREATE_COMPLETE' });
    expect(aws.stack(OBSERVABILITY).id).not.toBe(id);
  });
});

describe('a failed deletion', () => {
  test('is retried, and the reason that CloudFormation gives is reported', async () => {
    aws.stack(API).fails = ['Too Many Requests (Service: ApiGateway, Status Code: 429)'];
    await removePreview('pr-1', ports);
    expect(lines).toContain(
      `${API}: attempt 1 of 3 failed: The following resource(s) failed to delete: [Queue]. ` +
        'Queue: Too Many Requests (Service: ApiGateway, Status Code: 429)',
    );
    expect(existingNames()).not.toContain(API);
  });

  test('is retried after the buckets are emptied again, because new objects can make a deletion fail', async () => {
    let isWritten = false;
    const report = async (line: string) => {
      if (isWritten || line !== `${DATA}: CloudFormation deletes the stack.`) return;
      isWritten = true;
      aws.buckets.get('pr-1-uploads')?.push({ key: 'late', id: 'null' });
    };
    await removePreview('pr-1', { ...ports, report });
    expect(isWritten).toBe(true);
    expect(existingNames()).not.toContain(DATA);
  });

  test('ends the removal after three attempts, and keeps the stacks on which the failed stack depends', async () => {
    aws.stack(API).fails = ['one', 'two', 'The firewall is in use.', 'four'];
    await expect(removePreview('pr-1', ports)).rejects.toThrow(
      /could not delete tributary-pr-1-api in 3 attempts: .*Queue: The firewall is in use\. Correct the cause/,
    );
    expect(aws.calls.filter((call) => call === `DeleteStack ${API}`)).toHaveLength(3);
    expect([DATA, STREAMING, LAKE].map((name) => aws.stack(name).status)).toEqual([
      'CREATE_COMPLETE',
      'CREATE_COMPLETE',
      'CREATE_COMPLETE',
    ]);
  });

  test('of an earlier run is retried', async () => {
    aws.stack(DATA).status = 'DELETE_FAILED';
    await removePreview('pr-1', ports);
    expect(existingNames()).not.toContain(DATA);
  });
});

test.each([
  ['cloudformation:DescribeStacks', 'all stacks'],
  ['cloudformation:ListStackResources', WEB],
  ['cloudformation:DeleteStack', WEB],
  ['s3:ListBucketVersions', 'the bucket pr-1-client'],
  ['s3:DeleteObject and s3:DeleteObjectVersion', 'the bucket pr-1-client'],
])(
  'if AWS refuses the action %s for %s, the error names both; with this permission, a removal succeeds',
  async (action, on) => {
    aws.refused.add(action);
    await expect(removePreview('pr-1', ports)).rejects.toThrow(`do not permit ${action} for ${on}. Grant`);
    aws.refused.clear();
    await removePreview('pr-1', ports);
    expect(existingNames().filter((name) => namesOf('pr-1').includes(name))).toEqual([]);
  },
);

describe('if a removal is interrupted', () => {
  const arrange = () => {
    aws.reset();
    for (const stage of ['dev', 'pr-1', 'pr-12']) aws.addStage(stage, stage === 'dev' ? {} : { preview: stage });
    aws.stack(API).fails = ['Too Many Requests'];
  };

  test.each([
    ['before', false],
    ['after', true],
  ])('%s a call takes effect, the next run completes the removal and changes nothing else', async (_, hasEffect) => {
    arrange();
    await removePreview('pr-1', ports);
    const total = aws.calls.length;
    expect(total).toBeGreaterThan(30);
    for (let afterCalls = 0; afterCalls < total; afterCalls += 1) {
      arrange();
      const before = others();
      aws.interruption = { afterCalls, hasEffect };
      await expect(removePreview('pr-1', ports)).rejects.toThrow();
      aws.interruption = undefined;
      await removePreview('pr-1', ports);
      expect(existingNames().filter((name) => namesOf('pr-1').includes(name))).toEqual([]);
      expect(aws.outOfOrder).toEqual([]);
      expect(others()).toEqual(before);
    }
  });
});
