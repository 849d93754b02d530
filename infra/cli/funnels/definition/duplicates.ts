import { normalizeText } from '../../../../shared/platform/normalize-text.ts';
import type { ValidationIssue } from '../../json-document/issues.ts';
import { listAt, stringAt } from '../../json-document/untyped-access.ts';

/** Reports an entry of the list if an earlier entry has the same value of the property. */
export function findDuplicates(file: unknown, list: string, property: string): ValidationIssue[] {
  const seen = new Map<string, number>();
  return [...listAt(file, list).entries()].flatMap(([index, entry]): ValidationIssue[] => {
    const text = stringAt(entry, property);
    if (text === undefined) return [];
    const first = seen.get(normalizeText(text));
    if (first === undefined) seen.set(normalizeText(text), index);
    return first === undefined
      ? []
      : [{ at: [list, index, property], message: `Must be unique: ${list}[${first}] has the same ${property}` }];
  });
}
