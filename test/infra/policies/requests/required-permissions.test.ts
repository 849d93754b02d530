import { ACMClient, DeleteCertificateCommand, ListCertificatesCommand } from '@aws-sdk/client-acm';
import { BedrockRuntimeClient, ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import * as cloudFront from '@aws-sdk/client-cloudfront';
import { GetRecordsCommand, KinesisClient, PutRecordCommand } from '@aws-sdk/client-kinesis';
import { PinpointSMSVoiceV2Client, SendTextMessageCommand } from '@aws-sdk/client-pinpoint-sms-voice-v2';
import { GetAccountCommand, SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2';
import { describe, expect, test } from 'vitest';
import { SECRETS_EXTENSION } from '../../../../infra/policies/requests/required-permissions.ts';
import { getPermissions, getRequest } from '../../../support/policies/sent-requests.ts';

const REGION_ACCOUNT = 'eu-central-1:111122223333';
const aRequest = {
  service: 'lambda',
  region: 'eu-central-1',
  method: 'POST',
  host: '',
  target: '',
  headers: {},
  body: '',
};

test('Kinesis: writing a record needs PutRecord on the stream; for a read, an error says that permissions are not known', async () => {
  const put = new PutRecordCommand({ StreamName: 'events', PartitionKey: 'a', Data: Buffer.from('a') });
  expect(getPermissions(await getRequest(KinesisClient, put))).toEqual([
    `kinesis:PutRecord kinesis:${REGION_ACCOUNT}:stream/events`,
  ]);
  const read = await getRequest(KinesisClient, new GetRecordsCommand({ ShardIterator: 'a' }));
  expect(() => getPermissions(read)).toThrow("Kinesis's GetRecords");
});

test('Lambda: an invocation needs permission for the function, or for the alias if the request names an alias', () => {
  const permissions = (target: string) => getPermissions({ ...aRequest, target: `/2015-03-31/functions/${target}` });
  const action = 'lambda:InvokeFunction';
  expect(permissions('a-b/invocations')).toEqual([`${action} lambda:${REGION_ACCOUNT}:function:a-b`]);
  expect(permissions('a-b%3Alive/invocations')).toEqual([`${action} lambda:${REGION_ACCOUNT}:function:a-b:live`]);
  expect(permissions('a-b/invocations?Qualifier=live')).toEqual([
    `${action} lambda:${REGION_ACCOUNT}:function:a-b:live`,
  ]);
  expect(() => permissions('a-b')).toThrow("Lambda's POST");
});

test('secrets extension: reading a secret needs GetSecretValue', () => {
  const permissions = (target: string) =>
    getPermissions({ ...aRequest, service: SECRETS_EXTENSION, method: 'GET', target });
  expect(permissions('/secretsmanager/get?secretId=tributary%2Fleads')).toEqual([
    `secretsmanager:GetSecretValue secretsmanager:${REGION_ACCOUNT}:secret:tributary/leads`,
  ]);
  expect(() => permissions('/systemsmanager/parameters/get?name=a')).toThrow('the extension');
});

test('SES and SMS: sending needs permission for the sender, and for a configuration set that the request names', async () => {
  const email = (more: object) =>
    getRequest(
      SESv2Client,
      new SendEmailCommand({ FromEmailAddress: 'Ada <codes@Shop.example>', Content: {}, Destination: {}, ...more }),
    );
  const from = '{"ses:fromaddress":"codes@Shop.example"}';
  const identity = `ses:SendEmail ses:${REGION_ACCOUNT}:identity/shop.example ${from}`;
  expect(getPermissions(await email({}))).toEqual([identity]);
  expect(getPermissions(await email({ ConfigurationSetName: 'a' }))).toEqual([
    identity,
    `ses:SendEmail ses:${REGION_ACCOUNT}:configuration-set/a ${from}`,
  ]);
  const arn = `arn:aws:sms-voice:${REGION_ACCOUNT}:pool/pool-1`;
  const sms = (OriginationIdentity: string) =>
    getRequest(
      PinpointSMSVoiceV2Client,
      new SendTextMessageCommand({ DestinationPhoneNumber: '+4930901820', OriginationIdentity }),
    );
  expect(getPermissions(await sms(arn))).toEqual([`sms-voice:SendTextMessage sms-voice:${REGION_ACCOUNT}:pool/pool-1`]);
  const notArn = await sms('pool-1');
  expect(() => getPermissions(notArn)).toThrow('not an ARN');
  const account = await getRequest(SESv2Client, new GetAccountCommand());
  expect(() => getPermissions(account)).toThrow("SES's GET");
});

test.each([
  ['a.model-v1:0', 'bedrock:eu-central-1::foundation-model/a.model-v1:0'],
  ['eu.maker.model-v1:0', `bedrock:${REGION_ACCOUNT}:inference-profile/eu.maker.model-v1:0`],
  ['arn:aws:bedrock:eu-west-1::foundation-model/a', 'bedrock:eu-west-1::foundation-model/a'],
])('Bedrock: a request to model %s needs permission for %s', async (modelId, resource) => {
  const send = (command: object) => getRequest(BedrockRuntimeClient, command);
  expect(getPermissions(await send(new ConverseStreamCommand({ modelId, messages: [] })))).toEqual([
    `bedrock:InvokeModelWithResponseStream ${resource}`,
  ]);
  expect(getPermissions(await send(new ConverseCommand({ modelId, messages: [] })))).toEqual([
    `bedrock:InvokeModel ${resource}`,
  ]);
});

describe('CloudFront and ACM', () => {
  const ARN_PREFIX = 'cloudfront::111122223333';
  const permissions = async (command: object) =>
    getPermissions(await getRequest(cloudFront.CloudFrontClient, command, 'us-east-1'));
  const tenant = { DistributionId: 'E1', ConnectionGroupId: 'cg', Domains: [{ Domain: 'a.example' }] };

  test('creating a tenant needs permissions for tenants, the resources in the request, tags and the certificate', async () => {
    const whole = new cloudFront.CreateDistributionTenantCommand({
      ...tenant,
      Name: 'a',
      Tags: { Items: [{ Key: 'a', Value: 'b' }] },
      ManagedCertificateRequest: { ValidationTokenHost: 'cloudfront', PrimaryDomainName: 'a.example' },
    });
    expect(await permissions(whole)).toEqual([
      `cloudfront:CreateDistributionTenant ${ARN_PREFIX}:distribution-tenant/*`,
      `cloudfront:CreateDistributionTenant ${ARN_PREFIX}:distribution/E1`,
      `cloudfront:CreateDistributionTenant ${ARN_PREFIX}:connection-group/cg`,
      `cloudfront:TagResource ${ARN_PREFIX}:distribution-tenant/*`,
      'acm:RequestCertificate * {"acm:validationmethod":"HTTP"}',
    ]);
    expect(await permissions(new cloudFront.CreateDistributionTenantCommand({ ...tenant, Name: 'a' }))).toHaveLength(3);
  });

  test('updating a tenant needs permissions for the tenant, the resources in the request and the certificate', async () => {
    const arn = 'arn:aws:acm:us-east-1:111122223333:certificate/a';
    const change = { ...tenant, Id: 'dt_1', IfMatch: 'E', Customizations: { Certificate: { Arn: arn } } };
    expect(await permissions(new cloudFront.UpdateDistributionTenantCommand(change))).toEqual([
      `cloudfront:UpdateDistributionTenant ${ARN_PREFIX}:distribution-tenant/dt_1`,
      `cloudfront:UpdateDistributionTenant ${ARN_PREFIX}:distribution/E1`,
      `cloudfront:UpdateDistributionTenant ${ARN_PREFIX}:connection-group/cg`,
      'acm:DescribeCertificate acm:us-east-1:111122223333:certificate/a',
    ]);
  });

  test('reading and deleting need permission for the resource; for a list, an error says that permissions are not known', async () => {
    const Identifier = 'a';
    expect(await permissions(new cloudFront.GetDistributionTenantCommand({ Identifier }))).toEqual([
      `cloudfront:GetDistributionTenant ${ARN_PREFIX}:distribution-tenant/a`,
    ]);
    expect(await permissions(new cloudFront.GetManagedCertificateDetailsCommand({ Identifier }))).toEqual([
      `cloudfront:GetManagedCertificateDetails ${ARN_PREFIX}:distribution-tenant/a`,
    ]);
    expect(await permissions(new cloudFront.GetConnectionGroupCommand({ Identifier }))).toEqual([
      `cloudfront:GetConnectionGroup ${ARN_PREFIX}:connection-group/a`,
    ]);
    expect(await permissions(new cloudFront.DeleteDistributionTenantCommand({ Id: 'a', IfMatch: 'E' }))).toEqual([
      `cloudfront:DeleteDistributionTenant ${ARN_PREFIX}:distribution-tenant/a`,
    ]);
    await expect(permissions(new cloudFront.ListDistributionTenantsCommand())).rejects.toThrow("CloudFront's POST");
  });

  test('deleting a certificate needs permission for it; for a list, an error says that permissions are not known', async () => {
    const CertificateArn = 'arn:aws:acm:us-east-1:111122223333:certificate/a';
    const request = await getRequest(ACMClient, new DeleteCertificateCommand({ CertificateArn }), 'us-east-1');
    expect(getPermissions(request)).toEqual(['acm:DeleteCertificate acm:us-east-1:111122223333:certificate/a']);
    const list = await getRequest(ACMClient, new ListCertificatesCommand());
    expect(() => getPermissions(list)).toThrow("ACM's ListCertificates");
  });
});

test('the permissions of a request to another service are not known, so an error is thrown', () => {
  expect(() => getPermissions({ ...aRequest, service: 'sts' })).toThrow('a request to sts');
  expect(() => getPermissions({ ...aRequest, service: 'constructor' })).toThrow('a request to constructor');
});
