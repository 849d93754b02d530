import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import {
  AccessLogField,
  AccessLogFormat,
  EndpointType,
  IpAddressType,
  LambdaIntegration,
  LogGroupLogDestination,
  ResponseTransferMode,
  RestApi,
  type StageOptions,
} from 'aws-cdk-lib/aws-apigateway';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import type { ServiceOperation } from '../../../functions/declare-operation.ts';
import { ingestAnalyticsOperation } from '../../../functions/funnel/ingest-analytics/operation.ts';
import { pathsOf } from '../../../shared/http/operation.ts';
import { requireLayer } from '../../functions/duckdb-layer.ts';
import { toEnvironment } from '../../functions/function-settings.ts';
import { aliasByName, createLambdaFunction, type Deployment, toPascalCase } from '../../functions/lambda-function.ts';
import { requiredGrants } from '../../functions/required-grants.ts';
import { accessLogGroupName } from '../../names.ts';
import { API_OUTPUTS, outputName } from '../../outputs.ts';
import { warnAboutTextModel } from '../../settings/ai-settings.ts';
import { warnAboutCustomDomains } from '../../settings/edge-settings.ts';
import { withIngestPath } from '../../settings/ingest-path.ts';
import { warnAboutSenders } from '../../settings/message-settings.ts';
import type { Oidc, Stage } from '../../settings/stages.ts';
import { warnAboutVoiceProvider } from '../../settings/voice-settings.ts';
import { isAdministrative } from '../admin/is-administrative.ts';
import { removalPolicy } from '../data/removal-policy.ts';
import { addApiAddress } from './api-domain.ts';
import { firewall } from './firewall.ts';
import {
  addMethodNotAllowed,
  addPreflightResponses,
  addUnknownPathResponse,
  shapeGatewayResponses,
} from './gateway-mocks.ts';
import { BINARY_MEDIA_TYPES } from './gateway-responses.ts';
import { methodThrottle } from './method-throttle.ts';
import { acknowledgeGatewayFindings, acknowledgeMethodFindings } from './nag-exceptions.ts';

export type Api = {
  stack: Stack;
  restApi: RestApi;
  /** Returns the settings that an operation needs in addition to those of its grants. */
  environmentOf(declared: ServiceOperation): Record<string, string>;
};

/** Creates the REST API with all its methods, and the functions of the operations that are not in the stack `admin`. */
export function apiStack(
  scope: Construct,
  deployment: Deployment,
  oidc: Oidc,
  declaredOperations: readonly ServiceOperation[],
): Api {
  const { stage, dist } = deployment;
  const operations = withIngestPath(declaredOperations, stage.ingestPath);
  const stack = new Stack(scope, `tributary-${stage.name}-api`, { terminationProtection: stage.keepsData });
  requireLayer(stack, dist);
  const api = new RestApi(stack, 'Api', {
    restApiName: `tributary-${stage.name}`,
    // Only IPv4, because a client can use any number of IPv6 addresses, which the firewall cannot count by network.
    endpointConfiguration: { types: [EndpointType.REGIONAL], ipAddressType: IpAddressType.IPV4 },
    binaryMediaTypes: [...BINARY_MEDIA_TYPES],
    // The account has one log role per region, so a role of this stack would replace the role of another stack.
    cloudWatchRole: false,
    // API Gateway's own hostname stays enabled beside a custom hostname, because published pages may use it.
    disableExecuteApiEndpoint: false,
    deployOptions: deployOptions(stack, stage, operations),
  });
  shapeGatewayResponses(api);
  firewall(stack, api, stage, operations);
  const apiAddress = addApiAddress(stack, api, stage);
  addIngestPath(stack, operations);
  acknowledgeGatewayFindings(api, stage);
  warnAboutTextModel(stack, stage.ai);
  warnAboutSenders(stack, stage.messages);
  warnAboutVoiceProvider(stack);
  warnAboutCustomDomains(stack, stage.edge);
  const ownHostnames = [
    `${api.restApiId}.execute-api.${stack.region}.${stack.urlSuffix}`,
    ...[stage.domain, stage.webDomain].flatMap((own) => own?.name ?? []),
  ].join(',');
  new CfnOutput(stack, outputName('webhookOwnHostnames'), {
    value: ownHostnames,
    description: API_OUTPUTS.webhookOwnHostnames,
  });
  const environmentOf = (one: ServiceOperation) => environment(one, oidc, stage, { ownHostnames, apiAddress });
  const integrations = new Map(
    operations.map((one) => {
      const handler = isAdministrative(one)
        ? aliasByName(stack, stage, one.id)
        : createLambdaFunction(
            stack,
            deployment,
            { ...one, grants: requiredGrants(one) },
            {
              environment: environmentOf(one),
              ...(one.limits.reservedConcurrency && { reservedConcurrency: one.limits.reservedConcurrency }),
            },
          );
      return [one, new LambdaIntegration(handler, { allowTestInvoke: false, ...transfer(one) })];
    }),
  );
  for (const [path, declared] of byPath(operations)) {
    const resource = api.root.resourceForPath(path);
    const methods = declared.map(({ method }) => method);
    for (const one of declared) {
      const method = resource.addMethod(
        one.method,
        integrations.get(one),
        // An alternative path gets no name, because a name identifies only one method of an exported API.
        path === one.path ? { operationName: toPascalCase(one.id) } : {},
      );
      acknowledgeMethodFindings(method, isPublic(one));
    }
    addPreflightResponses(resource, methods, declared.every(isPublic) ? ['*'] : stage.corsOrigins);
    addMethodNotAllowed(resource, methods);
  }
  addUnknownPathResponse(api.root);
  return { stack, restApi: api, environmentOf };
}

/**
 * Enables response streaming for operations that declare it. For these operations, the timeout of the function applies.
 * For other operations, the gateway's timeout of 29 s applies.
 */
const transfer = ({ streamContentTypes: streams, limits }: ServiceOperation) =>
  streams === undefined
    ? {}
    : { responseTransferMode: ResponseTransferMode.STREAM, timeout: Duration.seconds(limits.timeoutSeconds) };

const isPublic = ({ auth }: ServiceOperation): boolean => auth === 'public';

function byPath(operations: readonly ServiceOperation[]): Map<string, ServiceOperation[]> {
  const paths = new Set(operations.flatMap(pathsOf));
  return new Map([...paths].map((path) => [path, operations.filter((declared) => pathsOf(declared).includes(path))]));
}

/**
 * Adds an output with the alternative path of event ingest. The smoke test reads it, and operators configure pages with
 * the path.
 */
function addIngestPath(stack: Stack, operations: readonly ServiceOperation[]): void {
  const ingest = operations.find(({ id }) => id === ingestAnalyticsOperation.id);
  if (ingest?.alternativePath === undefined) return;
  new CfnOutput(stack, 'IngestPath', {
    value: ingest.alternativePath,
    description: 'The second path of ingest, which content blockers do not know.',
  });
}

/** Returns the settings of an organization route, without those of its grants; `{}` for a public operation. */
function environment(
  declared: ServiceOperation,
  oidc: Oidc,
  { corsOrigins }: Stage,
  { ownHostnames, apiAddress }: { ownHostnames: string; apiAddress: string },
): Record<string, string> {
  if (isPublic(declared)) return {};
  return toEnvironment({
    oidcIssuer: oidc.issuer,
    oidcAudience: oidc.audience,
    oidcJwksUri: oidc.jwksUri,
    ...(corsOrigins.length > 0 && { corsOrigins: corsOrigins.join(',') }),
    ...(declared.grants.some((grant) => grant.startsWith('webhooks:')) && {
      webhookOwnHostnames: ownHostnames,
    }),
    ...(declared.grants.includes('notices:add') && { apiAddress }),
  });
}

function deployOptions(stack: Stack, stage: Stage, operations: readonly ServiceOperation[]): StageOptions {
  return {
    stageName: stage.name,
    // The gateway's traces would keep IP addresses and user agents of callers for a month. The traces of functions do
    // not contain them.
    tracingEnabled: false,
    methodOptions: Object.fromEntries(
      operations.flatMap((declared) =>
        pathsOf(declared).map((path) => [`${path}/${declared.method}`, methodThrottle(declared)]),
      ),
    ),
    ...(stage.accessLogs && {
      accessLogDestination: new LogGroupLogDestination(
        new LogGroup(stack, 'AccessLogs', {
          logGroupName: accessLogGroupName(stage),
          retention: stage.logRetention,
          removalPolicy: removalPolicy(stage),
        }),
      ),
      accessLogFormat: accessLogFormat(),
    }),
  };
}

/** The format contains nothing that identifies a caller: no IP address, user agent, query or path with ids. */
function accessLogFormat(): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      // Functions log this id, and responses contain it. It is not `$context.requestId`, because callers could choose
      // that id with the header x-amzn-RequestId.
      requestId: AccessLogField.contextExtendedRequestId(),
      // Lambda's own log lines, for example of a timeout, contain only this id.
      lambdaRequestId: '$context.integration.requestId',
      time: AccessLogField.contextRequestTimeEpoch(),
      method: AccessLogField.contextHttpMethod(),
      resource: AccessLogField.contextResourcePath(),
      status: AccessLogField.contextStatus(),
      error: AccessLogField.contextErrorResponseType(),
      latencyMs: AccessLogField.contextResponseLatency(),
      integrationLatencyMs: AccessLogField.contextIntegrationLatency(),
      integrationStatus: AccessLogField.contextIntegrationStatus(),
      bytes: AccessLogField.contextResponseLength(),
    }),
  );
}
