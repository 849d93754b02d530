import { describe, expect, test } from 'vitest';
import { CHECKS } from './checks/all.ts';
import { deploymentOf, EVERY_DEPLOYMENT, synthesizeDeployment, type Variant } from './deployments.ts';
import { MUTATIONS } from './mutations.ts';
import { reviewed } from './reviewed.ts';
import { type Deployment, resourcesOf } from './template.ts';

/**
 * Variants with different resources. The other variants have the same resources as one of these, with other values of
 * settings.
 */
const REVIEWED: readonly Variant[] = ['with defaults', 'with every setting', 'with Bedrock and the user pool'];

describe.each(EVERY_DEPLOYMENT)('$title', ({ stage, variant, deployment }) => {
  // This test is the first, because the other tests use the templates that it synthesizes.
  if (REVIEWED.includes(variant)) {
    test('each finding of the rule pack AWS Solutions is acknowledged, and each acknowledgement belongs to a finding', () => {
      expect(reviewed(synthesizeDeployment(stage, variant).synthesized)).toEqual([]);
    });
  }

  test.each(Object.entries(CHECKS))('%s', (_, check) => {
    expect(check(deployment())).toEqual([]);
  });

  test('only stacks of prod have termination protection', () => {
    const { stacks } = deployment();
    const unlike = stacks.filter(({ isProtected }) => isProtected !== (stage === 'prod'));
    expect(unlike.map(({ name }) => name)).toEqual([]);
  });
});

describe('the checks report', () => {
  test.each(MUTATIONS)('$title', ({ check, type, id = /^/, change, reports }) => {
    const mutated: Deployment = structuredClone(deploymentOf('prod', 'with Bedrock and the user pool'));
    const target = resourcesOf(mutated, type).find((one) => id.test(one.id));
    const resource = target?.stack.template.Resources[target.id];
    if (target === undefined || resource === undefined) throw new Error(`The stacks contain no ${type} to change.`);
    change(resource, target);
    expect(CHECKS[check](mutated)).toContainEqual(expect.stringMatching(reports));
  });

  test('at least one kind of fault for each check', () => {
    const covered = new Set<string>(MUTATIONS.map(({ check }) => check));
    expect(Object.keys(CHECKS).filter((name) => !covered.has(name))).toEqual([]);
  });
});
