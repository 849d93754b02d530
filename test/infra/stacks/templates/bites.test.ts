import { describe, expect, test } from 'vitest';
import { CHECKS } from './checks/all.ts';
import { deploymentOf } from './deployments.ts';
import { GATEWAY_MUTATIONS } from './gateway-mutations.ts';
import { MUTATIONS } from './mutations.ts';
import { type Deployment, resourcesOf } from './template.ts';

/*
 * Tests the checks themselves: each mutation introduces one defect, and its check must report it with the location.
 */

const prod = deploymentOf('prod', 'with all that AWS offers');

const ALL = [...MUTATIONS, ...GATEWAY_MUTATIONS];

describe('the checks report', () => {
  test.each(ALL)('$title', ({ check, type, of = /^/, change, reports }) => {
    const mutated: Deployment = structuredClone(prod);
    const [target] = resourcesOf(mutated, type).filter(
      ({ id, Properties }) => of.test(id) || of.test(JSON.stringify(Properties)),
    );
    const resource = target?.stack.template.Resources[target.id];
    if (target === undefined || resource === undefined) throw new Error(`There is no ${type} to change.`);
    change(resource, target);
    expect(CHECKS[check](mutated)).toContainEqual(expect.stringMatching(reports));
  });

  test('nothing for an unchanged deployment', () => {
    expect(Object.values(CHECKS).flatMap((check) => check(structuredClone(prod)))).toEqual([]);
  });
});

test('every check has a mutation that it reports', () => {
  const seen = new Set<string>(ALL.map(({ check }) => check));
  expect(Object.keys(CHECKS).filter((name) => !seen.has(name))).toEqual([]);
});
