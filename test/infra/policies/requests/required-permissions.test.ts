import { ACMClient, DeleteCertificateCommand, ListCertificatesCommand } from '@aws-sdk/client-acm';
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import * as cloudFront from '@aws-sdk/client-cloudfront';
import { GetRecordsCommand, KinesisClient, PutRecordCommand } from '@aws-sdk/client-kinesis';
import { PinpointSMSVoiceV2Client, SendTextMessageCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { GetAccountCommand, SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { describe, expect, test } from 'vitest';
import { EXTENSION } from '../../../../infra/policies/requests/required-permissions.ts';
import { demandsIn, requestOf } from '../../../support/policies/sent-requests.ts';

const HERE = 'eu-central-1:111122223333';
const aRequest = {
  service: 'lambda',
  region: 'eu-central-1',
  method: 'POST',
  host: '',
  target: '',
  headers: {},
  body: '',
};

test('a record demands PutRecord on its stream', async () => {
  const put = new PutRecordCommand({ StreamName: 'events', PartitionKey: 'a', Data: Buffer.from('a') });
  expect(demandsIn(await requestOf(KinesisClient, put))).toEqual([`kinesis:PutRecord kinesis:${HERE}:stream/events`]);
  const read = await requestOf(KinesisClient, new GetRecordsCommand({ ShardIterator: 'a' }));
  expect(() => demandsIn(read)).toThrow("Kinesis's GetRecords");
});

test('an invocation demands the function, with its alias where it names one', () => {
  const invoked = (target: string) => demandsIn({ ...aRequest, target: `/2015-03-31/functions/${target}` });
  const action = 'lambda:InvokeFunction';
  expect(invoked('a-b/invocations')).toEqual([`${action} lambda:${HERE}:function:a-b`]);
  expect(invoked('a-b%3Alive/invocations')).toEqual([`${action} lambda:${HERE}:function:a-b:live`]);
  expect(invoked('a-b/invocations?Qualifier=live')).toEqual([`${action} lambda:${HERE}:function:a-b:live`]);
  expect(() => invoked('a-b')).toThrow("Lambda's POST");
});

test('a secret that the extension is asked for demands its value', () => {
  const asked = (target: string) => demandsIn({ ...aRequest, service: EXTENSION, method: 'GET', target });
  expect(asked('/secretsmanager/get?secretId=tributary%2Fleads')).toEqual([
    `secretsmanager:GetSecretValue secretsmanager:${HERE}:secret:tributary/leads`,
  ]);
  expect(() => asked('/systemsmanager/parameters/get?name=a')).toThrow('the extension');
});

test('a message demands who sends it', async () => {
  const mail = (more: object) =>
    requestOf(
      SESv2Client,
      new SendEmailCommand({ FromEmailAddress: 'Ada <codes@Shop.example>', Content: {}, Destination: {}, ...more }),
    );
  const from = '{"ses:fromaddress":"codes@Shop.example"}';
  const identity = `ses:SendEmail ses:${HERE}:identity/shop.example ${from}`;
  expect(demandsIn(await mail({}))).toEqual([identity]);
  expect(demandsIn(await mail({ ConfigurationSetName: 'a' }))).toEqual([
    identity,
    `ses:SendEmail ses:${HERE}:configuration-set/a ${from}`,
  ]);
  const arn = `arn:aws:sms-voice:${HERE}:pool/pool-1`;
  const sms = (OriginationIdentity: string) =>
    requestOf(
      PinpointSMSVoiceV2Client,
      new SendTextMessageCommand({ DestinationPhoneNumber: '+4930901820', OriginationIdentity }),
    );
  expect(demandsIn(await sms(arn))).toEqual([`sms-voice:SendTextMessage sms-voice:${HERE}:pool/pool-1`]);
  const unclear = await sms('pool-1');
  expect(() => demandsIn(unclear)).toThrow('not an ARN');
  const account = await requestOf(SESv2Client, new GetAccountCommand());
  expect(() => demandsIn(account)).toThrow("SES's GET");
});

test.each([
  ['a.model-v1:0', 'bedrock:eu-central-1::foundation-model/a.model-v1:0'],
  ['eu.maker.model-v1:0', `bedrock:${HERE}:inference-profile/eu.maker.model-v1:0`],
  ['arn:aws:bedrock:eu-west-1::foundation-model/a', 'bedrock:eu-west-1::foundation-model/a'],
])('the model %s is demanded as what it is', async (modelId, resource) => {
  const sent = (command: object) => requestOf(BedrockRuntimeClient, command);
  expect(demandsIn(await sent(new ConverseStreamCommand({ modelId, messages: [] })))).toEqual([
    `bedrock:InvokeModelWithResponseStream ${resource}`,
  ]);
  expect(demandsIn(await sent(new ConverseCommand({ modelId, messages: [] })))).toEqual([
    `bedrock:InvokeModel ${resource}`,
  ]);
});

describe('at the edge', () => {
  const PLACE = 'cloudfront::111122223333';
  const sent = async (command: object) => demandsIn(await requestOf(cloudFront.CloudFrontClient, command, 'us-east-1'));
  const tenant = { DistributionId: 'E1', ConnectionGroupId: 'cg', Domains: [{ Domain: 'a.example' }] };

  test('a new tenant demands what it is made of, its tags, and the certificate that is asked for', async () => {
    const whole = new cloudFront.CreateDistributionTenantCommand({
      ...{ ...tenant, Name: 'a', Tags: { Items: [{ Key: 'a', Value: 'b' }] } },
      ManagedCertificateRequest: { ValidationTokenHost: 'cloudfront', PrimaryDomainName: 'a.example' },
    });
    expect(await sent(whole)).toEqual([
      `cloudfront:CreateDistributionTenant ${PLACE}:distribution-tenant/*`,
      `cloudfront:CreateDistributionTenant ${PLACE}:distribution/E1`,
      `cloudfront:CreateDistributionTenant ${PLACE}:connection-group/cg`,
      `cloudfront:TagResource ${PLACE}:distribution-tenant/*`,
      'acm:RequestCertificate * {"acm:validationmethod":"HTTP"}',
    ]);
    expect(await sent(new cloudFront.CreateDistributionTenantCommand({ ...tenant, Name: 'a' }))).toHaveLength(3);
  });

  test('a change demands the tenant, what it belongs to, and its certificate', async () => {
    const arn = 'arn:aws:acm:us-east-1:111122223333:certificate/a';
    const change = { ...tenant, Id: 'dt_1', IfMatch: 'E', Customizations: { Certificate: { Arn: arn } } };
    expect(await sent(new cloudFront.UpdateDistributionTenantCommand(change))).toEqual([
      `cloudfront:UpdateDistributionTenant ${PLACE}:distribution-tenant/dt_1`,
      `cloudfront:UpdateDistributionTenant ${PLACE}:distribution/E1`,
      `cloudfront:UpdateDistributionTenant ${PLACE}:connection-group/cg`,
      'acm:DescribeCertificate acm:us-east-1:111122223333:certificate/a',
    ]);
  });

  test('what is read or deleted is demanded by its id; other calls are unknown', async () => {
    const Identifier = 'a';
    expect(await sent(new cloudFront.GetDistributionTenantCommand({ Identifier }))).toEqual([
      `cloudfront:GetDistributionTenant ${PLACE}:distribution-tenant/a`,
    ]);
    expect(await sent(new cloudFront.GetManagedCertificateDetailsCommand({ Identifier }))).toEqual([
      `cloudfront:GetManagedCertificateDetails ${PLACE}:distribution-tenant/a`,
    ]);
    expect(await sent(new cloudFront.GetConnectionGroupCommand({ Identifier }))).toEqual([
      `cloudfront:GetConnectionGroup ${PLACE}:connection-group/a`,
    ]);
    expect(await sent(new cloudFront.DeleteDistributionTenantCommand({ Id: 'a', IfMatch: 'E' }))).toEqual([
      `cloudfront:DeleteDistributionTenant ${PLACE}:distribution-tenant/a`,
    ]);
    await expect(sent(new cloudFront.ListDistributionTenantsCommand())).rejects.toThrow("CloudFront's POST");
  });

  test('a certificate is demanded by its ARN', async () => {
    const CertificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/a';
    const request = await requestOf(ACMClient, new DeleteCertificateCommand({ CertificateArn }), 'us-east-1');
    expect(demandsIn(request)).toEqual(['acm:DeleteCertificate acm:us-east-1:111122223333:certificate/a']);
    const list = await requestOf(ACMClient, new ListCertificatesCommand());
    expect(() => demandsIn(list)).toThrow("ACM's ListCertificates");
  });
});

test('a call of any other service is unknown', () => {
  expect(() => demandsIn({ ...aRequest, service: 'sts' })).toThrow('a call of sts');
  expect(() => demandsIn({ ...aRequest, service: 'constructor' })).toThrow('a call of constructor');
});
