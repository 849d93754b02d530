import type * as z from 'zod/mini';

/** The parts of a template that checks read. Each check parses the properties that it needs. */
export type Resource = {
  Type: string;
  // biome-ignore lint/suspicious/noExplicitAny: CDK has checked the properties of all resource types
  Properties: Record<string, any>;
  UpdatePolicy?: unknown;
  DependsOn?: string | string[];
  Condition?: string;
  DeletionPolicy?: string;
  UpdateReplacePolicy?: string;
};

type Template = {
  Resources: Record<string, Resource>;
  Outputs?: Record<string, { Value: unknown; Description?: string; Export?: { Name: unknown } }>;
  Parameters?: Record<string, unknown>;
  Conditions?: Record<string, unknown>;
  Mappings?: Record<string, unknown>;
};

export type Stack = { name: string; isProtected: boolean; needs: string[]; template: Template };

export type Deployment = {
  title: string;
  stage: string;
  settings: Readonly<Record<string, string>>;
  stacks: Stack[];
};

/** Returns one message for each violation, with the stack and the resource. */
export type Check = (deployment: Deployment) => string[];

export type Found = Resource & { stack: Stack; id: string; at: string };

/** Returns the resources of these types in all stacks, or all resources if no type is given. */
export const resourcesOf = ({ stacks }: Deployment, ...types: string[]): Found[] =>
  stacks.flatMap((stack) =>
    Object.entries(stack.template.Resources)
      .filter(([, { Type }]) => types.length === 0 || types.includes(Type))
      .map(([id, resource]) => ({
        ...resource,
        Properties: resource.Properties ?? {},
        stack,
        id,
        at: `${stack.name}: ${id}`,
      })),
  );

/**
 * Returns one message for each requirement that a resource does not meet. The message consists of the resource and the
 * key of the requirement, for example `must be encrypted`.
 */
export const each = (
  found: readonly Found[],
  requirements: Readonly<Record<string, (resource: Found) => boolean>>,
): string[] =>
  found.flatMap((resource) =>
    Object.entries(requirements).flatMap(([sentence, holds]) =>
      holds(resource) ? [] : [`${resource.at} ${sentence}`],
    ),
  );

/** Whether a value matches this schema. */
export const has = (value: unknown, shape: z.ZodMiniType): boolean => shape.safeParse(value).success;

export const list = (value: unknown): unknown[] => (value === undefined ? [] : [value].flat());
