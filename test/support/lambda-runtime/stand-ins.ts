import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import * as z from 'zod/mini';
import { listenLocally } from '../../../infra/local/common/listen.ts';
import { startEmulators } from '../../../infra/local/emulators/launcher.ts';
import { createLocalIssuer, ISSUER } from '../../../infra/local/oidc/issuer.ts';
import { applyEnvironment, STREAM, sdkEnvironment } from '../../../infra/local/runtime/environment.ts';
import { ensureStream, ensureTable } from '../../../infra/local/runtime/resource-creation.ts';
import { type LocalSecrets, loadOrCreateSecrets } from '../../../infra/local/runtime/secrets.ts';
import { openStateFolder } from '../../../infra/local/runtime/state-folder.ts';
import { seed } from '../../../infra/local/seed/seed.ts';
import { kinesisClient } from '../../../shared/platform/aws/kinesis-client.ts';
import { s3Client } from '../../../shared/platform/aws/s3-client.ts';
import type { Deployed } from './deployed-functions.ts';
import { physicalName, type Templates } from './template-values.ts';

/** The URL of the embedded issuer with https, which a deployment requires. */
const SECURE_ISSUER = ISSUER.replace(/^http:/, 'https:');

/** Together with `withLocalIssuer`, makes functions accept tokens of the embedded issuer. */
export const ISSUER_CONTEXT = {
  oidcIssuer: SECURE_ISSUER,
  oidcAudience: 'tributary',
  oidcJwksUri: `${SECURE_ISSUER}/jwks`,
};

/** Replaces https by http in the issuer's URL, because the embedded issuer has no certificate. */
export const withLocalIssuer = (functions: readonly Deployed[]): Deployed[] =>
  functions.map((deployed) => ({
    ...deployed,
    environment: Object.fromEntries(
      Object.entries(deployed.environment).map(([name, value]) => [name, value.replaceAll(SECURE_ISSUER, ISSUER)]),
    ),
  }));

/** Starts the stand-ins of AWS with the templates' tables, buckets and stream, and the demo data except sessions. */
export async function startStandIns(folder: string, templates: Templates, functions: readonly Deployed[]) {
  const secrets = loadOrCreateSecrets(await openStateFolder(folder, { reset: false }));
  const emulators = await startEmulators({
    folder,
    buckets: [],
    issuerKey: secrets.issuerKey,
    edgeStepMs: 0,
    secrets: secretTexts(templates, secrets),
    voice: { webhookUrl: 'http://127.0.0.1:9/', webhookSecret: 'unused', apiKey: 'unused' },
  });
  const lambda = await startLambda();
  const { endpoints } = emulators;
  const relays = { issuer: await startRelay(endpoints.issuer), secrets: await startRelay(endpoints.secretsExtension) };
  const sdk = Object.entries({ ...sdkEnvironment(endpoints), AWS_ENDPOINT_URL_LAMBDA: lambda.address });
  const variables = Object.assign({}, ...functions.map(({ environment }) => environment));
  applyEnvironment({ ...Object.fromEntries(sdk), ...variables });
  await createResources(templates);
  const buckets = { training: variables.TRAINING_BUCKET };
  await seed({ issuerUrl: ISSUER, buckets, empty: true, progress: () => undefined });
  return {
    issuer: createLocalIssuer(secrets),
    voiceWebhookSecret: secrets.values.voiceWebhook,
    invoked: lambda.invoked,
    options: {
      standIns: Object.fromEntries(sdk.filter(([name]) => name.startsWith('AWS_ENDPOINT_URL_'))),
      elsewhere: { [`${new URL(ISSUER).host}:80`]: relays.issuer.port },
      secretsExtension: relays.secrets.port,
    },
    stop: async () => {
      for (const server of [lambda, relays.issuer, relays.secrets]) server.close();
      await emulators.stop();
    },
  };
}

const resources = (templates: Templates, type: string) =>
  [...templates.values()].flatMap(({ Resources }) =>
    Object.entries(Resources).flatMap(([logicalId, { Type, Properties }]) =>
      Type === type ? [{ name: physicalName(type, logicalId), logicalId, properties: Properties }] : [],
    ),
  );

/**
 * Returns a value for each secret of the templates. The voice webhook secret is read from the state folder, because
 * tests sign with it.
 */
const secretTexts = (templates: Templates, { values }: LocalSecrets): Record<string, string> =>
  Object.fromEntries(
    resources(templates, 'AWS::SecretsManager::Secret').map(({ name, logicalId }) => [
      name,
      logicalId.startsWith('VoiceWebhook') ? values.voiceWebhook : `${values.hashes}-${logicalId}`,
    ]),
  );

const KeySchema = z.array(z.object({ AttributeName: z.string(), KeyType: z.enum(['HASH', 'RANGE']) }));
const Projection = z.object({
  ProjectionType: z.enum(['ALL', 'INCLUDE', 'KEYS_ONLY']),
  NonKeyAttributes: z.exactOptional(z.array(z.string())),
});
/** Table properties that the stand-in needs. */
const TableKeys = z.object({
  AttributeDefinitions: z.array(z.object({ AttributeName: z.string(), AttributeType: z.enum(['S', 'N', 'B']) })),
  KeySchema,
  GlobalSecondaryIndexes: z.exactOptional(z.array(z.object({ IndexName: z.string(), KeySchema, Projection }))),
});

async function createResources(templates: Templates): Promise<void> {
  const dynamo = new DynamoDBClient({});
  const tables = resources(templates, 'AWS::DynamoDB::GlobalTable').map(({ name, properties }) => {
    const keys = TableKeys.parse(properties);
    return ensureTable(dynamo, { TableName: name, BillingMode: 'PAY_PER_REQUEST', ...keys });
  });
  const buckets = resources(templates, 'AWS::S3::Bucket').map(({ name }) =>
    s3Client().send(new CreateBucketCommand({ Bucket: name })),
  );
  const stream = ensureStream(kinesisClient(), { StreamName: STREAM, ShardCount: 1 });
  await Promise.all([...tables, ...buckets, stream]);
}

/** Forwards requests with the host of the stand-in. The stand-in would reject the host of a deployment. */
async function startRelay(port: number) {
  const server = createServer((request, response) => {
    const { host: _, ...headers } = request.headers;
    const onward = send({ host: '127.0.0.1', port, method: request.method, path: request.url, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    onward.once('error', () => response.destroy());
    request.pipe(onward);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => server.close() };
}

/** Accepts invocations like Lambda, but does not run the functions. */
async function startLambda() {
  const invoked: string[] = [];
  const server = createServer((request, response) => {
    invoked.push(request.url ?? '');
    const status = request.headers['x-amz-invocation-type'] === 'Event' ? 202 : 200;
    request.resume().once('end', () => response.writeHead(status).end());
  });
  const address = `http://127.0.0.1:${await listenLocally(server)}`;
  return { address, invoked, close: () => server.close() };
}
