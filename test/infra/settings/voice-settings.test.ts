import { describe, expect, test } from 'vitest';
import { backgroundFunctions } from '../../../functions/declarations.ts';
import { grantPermissions } from '../../../infra/functions/grants.ts';
import { parseVoiceSettings } from '../../../infra/settings/voice-settings.ts';
import { recordingKey, transcriptKey } from '../../../shared/training/object-keys.ts';
import { deployed, deployedFunctions, type Synthesized, synthesize } from '../../support/stacks.ts';

const BASE_URL = 'https://voice.example/eu';
const prod = synthesize({ stage: 'prod', voiceBaseUrl: BASE_URL });

const variablesOf = (id: string): Record<string, unknown> =>
  deployed(prod, id).lambda.properties.Environment?.Variables ?? {};

/** By function: the grant to invoke it, the target of this grant, and the environment variable with its alias. */
const STARTED = {
  'background/analyse-call': {
    starts: 'analysis:start',
    target: 'function:analyse-call',
    variable: 'ANALYSE_CALL_FUNCTION',
  },
  'background/remove-domain': {
    starts: 'removal:start',
    target: 'function:remove-domain',
    variable: 'REMOVE_DOMAIN_FUNCTION',
  },
} as const;

describe('functions with the trigger `invoked`', () => {
  const invoked = backgroundFunctions.filter(({ trigger }) => 'invoked' in trigger);
  const { streaming } = prod.templates;

  test('exist', () => expect(invoked).not.toEqual([]));

  describe.each(invoked)('$id', ({ id }) => {
    const { lambda, stack, role } = deployed(prod, id);
    const [config] = Object.values(streaming.findResources('AWS::Lambda::EventInvokeConfig')).filter(
      ({ Properties }) => Properties.FunctionName.Ref === lambda.logicalId,
    );
    const [queueId = ''] = config?.Properties.DestinationConfig.OnFailure.Destination['Fn::GetAtt'] ?? [];
    const queue = streaming.findResources('AWS::SQS::Queue')[queueId];

    test('has at most three attempts within an hour before its event goes to its own queue', () => {
      expect(config?.Properties).toMatchObject({
        MaximumRetryAttempts: 2,
        MaximumEventAgeInSeconds: 3_600,
        DestinationConfig: { OnFailure: { Destination: { 'Fn::GetAtt': [queueId, 'Arn'] } } },
      });
    });

    test('has an encrypted queue that keeps events for 14 days and requires TLS', () => {
      expect(queue?.Properties).toMatchObject({ SqsManagedSseEnabled: true, MessageRetentionPeriod: 1_209_600 });
      streaming.hasResourceProperties('AWS::SQS::QueuePolicy', {
        Queues: [{ Ref: queueId }],
        PolicyDocument: {
          Statement: [
            {
              Effect: 'Deny',
              Principal: { AWS: '*' },
              Action: 'sqs:*',
              Condition: { Bool: { 'aws:SecureTransport': 'false' } },
            },
          ],
        },
      });
    });

    test('has the permission to send to its queue; no other role has a permission for this queue', () => {
      const roles = Object.entries(streaming.findResources('AWS::IAM::Role'));
      const writers = roles.filter(([, one]) => JSON.stringify(one).includes(queueId));
      expect(writers.map(([logicalId]) => logicalId)).toEqual([role.logicalId]);
      expect(role.properties.Policies[0].PolicyDocument.Statement).toContainEqual({
        Effect: 'Allow',
        Action: 'sqs:SendMessage',
        Resource: { 'Fn::GetAtt': [queueId, 'Arn'] },
      });
    });

    test('its alias is in an environment variable of each function that may invoke it', () => {
      const { starts, target, variable } = STARTED[id as keyof typeof STARTED];
      const callers = deployedFunctions.filter(({ grants }) => grants.includes(starts));
      expect(callers).not.toEqual([]);
      const arn = JSON.stringify(stack.resolve(prod.resources[target].arn));
      expect(arn).toContain(`:function:${lambda.properties.FunctionName}:live"`);
      for (const caller of callers) {
        expect(JSON.stringify(variablesOf(caller.id)[variable])).toBe(`"${lambda.properties.FunctionName}:live"`);
      }
    });
  });
});

describe('permissions for calls', () => {
  const grantsOf = (id: string) => deployedFunctions.find((one) => one.id === id)?.grants ?? [];
  const may = (id: string) =>
    Object.fromEntries([...grantPermissions(grantsOf(id))].map(([target, actions]) => [target, [...actions].sort()]));

  test('voice-webhook may only read and update calls, store transcripts, start analyses and read one secret', () => {
    expect(may('training/voice-webhook')).toEqual({
      'table:training': ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      'bucket:transcripts': ['s3:PutObject'],
      'function:analyse-call': ['lambda:InvokeFunction'],
      'secret:voice-webhook': ['secretsmanager:GetSecretValue'],
    });
  });

  test('read-call may write only the counter of its rate limit', () => {
    const { 'table:limits': counted, ...rest } = may('training/read-call');
    expect(counted).toEqual(['dynamodb:UpdateItem']);
    expect(rest).toEqual({
      'table:directory': ['dynamodb:GetItem'],
      'table:training': ['dynamodb:GetItem'],
      'bucket:transcripts': ['s3:GetObject'],
      // With this permission, S3 responds 404 instead of 403 for a missing object.
      'names:transcripts': ['s3:ListBucket'],
    });
  });

  test('open-session may access no object, and only open-session and background functions may call the provider', () => {
    expect(Object.keys(may('training/open-session')).filter((target) => target.startsWith('bucket:'))).toEqual([]);
    const speaking = deployedFunctions.filter(({ grants }) => grants.includes('voice-secret:read'));
    expect(speaking.map(({ id }) => id).sort()).toEqual([
      'background/analyse-call',
      'background/enforce-retention',
      'background/sweep-calls',
      'training/open-session',
    ]);
  });

  test('only analyse-call may write recordings, only enforce-retention may delete them, and no function may read them', () => {
    const actions = deployedFunctions.flatMap(({ id, grants }) =>
      [...(grantPermissions(grants).get('bucket:recordings') ?? [])].map((action) => [id, action]),
    );
    expect(actions.sort()).toEqual([
      ['background/analyse-call', 's3:PutObject'],
      ['background/enforce-retention', 's3:DeleteObject'],
    ]);
  });

  test('enforce-retention is the only function that may delete data of calls', () => {
    const deleting = deployedFunctions.filter(({ grants }) =>
      [...grantPermissions(grants)].some(
        ([target, actions]) =>
          /training|transcripts|recordings/.test(target) && [...actions].some((action) => /Delete/.test(action)),
      ),
    );
    expect(deleting.map(({ id }) => id)).toEqual(['background/enforce-retention']);
  });
});

describe('the bucket for transcripts and recordings', () => {
  const [bucket] = Object.entries(prod.templates.data.findResources('AWS::S3::Bucket'))
    .filter(([logicalId]) => logicalId.startsWith('Calls'))
    .map(([, found]) => found);

  test('is private, encrypted and retained in prod, keeps no old versions, and aborts incomplete uploads after a day', () => {
    expect(bucket).toMatchObject({
      DeletionPolicy: 'RetainExceptOnCreate',
      Properties: {
        PublicAccessBlockConfiguration: { BlockPublicAcls: true, RestrictPublicBuckets: true },
        BucketEncryption: {},
        LifecycleConfiguration: { Rules: [{ AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } }] },
      },
    });
    expect(bucket?.Properties.VersioningConfiguration).toBeUndefined();
  });

  test('contains transcripts and recordings below the prefixes that the grants name', () => {
    const ids = { orgId: 'o', callId: 'c' };
    const below = (target: 'bucket:transcripts' | 'bucket:recordings') =>
      /\/([a-z]+\/)\*/.exec(
        JSON.stringify(deployed(prod, 'training/read-call').stack.resolve(prod.resources[target].arn)),
      )?.[1];
    expect(transcriptKey(ids, 'd')).toMatch(new RegExp(`^${below('bucket:transcripts')}o/c/`));
    expect(recordingKey(ids, 'mp3')).toMatch(new RegExp(`^${below('bucket:recordings')}o/c`));
  });
});

describe('the voice provider', () => {
  const warningsOf = ({ stacks }: Synthesized) =>
    stacks.api.node.metadata.filter(({ type }) => type === 'aws:cdk:warning').map(({ data }) => String(data));

  test('has its URL in the settings of every function that calls it, and of no other function', () => {
    for (const { id, grants } of deployedFunctions) {
      const expected = grants.includes('voice-secret:read') ? BASE_URL : undefined;
      expect(variablesOf(id).VOICE_BASE_URL).toBe(expected);
    }
  });

  test('has two secrets: a warning at synthesis lists them, and their ids are outputs', () => {
    expect(warningsOf(prod).join()).toMatch(/VoiceSecret.*VoiceWebhookSecret/);
    expect(Object.keys(prod.templates.data.findOutputs('*'))).toEqual(
      expect.arrayContaining(['VoiceSecretId', 'VoiceWebhookSecretId']),
    );
  });

  test('has no URL in the settings by default', () => {
    expect(parseVoiceSettings(() => undefined)).toEqual({});
  });

  test.each(['http://127.0.0.1:8080', 'https://user:word@voice.example', 'voice.example', '', 7])(
    'cannot have the URL %j: the setting voiceBaseUrl is rejected',
    (baseUrl) => {
      expect(() => parseVoiceSettings(() => baseUrl)).toThrow('voiceBaseUrl: must be an https URL');
    },
  );
});
