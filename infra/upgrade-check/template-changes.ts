import { isDeepStrictEqual } from 'node:util';
import {
  fullDiff,
  mangleLikeCloudFormation,
  type Resource,
  type ResourceDifference,
  ResourceImpact,
  type TemplateDiff,
} from '@aws-cdk/cloudformation-diff';
import { RECREATED_TYPES, STATEFUL_TYPES } from './stateful-types.ts';

export type Template = Readonly<Record<string, unknown>>;

/** A change that is the same for all listed parts of a stack. */
export type Change = {
  /** What happens, for example `change Code`. */
  what: string;
  /** The type of the resources, or another part of a template, for example `output`. */
  type: string;
  /** Logical ids. */
  ids: string[];
};

/** A problem to solve before the deployment. */
export type Problem = { where: string; reason: string; advice: string };

/** The changes that a deployment would make to one stack. */
export type StackChanges = {
  changes: Change[];
  /** Stateful resources that the deployment would remove from the stack, or that it may replace or empty. */
  losses: Problem[];
};

/** Compares the template of a deployed stack with the template that a deployment would use. */
export function stackChanges(stackName: string, deployed: Template, next: Template): StackChanges {
  const difference = fullDiff(asCloudFormationReturns(deployed), asCloudFormationReturns(next));
  const resources = resourceDifferences(difference);
  return {
    changes: grouped([...resources.flatMap(([id, one]) => resourceChange(id, one)), ...otherChanges(difference)]),
    losses: resources.flatMap(([id, one]) => lossOf(stackName, id, one, resources)),
  };
}

/** Replaces non-ASCII characters by question marks, because GetTemplate returns deployed templates in this form. */
const asCloudFormationReturns = (template: Template): Record<string, unknown> =>
  JSON.parse(mangleLikeCloudFormation(JSON.stringify(template)));

type Differences = [id: string, difference: ResourceDifference][];

function resourceDifferences({ resources }: TemplateDiff): Differences {
  const found: Differences = [];
  resources.forEachDifference((id, one) => void found.push([id, one]));
  return found;
}

function resourceChange(id: string, difference: ResourceDifference): Change[] {
  const type = difference.newResourceType ?? difference.oldResourceType ?? '';
  // Leaves out the metadata, which describes the source of a resource and changes nothing in AWS.
  const others = Object.keys(difference.otherChanges).filter((name) => name !== 'Metadata');
  const names = [...Object.keys(difference.propertyUpdates), ...others].toSorted();
  const of = (verb: string): Change[] => [{ what: [verb, names.join(', ')].join(' ').trim(), type, ids: [id] }];
  switch (difference.changeImpact) {
    case ResourceImpact.WILL_CREATE:
      return of('add');
    case ResourceImpact.WILL_DESTROY:
      return of('remove');
    case ResourceImpact.WILL_ORPHAN:
      return of('remove from the stack, keep in AWS');
    case ResourceImpact.WILL_REPLACE:
      return of('replace because of');
    case ResourceImpact.MAY_REPLACE:
      return of('change or replace because of');
    default:
      return names.length === 0 ? [] : of('change');
  }
}

/** Returns the changes of the parts of a template that are not resources. */
function otherChanges({ outputs, parameters, conditions, mappings, unknown }: TemplateDiff): Change[] {
  const parts = { output: outputs, parameter: parameters, condition: conditions, mapping: mappings, section: unknown };
  return Object.entries(parts).flatMap(([type, part]) =>
    Object.entries(part.changes).map(([id, { isAddition, isRemoval }]) => ({
      what: isAddition ? 'add' : isRemoval ? 'remove' : 'change',
      type,
      ids: [id],
    })),
  );
}

function grouped(changes: readonly Change[]): Change[] {
  const groups = new Map<string, Change>();
  for (const { what, type, ids } of changes) {
    const group = groups.get(`${what} ${type}`) ?? { what, type, ids: [] };
    groups.set(`${what} ${type}`, { ...group, ids: [...group.ids, ...ids] });
  }
  return [...groups.values()];
}

const IF_INTENDED =
  'If this is intended, copy the data first. See "When a resource is replaced" in docs/operations.md.';

function lossOf(stackName: string, id: string, difference: ResourceDifference, all: Differences): Problem[] {
  const { oldValue: before, newValue: after } = difference;
  const lost = before && lostWith(before);
  if (before === undefined || lost === undefined) return [];
  const where = `${stackName}: ${id} (${before.Type})`;
  if (after === undefined) {
    const fate = isRetained(before) ? 'be removed from the stack, but kept in AWS' : 'be deleted with its content';
    const twin = all.find(([, one]) => one.isAddition && one.newResourceType === before.Type)?.[0];
    const rename = twin === undefined ? '' : ` If ${twin} is the same resource, rename its logical id back to ${id}.`;
    return [
      {
        where,
        reason: `The resource would ${fate}: ${lost}.`,
        advice: `Keep the resource in the stack.${rename} ${IF_INTENDED}`,
      },
    ];
  }
  const names = replacingProperties(difference, before, after);
  if (names.length === 0) return [];
  const changed = names.join(', ');
  const isReplaced = difference.changeImpact === ResourceImpact.WILL_REPLACE;
  return [
    {
      where,
      reason:
        `The resource would be replaced${isReplaced ? '' : ' or lose its content'}, ` +
        `because ${changed} would change: ${lost}.`,
      advice: `Keep the deployed value of ${changed}. ${IF_INTENDED}`,
    },
  ];
}

const isRetained = ({ DeletionPolicy }: Resource): boolean => /^Retain/.test(String(DeletionPolicy ?? ''));

/** Returns what is lost with a resource; undefined if a deployment can create the resource again. */
function lostWith(resource: Resource): string | undefined {
  const stateful = STATEFUL_TYPES[resource.Type];
  if (stateful !== undefined) return stateful.lost;
  // An older release may have deployed a resource of a type that `STATEFUL_TYPES` no longer lists.
  if (!isRetained(resource) || RECREATED_TYPES.includes(resource.Type)) return undefined;
  return 'its deletion policy says that it has content to keep';
}

const REPLACES = new Set<ResourceImpact | undefined>([ResourceImpact.WILL_REPLACE, ResourceImpact.MAY_REPLACE]);

/** Returns the changed properties that can replace the resource or delete its content. */
function replacingProperties(difference: ResourceDifference, before: Resource, after: Resource): string[] {
  if (difference.resourceTypeChanged) return ['Type'];
  const { keys, keepsContent } = STATEFUL_TYPES[before.Type] ?? {};
  const old = before.Properties ?? {};
  const now = after.Properties ?? {};
  const isKey = (name: string) =>
    keys !== undefined &&
    !isDeepStrictEqual(keys(old), keys({ ...old, [name]: now[name] })) &&
    !keepsContent?.(old, now);
  return Object.entries(difference.propertyUpdates)
    .filter(([name, { changeImpact }]) => REPLACES.has(changeImpact) || isKey(name))
    .map(([name]) => name);
}
