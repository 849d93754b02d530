import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { describe, expect, test } from 'vitest';
import { operations } from '../../../../functions/declarations.ts';
import { toPascalCase } from '../../../../infra/functions/lambda-function.ts';
import { parseAiSettings } from '../../../../infra/settings/ai-settings.ts';
import { GATEWAY_LIMITS } from '../../../../infra/stacks/api/gateway-responses.ts';
import { deployed, deployedFunctions, synthesize, synthesizedStage } from '../../../support/stacks.ts';

const MODEL = 'anthropic.model-v1:0';
const ARN = `arn:aws:bedrock:eu-north-1::foundation-model/${MODEL}`;

const OTHER_ARN = `arn:aws:bedrock:eu-west-1::foundation-model/${MODEL}`;
const GLOBAL_ARN = `arn:aws:bedrock:::foundation-model/${MODEL}`;

const PROFILES = 'arn:aws:bedrock:eu-north-1:123456789012:inference-profile';

const builtin = synthesizedStage();
const bedrock = synthesize({ aiModels: `${MODEL}, eu.${MODEL}, ${ARN}, ${OTHER_ARN}` });
const openai = synthesize({ aiModels: 'small,large', aiBaseUrl: 'https://models.example.com/v1' });

const settingsOf = (synthesized: typeof builtin, id = 'funnel/ai-stream') => {
  const { Variables } = deployed(synthesized, id).lambda.properties.Environment;
  return Object.fromEntries(Object.entries(Variables).filter(([name]) => name.startsWith('AI_')));
};

function modelStatements(synthesized: typeof builtin): { Action: string; Resource: unknown }[] {
  const [{ PolicyDocument }] = deployed(synthesized, 'funnel/ai-stream').role.properties.Policies;
  return PolicyDocument.Statement.filter(({ Action }: { Action: string }) => String(Action).startsWith('bedrock:'));
}

type Integration = { Type: string; Uri: unknown; ResponseTransferMode?: string; TimeoutInMillis?: number };

const integrationOf = (id: string): Integration => {
  const methods = Object.values(builtin.templates.api.findResources('AWS::ApiGateway::Method'));
  return methods.find(({ Properties }) => Properties.OperationName === toPascalCase(id))?.Properties.Integration;
};

describe('the gateway', () => {
  test('streams the response of funnel/ai-stream, with the timeout of its function', () => {
    const integration = integrationOf('funnel/ai-stream');
    expect(integration).toMatchObject({
      Type: 'AWS_PROXY',
      ResponseTransferMode: 'STREAM',
      TimeoutInMillis: deployed(builtin, 'funnel/ai-stream').lambda.properties.Timeout * 1_000,
    });
    const uri = JSON.stringify(integration.Uri);
    expect(uri).toContain(':lambda:path/2021-11-15/functions/');
    expect(uri).toContain('/response-streaming-invocations');
  });

  test('buffers the responses of all other operations, whose functions end within the timeout of the gateway', () => {
    for (const { id } of operations.filter(({ streamContentTypes: streams }) => streams === undefined)) {
      const integration = integrationOf(id);
      expect(integration.ResponseTransferMode ?? 'BUFFERED').toBe('BUFFERED');
      expect(JSON.stringify(integration.Uri)).not.toContain('response-streaming');
      expect(deployed(builtin, id).lambda.properties.Timeout).toBeLessThanOrEqual(GATEWAY_LIMITS.integrationSeconds);
      expect(integration.TimeoutInMillis ?? 0).toBeLessThanOrEqual(1_000 * GATEWAY_LIMITS.integrationSeconds);
    }
  });

  test('gives funnel/ai-stream a timeout between that of the model (60 s) and the limit of API Gateway (900 s)', () => {
    const { Timeout } = deployed(builtin, 'funnel/ai-stream').lambda.properties;
    expect(Timeout).toBeGreaterThan(60);
    expect(Timeout).toBeLessThan(900);
  });
});

describe('the text model', () => {
  test('is the built-in writer by default, with a warning at synthesis and without permissions', () => {
    expect(settingsOf(builtin)).toMatchObject({ AI_PROVIDER: 'builtin' });
    expect(settingsOf(builtin)).not.toHaveProperty('AI_MODELS');
    expect(modelStatements(builtin)).toEqual([]);
    const warnings = (synthesized: typeof builtin) =>
      Annotations.fromStack(synthesized.stacks.api).findWarning('*', Match.stringLikeRegexp('built-in writer'));
    expect([builtin, bedrock, openai].map((one) => warnings(one).length)).toEqual([1, 0, 0]);
  });

  test('from Amazon Bedrock: the function may invoke only the configured models, by their ARNs', () => {
    expect(settingsOf(bedrock)).toMatchObject({
      AI_PROVIDER: 'bedrock',
      AI_MODELS: `${MODEL},eu.${MODEL},${ARN},${OTHER_ARN}`,
    });
    const region = { Ref: 'AWS::Region' };
    expect(modelStatements(bedrock)).toEqual([
      {
        Action: 'bedrock:InvokeModelWithResponseStream',
        Effect: 'Allow',
        Resource: [
          { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':bedrock:', region, `::foundation-model/${MODEL}`]] },
          {
            'Fn::Join': [
              '',
              [
                'arn:',
                { Ref: 'AWS::Partition' },
                ':bedrock:',
                region,
                ':',
                { Ref: 'AWS::AccountId' },
                `:inference-profile/eu.${MODEL}`,
              ],
            ],
          },
          ARN,
          OTHER_ARN,
        ],
      },
    ]);
  });

  test('from an OpenAI-compatible endpoint: the function gets URL, models and the id of the secret', () => {
    expect(settingsOf(openai)).toEqual({
      AI_PROVIDER: 'openai',
      AI_MODELS: 'small,large',
      AI_BASE_URL: 'https://models.example.com/v1',
      AI_SECRET_ID: expect.anything(),
    });
    expect(modelStatements(openai)).toEqual([]);
  });

  test.each(deployedFunctions.filter(({ grants }) => grants.includes('model:stream')))(
    'is configured in $id as in funnel/ai-stream, and is not configured in funnel/submit',
    ({ id }) => {
      for (const one of [builtin, bedrock, openai]) expect(settingsOf(one, id)).toEqual(settingsOf(one));
      expect(settingsOf(openai, 'funnel/submit')).toEqual({});
    },
  );

  test.each([
    [{ aiBaseUrl: 'https://models.example.com/v1' }, 'needs aiModels'],
    [{ aiBaseUrl: 'http://models.example.com/v1', aiModels: 'small' }, 'aiBaseUrl: must be an https URL'],
    [{ aiBaseUrl: 'http://localhost:11434/v1', aiModels: 'small' }, 'aiBaseUrl: must be an https URL'],
    [{ aiModels: 'a model' }, 'is not a valid model id'],
    [{ aiModels: 'arn:aws:s3:::bucket' }, 'is not the ARN of a model'],
    [{ aiModels: `eu.${MODEL}` }, `after the profile, add the ARN of ${MODEL} in each region`],
    [{ aiModels: `${PROFILES}/eu.${MODEL}` }, `after the profile, add the ARN of ${MODEL} in each region`],
    [{ aiModels: `eu.${MODEL},${ARN}` }, 'Missing: the ARNs in the other regions to which the profile routes.'],
    [{ aiModels: `eu.${MODEL},${GLOBAL_ARN},${ARN.replace('.model', '.other')}` }, 'Missing: arn:aws:bedrock:REGION::'],
    [{ aiModels: `${PROFILES}/eu.${MODEL},${OTHER_ARN},${GLOBAL_ARN}` }, `Missing: ${ARN}`],
    [{ aiModels: `global.${MODEL},${ARN}` }, `Missing: ${GLOBAL_ARN}.`],
    [{ aiModels: `global.${MODEL},${GLOBAL_ARN}` }, 'Missing: arn:aws:bedrock:REGION::foundation-model'],
    [{ aiModels: `${PROFILES.replace(':inf', ':application-inf')}/abc` }, 'add the ARNs of its models'],
  ])('with %j is rejected with a message', (context, sentence) => {
    expect(() => synthesize(context)).toThrow(sentence);
  });

  test('with an inference profile also needs the ARN of the model in the deployment’s own region', () => {
    const inferring = (prefix: string, ...arns: string[]) => {
      const aiModels = [`${prefix}.${MODEL}`, ...arns].join(',');
      return parseAiSettings((name) => (name === 'aiModels' ? aiModels : undefined), 'eu-north-1');
    };
    expect(() => inferring('eu', OTHER_ARN, OTHER_ARN.replace('west', 'central'))).toThrow(`Missing: ${ARN}.`);
    expect(() => inferring('global', OTHER_ARN, GLOBAL_ARN)).toThrow(`Missing: ${ARN}.`);
    expect(inferring('eu', OTHER_ARN, ARN)).toMatchObject({ provider: 'bedrock' });
    expect(inferring('global', ARN, GLOBAL_ARN)).toMatchObject({ provider: 'bedrock' });
  });
});
