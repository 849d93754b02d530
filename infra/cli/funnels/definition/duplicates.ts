import { normalizeText } from '../../../../shared/platform/normalize-text.ts';
import type { ValidationIssue } from '../../json-document/issues.ts';
import { listAt, stringAt } from '../../json-document/untyped-access.ts';

/** Reports the entries of a list whose property `name` has the same value as in an earlier entry. */
export function findDuplicates(file: unknown, list: string, name: string): ValidationIssue[] {
  const seen = new Map<string, number>();
  return [...listAt(file, list).entries()].flatMap(([index, entry]): ValidationIssue[] => {
    const text = stringAt(entry, name);
    if (text === undefined) return [];
    const first = seen.get(normalizeText(text));
    if (first === undefined) seen.set(normalizeText(text), index);
    return first === undefined
      ? []
      : [{ at: [list, index, name], message: `Must be unique: ${list}[${first}] has the same ${name}` }];
  });
}
