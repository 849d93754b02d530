import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { backgroundFunctions, operations } from '../../../../functions/declarations.ts';
import { deployedFiles, filesAtStart, readReport } from '../../../../infra/bundles/bundle-report.ts';
import { DEMO_IDS } from '../../../../infra/local/seed/demo-ids.ts';
import { createDynamoFreshFactRepository } from '../../../../shared/analytics/facts/aws/dynamo-fresh-facts.ts';
import { errorStatusesOf, type Operation } from '../../../../shared/http/operation.ts';
import { ApiError } from '../../../../shared/http/schemas.ts';
import { aFact } from '../../../support/analytics/analytics.ts';
import { eventFor } from './background-events.ts';
import { requestEvent, requestOf, responseOf, SUBMIT } from './requests.ts';
import { aWorld, type World } from './world.ts';

/** Timeout of a test that runs one function. One of the functions, `background/run-dispatcher`, runs for a minute. */
const EXECUTION_MS = 120_000;
/** Maximum time to build the bundles, synthesize the app and start the stand-ins. */
const WORLD_MS = 300_000;

let world: World;
beforeAll(async () => {
  world = await aWorld();
}, WORLD_MS);
afterAll(() => world?.end());

describe('in a process that has only what Lambda provides,', () => {
  test.concurrent.each(operations)(
    'the operation $id responds with the expected status and a declared body',
    async (declared) => {
      const { status, code, event } = await requestOf(declared.id, world);
      const { bare, outcome } = await world.run(declared.id, event);
      expect(bare.init).toBe('ready');
      const response = responseOf(outcome);
      expect(response, bare.log()).toMatchObject({ status });
      expect(response.headers['x-request-id']).toBe(event.requestContext.extendedRequestId);
      checkBody(declared, status, response.text, code);
      expect(bare.connections.filter(({ phase }) => phase === 'init')).toEqual([]);
      const left = new Set(bare.connections.filter(({ refused }) => refused).map(({ to }) => to));
      expect([...left]).toEqual(declared.id === 'training/open-session' ? ['api.elevenlabs.io:443'] : []);
    },
  );
});

/** Checks that the operation declares this body for the status. */
function checkBody(declared: Operation, status: number, text: string, code?: string): void {
  const { streamContentTypes: streams, isPage, responses } = declared;
  if (code !== undefined) {
    expect([...errorStatusesOf(declared)]).toContain(status);
    expect(ApiError.parse(JSON.parse(text)).error.code).toBe(code);
    return;
  }
  const schema = responses[status === 201 ? 201 : 200];
  expect(schema?.safeParse(streams || isPage ? text : JSON.parse(text)).error).toBeUndefined();
}

describe('in a process that has only what Lambda provides,', () => {
  test.concurrent.each(backgroundFunctions)(
    'the background function $id processes an event of its trigger',
    async ({ id }) => {
      const event = await eventFor(world, id);
      const { bare, outcome } = await world.run(id, event);
      expect(bare.init).toBe('ready');
      expect(outcome, bare.log()).toMatchObject({ kind: 'answered' });
      expect(bare.connections.filter(({ phase }) => phase === 'init')).toEqual([]);
      expect(bare.connections.filter(({ refused }) => refused)).toEqual([]);
    },
    EXECUTION_MS,
  );
});

test('the templates contain exactly the declared functions, and each asset contains only the bundle of its function', () => {
  expect(world.functions.map(({ id, name }) => id ?? name).sort()).toEqual(
    [...operations, ...backgroundFunctions].map(({ id }) => id).sort(),
  );
  for (const { asset, id } of world.functions)
    expect(readdirSync(asset).sort()).toEqual(deployedFiles(join('dist', id ?? '')));
});

describe('the asset', () => {
  test.concurrent.each([...operations, ...backgroundFunctions])(
    'of $id contains the files that its code imports and no other files, and each file loads',
    async ({ id }) => {
      const { outcome, bare, files, imported } = await world.load(id);
      expect([...new Set(['index.mjs', ...imported])].sort()).toEqual([...files].sort());
      expect(outcome, bare.log()).toMatchObject({ kind: 'answered', bytes: Buffer.from(String(files.length)) });
    },
  );

  test('of every function loads only index.mjs and the runtime of Rolldown at its start', () => {
    for (const { id } of [...operations, ...backgroundFunctions]) {
      const files = [...filesAtStart(readReport(join('dist', id)))];
      expect(
        files.filter((file) => !/^rolldown-runtime-\w+\.mjs$/.test(file)),
        id,
      ).toEqual(['index.mjs']);
    }
  });

  test('of most functions contains more than one file', () => {
    const several = world.functions.filter(({ asset }) => readdirSync(asset).length > 1);
    expect(several.length).toBeGreaterThan(world.functions.length / 2);
  });
});

test('mfa-send responds with a 5xx status if the layer of the secrets extension is missing', async () => {
  const { event } = await requestOf('funnel/mfa-send', world);
  const { outcome } = await world.run('funnel/mfa-send', event, { secretsExtension: false });
  expect(responseOf(outcome).status).toBeGreaterThanOrEqual(500);
});

test('submit responds 500 if the environment variable LEADS_TABLE is missing', async () => {
  const { environment } = world.functions.find(({ id }) => id === 'funnel/submit') ?? {};
  const { LEADS_TABLE, ...rest } = environment ?? {};
  expect(LEADS_TABLE).toBeDefined();
  const { outcome } = await world.run('funnel/submit', requestEvent('funnel/submit', SUBMIT), { environment: rest });
  expect(responseOf(outcome)).toMatchObject({ status: 500 });
});

describe('DuckDB', () => {
  const path = { orgId: DEMO_IDS.organizationA, funnelId: DEMO_IDS.emptyFunnel };
  const overview = async (otherwise = {}) => {
    const { event: example } = await requestOf('analytics/overview', world);
    const event = {
      ...example,
      pathParameters: path,
      queryStringParameters: null,
      multiValueQueryStringParameters: null,
    };
    return responseOf((await world.run('analytics/overview', event, otherwise)).outcome);
  };

  test('is loaded from the layer by compact-facts and by overview', async () => {
    const longAgo = { now: () => Date.now() - 3_600_000 };
    const fact = aFact({ firstTimeMs: longAgo.now(), started: true, completed: true });
    await createDynamoFreshFactRepository(longAgo).add(DEMO_IDS.emptyFunnel, { first: 'a', last: 'b' }, [fact]);
    const { outcome, bare } = await world.run(
      'background/compact-facts',
      await eventFor(world, 'background/compact-facts'),
    );
    expect(outcome, bare.log()).toMatchObject({ kind: 'answered' });
    expect(bare.log()).toContain('"facts":1');
    const { text } = await overview();
    expect(JSON.parse(text).overview).toEqual({ totalStarts: 1, totalCompletions: 1, conversionRate: 100 });
  });

  test('if the layer is missing, overview responds 500 for a funnel with compacted facts', async () => {
    expect(await overview({ layers: undefined })).toMatchObject({ status: 500 });
  });
});
