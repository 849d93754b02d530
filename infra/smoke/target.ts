import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod/mini';
import { ingestAnalyticsOperation } from '../../functions/funnel/ingest-analytics/operation.ts';
import { createDynamoFunnelRepository } from '../../shared/funnels/aws/dynamo-funnel-repository.ts';
import type { Funnel, FunnelVersion } from '../../shared/funnels/funnel.ts';
import { pathsOf } from '../../shared/http/operation.ts';
import type { EnvironmentOptions, TargetEnvironment } from '../cli/environment/target-environment.ts';
import { tryParseJson } from '../common/parse-json.ts';
import { notReadable, UserError } from '../common/user-error.ts';

export type TargetOptions = EnvironmentOptions & { funnel?: string; token?: string };

/** The deployment under test. */
export type Target = {
  /** The part of URLs before `/api/v2/`. */
  api: string;
  /** The paths of ingest, with `{id}` for the funnel id. */
  ingestPaths: readonly string[];
  /** The published funnel for the checks, by default the demo funnel. Undefined for a stage if no funnel was given. */
  funnel: (Funnel & { version: FunnelVersion }) | undefined;
  /** Access token of a member of the funnel's organization. Undefined for a stage if no token was given. */
  token: string | undefined;
};

const Demo = z.object({
  baseUrl: z.string(),
  funnel: z.object({ id: z.string() }),
  tokens: z.object({ memberA: z.string() }),
});

/** @throws UserError if the address of the API is unknown, the demo cannot be read or the funnel is not published */
export async function targetOf(options: TargetOptions, { apiAddress, ingestPath }: TargetEnvironment): Promise<Target> {
  const given = { funnel: options.funnel, token: options.token ?? (process.env.SMOKE_TOKEN || undefined) };
  if (options.stage !== undefined) {
    if (apiAddress === undefined)
      throw new UserError(
        `The outputs of the stage ${options.stage} do not name the address of its API: ` +
          `deploy the stage again with "npm run deploy -- --stage ${options.stage}".`,
      );
    const ingestPaths = [ingestAnalyticsOperation.path, ...(ingestPath === undefined ? [] : [ingestPath])];
    return { api: apiAddress, ingestPaths, funnel: await publishedFunnel(given.funnel), token: given.token };
  }
  const demo = await demoIn(resolve(options.state));
  const funnel = await publishedFunnel(given.funnel ?? demo.funnel.id);
  const ingestPaths = pathsOf(ingestAnalyticsOperation);
  return { api: demo.baseUrl, ingestPaths, funnel, token: given.token ?? demo.tokens.memberA };
}

async function demoIn(folder: string): Promise<z.infer<typeof Demo>> {
  const file = join(folder, 'demo.json');
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw notReadable(file, cause);
  });
  const { data } = Demo.safeParse(tryParseJson(text));
  if (data === undefined)
    throw new UserError(`${file} does not describe a demo. Start Tributary again with "npm start".`);
  return data;
}

async function publishedFunnel(funnelId: string | undefined): Promise<Target['funnel']> {
  if (funnelId === undefined) return undefined;
  const funnels = createDynamoFunnelRepository();
  const funnel = await funnels.find(funnelId);
  const version = funnel && (await funnels.findVersion(funnel));
  if (funnel === undefined || version === undefined)
    throw new UserError(`There is no published funnel ${funnelId}. See "npm run admin -- funnels list".`);
  return { ...funnel, version };
}
