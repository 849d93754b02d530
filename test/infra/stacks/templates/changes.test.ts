import { describe, expect, test } from 'vitest';
import { nameConflicts } from './changes.ts';
import { deploymentOf, type Variant } from './deployments.ts';
import { type Deployment, resourcesOf } from './template.ts';

/*
 * A deployment with other settings must succeed. Therefore no named resource may be replaced under the same name,
 * because CloudFormation would create the new resource while the old resource still has this name.
 */

const CHANGES: readonly [Variant, Variant][] = [
  ['with defaults', 'with Bedrock and the user pool'],
  ['with Bedrock and the user pool', 'with defaults'],
  ['with Bedrock and the user pool', 'with Bedrock and the user pool, changed'],
  ['with defaults', 'with every setting'],
  ['with every setting', 'with every setting, changed'],
  ['with every setting', 'with Bedrock and the user pool'],
];

// This file begins with dev, and checks.test.ts begins with prod. If two workers run both files at the same time, each
// worker can use what the other worker has synthesized (`deploymentOf`).
describe.each(['dev', 'prod'] as const)('in %s', (stage) => {
  test.each(CHANGES)('a deployment from %j to %j has no name conflicts', (before, after) => {
    expect(nameConflicts(deploymentOf(stage, before), deploymentOf(stage, after))).toEqual([]);
  });
});

describe('nameConflicts reports', () => {
  const prod = deploymentOf('prod', 'with Bedrock and the user pool');
  const changed = (type: string, change: (resource: ReturnType<typeof resourcesOf>[number]) => void): Deployment => {
    const copy = structuredClone(prod);
    const [found] = resourcesOf(copy, type);
    if (found === undefined) throw new Error(`There is no ${type} to change.`);
    change(found);
    return copy;
  };

  test('a named budget with another recipient', () => {
    const named = (address: string) =>
      changed('AWS::Budgets::Budget', ({ Properties }) => {
        Properties.Budget.BudgetName = 'costs';
        Properties.NotificationsWithSubscribers[0].Subscribers[0].Address = address;
      });
    expect(nameConflicts(named('ops@example.com'), named('night@example.com'))).toEqual([
      expect.stringMatching(/Budget is replaced because of NotificationsWithSubscribers, and keeps its name .*costs$/),
    ]);
  });

  test('a function with another logical id and its old name', () => {
    const moved = changed('AWS::Lambda::Function', ({ stack: { template }, id }) => {
      Object.assign(template.Resources, { Moved: template.Resources[id] });
      delete template.Resources[id];
    });
    expect(nameConflicts(prod, moved)).toEqual([expect.stringMatching(/Moved takes the name .* still has it$/)]);
  });
});
