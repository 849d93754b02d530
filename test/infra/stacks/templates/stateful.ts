import { isDeepStrictEqual } from 'node:util';
import { STATEFUL_TYPES } from '../../../../infra/upgrade-check/stateful-types.ts';
import { type Deployment, resourcesOf } from './template.ts';

/** Whether resources of this type contain data that a replacement would lose. */
export const isStateful = (type: string): boolean => Object.hasOwn(STATEFUL_TYPES, type);

/** Stateful resources, by the kind of their stack and by their logical id. */
export type Pinned = Record<string, Record<string, { type: string; keys: unknown }>>;

const kindOf = (stack: string): string => stack.split('-').at(-1) ?? '';

/** Returns the stateful resources of a deployment, with the properties that must not change. */
export function statefulIn(deployment: Deployment): Pinned {
  const pinned: Pinned = {};
  for (const { stack, id, Type, Properties } of resourcesOf(deployment)) {
    const kind = STATEFUL_TYPES[Type];
    if (kind === undefined) continue;
    const name = kindOf(stack.name);
    pinned[name] = { ...pinned[name], [id]: { type: Type, keys: JSON.parse(JSON.stringify(kind.keys(Properties))) } };
  }
  return pinned;
}

/** Returns one message for each stateful resource that an upgrade would lose. */
export const lostBy = (pinned: Pinned, now: Pinned): string[] =>
  Object.entries(pinned).flatMap(([stack, resources]) =>
    Object.entries(resources).flatMap(([id, { type, keys }]) => {
      const found = now[stack]?.[id];
      const says = (what: string) => [`${stack}: ${id} (${type}) ${what}: ${STATEFUL_TYPES[type]?.lost}.`];
      if (found === undefined) return says('is missing or has another logical id');
      if (found.type !== type) return says(`has become a ${found.type}`);
      return isDeepStrictEqual(found.keys, keys)
        ? []
        : says(`would be replaced, because its keys would be ${JSON.stringify(found.keys)}`);
    }),
  );

/** Adds the resources that are not listed yet. Listed resources stay, even if they have changed or are missing. */
export const withNew = (pinned: Pinned, now: Pinned): Pinned =>
  Object.fromEntries(Object.entries({ ...now, ...pinned }).map(([stack, one]) => [stack, { ...now[stack], ...one }]));
