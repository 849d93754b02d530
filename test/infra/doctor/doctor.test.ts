import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { backgroundFunctions, operations } from '../../../functions/declarations.ts';
import { intervalMinutes } from '../../../functions/declare-background-function.ts';
import { connectToAws } from '../../../infra/doctor/aws.ts';
import type { Result } from '../../../infra/doctor/check.ts';
import { type Plan, planOf, stageOf } from '../../../infra/doctor/plan.ts';
import { resultsOf, runDoctor } from '../../../infra/doctor/program.ts';
import { STACKS, stackName } from '../../../infra/names.ts';
import { synthesizeWithPlaceholders } from '../../../infra/policies/synthesize-placeholders.ts';
import { freePort } from '../../support/free-port.ts';
import { deployedFunctions, putLayer } from '../../support/stacks.ts';

const ROOT = join(import.meta.dirname, '../../..');
const REGION = 'eu-central-1';
const CERTIFICATE = `arn:aws:acm:${REGION}:012345678901:certificate/1`;
const PROFILE = 'eu.example.text-v1:0';
const SETTINGS = {
  mailFrom: 'codes@mail.example.com',
  smsSender: 'pool/pool-1',
  monthlySmsUsd: '50',
  apiDomain: 'api.example.com',
  apiCertificateArn: CERTIFICATE,
  aiModels: [
    PROFILE,
    `arn:aws:bedrock:${REGION}::foundation-model/example.text-v1:0`,
    'arn:aws:bedrock:eu-west-1::foundation-model/example.text-v1:0',
  ].join(','),
};
const ALL = { stage: 'prod', ...SETTINGS };
/**
 * Concurrency that prod reserves. An operation reserves the number in its declaration. A background function with an
 * interval reserves 1, or 2 if its runs can overlap.
 */
const RESERVED =
  operations.reduce((sum, { limits: { reservedConcurrency = 0 } }) => sum + reservedConcurrency, 0) +
  backgroundFunctions.filter((declared) => intervalMinutes(declared) !== undefined).length +
  backgroundFunctions.filter(({ trigger }) => 'repeats' in trigger || 'everySeconds' in trigger).length;
/** AWS requires that 100 concurrent executions of the account stay unreserved. */
const NEEDED = RESERVED + 100;
/** Number of log groups: one for each function, and one for the access logs. */
const LOG_GROUPS = deployedFunctions.length + 1;

type TemplateResource = { Type: string; DeletionPolicy?: string; Properties?: Record<string, unknown> };

type FakeResponse = { status?: number; headers?: Record<string, string>; body: unknown };
type Responses = Record<string, FakeResponse | 'hangs' | ((body: string, path: string) => FakeResponse)>;

// The error formats of the protocols: AWS Query, AWS JSON, and REST JSON with the code in a header.
const xmlError = (code: string, message: string, status = 400): FakeResponse => ({
  status,
  body:
    `<ErrorResponse xmlns="https://example.amazonaws.com/doc/"><Error><Type>Sender</Type><Code>${code}</Code>` +
    `<Message>${message}</Message></Error><RequestId>1</RequestId></ErrorResponse>`,
});
const jsonError = (code: string, message = ''): FakeResponse => ({
  status: 400,
  body: { __type: `com.amazonaws.example#${code}`, Message: message },
});
const restError = (status: number, code: string, message = ''): FakeResponse => ({
  status,
  headers: { 'x-amzn-errortype': `${code}:http://internal.amazon.com/coral/com.amazonaws.example/` },
  body: { message },
});

const result = (action: string, content: string): FakeResponse => ({
  body:
    `<${action}Response xmlns="https://example.amazonaws.com/doc/"><${action}Result>${content}</${action}Result>` +
    `<ResponseMetadata><RequestId>1</RequestId></ResponseMetadata></${action}Response>`,
});
const parameter = (body: string, name: string) => new URLSearchParams(body).get(name);
const noStack = (body: string): FakeResponse =>
  xmlError('ValidationError', `Stack with id ${parameter(body, 'StackName')} does not exist`);
const stackIn = (name: string, status: string) => (body: string) =>
  parameter(body, 'StackName') === name
    ? result(
        'DescribeStacks',
        `<Stacks><member><StackName>${name}</StackName><StackStatus>${status}</StackStatus>` +
          '<CreationTime>2026-01-01T00:00:00Z</CreationTime></member></Stacks>',
      )
    : noStack(body);
/** Lists a stack's resources in two pages. Only the second page has the resource with this id and status. */
const resourcesOf =
  (stack: string, id: string, status: string, type = 'AWS::Any') =>
  (body: string) => {
    if (parameter(body, 'StackName') !== stack) return noStack(body);
    const page = (physicalId: string, itsStatus: string, rest = '') =>
      result(
        'ListStackResources',
        `<StackResourceSummaries><member><LogicalResourceId>R</LogicalResourceId><ResourceType>${type}</ResourceType>` +
          `<PhysicalResourceId>${physicalId}</PhysicalResourceId><ResourceStatus>${itsStatus}</ResourceStatus>` +
          `<LastUpdatedTimestamp>2026-01-01T00:00:00Z</LastUpdatedTimestamp></member></StackResourceSummaries>${rest}`,
      );
    return parameter(body, 'NextToken') === null
      ? page('other', 'CREATE_COMPLETE', '<NextToken>2</NextToken>')
      : page(id, status);
  };
/** Returns the log groups that have the requested prefix. Each page has one log group. */
const groups =
  (...names: string[]) =>
  (body: string): FakeResponse => {
    const { logGroupNamePrefix, nextToken = 0 } = JSON.parse(body);
    const found = names.filter((name) => name.startsWith(logGroupNamePrefix));
    const logGroups = found.slice(nextToken, Number(nextToken) + 1).map((logGroupName) => ({ logGroupName }));
    const isLast = Number(nextToken) + 1 >= found.length;
    return { body: { logGroups, ...(!isLast && { nextToken: String(Number(nextToken) + 1) }) } };
  };
const available = {
  modelId: 'example.text-v1:0',
  agreementAvailability: { status: 'AVAILABLE' },
  authorizationStatus: 'AUTHORIZED',
  entitlementAvailability: 'AVAILABLE',
  regionAvailability: 'AVAILABLE',
};
const spendLimit = (EnforcedLimit: number, MaxLimit: number, Overridden = true): FakeResponse => ({
  body: {
    SpendLimits: [
      { Name: 'VOICE_MESSAGE_MONTHLY_SPEND_LIMIT', EnforcedLimit: 1, MaxLimit: 1, Overridden: false },
      { Name: 'TEXT_MESSAGE_MONTHLY_SPEND_LIMIT', EnforcedLimit, MaxLimit, Overridden },
    ],
  },
});
const pool = (Status: string): FakeResponse => ({ body: { Pools: [{ PoolId: 'pool-1', Status }] } });
const shards = (used: number, streams: number): FakeResponse => ({
  body: { ShardLimit: 20, OpenShardCount: used, OnDemandStreamCount: streams, OnDemandStreamCountLimit: 50 },
});
/** The stream of the stage, with this number of open shards. */
const streamWith = (openShards: number): Responses => ({
  'cloudformation ListStackResources': resourcesOf(
    stackName({ name: 'prod' }, 'streaming'),
    ...(['events', 'CREATE_COMPLETE', 'AWS::Kinesis::Stream'] as const),
  ),
  'kinesis DescribeStreamSummary': {
    body: { StreamDescriptionSummary: { StreamName: 'events', OpenShardCount: openShards } },
  },
});
const certificate = (fields: Record<string, unknown>): FakeResponse => ({
  body: { Certificate: { CertificateArn: CERTIFICATE, DomainName: 'api.example.com', Status: 'ISSUED', ...fields } },
});
const lambdaQuota = (quota: number, unreserved = quota): FakeResponse => ({
  body: {
    AccountLimit: {
      TotalCodeSize: 80530636800,
      CodeSizeUnzipped: 262144000,
      CodeSizeZipped: 52428800,
      ConcurrentExecutions: quota,
      UnreservedConcurrentExecutions: unreserved,
    },
    AccountUsage: { TotalCodeSize: 0, FunctionCount: 0 },
  },
});
const identity = (verified: Record<string, boolean>) => (_: string, path: string) => {
  const isVerified = verified[decodeURIComponent(path.split('/').at(-1) ?? '')];
  return isVerified === undefined
    ? restError(404, 'NotFoundException', 'Email identity does not exist.')
    : { body: { IdentityType: 'DOMAIN', VerifiedForSendingStatus: isVerified } };
};

/** An account that is ready for a deployment, and in which nothing is deployed. */
const READY: Responses = {
  'sts GetCallerIdentity': result(
    'GetCallerIdentity',
    '<Arn>arn:aws:iam::012345678901:user/ada</Arn><UserId>AIDAEXAMPLE</UserId><Account>012345678901</Account>',
  ),
  'ssm GetParameter': {
    body: { Parameter: { Name: '/cdk-bootstrap/hnb659fds/version', Type: 'String', Value: '30', Version: 1 } },
  },
  'cloudformation DescribeStacks': noStack,
  'cloudformation ListStackResources': noStack,
  'logs DescribeLogGroups': groups(),
  'lambda GET /2016-08-19/account-settings': lambdaQuota(1_000),
  'lambda GET /2019-09-30/functions': restError(404, 'ResourceNotFoundException', 'Function not found'),
  'kinesis DescribeLimits': shards(0, 0),
  'apigateway GET /account': {
    body: { cloudwatchRoleArn: 'arn:aws:iam::012345678901:role/api-gateway-logs', throttleSettings: {} },
  },
  'apigateway GET /domainnames': restError(404, 'NotFoundException', 'Invalid domain name identifier specified'),
  'acm DescribeCertificate': certificate({ DomainName: 'example.com', SubjectAlternativeNames: ['*.example.com'] }),
  'ses GET /v2/email/identities': identity({ 'example.com': true }),
  'ses GET /v2/email/account': { body: { ProductionAccessEnabled: true, SendingEnabled: true } },
  'sms-voice DescribePools': pool('ACTIVE'),
  'sms-voice DescribeAccountAttributes': {
    body: { AccountAttributes: [{ Name: 'ACCOUNT_TIER', Value: 'PRODUCTION' }] },
  },
  'sms-voice DescribeSpendLimits': spendLimit(50, 100),
  'bedrock GET /inference-profiles': { body: { inferenceProfileId: PROFILE, status: 'ACTIVE', models: [] } },
  'bedrock GET /foundation-model-availability': { body: available },
};

let responses: Responses;
/** Names of the received requests. */
const calls: string[] = [];

/**
 * Names a request by service and action or path, for example `cloudformation DescribeStacks`. If the region is not
 * `REGION`, the name contains it: `acm in us-east-1 DescribeCertificate`.
 */
function nameOf({ method, url = '', headers }: IncomingMessage, body: string): string {
  const signed = /Credential=[^/]+\/\d{8}\/([\w-]+)\/([\w-]+)\//.exec(headers.authorization ?? '') ?? [];
  const [, region, name] = signed;
  const service = region === REGION ? name : `${name} in ${region}`;
  const action = String(headers['x-amz-target'] ?? '').split('.')[1] ?? parameter(body, 'Action');
  return `${service} ${action ?? `${method} ${url}`}`;
}

const server = createServer(async (request, response) => {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  const sent = Buffer.concat(parts).toString();
  const name = nameOf(request, sent);
  calls.push(name);
  const [, found] = Object.entries(responses).find(([known]) => name.startsWith(known)) ?? [];
  if (found === 'hangs') return;
  // Requests with temporary credentials must carry their token.
  if (request.headers['x-amz-security-token'] !== process.env.AWS_SESSION_TOKEN)
    return void response.writeHead(403).end('{"message":"The session token is missing."}');
  const fake = typeof found === 'function' ? found(sent, request.url ?? '') : found;
  if (fake === undefined) return void response.writeHead(501).end(`{"message":"No response to ${name}"}`);
  const { status = 200, headers = {}, body } = fake;
  response.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
});

const dist = mkdtempSync(join(tmpdir(), 'tributary-doctor-'));
let endpoint: string;
let plan: Plan;
let devPlan: Plan;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  putLayer(dist);
  plan = planOf(ALL);
  devPlan = planOf({});
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
  rmSync(dist, { recursive: true });
});

const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_SESSION_TOKEN: 'session' };
beforeEach(() => {
  responses = { ...READY };
  calls.length = 0;
  for (const [name, value] of Object.entries({ ...credentials, AWS_ENDPOINT_URL: endpoint, AWS_REGION: REGION }))
    vi.stubEnv(name, value);
});
afterEach(() => vi.unstubAllEnvs());

/** Runs all checks of a stage against the simulated account. */
async function resultsFor(context: Record<string, string>, of = plan): Promise<Record<string, Result>> {
  const results = await resultsOf(stageOf(context, REGION), of, dist, connectToAws(REGION, undefined));
  return Object.fromEntries(results.map((one) => [one.name, one]));
}

async function run(...args: string[]) {
  const [out, err]: [string[], string[]] = [[], []];
  const terminal = {
    columns: undefined,
    write: async (text: string) => void out.push(text),
    note: (line: string) => void err.push(`${line}\n`),
  };
  const code = await runDoctor(args, terminal, dist);
  return { code, out: out.join(''), err: err.join('') };
}

/** Replaces numbers that change when a function is added. */
const withoutCounts = (text: string): string =>
  text
    .replaceAll(`of ${LOG_GROUPS} exist`, 'of <log groups> exist')
    .replaceAll(`needs ${NEEDED}:`, 'needs <needed>:')
    .replaceAll(`reserves ${RESERVED}`, 'reserves <reserved>');

const settingArguments = Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`]);

describe('an account that is ready', () => {
  test('passes every check of prod, with exit code 0', async () => {
    const { code, out, err } = await run('--stage', 'prod', ...settingArguments);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(withoutCounts(out)).toMatchInlineSnapshot(`
      "Checking the account for the stage prod. Nothing is created or changed.

      RESULT  CHECK                 DETAILS
      ok      Account and region    012345678901 in eu-central-1, as arn:aws:iam::012345678901:user/ada
      ok      DuckDB layer          built, 1 MB of 250 MB
      ok      CDK bootstrap         version 30; the templates need at least 6
      ok      Stacks                none exists yet
      ok      Log groups            none of <log groups> exists yet
      ok      Lambda concurrency    quota 1000; this stage reserves <reserved>
      ok      Event stream          quota of 50 on-demand streams; 0 in use, this stage needs 1
      ok      API Gateway log role  arn:aws:iam::012345678901:role/api-gateway-logs
      ok      Certificate           issued for example.com, *.example.com
      ok      API hostname          api.example.com is free
      ok      E-mail sender         example.com is verified
      ok      E-mail sandbox        production access
      ok      SMS sender            pool/pool-1 is active
      ok      SMS sandbox           production access
      ok      SMS spending          up to 50 USD a month
      ok      Text models           3 available, the default is eu.example.text-v1:0

      ok: 16, problems: 0, not checked: 0
      No check found anything that makes the deployment fail.
      "
    `);
  });

  test('is not changed by the checks', async () => {
    await run('--stage', 'prod', ...settingArguments);
    const changing = calls.filter((call) => !/ (?:Get|Describe|List|GET )/.test(call));
    expect(changing).toEqual([]);
    expect(calls.length).toBeGreaterThan(15);
  });

  test('passes the checks of dev, which cover only the resources of dev', async () => {
    const results = await resultsFor({}, devPlan);
    expect(Object.values(results).map(({ name, status }) => `${name}: ${status}`)).toMatchInlineSnapshot(`
      [
        "Account and region: ok",
        "DuckDB layer: ok",
        "CDK bootstrap: ok",
        "Stacks: ok",
        "Log groups: ok",
        "Lambda concurrency: ok",
        "Event stream: ok",
      ]
    `);
  });
});

test('for a new account, each problem is printed with its fix, and the exit code is 1', async () => {
  Object.assign(responses, {
    'ssm GetParameter': jsonError('ParameterNotFound'),
    'lambda GET /2016-08-19/account-settings': lambdaQuota(10),
    'apigateway GET /account': { body: { throttleSettings: { burstLimit: 5000, rateLimit: 10000 } } },
    'ses GET /v2/email/account': { body: { ProductionAccessEnabled: false, SendingEnabled: true } },
  } satisfies Responses);
  const { code, out, err } = await run('--stage', 'prod', '-c', 'mailFrom=codes@mail.example.com');
  expect({ code, err }).toEqual({
    code: 1,
    err: 'The deployment would fail. Fix the problems above, then run npm run doctor again.\n',
  });
  expect(withoutCounts(out)).toMatchInlineSnapshot(`
    "Checking the account for the stage prod. Nothing is created or changed.

    RESULT   CHECK                 DETAILS
    ok       Account and region    012345678901 in eu-central-1, as arn:aws:iam::012345678901:user/ada
    ok       DuckDB layer          built, 1 MB of 250 MB
    problem  CDK bootstrap         This region of the account is not bootstrapped for the CDK.
    ok       Stacks                none exists yet
    ok       Log groups            none of <log groups> exists yet
    problem  Lambda concurrency    The account may run 10 functions concurrently, but needs <needed>: this stage reserves <reserved>, and 100 must stay unreserved.
    ok       Event stream          quota of 50 on-demand streams; 0 in use, this stage needs 1
    problem  API Gateway log role  API Gateway has no role with which it can write access logs.
    ok       E-mail sender         example.com is verified
    problem  E-mail sandbox        The account is in the sandbox of SES, which sends only to verified addresses.

    Problems that make the deployment fail:

    CDK bootstrap
       This region of the account is not bootstrapped for the CDK.
       Create or update the resources that the CDK CLI uses:
         npx cdk bootstrap

    Lambda concurrency
       The account may run 10 functions concurrently, but needs <needed>: this stage reserves <reserved>, and 100 must stay unreserved.
       Request a higher quota. AWS can take some days to grant it.
         aws service-quotas request-service-quota-increase --service-code lambda --quota-code L-B99A9384 --desired-value 1000 --region eu-central-1

    API Gateway log role
       API Gateway has no role with which it can write access logs.
       Create the role once per account, and select the role once per region:
         aws iam create-role --role-name api-gateway-logs --assume-role-policy-document '{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"apigateway.amazonaws.com"},"Action":"sts:AssumeRole"}]}' --region eu-central-1
         aws iam attach-role-policy --role-name api-gateway-logs --policy-arn arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs --region eu-central-1
         ROLE=$(aws iam get-role --role-name api-gateway-logs --query Role.Arn --output text --region eu-central-1)
         aws apigateway update-account --patch-operations "op=replace,path=/cloudwatchRoleArn,value=$ROLE" --region eu-central-1

    Problems with which the deployment succeeds, but a feature does not work:

    E-mail sandbox
       The account is in the sandbox of SES, which sends only to verified addresses.
       In the console, region eu-central-1: Amazon SES > Account dashboard > Request production access.

    ok: 6, problems: 4, not checked: 0
    "
  `);
});

/** `fix` is a part of the printed fix. `differing` has the responses that differ from `READY`. */
type Failure = [check: string, detail: string, fix: string, differing: Responses];
type Success = [check: string, differing: Responses, detail: string];

const QUOTA = 'lambda GET /2016-08-19/account-settings';
const [ROLE, HOSTNAME] = ['apigateway GET /account', 'apigateway GET /domainnames'];
const [MODEL, INFERENCE] = ['bedrock GET /foundation-model-availability', 'bedrock GET /inference-profiles'];
const [MAIL, IDENTITY] = ['ses GET /v2/email/account', 'ses GET /v2/email/identities'];
const LEFT =
  'exist already and belong to no stack of this stage. ' +
  'The log groups of a deleted deployment are kept, and CloudFormation does not replace existing log groups.';
const LOGS = '/aws/lambda/tributary-prod-funnel-submit';
const API = stackName({ name: 'prod' }, 'api');

const FATAL: Failure[] = [
  [
    'Account and region',
    'AWS credentials are missing or not valid: The security token included in the request is expired',
    'aws sso login',
    { 'sts GetCallerIdentity': xmlError('ExpiredToken', 'The security token included in the request is expired', 403) },
  ],
  [
    'Account and region',
    'AWS credentials are missing or not valid: The security token is invalid.',
    'AWS Regions',
    { 'sts GetCallerIdentity': xmlError('InvalidClientTokenId', 'The security token is invalid.', 403) },
  ],
  [
    'Account and region',
    'AWS credentials are missing or not valid: Signature expired.',
    'clock',
    { 'sts GetCallerIdentity': xmlError('SignatureDoesNotMatch', 'Signature expired.', 403) },
  ],
  [
    'CDK bootstrap',
    'This region of the account is not bootstrapped for the CDK.',
    'npx cdk bootstrap',
    { 'ssm GetParameter': jsonError('ParameterNotFound') },
  ],
  [
    'CDK bootstrap',
    'The bootstrap resources have version 5. The templates need at least 6.',
    'npx cdk bootstrap',
    { 'ssm GetParameter': { body: { Parameter: { Value: '5' } } } },
  ],
  [
    'Stacks',
    `${API} is in DELETE_FAILED. The deletion of this stack failed.`,
    `aws cloudformation delete-stack --stack-name ${API} --region ${REGION}`,
    { 'cloudformation DescribeStacks': stackIn(API, 'DELETE_FAILED') },
  ],
  [
    'Stacks',
    `${API} is in UPDATE_ROLLBACK_FAILED. The last update failed, and so did its rollback.`,
    `aws cloudformation continue-update-rollback --stack-name ${API} --region ${REGION}`,
    { 'cloudformation DescribeStacks': stackIn(API, 'UPDATE_ROLLBACK_FAILED') },
  ],
  ...['CREATE_FAILED', 'UPDATE_FAILED'].map(
    (status): Failure => [
      'Stacks',
      `${API} is in ${status}. The last deployment of this stack failed and was not rolled back.`,
      `npx cdk rollback ${API}`,
      { 'cloudformation DescribeStacks': stackIn(API, status) },
    ],
  ),
  [
    'Log groups',
    `2 of ${LOG_GROUPS} log groups ${LEFT}`,
    `for group in \\\n  /aws/apigateway/tributary-prod \\\n  ${LOGS}\n` +
      `do aws logs delete-log-group --log-group-name "$group" --region ${REGION}; done`,
    {
      'logs DescribeLogGroups': groups(
        '/aws/lambda/tributary-prod-old',
        LOGS,
        '/aws/apigateway/tributary-prod',
        '/aws/lambda/other',
      ),
    },
  ],
  [
    'Log groups',
    `1 of ${LOG_GROUPS} log groups ${LEFT}`,
    'delete-log-group',
    {
      'logs DescribeLogGroups': groups(LOGS),
      'cloudformation ListStackResources': resourcesOf(API, LOGS, 'DELETE_SKIPPED'),
    },
  ],
  [
    'Lambda concurrency',
    `The account may run ${NEEDED - 1} functions concurrently, but needs ${NEEDED}: ` +
      `this stage reserves ${RESERVED}, and 100 must stay unreserved.`,
    '--service-code lambda --quota-code L-B99A9384 --desired-value 1000',
    { [QUOTA]: lambdaQuota(RESERVED + 99) },
  ],
  [
    'Lambda concurrency',
    `The account may run 1000 functions concurrently, but needs ${NEEDED + 800}: ` +
      `this stage reserves ${RESERVED}, other functions reserve 800, and 100 must stay unreserved.`,
    `--desired-value ${NEEDED + 800}`,
    { [QUOTA]: lambdaQuota(1_000, 200) },
  ],
  [
    'Event stream',
    'The account has 50 of 50 on-demand streams, and this stage needs 1 more.',
    'Service Quotas',
    { 'kinesis DescribeLimits': shards(0, 50) },
  ],
  [
    'API Gateway log role',
    'API Gateway has no role with which it can write access logs.',
    'path=/cloudwatchRoleArn',
    { [ROLE]: { body: {} } },
  ],
  [
    'Certificate',
    'The certificate is not issued yet, because ACM has not verified that you control the domain.',
    'aws acm describe-certificate',
    { 'acm DescribeCertificate': certificate({ Status: 'PENDING_VALIDATION' }) },
  ],
  [
    'Certificate',
    'The certificate has the status EXPIRED.',
    'aws acm request-certificate --domain-name api.example.com',
    { 'acm DescribeCertificate': certificate({ Status: 'EXPIRED' }) },
  ],
  [
    'Certificate',
    'The certificate is for *.api.example.com, not for api.example.com.',
    'aws acm request-certificate',
    { 'acm DescribeCertificate': certificate({ DomainName: '*.api.example.com' }) },
  ],
  [
    'Certificate',
    'The certificate does not exist in this account.',
    'aws acm request-certificate',
    { 'acm DescribeCertificate': jsonError('ResourceNotFoundException', 'Could not find certificate') },
  ],
  [
    'API hostname',
    'The hostname api.example.com already exists in API Gateway, but does not belong to this stage.',
    'aws apigateway delete-domain-name --domain-name api.example.com',
    { [HOSTNAME]: { body: { domainName: 'api.example.com' } } },
  ],
];

const DEGRADING: Failure[] = [
  [
    'E-mail sender',
    'SES does not know the sender codes@mail.example.com or its domain, so no e-mail can be sent.',
    'aws sesv2 create-email-identity --email-identity mail.example.com',
    { [IDENTITY]: identity({}) },
  ],
  [
    'E-mail sender',
    'SES has not verified mail.example.com yet, so no e-mail can be sent.',
    'Identities > mail.example.com',
    { [IDENTITY]: identity({ 'mail.example.com': false }) },
  ],
  [
    'E-mail sender',
    'SES has not verified codes@mail.example.com yet, so no e-mail can be sent.',
    'Open the link',
    { [IDENTITY]: identity({ 'codes@mail.example.com': false }) },
  ],
  [
    'E-mail sandbox',
    'The account is in the sandbox of SES, which sends only to verified addresses.',
    'Request production access',
    { [MAIL]: { body: { ProductionAccessEnabled: false, SendingEnabled: true } } },
  ],
  [
    'E-mail sandbox',
    'AWS has paused the sending of e-mail for this account.',
    'Reputation metrics',
    { [MAIL]: { body: { ProductionAccessEnabled: true, SendingEnabled: false } } },
  ],
  [
    'SMS sender',
    'The SMS sender pool/pool-1 does not exist in this account and region.',
    'End User Messaging',
    { 'sms-voice DescribePools': jsonError('ResourceNotFoundException', 'Resource not found') },
  ],
  [
    'SMS sender',
    'The SMS sender pool/pool-1 has the status CREATING.',
    'End User Messaging',
    { 'sms-voice DescribePools': pool('CREATING') },
  ],
  [
    'SMS sandbox',
    'The account is in the SMS sandbox, which sends only to verified numbers.',
    'Request production access',
    {
      'sms-voice DescribeAccountAttributes': {
        body: { AccountAttributes: [{ Name: 'ACCOUNT_TIER', Value: 'SANDBOX' }] },
      },
    },
  ],
  [
    'SMS spending',
    'AWS allows at most 1 USD a month for SMS, but monthlySmsUsd is 50.',
    'Support Center',
    { 'sms-voice DescribeSpendLimits': spendLimit(1, 1) },
  ],
  [
    'SMS spending',
    'The account limits SMS to 49 USD a month. AWS allows at most 100 USD.',
    `set-text-message-spend-limit-override --monthly-limit 50 --region ${REGION}`,
    { 'sms-voice DescribeSpendLimits': spendLimit(49, 100) },
  ],
  [
    'Text models',
    `Bedrock does not have ${PROFILE} in ${REGION}.`,
    'list-inference-profiles',
    { [INFERENCE]: restError(404, 'ResourceNotFoundException', 'No such profile') },
  ],
  [
    'Text models',
    'The account is not subscribed to example.text-v1:0.',
    'Open in playground',
    { [MODEL]: { body: { ...available, agreementAvailability: { status: 'NOT_AVAILABLE' } } } },
  ],
  [
    'Text models',
    'The account is not authorized to use example.text-v1:0.',
    'Open in playground',
    { [MODEL]: { body: { ...available, authorizationStatus: 'NOT_AUTHORIZED' } } },
  ],
];

describe.each([
  ['makes the deployment fail', true, FATAL],
  ['does not make the deployment fail', false, DEGRADING],
] as const)('a problem that %s', (_, blocks, failures) => {
  test.each(failures)('%s: %s', async (check, detail, fix, differing) => {
    Object.assign(responses, differing);
    const found = (await resultsFor(ALL))[check];
    expect(found).toMatchObject({ status: 'problem', blocks, detail });
    if (found?.status !== 'problem') return;
    expect([found.fix.advice, ...(found.fix.commands ?? [])].join('\n')).toContain(fix);
  });
});

describe('resources that already belong to the checked stage', () => {
  test.each<Success>([
    [
      'Log groups',
      {
        'logs DescribeLogGroups': groups(LOGS),
        'cloudformation ListStackResources': resourcesOf(API, LOGS, 'CREATE_COMPLETE'),
      },
      `1 of ${LOG_GROUPS} exist and belong to this stage`,
    ],
    [
      'API hostname',
      {
        [HOSTNAME]: { body: { domainName: 'api.example.com' } },
        'cloudformation ListStackResources': resourcesOf(API, 'api.example.com', 'UPDATE_COMPLETE'),
      },
      'api.example.com belongs to this stage',
    ],
    [
      'Event stream',
      {
        'kinesis DescribeLimits': shards(0, 50),
        ...streamWith(4),
      },
      'the stream of this stage exists',
    ],
    [
      'Lambda concurrency',
      {
        [QUOTA]: lambdaQuota(NEEDED, RESERVED),
        'lambda GET /2019-09-30/functions/tributary-prod-funnel-ai-stream/concurrency': {
          body: { ReservedConcurrentExecutions: 100 },
        },
      },
      `quota ${NEEDED}; this stage reserves ${RESERVED}`,
    ],
    ...['ROLLBACK_COMPLETE', 'UPDATE_IN_PROGRESS', 'UPDATE_ROLLBACK_COMPLETE'].map(
      (status): Success => [
        'Stacks',
        { 'cloudformation DescribeStacks': stackIn(API, status) },
        `1 of ${STACKS.length} exist`,
      ],
    ),
  ])('are no problem for the check "%s"', async (check, differing, detail) => {
    // The first `differing` puts its keys before the keys of READY: the server uses the first key that matches.
    // The second `differing` sets its values again, because READY can have the same keys.
    responses = { ...differing, ...READY, ...differing };
    expect((await resultsFor(ALL))[check]).toEqual({ name: check, status: 'ok', detail });
  });
});

describe('settings', () => {
  test.each<[setting: string, operation: string, parameters: Record<string, unknown>]>([
    ['phone-number/phone-1', 'PhoneNumbers', { PhoneNumberId: 'phone-1', Status: 'ACTIVE' }],
    ['sender-id/SHOP/DE', 'SenderIds', { SenderId: 'SHOP', IsoCountryCode: 'DE', MessageTypes: ['TRANSACTIONAL'] }],
  ])('the SMS sender %s is found', async (smsSender, operation, parameters) => {
    responses[`sms-voice Describe${operation}`] = { body: { [operation]: [parameters] } };
    const { 'SMS sender': found } = await resultsFor({ ...ALL, smsSender });
    expect(found).toMatchObject({ status: 'ok', detail: `${smsSender} is active` });
  });

  test('if the account has no own limit of SMS spending, the check uses the maximum of AWS', async () => {
    responses['sms-voice DescribeSpendLimits'] = spendLimit(1, 100, false);
    expect((await resultsFor(ALL))['SMS spending']).toMatchObject({ status: 'ok', detail: 'up to 100 USD a month' });
  });

  test('provisioned shards are compared with the quota of shards', async () => {
    responses['kinesis DescribeLimits'] = shards(13, 50);
    const found = async (eventShards: string) => (await resultsFor({ ...ALL, eventShards }))['Event stream'];
    expect(await found('7')).toMatchObject({ status: 'ok' });
    expect(await found('8')).toMatchObject({
      status: 'problem',
      detail: 'The account has 13 of 20 shards, and this stage needs 8 more.',
    });
  });

  test('a deployment may at most double or halve the number of shards, and the new number must fit the quota', async () => {
    Object.assign(responses, streamWith(5), { 'kinesis DescribeLimits': shards(13, 50) });
    const found = async (eventShards: string) => (await resultsFor({ ...ALL, eventShards }))['Event stream'];
    for (const count of [3, 5, 10])
      expect(await found(String(count))).toMatchObject({ status: 'ok', detail: `5 shards; this stage sets ${count}` });
    expect(await found('2')).toMatchObject({
      status: 'problem',
      fix: { advice: expect.stringContaining('-c eventShards=3 first') },
    });
    expect(await found('11')).toMatchObject({
      status: 'problem',
      fix: { advice: expect.stringContaining('-c eventShards=10 first') },
    });
    expect(await found('13')).toMatchObject({
      status: 'problem',
      detail: 'The account has 13 of 20 shards, and this stage needs 8 more.',
    });
  });

  test('a certificate of another region is reported as a problem without a request to ACM', async () => {
    const apiCertificateArn = CERTIFICATE.replace(REGION, 'us-east-1');
    expect((await resultsFor({ ...ALL, apiCertificateArn })).Certificate).toMatchObject({
      status: 'problem',
      detail: 'The certificate is in us-east-1, but the deployment is in eu-central-1.',
    });
    expect(calls.filter((call) => call.startsWith('acm'))).toEqual([]);
  });

  describe('the hostname of the page client', () => {
    const own = {
      webDomain: 'cdn.example.com',
      webCertificateArn: 'arn:aws:acm:us-east-1:012345678901:certificate/2',
    };
    const check = async () => (await resultsFor({ ...ALL, ...own }))['Page client certificate'];
    const CDN = 'acm in us-east-1 DescribeCertificate';

    test('needs a certificate in us-east-1 that is issued for it', async () => {
      responses[CDN] = certificate({ DomainName: 'cdn.example.com' });
      expect(await check()).toMatchObject({ status: 'ok', detail: 'issued for cdn.example.com' });
      expect((await resultsFor(ALL))['Page client certificate']).toBeUndefined();
    });

    test('is reported as a problem if its certificate is for another name, because the deployment would fail', async () => {
      responses[CDN] = certificate({ DomainName: 'api.example.com' });
      expect(await check()).toMatchObject({
        status: 'problem',
        blocks: true,
        detail: 'The certificate is for api.example.com, not for cdn.example.com.',
        fix: {
          advice: expect.stringContaining('webCertificateArn'),
          commands: [
            'aws acm request-certificate --domain-name cdn.example.com --validation-method DNS --region us-east-1',
          ],
        },
      });
    });
  });

  test('a model without an inference profile must be offered in the region', async () => {
    responses[MODEL] = { body: { ...available, regionAvailability: 'NOT_AVAILABLE' } };
    expect((await resultsFor({ ...ALL, aiModels: 'example.text-v1:0' }))['Text models']).toMatchObject({
      status: 'problem',
      detail: 'Bedrock does not offer example.text-v1:0 in eu-central-1.',
    });
    expect((await resultsFor(ALL))['Text models']).toMatchObject({ status: 'ok' });
  });

  test('in dev, a small quota of concurrency does not make the deployment fail', async () => {
    responses[QUOTA] = lambdaQuota(10);
    expect((await resultsFor({}, devPlan))['Lambda concurrency']).toMatchObject({
      status: 'problem',
      blocks: false,
      detail: 'The account may run only 10 functions concurrently. Under load, the API responds with 429 and 503.',
    });
  });

  test('1: an unknown setting ends the command with the suggestion of a known setting, without a request', async () => {
    expect(await run('--stage', 'prod', '-c', 'mailfrom=codes@example.com')).toEqual({
      code: 1,
      out: '',
      err: 'There is no setting mailfrom. Did you mean mailFrom?\n',
    });
    expect(calls).toEqual([]);
  });

  test('2: an unknown option is a usage error', async () => {
    expect(await run('--force')).toMatchObject({ code: 2 });
  });
});

describe('the region', () => {
  test('is a problem if it is not set', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION']) vi.stubEnv(name, '');
    vi.stubEnv('AWS_CONFIG_FILE', join(dist, 'none'));
    const { code, out } = await run();
    expect(code).toBe(1);
    expect(out).toContain(
      'No region is set.\n   Choose the region of the deployment:\n     export AWS_REGION=eu-central-1',
    );
    expect(calls).toEqual([]);
  });

  test('can come from --profile; the printed commands then contain --profile', async () => {
    for (const name of ['AWS_REGION', 'AWS_DEFAULT_REGION', ...Object.keys(credentials)]) vi.stubEnv(name, undefined);
    const file = join(dist, 'config');
    writeFileSync(file, `[profile ops]\nregion = ${REGION}\naws_access_key_id = ops\naws_secret_access_key = test\n`);
    vi.stubEnv('AWS_CONFIG_FILE', file);
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
    responses[QUOTA] = lambdaQuota(10);
    const { code, out } = await run('--profile', 'ops');
    expect({ code, out }).toMatchObject({ code: 0 });
    expect(out).toContain(`--desired-value 1000 --region ${REGION} --profile ops\n`);
  });
});

describe('the templates of prod', () => {
  const resources = synthesizeWithPlaceholders(ALL, (stacks) =>
    stacks.map(({ template }) => Object.values<TemplateResource>(template.Resources)),
  );

  test('retain no resource with a fixed name, except log groups', () => {
    const named = ({ Properties = {} }: TemplateResource) =>
      Object.entries(Properties).some(([name, value]) => name.endsWith('Name') && typeof value === 'string');
    const retained = resources.flat().filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain'));
    expect(new Set(retained.filter(named).map(({ Type }) => Type))).toEqual(new Set(['AWS::Logs::LogGroup']));
    expect(retained.some(({ Type }) => Type === 'AWS::S3::Bucket')).toBe(true);
  });

  test('have fewer than 500 resources per stack and at most 3,008 MB per function, as in a new account', () => {
    expect(Math.max(...resources.map(({ length }) => length))).toBeLessThan(500);
    const memory = resources.flat().map(({ Properties }) => Number(Properties?.MemorySize ?? 0));
    expect(Math.max(...memory)).toBeLessThanOrEqual(3_008);
  });
});

describe('the DuckDB layer', () => {
  test('is a problem if it is not built', async () => {
    const [layer] = (await resultsOf(stageOf({}, REGION), devPlan, join(dist, 'none'), undefined)).slice(1);
    const detail = 'The layer is missing or outdated.';
    expect(layer).toMatchObject({ status: 'problem', detail, blocks: true, fix: { commands: ['npm run layer'] } });
  });

  test('is a problem if it exceeds the unzipped size that Lambda accepts', async () => {
    const large = mkdtempSync(join(tmpdir(), 'tributary-doctor-'));
    putLayer(large);
    const library = join(
      ...[large, 'layers/duckdb/nodejs/node_modules/@duckdb/node-bindings-linux-arm64/libduckdb.so'],
    );
    truncateSync(library, 250 * 1024 * 1024);
    const [layer] = (await resultsOf(stageOf({}, REGION), devPlan, large, undefined)).slice(1);
    rmSync(large, { recursive: true });
    const detail = expect.stringMatching(/^The layer has 251 MB\. Lambda accepts 250 MB/);
    expect(layer).toMatchObject({ status: 'problem', detail, blocks: true });
  });
});

describe('a check that cannot run is reported as not checked, with the reason', () => {
  const denied: Record<string, [permission: string, denial: FakeResponse]> = {
    'ssm GetParameter': ['ssm:GetParameter', jsonError('AccessDeniedException')],
    'cloudformation DescribeStacks': ['cloudformation:DescribeStacks', xmlError('AccessDenied', 'No.', 403)],
    'logs DescribeLogGroups': ['logs:DescribeLogGroups', jsonError('AccessDeniedException')],
    [QUOTA]: ['lambda:GetAccountSettings', restError(403, 'AccessDeniedException')],
    'kinesis DescribeLimits': ['kinesis:DescribeLimits', jsonError('AccessDeniedException')],
    'acm DescribeCertificate': ['acm:DescribeCertificate', jsonError('AccessDeniedException')],
    [ROLE]: ['apigateway:GET', restError(403, 'AccessDeniedException')],
    [HOSTNAME]: ['apigateway:GET', restError(403, 'AccessDeniedException')],
    [IDENTITY]: ['ses:GetEmailIdentity', restError(403, 'AccessDeniedException')],
    [MAIL]: ['ses:GetAccount', restError(403, 'AccessDeniedException')],
    'sms-voice DescribePools': ['sms-voice:DescribePools', jsonError('AccessDeniedException')],
    'sms-voice DescribeAccountAttributes': ['sms-voice:DescribeAccountAttributes', jsonError('AccessDeniedException')],
    'sms-voice DescribeSpendLimits': ['sms-voice:DescribeSpendLimits', jsonError('AccessDeniedException')],
    [INFERENCE]: ['bedrock:GetInferenceProfile', restError(403, 'AccessDeniedException')],
    [MODEL]: ['bedrock:GetFoundationModelAvailability', restError(403, 'AccessDeniedException')],
  };

  test.each(Object.entries(denied))('if %s is denied', async (operation, [permission, denial]) => {
    responses[operation] = denial;
    const results = Object.values(await resultsFor(ALL));
    const detail = `These credentials lack the permission ${permission}. Ask an administrator for this permission.`;
    expect(results.filter(({ status }) => status !== 'ok')).toEqual([
      { name: expect.any(String), status: 'not checked', detail },
    ]);
  });

  test.each<[check: string, permission: string, differing: Responses]>([
    [
      'Lambda concurrency',
      'lambda:GetFunctionConcurrency',
      { [QUOTA]: lambdaQuota(NEEDED - 1), 'lambda GET /2019-09-30/functions': restError(403, 'AccessDeniedException') },
    ],
    [
      'Log groups',
      'cloudformation:ListStackResources',
      {
        'logs DescribeLogGroups': groups(LOGS),
        'cloudformation ListStackResources': xmlError('AccessDenied', 'No.', 403),
      },
    ],
    [
      'Event stream',
      'kinesis:DescribeStreamSummary',
      { ...streamWith(4), 'kinesis DescribeStreamSummary': jsonError('AccessDeniedException') },
    ],
  ])('if a later call of the check "%s", %s, is denied', async (check, permission, differing) => {
    Object.assign(responses, differing);
    expect((await resultsFor(ALL))[check]).toMatchObject({
      status: 'not checked',
      detail: expect.stringContaining(permission),
    });
  });

  test('if AWS responds with an unexpected error', async () => {
    responses[QUOTA] = restError(429, 'TooManyRequestsException', 'Rate exceeded');
    responses['ssm GetParameter'] = { body: '<html>A proxy.</html>' };
    expect(await resultsFor(ALL)).toMatchObject({
      'Lambda concurrency': {
        status: 'not checked',
        detail: 'The check failed. TooManyRequestsException: Rate exceeded',
      },
      'CDK bootstrap': { status: 'not checked', detail: expect.stringContaining('The check failed. SyntaxError') },
      'API Gateway log role': { status: 'ok' },
    });
  });

  test('if a service is not reachable; the checks of other services still run', async () => {
    const unused = `http://127.0.0.1:${await freePort()}`;
    vi.stubEnv('AWS_ENDPOINT_URL_LAMBDA', unused);
    vi.stubEnv('AWS_ENDPOINT_URL_SESV2', unused);
    const results = await resultsFor(ALL);
    for (const name of ['Lambda concurrency', 'E-mail sandbox'])
      expect(results[name]).toEqual({
        name,
        status: 'not checked',
        detail: expect.stringMatching(/^AWS is not reachable\. Check the network and the region\. \(.*ECONNREFUSED/),
      });
    expect(results['SMS sandbox']).toMatchObject({ status: 'ok' });
  });

  test('if there are no credentials', async () => {
    for (const name of Object.keys(credentials)) vi.stubEnv(name, '');
    const none = join(dist, 'none');
    for (const [name, value] of [
      ...[['AWS_CONFIG_FILE', none] as const, ['AWS_SHARED_CREDENTIALS_FILE', none] as const],
      ['AWS_EC2_METADATA_DISABLED', 'true'] as const,
    ])
      vi.stubEnv(name, value);
    expect(await resultsFor(ALL)).toMatchObject({
      'Account and region': {
        status: 'problem',
        blocks: true,
        detail: expect.stringContaining('Could not load credentials'),
        fix: { commands: ['aws sso login --profile NAME', 'export AWS_PROFILE=NAME'] },
      },
      'CDK bootstrap': { status: 'not checked', detail: 'This check needs valid credentials.' },
    });
    expect(calls).toEqual([]);
  });

  test('if the credentials are not valid; then no further requests are sent', async () => {
    responses['sts GetCallerIdentity'] = xmlError('ExpiredToken', 'Expired.', 403);
    const [first, layer, ...others] = Object.values(await resultsFor(ALL));
    expect([first?.status, layer?.status]).toEqual(['problem', 'ok']);
    expect(new Set(others.map(({ status, detail }) => `${status}: ${detail}`))).toEqual(
      new Set(['not checked: This check needs valid credentials.']),
    );
    expect(calls).toEqual(['sts GetCallerIdentity']);
  });

  test('if no service responds; the process still ends', async () => {
    for (const operation of Object.keys(READY)) responses[operation] = 'hangs';
    const startMs = Date.now();
    const { out } = await new Promise<{ out: string }>((resolve) =>
      execFile(
        process.execPath,
        [join(ROOT, 'infra/doctor/main.ts'), '--stage', 'prod', ...settingArguments],
        { env: { ...process.env } },
        (_, stdout) => resolve({ out: stdout }),
      ),
    );
    expect(Date.now() - startMs).toBeLessThan(60_000);
    expect(out.match(/^not checked .* AWS did not respond within 8 s\.$/gm)).toHaveLength(15);
  });
});
