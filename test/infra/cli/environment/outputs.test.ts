import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectToEnvironment } from '../../../../infra/cli/environment/target-environment.ts';
import {
  API_OUTPUTS,
  environmentOfOutputs,
  ISSUER_OUTPUTS,
  OUTPUTS,
  outputName,
  STREAMING_OUTPUTS,
} from '../../../../infra/outputs.ts';
import { synthesizedStage } from '../../../support/stacks.ts';

const { templates } = synthesizedStage();

test('a deployment exports its tables, buckets and stream under the names that the commands read', () => {
  const { api, data, streaming } = templates;
  const outputs = { ...api.findOutputs('*'), ...data.findOutputs('*'), ...streaming.findOutputs('*') };
  const values = Object.fromEntries(Object.entries(outputs).map(([id, { Value }]) => [id, JSON.stringify(Value)]));
  const environment = environmentOfOutputs(values);
  expect(Object.keys(environment)).toHaveLength(
    Object.keys({ ...OUTPUTS, ...STREAMING_OUTPUTS, ...ISSUER_OUTPUTS, ...API_OUTPUTS }).length,
  );
  expect(environment).toMatchObject({
    LEADS_TABLE: expect.stringMatching(/Leads[0-9A-F]{8}/),
    DIRECTORY_TABLE: expect.stringMatching(/Directory[0-9A-F]{8}/),
    EVENT_STREAM: expect.stringMatching(/Events[0-9A-F]{8}/),
    OIDC_ISSUER: expect.stringContaining('cognito-idp'),
    UPLOADS_BUCKET: expect.stringMatching(/Uploads[0-9A-F]{8}/),
  });
});

test('the data stack has outputs only for commands, for secrets and for references between stacks', () => {
  const isOther = /^(?:(?:Exports|Publish)Output|Fill\w+Secret$)/;
  const names = Object.keys(templates.data.findOutputs('*')).filter((id) => !isOther.test(id));
  expect(names.toSorted()).toEqual(
    Object.keys({ ...OUTPUTS, ...ISSUER_OUTPUTS })
      .map(outputName)
      .toSorted(),
  );
});

test('a command that connects to a stage gets its base URL, all its own hostnames, and the path of ingest-analytics', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tributary-outputs-'));
  const outputs = join(folder, 'outputs.json');
  const stacks = {
    'tributary-dev-data': { LeadsTable: 'leads' },
    'tributary-dev-api': {
      ApiAddress: 'https://api',
      IngestPath: '/api/v2/public/funnel/{id}/progress',
      WebhookOwnHostnames: 'api,pages',
    },
  };
  await writeFile(outputs, JSON.stringify(stacks));
  expect(Object.keys(templates.api.findOutputs('*'))).toEqual(
    expect.arrayContaining(Object.keys(stacks['tributary-dev-api'])),
  );
  process.env.AWS_REGION = 'eu-central-1';
  expect(await connectToEnvironment({ state: folder, stage: 'dev', outputs })).toMatchObject({
    apiAddress: 'https://api',
    ingestPath: '/api/v2/public/funnel/{id}/progress',
  });
  expect(process.env.WEBHOOK_OWN_HOSTNAMES).toBe('api,pages');
  await rm(folder, { recursive: true });
});
