import { appendFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';
import type { GrantUse } from './evaluate-request.ts';
import type { Policies } from './template-policies.ts';

/** Environment variable with the folder in which a run of all tests records used permissions and denials. */
export const GRANTS_FOLDER = 'TRIBUTARY_GRANTS_FOLDER';

const USED = 'used';
const DENIED = 'denied';

const toLine = ({ id, action, resources }: GrantUse): string => JSON.stringify([id, action, resources]);

/**
 * Creates a log that records each use and each denial once, in files of this thread. Without a folder, it records
 * nothing.
 */
export function createGrantUsageLog(folder = process.env[GRANTS_FOLDER]) {
  const recorded = new Set<string>();
  const record = (kind: string, text: string) => {
    if (folder === undefined || recorded.has(text)) return;
    recorded.add(text);
    mkdirSync(folder, { recursive: true });
    // Write immediately, because some tests kill the process.
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

/** Reads the denials that a test run recorded. */
export const readDenials = (folder: string): string[] => [...readLines(folder, DENIED)].sort();

/** Maps an action to the reason why no test can use it. */
export type UntestedGrants = Readonly<Record<string, string>>;

/** Finds the functions' permissions that a test run did not use. Leaves out the actions in `untested`. */
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
