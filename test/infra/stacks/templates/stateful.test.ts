import { describe, expect, test } from 'vitest';
import { RECREATED_TYPES } from '../../../../infra/upgrade-check/stateful-types.ts';
import { deploymentOf } from './deployments.ts';
import { isStateful, lostBy, statefulIn, withNew } from './stateful.ts';
import pinned from './stateful-resources.json' with { type: 'json' };
import { resourcesOf } from './template.ts';

/*
 * `stateful-resources.json` lists the stateful resources of prod by stack and logical id, with the properties whose
 * change makes CloudFormation replace the resource with an empty resource. `--update` only adds new resources. To
 * remove or replace a resource intentionally, first move its data (docs/operations.md), or explain in the commit why
 * the data is not needed. Then edit the list by hand in the same commit as the stack.
 */

const complete = deploymentOf('prod', 'with Bedrock and the user pool');
const now = statefulIn(complete);

test('an upgrade removes or replaces no stateful resource of prod', () => expect(lostBy(pinned, now)).toEqual([]));

test('stateful-resources.json lists every stateful resource of prod', async () => {
  const list = `${JSON.stringify(withNew(pinned, now), null, 2)}\n`;
  await expect(list).toMatchFileSnapshot('stateful-resources.json');
});

test('if Bedrock and the user pool are added to prod with defaults, no stateful resource is removed or replaced', () => {
  const plain = statefulIn(deploymentOf('prod', 'with defaults'));
  const otherwise = lostBy(plain, now);
  expect(otherwise).toEqual([]);
});

test('dev has the same stateful resources as prod, except for the access log of prod', () => {
  const dev = statefulIn(deploymentOf('dev', 'with Bedrock and the user pool'));
  const idsOf = (one: typeof now) => Object.values(one).flatMap((resources) => Object.keys(resources));
  expect(idsOf(now).filter((id) => !idsOf(dev).includes(id))).toEqual([expect.stringMatching(/^AccessLogs/)]);
  expect(idsOf(dev).filter((id) => !idsOf(now).includes(id))).toEqual([]);
});

test('every retained resource is stateful, except versions of functions and layers, which can be created again', () => {
  const kept = resourcesOf(complete).filter(({ DeletionPolicy }) => /^Retain/.test(DeletionPolicy ?? ''));
  const types = new Set(kept.map(({ Type }) => Type).filter((type) => !RECREATED_TYPES.includes(type)));
  expect([...types].filter((type) => !isStateful(type))).toEqual([]);
});

describe('the comparison of stateful resources reports', () => {
  const { data = {} } = now;
  const [id = ''] = Object.keys(data).filter((one) => one.startsWith('Leads'));
  const changed = (change: (resources: typeof data) => void) => {
    const copy = structuredClone(now);
    change(copy.data ?? {});
    return { lost: lostBy(now, copy), list: withNew(now, copy) };
  };

  test('a removed table', () => {
    const { lost } = changed((resources) => delete resources[id]);
    expect(lost).toEqual([expect.stringMatching(/^data: Leads.* is missing .*empty table/)]);
  });

  test('a table with another logical id, which would be a new table', () => {
    const { lost, list } = changed((resources) => {
      Object.assign(resources, { LeadsTable12345678: resources[id] });
      delete resources[id];
    });
    expect(lost).toEqual([expect.stringContaining('is missing or has another logical id')]);
    expect(Object.keys(list.data ?? {})).toEqual(expect.arrayContaining([id, 'LeadsTable12345678']));
  });

  test('a table with another key', () => {
    const { lost } = changed((resources) => Object.assign(resources[id] ?? {}, { keys: { keys: ['HASH id S'] } }));
    expect(lost).toEqual([expect.stringContaining('would be replaced')]);
  });

  test('no loss if a resource is added', () => {
    const { lost, list } = changed((resources) =>
      Object.assign(resources, { New12345678: { type: 'AWS::S3::Bucket', keys: {} } }),
    );
    expect(lost).toEqual([]);
    expect(list.data).toEqual({ ...data, New12345678: { type: 'AWS::S3::Bucket', keys: {} } });
  });
});
