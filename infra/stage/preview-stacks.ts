import { type CloudFormationClient, paginateDescribeStacks, type Stack } from '@aws-sdk/client-cloudformation';
import { PREVIEW_TAGS, STACKS, serviceName, stackName } from '../names.ts';
import { isPreviewName } from '../settings/stage-name.ts';
import { permitted } from './permitted.ts';

/** A stack with the tag of a preview, and with a name that a deployment of this preview uses. */
export type PreviewStack = {
  /** Unique, even if deleted stacks had the same name. */
  id: string;
  name: string;
  status: string;
  isProtected: boolean;
  createdAtMs: number;
};

export type Preview = {
  name: string;
  /** In the order in which they are deployed. */
  stacks: readonly PreviewStack[];
  createdAtMs: number;
  /** Undefined if no stack has a readable expiry tag. Such a preview never expires. */
  expiresAtMs: number | undefined;
};

/** Returns all stacks of the account in the region, except deleted ones. */
export async function describeStacks(cloudFormation: CloudFormationClient): Promise<Stack[]> {
  const pages = paginateDescribeStacks({ client: cloudFormation }, {});
  return permitted(
    'cloudformation:DescribeStacks',
    'all stacks',
    Array.fromAsync(pages).then((all) => all.flatMap(({ Stacks = [] }) => Stacks)),
  );
}

/** Finds the previews among all stacks, sorted by name. */
export function previewsIn(stacks: readonly Stack[]): Preview[] {
  const byStage = Map.groupBy(stacks, (stack) => tagOf(stack, PREVIEW_TAGS.stage) ?? '');
  return [...byStage]
    .filter(([stage]) => isPreviewName(stage))
    .flatMap(([stage, tagged]): Preview[] => {
      const own = namesOf(stage).flatMap((name) => tagged.filter(({ StackName }) => StackName === name));
      if (own.length === 0) return [];
      const created = own.map(({ CreationTime }) => CreationTime?.getTime() ?? 0);
      const expiries = own
        .map((stack) => Date.parse(tagOf(stack, PREVIEW_TAGS.expiry) ?? ''))
        .filter((ms) => !Number.isNaN(ms));
      return [
        {
          name: stage,
          stacks: own.map(toPreviewStack),
          createdAtMs: Math.min(...created),
          // If a deployment failed, some stacks still have an earlier expiry. Uses the latest.
          expiresAtMs: expiries.length === 0 ? undefined : Math.max(...expiries),
        },
      ];
    })
    .sort((one, other) => one.name.localeCompare(other.name));
}

/**
 * Returns the names of all stacks of a preview. A stack belongs to the preview if a deployment of the preview uses its
 * name. A stack of this service with the preview's tag also belongs to it, because earlier versions may have used other
 * names.
 */
export const stacksOf = (stage: string, stacks: readonly Stack[]): string[] =>
  stacks
    .map((stack) => ({ name: stack.StackName ?? '', tag: tagOf(stack, PREVIEW_TAGS.stage) }))
    .filter(
      ({ name, tag }) =>
        namesOf(stage).includes(name) || (tag === stage && name.startsWith(`${serviceName({ name: stage })}-`)),
    )
    .map(({ name }) => name);

const namesOf = (stage: string): string[] => STACKS.map((part) => stackName({ name: stage }, part));

const tagOf = ({ Tags = [] }: Stack, key: string): string | undefined => Tags.find((tag) => tag.Key === key)?.Value;

const toPreviewStack = (stack: Stack): PreviewStack => ({
  id: stack.StackId ?? '',
  name: stack.StackName ?? '',
  status: stack.StackStatus ?? '',
  isProtected: stack.EnableTerminationProtection === true,
  createdAtMs: stack.CreationTime?.getTime() ?? 0,
});
