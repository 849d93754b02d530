import type { Mutation } from './mutations.ts';

/** Defects of the gateway and of templates in general. */
export const GATEWAY_MUTATIONS: readonly Mutation[] = [
  {
    title: 'a method without its throttle',
    check: 'every method that reaches a function has a throttle, and no execution log',
    type: 'AWS::ApiGateway::Stage',
    change: ({ Properties }) => Properties.MethodSettings.pop(),
    reports: /has a throttle of its own/,
  },
  {
    title: 'a route without a declaration',
    check: 'routes are exactly the declared ones, each with its preflight and its 405; every other path has a 404',
    type: 'AWS::ApiGateway::Method',
    of: /"OperationName":"FunnelSubmit"/,
    change: (method) => Object.assign(method, { Type: 'AWS::CloudFormation::WaitConditionHandle' }),
    reports: /submit is declared and has no method/,
  },
  {
    title: 'an unknown path that API Gateway treats as an unsigned AWS request',
    check: 'routes are exactly the declared ones, each with its preflight and its 405; every other path has a 404',
    type: 'AWS::ApiGateway::Resource',
    of: /\{proxy\+\}/,
    change: ({ Properties }) => Object.assign(Properties, { PathPart: 'another' }),
    reports: /has no 404 for the paths below it/,
  },
  {
    title: 'two variables at one position of a path',
    check: 'a path has at most one variable at each position',
    type: 'AWS::ApiGateway::Resource',
    of: /"PathPart":"\{/,
    change: ({ Properties }, { stack }) => {
      const other = { Type: 'AWS::ApiGateway::Resource', Properties: { ...Properties, PathPart: '{another}' } };
      stack.template.Resources.Another = other;
    },
    reports: /\{another\} can not stand beside/,
  },
  {
    title: 'a gateway response that pages cannot read',
    check: 'pages can read every gateway response',
    type: 'AWS::ApiGateway::GatewayResponse',
    of: /DEFAULT_5XX/,
    change: ({ Properties }) =>
      delete Properties.ResponseParameters['gatewayresponse.header.Access-Control-Allow-Origin'],
    reports: /DEFAULT_5XX lacks Access-Control-Allow-Origin/,
  },
  {
    title: 'a preflight that names no headers',
    check: 'pages can read responses to preflights and to wrong methods',
    type: 'AWS::ApiGateway::Method',
    of: /"HttpMethod":"OPTIONS"/,
    change: ({ Properties }) =>
      delete Properties.Integration.IntegrationResponses[0].ResponseParameters[
        'method.response.header.Access-Control-Allow-Headers'
      ],
    reports: /OPTIONS .* lacks Access-Control-Allow-Headers/,
  },
  {
    title: 'a missing resource that another one references',
    check: 'every reference of a template exists',
    type: 'AWS::Lambda::Function',
    of: /^FunnelSubmit/,
    change: (resource, { stack, id }) => {
      delete stack.template.Resources[id];
      stack.template.Resources.Renamed = resource;
    },
    reports: /names FunnelSubmit.*, which is not there/,
  },
  {
    title: 'a stack that reads an output of a later one',
    check: 'stacks depend only on earlier ones, and are deployed after them',
    type: 'AWS::DynamoDB::GlobalTable',
    change: ({ Properties }) =>
      Object.assign(Properties, {
        Tags: [{ Value: { 'Fn::GetStackOutput': { StackName: 'tributary-prod-api', OutputName: 'Any' } } }],
      }),
    reports: /prod-data needs tributary-prod-api, which comes later/,
  },
  {
    title: 'two resources that depend on each other',
    check: 'there are no circular dependencies',
    type: 'AWS::IAM::Role',
    of: /^FunnelSubmit/,
    change: (role, { stack }) => {
      const lambda = Object.keys(stack.template.Resources).find((id) => /^FunnelSubmit[0-9A-F]{8}$/.test(id));
      Object.assign(role, { DependsOn: lambda });
    },
    reports: /FunnelSubmit.* waits for FunnelSubmit/,
  },
  {
    title: 'an alarm that waits for the alias whose deployment waits for it',
    check: 'there are no circular dependencies',
    type: 'AWS::CloudWatch::Alarm',
    of: /^FunnelSubmitFailing/,
    change: (alarm, { stack }) => {
      const alias = Object.keys(stack.template.Resources).find((id) => id.startsWith('FunnelSubmitAlias'));
      Object.assign(alarm, { DependsOn: alias });
    },
    reports: /FunnelSubmitAlias.* waits for FunnelSubmitDeployment/,
  },
  {
    title: 'two resources with the same name',
    check: 'outputs, exports and names of resources are unique',
    type: 'AWS::Lambda::Function',
    of: /^FunnelUpload/,
    change: ({ Properties }) => Object.assign(Properties, { FunctionName: 'tributary-prod-funnel-submit' }),
    reports: /tributary-prod-funnel-submit is there twice/,
  },
  {
    title: 'a stack that is nearly at the resource limit',
    check: 'stacks are within the limits of CloudFormation, with room for more',
    type: 'AWS::ApiGateway::RestApi',
    change: (api, { stack }) => {
      for (let count = 0; count < 450; count += 1) stack.template.Resources[`More${count}`] = api;
    },
    reports: /prod-api has \d+ resources of 500/,
  },
  {
    title: 'a description that AWS rejects',
    check: 'names and descriptions are within the limits of AWS',
    type: 'AWS::Lambda::Function',
    change: ({ Properties }) => Object.assign(Properties, { Description: 'x'.repeat(257) }),
    reports: /Description of 257 characters/,
  },
  {
    title: 'the value of a secret',
    check: 'no template contains a secret, an account or a folder of this machine',
    type: 'AWS::SecretsManager::Secret',
    change: ({ Properties }) => Object.assign(Properties, { SecretString: 'a value' }),
    reports: /holds the value of a secret/,
  },
  {
    title: 'an account id',
    check: 'no template contains a secret, an account or a folder of this machine',
    type: 'AWS::IAM::Role',
    change: ({ Properties }) => Object.assign(Properties, { Description: 'of 444455556666' }),
    reports: /names the account 444455556666/,
  },
  {
    title: 'a method with IAM authorization',
    check: 'no method has an authorizer: functions verify tokens',
    type: 'AWS::ApiGateway::Method',
    change: ({ Properties }) => Object.assign(Properties, { AuthorizationType: 'AWS_IAM' }),
    reports: /asks for nothing that the interface does not know/,
  },
  {
    title: 'a limit below the minimum of WAF',
    check: 'WAF accepts the rules of the firewall',
    type: 'AWS::WAFv2::WebACL',
    change: ({ Properties }) => Object.assign(Properties.Rules[0].Statement.RateBasedStatement, { Limit: 9 }),
    reports: /counts to 9/,
  },
  {
    title: 'a pattern that WAF does not support',
    check: 'WAF accepts the rules of the firewall',
    type: 'AWS::WAFv2::WebACL',
    change: ({ Properties }) => Properties.Rules.push({ RegexString: '^/(api)/v2' }),
    reports: /pattern that WAF refuses/,
  },
  {
    title: 'a queue for more schedules than its policy can name',
    check: 'policies of queues are within the limits of AWS',
    type: 'AWS::SQS::QueuePolicy',
    change: ({ Properties: { PolicyDocument } }) =>
      Object.assign(PolicyDocument, { Statement: Array(21).fill(PolicyDocument.Statement[0]) }),
    reports: /has 21 statements/,
  },
  {
    title: 'a reserved variable of Lambda',
    check: 'policies and environments are within the limits of AWS',
    type: 'AWS::Lambda::Function',
    change: ({ Properties }) => Object.assign(Properties.Environment.Variables, { AWS_REGION: 'eu-central-1' }),
    reports: /sets AWS_REGION/,
  },
  {
    title: 'a function with too many variables',
    check: 'policies and environments are within the limits of AWS',
    type: 'AWS::Lambda::Function',
    change: ({ Properties }) => Object.assign(Properties.Environment.Variables, { MORE: 'x'.repeat(4096) }),
    reports: /variables over 4096/,
  },
];
