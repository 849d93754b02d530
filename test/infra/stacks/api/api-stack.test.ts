import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, test } from 'vitest';
import { operations } from '../../../../functions/declarations.ts';
import { toPascalCase } from '../../../../infra/functions/lambda-function.ts';
import { HTTP_ERROR_CODES } from '../../../../shared/http/errors.ts';
import { pathsOf } from '../../../../shared/http/operation.ts';
import { deployed, stackOf, synthesize, synthesizedStage } from '../../../support/stacks.ts';

const ORIGINS = ['https://app.example.com', 'https://admin.example.com'];
const { api: prod, admin } = synthesize({ stage: 'prod', corsOrigins: ORIGINS.join(',') }).templates;
const dev = synthesizedStage().templates.api;

const propertiesOf = (template: typeof prod, type: string) =>
  Object.values(template.findResources(type)).map(({ Properties }) => Properties);

/** Returns the paths of a template's resources by logical id. The root has the key `undefined`. */
function pathsById(template: typeof prod): Map<string | undefined, string> {
  const resources = template.findResources('AWS::ApiGateway::Resource');
  const pathOf = (id: string): string => {
    const { ParentId, PathPart } = resources[id]?.Properties ?? {};
    return ParentId.Ref === undefined ? `/${PathPart}` : `${pathOf(ParentId.Ref)}/${PathPart}`;
  };
  return new Map([[undefined, '/'], ...Object.keys(resources).map((id) => [id, pathOf(id)] as const)]);
}

const allPaths = (template: typeof prod) => [...pathsById(template).values()];

/** Returns the properties of a path's methods by HTTP method. */
function methodsOf(template: typeof prod, path: string) {
  const paths = pathsById(template);
  const methods = propertiesOf(template, 'AWS::ApiGateway::Method').filter(
    ({ ResourceId }) => paths.get(ResourceId.Ref) === path,
  );
  return Object.fromEntries(methods.map((method) => [method.HttpMethod, method]));
}

/** Returns the response of a mock integration. */
function mocked(method: ReturnType<typeof methodsOf>[string]) {
  const [response] = method.Integration.IntegrationResponses;
  // The deployment fails if the method does not declare a header that the integration sends.
  const [{ ResponseParameters: declared }] = method.MethodResponses;
  expect(Object.keys(declared)).toEqual(expect.arrayContaining(Object.keys(response.ResponseParameters)));
  const headers = Object.entries<string>(response.ResponseParameters).map(([name, value]) => [
    name.replace('method.response.header.', '').toLowerCase(),
    value.replace(/^'(.*)'$/, '$1'),
  ]);
  return {
    status: response.StatusCode,
    headers: Object.fromEntries(headers),
    template: response.ResponseTemplates?.['application/json'],
  };
}

describe('gateway responses', () => {
  const responses = new Map(
    propertiesOf(prod, 'AWS::ApiGateway::GatewayResponse').map((one) => [one.ResponseType, one]),
  );
  const types = Object.values(ResponseType).flatMap((type) =>
    type instanceof ResponseType ? [type.responseType] : [],
  );

  test.each(types)('the response for %s is an ApiError that pages of any origin can read', (type) => {
    const response = responses.get(type);
    const { error } = JSON.parse(response.ResponseTemplates['application/json']);
    expect(HTTP_ERROR_CODES).toContain(error.code);
    expect(error.message).toMatch(/^[A-Z].*\.$/);
    expect(response.ResponseParameters).toMatchObject({
      'gatewayresponse.header.Access-Control-Allow-Origin': "'*'",
      'gatewayresponse.header.Access-Control-Expose-Headers': expect.stringContaining('Retry-After'),
      'gatewayresponse.header.Cache-Control': "'no-store'",
      'gatewayresponse.header.Content-Type': "'application/json'",
      'gatewayresponse.header.Strict-Transport-Security': expect.stringMatching(/^'max-age=\d{8}'$/),
      'gatewayresponse.header.X-Content-Type-Options': "'nosniff'",
      'gatewayresponse.header.x-request-id': 'context.extendedRequestId',
    });
  });

  test('exist for every response type of API Gateway', () => {
    expect(types.length).toBeGreaterThan(20);
    expect([...responses.keys()].sort()).toEqual(types.sort());
  });

  test('404: MISSING_AUTHENTICATION_TOKEN, which a REST API uses for unknown paths, has the code not_found', () => {
    const response = responses.get('MISSING_AUTHENTICATION_TOKEN');
    expect(response).toMatchObject({ StatusCode: '404' });
    expect(JSON.parse(response.ResponseTemplates['application/json']).error.code).toBe('not_found');
  });

  test('405: UNSUPPORTED_MEDIA_TYPE, which only mock integrations use, has the code method_not_allowed', () => {
    const response = responses.get('UNSUPPORTED_MEDIA_TYPE');
    expect(response).toMatchObject({ StatusCode: '405' });
    expect(JSON.parse(response.ResponseTemplates['application/json']).error.code).toBe('method_not_allowed');
  });

  test.each(['THROTTLED', 'QUOTA_EXCEEDED', 'WAF_FILTERED'])('429: %s has Retry-After', (type) => {
    expect(responses.get(type)).toMatchObject({
      StatusCode: '429',
      ResponseParameters: { 'gatewayresponse.header.Retry-After': expect.stringMatching(/^'\d+'$/) },
    });
  });

  test.each(['DEFAULT_4XX', 'DEFAULT_5XX'])('%s keeps the status of the error', (type) => {
    expect(responses.get(type).StatusCode).toBeUndefined();
  });
});

describe('an unknown path', () => {
  const declared = new Set<string>(operations.flatMap(pathsOf));
  const paths = allPaths(prod).filter((path) => !declared.has(path));

  test('matches a resource, because each resource except {proxy+} has a path variable below it', () => {
    const all = allPaths(prod);
    const withoutChild = all.filter(
      (path) =>
        !path.endsWith('{proxy+}') &&
        !all.some((other) => other.endsWith('}') && other.slice(0, other.lastIndexOf('/')) === path.replace(/\/$/, '')),
    );
    expect(paths).toEqual(expect.arrayContaining(['/', '/{proxy+}', '/api/v2/organizations']));
    expect(withoutChild).toEqual([]);
  });

  test('is covered with at most one path variable below each resource, because API Gateway allows only one', () => {
    const variables = allPaths(prod).flatMap((path) =>
      path.endsWith('}') ? path.slice(0, path.lastIndexOf('/')) : [],
    );
    expect(variables.filter((parent, at) => variables.indexOf(parent) !== at)).toEqual([]);
  });

  test.each(paths)('404: at %s, every method gets an ApiError, and needs no authorization', (path) => {
    const methods = methodsOf(prod, path);
    expect(Object.keys(methods)).toEqual(['ANY']);
    expect(methods.ANY).toMatchObject({ AuthorizationType: 'NONE', Integration: { Type: 'MOCK' } });
    const { status, headers, template } = mocked(methods.ANY);
    expect(status).toBe('404');
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': expect.stringContaining('x-request-id'),
      'cache-control': 'no-store',
      'content-type': 'application/json',
      'x-request-id': 'context.extendedRequestId',
    });
    expect(headers).not.toHaveProperty('allow');
    expect(JSON.parse(template).error.code).toBe('not_found');
    for (const type of ['application/json', 'text/plain', 'multipart/form-data', 'image/jpeg', 'application/pdf']) {
      expect(JSON.parse(methods.ANY.Integration.RequestTemplates[type])).toEqual({ statusCode: 404 });
    }
  });

  test('is covered with fewer than 150 resources in total, far below the quota of API Gateway', () => {
    expect(allPaths(prod).length).toBeLessThan(150);
  });
});

const everyPath = operations.flatMap((declared) => pathsOf(declared).map((path) => ({ ...declared, path })));

describe.each(everyPath)('$method $path', ({ id, method, path, auth }) => {
  const methods = methodsOf(prod, path);
  const own = everyPath.filter((other) => other.path === path).map((other) => other.method);
  const allowed = [...own, 'OPTIONS'].sort();
  const split = (value: string) => value.split(/,\s*/).sort();

  test('is on a path that has only the declared methods, OPTIONS, and ANY for all other methods', () => {
    expect(Object.keys(methods).sort()).toEqual([...allowed, 'ANY'].sort());
  });

  test('invokes its own function', () => {
    const uri = JSON.stringify(methods[method].Integration.Uri);
    if (stackOf(id) === 'admin') expect(uri).toContain(`:function:tributary-prod-${id.replace('/', '-')}:live/`);
    else expect(uri).toMatch(new RegExp(`"${toPascalCase(id)}Aliaslive[0-9A-F]{8}"`));
    expect(methods[method].Integration.Type).toBe('AWS_PROXY');
  });

  test('405: any other method gets an ApiError with Allow, for bodies of JSON, text and multipart forms', () => {
    const { status, headers, template } = mocked(methods.ANY);
    expect(status).toBe('405');
    expect(split(headers.allow)).toEqual(allowed);
    expect(headers).toMatchObject({ 'access-control-allow-origin': '*', 'x-request-id': 'context.extendedRequestId' });
    expect(JSON.parse(template).error.code).toBe('method_not_allowed');
    const { RequestTemplates, PassthroughBehavior, ContentHandling } = methods.ANY.Integration;
    for (const type of ['application/json', 'text/plain', 'multipart/form-data']) {
      expect(JSON.parse(RequestTemplates[type])).toEqual({ statusCode: 405 });
    }
    // With other values, API Gateway would pass the body to the mock integration, which would return 500.
    expect({ PassthroughBehavior, ContentHandling }).toEqual({
      PassthroughBehavior: 'NEVER',
      ContentHandling: 'CONVERT_TO_TEXT',
    });
  });

  test('preflight: returns the methods of the path, the allowed headers and an allowed origin', () => {
    const { status, headers, template } = mocked(methods.OPTIONS);
    expect(status).toBe('204');
    expect(split(headers['access-control-allow-methods'])).toEqual(allowed);
    expect(split(headers['access-control-allow-headers'])).toEqual(
      expect.arrayContaining(['Authorization', 'Content-Type', 'Idempotency-Key']),
    );
    expect(headers['access-control-max-age']).toBe('3600');
    if (auth === 'public') {
      expect(headers['access-control-allow-origin']).toBe('*');
      expect(template).toBeUndefined();
    } else {
      expect(headers).toMatchObject({ 'access-control-allow-origin': ORIGINS[0], vary: 'Origin' });
      expect(template).toContain(`$origin == '${ORIGINS[1]}'`);
    }
  });

  test('preflight: without configured origins, public operations allow any origin, and other operations allow no origin', () => {
    const { headers } = mocked(methodsOf(dev, path).OPTIONS);
    expect(headers['access-control-allow-origin']).toBe(auth === 'public' ? '*' : undefined);
  });
});

test('only bodies of multipart forms are passed as base64', () => {
  const [api] = propertiesOf(prod, 'AWS::ApiGateway::RestApi');
  expect(api.BinaryMediaTypes).toEqual(['multipart/form-data']);
});

test('the endpoint supports only IPv4, because the firewall cannot count IPv6 addresses by network', () => {
  for (const template of [prod, dev]) {
    const [api] = propertiesOf(template, 'AWS::ApiGateway::RestApi');
    expect(api.EndpointConfiguration).toEqual({ Types: ['REGIONAL'], IpAddressType: 'ipv4' });
  }
});

test('the template does not change the settings of API Gateway for the account', () => {
  expect(prod.findResources('AWS::ApiGateway::Account')).toEqual({});
});

test('each path of an operation has one invocation permission; test calls from the console have no permission', () => {
  const permissions = [prod, admin].flatMap((template) => propertiesOf(template, 'AWS::Lambda::Permission'));
  expect(permissions).toHaveLength(everyPath.length);
  const sources = permissions.map(({ SourceArn }) => JSON.stringify(SourceArn));
  for (const source of sources) expect(source).not.toContain('test-invoke-stage');
  for (const { method, path } of everyPath) {
    const route = `/${method}${path.replaceAll(/\{[^}]+\}/g, '*')}"`;
    expect(
      sources.filter((source) => source.includes(route)),
      route,
    ).toHaveLength(1);
  }
});

test('the gateway writes no execution log, which would keep tokens and texts of visitors', () => {
  for (const template of [prod, dev]) {
    const [{ MethodSettings }] = propertiesOf(template, 'AWS::ApiGateway::Stage');
    for (const { DataTraceEnabled, LoggingLevel = 'OFF' } of MethodSettings) {
      expect([DataTraceEnabled ?? false, LoggingLevel]).toEqual([false, 'OFF']);
    }
  }
});

test('the gateway writes no traces, which would keep the IP address of the caller', () => {
  for (const template of [prod, dev]) {
    expect(propertiesOf(template, 'AWS::ApiGateway::Stage')[0].TracingEnabled).not.toBe(true);
  }
});

test('access logs exist only in prod, and do not identify the caller', () => {
  const [stage] = propertiesOf(prod, 'AWS::ApiGateway::Stage');
  const fields: string[] = Object.values(JSON.parse(stage.AccessLogSetting.Format));
  expect(fields).toContain('$context.extendedRequestId');
  // The log must not contain this id, because callers can set it with a header.
  expect(fields).not.toContain('$context.requestId');
  expect(fields.filter((field) => /identity|authorizer|\$context\.path|querystring|header/i.test(field))).toEqual([]);
  expect(propertiesOf(dev, 'AWS::ApiGateway::Stage')[0].AccessLogSetting).toBeUndefined();
});

test('funnel/submit gets the validity of update tokens as a setting, and training/create-case does not', () => {
  const synthesized = synthesize({ leadTokenDays: '7' });
  const variables = (id: string) => deployed(synthesized, id).lambda.properties.Environment?.Variables ?? {};
  expect(variables('funnel/submit')).toMatchObject({ LEAD_TOKEN_DAYS: '7' });
  expect(variables('training/create-case')).not.toHaveProperty('LEAD_TOKEN_DAYS');
});

test('the setting ingestPath replaces the second path of ingest, and the output IngestPath has the new path', () => {
  const ingestPath = '/api/v2/public/funnel/{id}/progress';
  const template = synthesize({ ingestPath }).templates.api;
  const { Integration } = methodsOf(template, ingestPath).POST;
  expect(Integration).toEqual(methodsOf(template, '/api/v2/public/funnel/{id}/analytics').POST.Integration);
  expect(allPaths(template)).not.toContain('/api/v2/public/funnel/{id}/e');
  expect(template.findOutputs('IngestPath').IngestPath?.Value).toBe(ingestPath);
  expect(prod.findOutputs('IngestPath').IngestPath?.Value).toBe('/api/v2/public/funnel/{id}/e');
});
