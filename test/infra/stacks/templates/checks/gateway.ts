import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { operations } from '../../../../../functions/declarations.ts';
import { GATEWAY_LIMITS } from '../../../../../infra/stacks/api/gateway-responses.ts';
import { type Check, type Deployment, each, type Found, list, resourcesOf } from '../template.ts';

type Method = Found & { verb: string; path: string };

function pathOf({ stack, Properties }: Found): string {
  const parent = stack.template.Resources[Properties.ParentId?.Ref];
  const start = parent === undefined ? '' : pathOf({ ...parent, stack, id: '', at: '' });
  return `${start}/${Properties.PathPart}`;
}

function methodsOf(deployment: Deployment): Method[] {
  const paths = new Map(resourcesOf(deployment, 'AWS::ApiGateway::Resource').map((one) => [one.id, pathOf(one)]));
  return resourcesOf(deployment, 'AWS::ApiGateway::Method').map((method) => ({
    ...method,
    verb: method.Properties.HttpMethod,
    path: paths.get(method.Properties.ResourceId?.Ref) ?? '/',
    at: `${method.stack.name}: ${method.Properties.HttpMethod} ${paths.get(method.Properties.ResourceId?.Ref) ?? '/'}`,
  }));
}

const isDeclared = (given: string): boolean => operations.some(({ path }) => given === `/${path.replace(/^\//, '')}`);

/** Whether a path ends with a variable directly below another one. */
const isVariableBelow = (path: string, other: string): boolean =>
  other.endsWith('}') && other.slice(0, other.lastIndexOf('/')) === path.replace(/\/$/, '');

const isMock = ({ Properties }: Method): boolean => Properties.Integration?.Type === 'MOCK';

export const routesAreTheDeclaredOnes: Check = (deployment) => {
  const declared = operations.map(({ method, path }) => `${method} ${path.startsWith('/') ? path : `/${path}`}`);
  const methods = methodsOf(deployment);
  const deployed = methods.filter((method) => !isMock(method)).map(({ verb, path }) => `${verb} ${path}`);
  const paths = new Set(declared.map((route) => route.slice(route.indexOf('/'))));
  const known = ['/', ...resourcesOf(deployment, 'AWS::ApiGateway::Resource').map(pathOf)];
  const hasMock = (verb: string, path: string) =>
    methods.some((one) => one.verb === verb && one.path === path && isMock(one));
  return [
    ...declared.filter((route) => !deployed.includes(route)).map((route) => `${route} is declared and has no method`),
    ...deployed
      .filter((route) => !declared.includes(route))
      .map((route) => `${route} has a method and is not declared`),
    ...[...paths].filter((path) => !hasMock('OPTIONS', path)).map((path) => `${path} has no preflight`),
    ...[...paths].filter((path) => !hasMock('ANY', path)).map((path) => `${path} does not refuse other methods`),
    ...methods
      .filter((one) => isMock(one) && !paths.has(one.path) && one.verb !== 'ANY')
      .map(({ at }) => `${at} is a mock on a path that is not declared`),
    ...known.filter((path) => !paths.has(path) && !hasMock('ANY', path)).map((path) => `${path} has no 404`),
    ...known
      .filter((path) => !path.endsWith('{proxy+}') && !known.some((other) => isVariableBelow(path, other)))
      .map((path) => `${path} has no 404 for the paths below it`),
  ];
};

/** API Gateway developer guide: quotas, and resources with a variable. */
const RESOURCES_MAX = 300;

export const pathsCanStandTogether: Check = (deployment) => {
  const resources = resourcesOf(deployment, 'AWS::ApiGateway::Resource');
  const beside = Map.groupBy(resources, ({ stack, Properties: { ParentId, PathPart } }) =>
    [stack.name, JSON.stringify(ParentId), PathPart.startsWith('{') ? 'a variable' : PathPart].join(' '),
  );
  return [
    ...(resources.length > RESOURCES_MAX ? [`There are ${resources.length} paths, over ${RESOURCES_MAX}`] : []),
    ...[...beside.values()]
      .filter(({ length }) => length > 1)
      .map((several) => `${several.map(pathOf).join(' and ')} can not stand beside each other`),
  ];
};

/** Functions verify tokens (see `infra/stacks/api/nag-exceptions.ts`), so the gateway must not authorize requests. */
export const methodsAreOpenOnPurpose: Check = (deployment) => [
  ...each(methodsOf(deployment), {
    'asks for nothing that the interface does not know': ({ Properties }) =>
      Properties.AuthorizationType === 'NONE' &&
      Properties.ApiKeyRequired !== true &&
      Properties.AuthorizerId === undefined,
    'waits no longer than a REST API can': ({ Properties: { Integration } }) =>
      Integration?.ResponseTransferMode === 'STREAM' ||
      (Integration?.TimeoutInMillis ?? 0) <= 1000 * GATEWAY_LIMITS.integrationSeconds,
  }),
  ...resourcesOf(deployment, 'AWS::ApiGateway::Authorizer').map(({ at }) => `${at} is an authorizer`),
];

export const everyMethodHasAThrottle: Check = (deployment) => {
  const settings = resourcesOf(deployment, 'AWS::ApiGateway::Stage').flatMap(({ Properties }) =>
    list(Properties.MethodSettings).map((setting) => setting as Record<string, unknown>),
  );
  const throttle = ({ verb, path }: Method) =>
    settings.find((one) => one.HttpMethod === verb && String(one.ResourcePath) === `/${path.replaceAll('/', '~1')}`);
  return [
    ...each(
      methodsOf(deployment).filter((method) => !isMock(method)),
      {
        'has a throttle of its own': (method) => {
          const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = throttle(method as Method) ?? {};
          return Number(rate) > 0 && Number(burst) > 0;
        },
      },
    ),
    ...settings
      .filter((one) => one.DataTraceEnabled === true || (one.LoggingLevel !== undefined && one.LoggingLevel !== 'OFF'))
      .map((one) => `${String(one.ResourcePath)} writes requests into an execution log`),
  ];
};

const TYPES = Object.values(ResponseType).flatMap((type) => (type instanceof ResponseType ? [type.responseType] : []));
const RESPONSE_HEADERS = [
  'Access-Control-Allow-Origin',
  'Access-Control-Expose-Headers',
  'Cache-Control',
  'Content-Type',
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'x-request-id',
];
const ON_PREFLIGHTS = [
  'Strict-Transport-Security',
  'X-Content-Type-Options',
  'Access-Control-Allow-Methods',
  'Access-Control-Allow-Headers',
  'Access-Control-Max-Age',
];

export const gatewayAnswersAreReadable: Check = (deployment) => {
  const responses = resourcesOf(deployment, 'AWS::ApiGateway::GatewayResponse');
  return [
    ...TYPES.filter((type) => !responses.some(({ Properties }) => Properties.ResponseType === type)).map(
      (type) => `There is no gateway response ${type}`,
    ),
    ...responses.flatMap(({ stack, Properties: { ResponseType: type, ResponseParameters = {}, StatusCode } }) => [
      ...lacking(RESPONSE_HEADERS, 'gatewayresponse.header.', ResponseParameters).map(
        (name) => `${stack.name}: ${type} lacks ${name}`,
      ),
      // It applies to many statuses, and would replace each by one.
      ...(/^DEFAULT_/.test(type) && StatusCode !== undefined ? [`${stack.name}: ${type} has a status`] : []),
    ]),
  ];
};

export const preflightsAndRefusalsAreReadable: Check = (deployment) => {
  const origins = String(deployment.settings.corsOrigins ?? '');
  return methodsOf(deployment)
    .filter(isMock)
    .flatMap((method) => {
      const parameters = list(method.Properties.Integration?.IntegrationResponses)[0] as {
        ResponseParameters?: object;
      };
      const declared = list(method.Properties.MethodResponses)[0] as { ResponseParameters?: object } | undefined;
      const sent = parameters?.ResponseParameters ?? {};
      const wanted =
        method.verb === 'OPTIONS'
          ? [...ON_PREFLIGHTS, ...originHeader(method.path, origins)]
          : [...RESPONSE_HEADERS, ...(isDeclared(method.path) ? ['Allow'] : [])];
      return [
        ...lacking(wanted, 'method.response.header.', sent).map((name) => `${method.at} lacks ${name}`),
        // A header that the method's response does not declare makes the deployment fail.
        ...Object.keys(sent)
          .filter((name) => !Object.hasOwn(declared?.ResponseParameters ?? {}, name))
          .map((name) => `${method.at} sends ${name} undeclared`),
      ];
    });
};

/** Without configured origins, no page may call organization routes. */
const originHeader = (path: string, origins: string): string[] =>
  path.includes('/organizations/') && origins === '' ? [] : ['Access-Control-Allow-Origin'];

const lacking = (names: readonly string[], prefix: string, given: object): string[] =>
  names.filter((name) => !Object.hasOwn(given, `${prefix}${name}`));
