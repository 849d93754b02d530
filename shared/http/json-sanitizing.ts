type Json = Record<string, unknown> | unknown[];

const isContainer = (value: unknown): value is Json => typeof value === 'object' && value !== null;

/**
 * Whether objects and arrays are nested more than `max` levels deep. The outermost object or array is level 1. Not
 * recursive, so that no input overflows the stack.
 */
export function isNestedDeeperThan(value: unknown, max: number): boolean {
  let level: Json[] = isContainer(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > max) return true;
    const next: Json[] = [];
    for (const container of level) collectContainers(container, next);
    level = next;
  }
  return false;
}

function collectContainers(container: Json, into: Json[]): void {
  if (Array.isArray(container)) {
    for (const child of container) if (isContainer(child)) into.push(child);
    return;
  }
  for (const key in container) {
    const child = container[key];
    if (isContainer(child)) into.push(child);
  }
}

const removeNul = (text: string): string => text.replaceAll('\0', '');

/**
 * Removes NUL characters from strings and keys. Recursive: check the depth with `isNestedDeeperThan` first.
 *
 * @returns `found`: the path of the first NUL; undefined if there is no NUL
 */
export function stripNul(value: unknown, path = 'body'): { value: unknown; found?: string } {
  if (typeof value === 'string') return value.includes('\0') ? { value: removeNul(value), found: path } : { value };
  if (!isContainer(value)) return { value };
  let found: string | undefined;
  const strip = (child: unknown, at: string): unknown => {
    const stripped = stripNul(child, at);
    found ??= stripped.found;
    return stripped.value;
  };
  if (Array.isArray(value)) {
    const items = value.map((child, index) => strip(child, `${path}[${index}]`));
    return found === undefined ? { value } : { value: items, found };
  }
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => {
    if (key.includes('\0')) found ??= path;
    return [removeNul(key), strip(child, `${path}.${removeNul(key)}`)];
  });
  // fromEntries defines own properties, so that a `__proto__` key stays data.
  return found === undefined ? { value } : { value: Object.fromEntries(entries), found };
}
