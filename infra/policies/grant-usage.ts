import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { GrantUse } from './evaluate-request.ts';
import type { Policies } from './template-policies.ts';

/** Environment variable with the folder where a whole test run records used permissions and denials. Unset otherwise. */
export const GRANTS_FOLDER = 'TRIBUTARY_GRANTS_FOLDER';

const USED = 'used';
const DENIED = 'denied';

const toLine = ({ id, action, resources }: GrantUse): string => JSON.stringify([id, action, resources]);

/** Records each use and each denial once, in files of this thread. Records nothing without a folder. */
export function createGrantUsageLog(folder = process.env[GRANTS_FOLDER]) {
  const recorded = new Set<string>();
  const record = (kind: string, text: string) => {
    if (folder === undefined || recorded.has(text)) return;
    recorded.add(text);
    mkdirSync(folder, { recursive: true });
    // Write immediately: some tests kill the process.
    appendFileSync(join(folder, `${kind}-${process.pid}-${threadId}`), `${text}\n`);
  };
  return {
    recordUse: (use: GrantUse): void => record(USED, toLine(use)),
    recordDenial: (message: string): void => record(DENIED, message),
  };
}

function readLines(folder: string, kind: string): Set<string> {
  const files = readdirSync(folder).filter((name) => name.startsWith(`${kind}-`));
  return new Set(files.flatMap((name) => readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)));
}

/** The denials of a test run. */
export const readDenials = (folder: string): string[] => [...readLines(folder, DENIED)].sort();

/** The reason why no test can use a permission, by its action. */
export type UntestedGrants = Readonly<Record<string, string>>;

/** Finds permissions that functions have and that no test of a whole run used. */
export function findUnusedGrants(policies: Policies, folder: string, untested: UntestedGrants): GrantUse[] {
  const used = readLines(folder, USED);
  return Object.entries(policies).flatMap(([id, statements]) =>
    statements.flatMap(({ effect, actions, resources }) =>
      actions
        .map((action) => ({ id, action, resources }))
        .filter((grant) => effect === 'Allow' && !used.has(toLine(grant)) && untested[grant.action] === undefined),
    ),
  );
}
