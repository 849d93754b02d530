import { describe, expect, test } from 'vitest';
import { deploymentOf } from './deployments.ts';
import { isStateful, lostBy, newIn, statefulIn } from './stateful.ts';
import pinned from './stateful-resources.json' with { type: 'json' };
import { resourcesOf } from './template.ts';

/*
 * `stateful-resources.json` is what prod keeps, by stack and logical id, with the properties whose change makes
 * CloudFormation put something new and empty in its place. It changes by hand alone:
 * - something new: add the line that the failing test shows;
 * - something to be removed or replaced on purpose: first move what it holds (docs/operations.md), or write in the
 *   commit why nobody misses it; then change its line here in the same commit as the stack.
 */

const complete = deploymentOf('prod', 'with all that AWS offers');
const now = statefulIn(complete);

test('an upgrade loses nothing that prod holds', () => expect(lostBy(pinned, now)).toEqual([]));

test('what prod holds is pinned', () => expect(newIn(pinned, now)).toEqual([]));

test('a setting that is added or left out replaces nothing that stays', () => {
  const plain = statefulIn(deploymentOf('prod', 'as it comes'));
  const otherwise = lostBy(plain, now);
  expect(otherwise).toEqual([]);
});

test('dev keeps the same things under the same ids, but for its access log', () => {
  const dev = statefulIn(deploymentOf('dev', 'with all that AWS offers'));
  const idsOf = (one: typeof now) => Object.values(one).flatMap((resources) => Object.keys(resources));
  expect(idsOf(now).filter((id) => !idsOf(dev).includes(id))).toEqual([expect.stringMatching(/^AccessLogs/)]);
  expect(idsOf(dev).filter((id) => !idsOf(now).includes(id))).toEqual([]);
});

test('whatever is kept when its stack goes is pinned, or is a version or a schedule that can be made again', () => {
  const MADE_AGAIN = ['AWS::Lambda::Version', 'AWS::Lambda::LayerVersion'];
  const kept = resourcesOf(complete).filter(({ DeletionPolicy }) => /^Retain/.test(DeletionPolicy ?? ''));
  const types = new Set(kept.map(({ Type }) => Type).filter((type) => !MADE_AGAIN.includes(type)));
  expect([...types].filter((type) => !isStateful(type))).toEqual([]);
});

describe('told in a sentence', () => {
  const { data = {} } = now;
  const [id = ''] = Object.keys(data).filter((one) => one.startsWith('Leads'));
  const changed = (change: (resources: typeof data) => void) => {
    const copy = structuredClone(now);
    change(copy.data ?? {});
    return { lost: lostBy(now, copy), added: newIn(now, copy) };
  };

  test('a table that is removed', () => {
    const { lost } = changed((resources) => delete resources[id]);
    expect(lost).toEqual([expect.stringMatching(/^data: Leads.* is gone .*empty table/)]);
  });

  test('a table with another logical id, which would be a new one', () => {
    const { lost, added } = changed((resources) => {
      Object.assign(resources, { LeadsTable12345678: resources[id] });
      delete resources[id];
    });
    expect(lost).toEqual([expect.stringContaining('is gone or has another logical id')]);
    expect(added).toEqual([expect.stringContaining('LeadsTable12345678')]);
  });

  test('a table with another key or a name', () => {
    const { lost } = changed((resources) => Object.assign(resources[id] ?? {}, { keys: { keys: ['HASH id S'] } }));
    expect(lost).toEqual([expect.stringContaining('would be replaced')]);
  });

  test('something new, which loses nothing', () => {
    const { lost, added } = changed((resources) =>
      Object.assign(resources, { New12345678: { type: 'AWS::S3::Bucket', keys: {} } }),
    );
    expect(lost).toEqual([]);
    expect(added).toEqual([
      'New in data, nothing is lost; pin it: "New12345678": {"type":"AWS::S3::Bucket","keys":{}}',
    ]);
  });
});
