import { tidy } from '../../http/tidy.ts';
import type { Finding } from './fault.ts';
import { listIn, textIn } from './loose.ts';

/** The entries of a list whose id, or name, an earlier one has. */
export function repeated(file: unknown, list: string, name: string): Finding[] {
  const seen = new Map<string, number>();
  return [...listIn(file, list).entries()].flatMap(([index, entry]): Finding[] => {
    const text = textIn(entry, name);
    if (text === undefined) return [];
    const first = seen.get(tidy(text));
    if (first === undefined) seen.set(tidy(text), index);
    return first === undefined ? [] : [{ at: [list, index, name], message: `Is the ${name} of ${list}[${first}] too` }];
  });
}
