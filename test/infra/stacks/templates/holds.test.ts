import { describe, expect, test } from 'vitest';
import { CHECKS } from './checks/all.ts';
import { everyDeployment } from './deployments.ts';

describe.each(everyDeployment())('$title', (deployment) => {
  test.each(Object.entries(CHECKS))('%s', (_, check) => {
    expect(check(deployment)).toEqual([]);
  });

  test('only stacks of prod have termination protection', () => {
    const unlike = deployment.stacks.filter(({ isProtected }) => isProtected !== (deployment.stage === 'prod'));
    expect(unlike.map(({ name }) => name)).toEqual([]);
  });
});
