import type { Path } from './issues.ts';

// These functions treat a value of an unexpected type as absent, so that a file is checked completely even if parts of
// it have the wrong shape.

/** Returns an object's own property; undefined if there is none. */
export function memberAt<T>(value: Record<string, T> | undefined, name: PropertyKey): T | undefined;
export function memberAt(value: unknown, name: PropertyKey): unknown;
export function memberAt(value: unknown, name: PropertyKey): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return Reflect.get(value, name);
}

export const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, part) => memberAt(found, part), value);

export const stringAt = (value: unknown, name: string): string | undefined => {
  const found = memberAt(value, name);
  return typeof found === 'string' ? found : undefined;
};

export const numberAt = (value: unknown, name: string): number | undefined => {
  const found = memberAt(value, name);
  return typeof found === 'number' ? found : undefined;
};

export const listAt = (value: unknown, name: string): readonly unknown[] => {
  const found = memberAt(value, name);
  return Array.isArray(found) ? found : [];
};

export const stringsAt = (value: unknown, name: string): [index: number, text: string][] =>
  [...listAt(value, name).entries()].flatMap(([index, one]) => (typeof one === 'string' ? [[index, one]] : []));
