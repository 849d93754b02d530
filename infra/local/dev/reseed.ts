import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connectToEnvironment } from '../../cli/environment/target-environment.ts';
import { ISSUER } from '../oidc/issuer.ts';
import { BUCKETS } from '../runtime/environment.ts';
import { seedDemo } from '../seed/seed.ts';

/** File in the state folder that each `--reseed` writes. The running `npm run dev` watches it. */
export const RESEEDED_FILE = 'reseeded';

/**
 * Writes the demo data of a running `npm run dev` again. Does not write domains and sessions, because the service
 * changes them. The running process then starts new function hosts, because the old ones cache versions of funnels.
 *
 * @throws UserError if the service is not running with this state folder
 */
export async function reseed(state: string): Promise<void> {
  await connectToEnvironment({ state });
  await seedDemo(ISSUER, BUCKETS.training);
  await writeFile(join(state, RESEEDED_FILE), new Date().toISOString());
  console.log('The demo data was written again, except domains and sessions.');
}
