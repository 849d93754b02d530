import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { GrantUse } from './evaluate-request.ts';
import type { Policies } from './template-policies.ts';

/** Where a whole run of the tests gathers which permissions were used, and what was refused; else it is not set. */
export const GRANTS_FOLDER = 'TRIBUTARY_GRANTS_FOLDER';

const USED = 'used';
const REFUSED = 'refused';

const line = ({ id, action, resources }: GrantUse): string => JSON.stringify([id, action, resources]);

/** Keeps each use once, in a file of this thread's. Without a folder, nothing is kept. */
export function createGrantUsageLog(folder = process.env[GRANTS_FOLDER]) {
  const known = new Set<string>();
  const keep = (kind: string, text: string) => {
    if (folder === undefined || known.has(text)) return;
    known.add(text);
    mkdirSync(folder, { recursive: true });
    // At once: whoever uses it may be killed.
    appendFileSync(join(folder, `${kind}-${process.pid}-${threadId}`), `${text}\n`);
  };
  return {
    used: (use: GrantUse): void => keep(USED, line(use)),
    refused: (sentence: string): void => keep(REFUSED, sentence),
  };
}

function linesIn(folder: string, kind: string): Set<string> {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`));
  return new Set(files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)));
}

/** What functions were refused in a run. */
export const readDenials = (folder: string): string[] => [...linesIn(folder, REFUSED)].sort();

/** Why nothing of a run here can use a permission, by its action. */
export type Exceptions = Readonly<Record<string, string>>;

/** Permissions that functions have and no test of a whole run used. */
export function findUnusedGrants(policies: Policies, folder: string, exceptions: Exceptions): GrantUse[] {
  const used = linesIn(folder, USED);
  return Object.entries(policies).flatMap(([id, statements]) =>
    statements.flatMap(({ effect, actions, resources }) =>
      actions
        .map((action) => ({ id, action, resources }))
        .filter((grant) => effect === 'Allow' && !used.has(line(grant)) && exceptions[grant.action] === undefined),
    ),
  );
}
