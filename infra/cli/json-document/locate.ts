import type { Node } from 'jsonc-parser';
import type { Path, ValidationIssue } from './issues.ts';

export type IssueAtOffset = ValidationIssue & { offset: number };

export type Locate = (path: Path) => number;

/** Returns a function that finds the offset of the value at a path, or of the closest parent if there is no value. */
export function createLocator(tree: Node): Locate {
  const properties = new WeakMap<Node, ReadonlyMap<string, Node>>();
  const propertiesOf = (node: Node): ReadonlyMap<string, Node> => {
    const known = properties.get(node);
    if (known !== undefined) return known;
    const found = new Map(listProperties(node).map(({ name, value }) => [name, value]));
    properties.set(node, found);
    return found;
  };
  return (path) => {
    let node = tree;
    for (const part of path) {
      const next = typeof part === 'number' ? node.children?.[part] : propertiesOf(node).get(String(part));
      if (next === undefined) break;
      node = next;
    }
    return node.offset;
  };
}

/** Lists an object's properties as written, including repeated ones. `at` is the offset of the name. */
export function listProperties({ type, children = [] }: Node): { name: string; at: number; value: Node }[] {
  if (type !== 'object') return [];
  return children.flatMap(({ children: [name, value] = [] }) =>
    name === undefined || value === undefined ? [] : [{ name: String(name.value), at: name.offset, value }],
  );
}

/** Yields every value of the text with its path, outer values first. */
export function* walkValues(node: Node, at: Path = []): Generator<{ at: Path; node: Node }> {
  yield { at, node };
  if (node.type === 'array') {
    for (const [index, child] of (node.children ?? []).entries()) yield* walkValues(child, [...at, index]);
  }
  for (const { name, value } of listProperties(node)) yield* walkValues(value, [...at, name]);
}
