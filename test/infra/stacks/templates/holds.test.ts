import { describe, expect, test } from 'vitest';
import { CHECKS } from './checks/all.ts';
import { everyDeployment } from './deployments.ts';

describe.each(everyDeployment())('$title', (deployment) => {
  test.each(Object.entries(CHECKS))('%s', (_, check) => {
    expect(check(deployment)).toEqual([]);
  });

  test('stacks are protected against removal in prod alone', () => {
    const unlike = deployment.stacks.filter(({ isProtected }) => isProtected !== (deployment.stage === 'prod'));
    expect(unlike.map(({ name }) => name)).toEqual([]);
  });
});
