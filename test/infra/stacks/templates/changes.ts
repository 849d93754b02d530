import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff';
import { physicalName } from './names.ts';
import type { Deployment, Resource, Stack } from './template.ts';

const REPLACED = new Set([ResourceImpact.WILL_REPLACE, ResourceImpact.MAY_REPLACE]);

type Replaced = { id: string; name: string | undefined; because: string };

const resourcesIn = ({ template }: Stack): [string, Resource][] =>
  Object.entries(template.Resources).map(([id, one]) => [id, { ...one, Properties: one.Properties ?? {} }]);

/**
 * Returns the resources with an unchanged logical id that CloudFormation replaces, or may replace, because a property
 * has changed.
 */
function replacedIn(before: Stack, after: Stack): Replaced[] {
  const replaced: Replaced[] = [];
  fullDiff({ ...before.template }, { ...after.template }).resources.forEachDifference((id, change) => {
    const now = after.template.Resources[id];
    if (now === undefined || !REPLACED.has(change.changeImpact)) return;
    replaced.push({ id, name: physicalName(now), because: Object.keys(change.propertyUpdates).join(', ') });
  });
  return replaced;
}

/**
 * Returns the name conflicts within each stack that make its update fail. CloudFormation creates a new resource before
 * it deletes the old resource, and AWS rejects a second resource of the same name.
 */
export const nameConflicts = (before: Deployment, after: Deployment): string[] =>
  after.stacks.flatMap((stack) => {
    const old = before.stacks.find(({ name }) => name === stack.name);
    if (old === undefined) return [];
    const taken = new Map(
      resourcesIn(old).flatMap(([id, one]) => {
        const name = physicalName(one);
        return name === undefined ? [] : [[name, id] as const];
      }),
    );
    const replaced = replacedIn(old, stack)
      .filter(({ name }) => name !== undefined && taken.has(name))
      .map(
        ({ id, name, because }) => `${stack.name}: ${id} is replaced because of ${because}, and keeps its name ${name}`,
      );
    const moved = resourcesIn(stack).flatMap(([id, one]) => {
      const holder = taken.get(physicalName(one) ?? '');
      return holder === undefined || holder === id
        ? []
        : [`${stack.name}: ${id} takes the name ${physicalName(one)} while ${holder} still has it`];
    });
    return [...replaced, ...moved];
  });
