import * as z from 'zod/mini';
import { builtLayerBytes } from '../../functions/duckdb-layer.ts';
import { type Aws, hasCode, permitted } from '../aws.ts';
import { blocker, type Check, limitation, ok } from '../check.ts';
import type { Plan } from '../plan.ts';

/** Concurrency that Lambda keeps for functions without a reservation (Lambda developer guide, reserved concurrency). */
const UNRESERVED_MIN = 100;
/** Lambda's default quota. The quota of a new account can be 10. */
const DEFAULT_QUOTA = 1_000;

const Settings = z.object({
  AccountLimit: z.object({ ConcurrentExecutions: z.number(), UnreservedConcurrentExecutions: z.number() }),
});
const Concurrency = z.object({ ReservedConcurrentExecutions: z.optional(z.number()) });

/** The reservations of the functions must fit into the account's quota. */
export const concurrency = (aws: Aws, { reservations }: Plan): Check => ({
  name: 'Lambda concurrency',
  async run() {
    const settings = aws.request('lambda', { path: '/2016-08-19/account-settings' });
    const { AccountLimit } = Settings.parse(JSON.parse(await permitted('lambda:GetAccountSettings', settings)));
    const { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } = AccountLimit;
    const reserved = [...reservations.values()].reduce((sum, count) => sum + count, 0);
    if (reserved === 0) return withoutReservations(aws, quota);
    const fits = ok(`quota ${quota}; this stage reserves ${reserved}`);
    if (unreserved - reserved >= UNRESERVED_MIN) return fits;
    // `unreserved` excludes the existing reservations of this stage. Add them, because the deployment replaces them.
    const own = await ownReservations(aws, [...reservations.keys()]);
    if (unreserved + own - reserved >= UNRESERVED_MIN) return fits;
    const others = quota - unreserved - own;
    const needed = others + reserved + UNRESERVED_MIN;
    return blocker(
      `The account may run ${quota} functions concurrently, but needs ${needed}: this stage reserves ${reserved}` +
        `${others === 0 ? '' : `, other functions reserve ${others}`}, and ${UNRESERVED_MIN} must stay unreserved.`,
      quotaRequest(aws, needed),
    );
  },
});

function withoutReservations(aws: Aws, quota: number) {
  if (quota >= UNRESERVED_MIN) return ok(`quota ${quota}; this stage reserves nothing`);
  return limitation(
    `The account may run only ${quota} functions concurrently. Under load, the API responds with 429 and 503.`,
    quotaRequest(aws, DEFAULT_QUOTA),
  );
}

const quotaRequest = (aws: Aws, needed: number) => ({
  advice: 'Request a higher quota. AWS can take some days to grant it.',
  commands: [
    aws.command(
      'service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 ' +
        `--desired-value ${Math.max(DEFAULT_QUOTA, needed)}`,
    ),
  ],
});

/** Returns the concurrency that existing functions with these names reserve. */
async function ownReservations(aws: Aws, names: readonly string[]): Promise<number> {
  const counts = await permitted(
    'lambda:GetFunctionConcurrency',
    Promise.all(
      names.map(async (name) => {
        try {
          const body = await aws.request('lambda', { path: `/2019-09-30/functions/${name}/concurrency` });
          return Concurrency.parse(JSON.parse(body)).ReservedConcurrentExecutions ?? 0;
        } catch (error) {
          if (hasCode(error, 'ResourceNotFoundException')) return 0;
          throw error;
        }
      }),
    ),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

/** Lambda's limit for the unzipped files of a function and its layers (Lambda quotas). */
const UNZIPPED_BYTES_MAX = 250 * 1024 * 1024;
const megabytes = (bytes: number) => Math.ceil(bytes / 1024 / 1024);

/** CloudFormation rejects a deployment without the layer. @param dist folder of the built layer */
export const duckdbLayer = (dist: string): Check => ({
  name: 'DuckDB layer',
  async run() {
    const bytes = builtLayerBytes(dist);
    if (bytes === undefined) {
      const advice = 'Install DuckDB for the platform of Lambda, from npm:';
      return blocker('The layer is missing or outdated.', { advice, commands: ['npm run layer'] });
    }
    if (bytes <= UNZIPPED_BYTES_MAX) return ok(`built, ${megabytes(bytes)} MB of ${megabytes(UNZIPPED_BYTES_MAX)} MB`);
    return blocker(
      `The layer has ${megabytes(bytes)} MB. ` +
        `Lambda accepts ${megabytes(UNZIPPED_BYTES_MAX)} MB for a function and its layers.`,
      {
        advice: 'Set an earlier version of @duckdb/node-api in package.json, then:',
        commands: ['npm install', 'npm run layer'],
      },
    );
  },
});
