import * as z from 'zod/mini';
import { createDynamoDeliveryHistory } from '../../../shared/deliveries/aws/dynamo-delivery-history.ts';
import { createDynamoEndpointStateRepository } from '../../../shared/deliveries/aws/dynamo-endpoint-state-repository.ts';
import { createDynamoLaneRepository } from '../../../shared/deliveries/aws/dynamo-lane-repository.ts';
import { dynamoDocumentClient } from '../../../shared/platform/aws/dynamo-client.ts';
import { createExtensionSecretStore } from '../../../shared/platform/aws/extension-secret-store.ts';
import { systemClock as clock } from '../../../shared/platform/clock.ts';
import { readSetting, requireSetting } from '../../../shared/platform/settings.ts';
import { createDynamoEndpointReader } from '../../../shared/webhooks/aws/dynamo-endpoint-reader.ts';
import { createDynamoEndpointRepository } from '../../../shared/webhooks/aws/dynamo-endpoint-repository.ts';
import { type EndpointUrlOptions, parseEndpointUrl } from '../../../shared/webhooks/endpoint-url.ts';
import { createMessageSender } from '../../../shared/webhooks/send-message.ts';
import type { WebhookEndpoint, WebhookEndpointIds } from '../../../shared/webhooks/webhook-endpoint.ts';
import { UserError } from '../../common/user-error.ts';
import { requireOrganization } from '../organizations/dynamo-organization-admin-repository.ts';
import type { CommandContext } from '../program/command.ts';

type Environment = Pick<CommandContext, 'stage'>;

export const endpointPorts = (environment: Environment) => ({
  endpoints: { ...createDynamoEndpointReader(), ...createDynamoEndpointRepository() },
  resume: (endpointId: string) => createDynamoEndpointStateRepository().resume(endpointId, clock.now()),
  urlOptions: () => endpointUrlOptions(environment),
  clock,
});

export const deliveryPorts = () => ({
  endpoints: createDynamoEndpointReader(),
  history: createDynamoDeliveryHistory(),
  lanes: createDynamoLaneRepository(),
  endpointStates: createDynamoEndpointStateRepository(),
  clock,
});

/** Reads the master secret first, so that no command changes an endpoint and then fails to read the secret. */
export async function signingPorts(environment: Environment) {
  const secret = await readMasterSecret(environment);
  return {
    ...endpointPorts(environment),
    readSecret: async () => secret,
    send: createMessageSender(endpointUrlOptions(environment)),
  };
}

/** The local environment sets `webhookAllowedOrigins`. For a deployment, the setting is ignored. */
const endpointUrlOptions = ({ stage }: Environment): EndpointUrlOptions => ({
  ownHostnames: readSetting('webhookOwnHostnames')?.split(',') ?? [],
  allowedOrigins: stage === undefined ? (readSetting('webhookAllowedOrigins')?.split(',') ?? []) : [],
});

const SecretValue = z.object({ SecretString: z.string() });

/**
 * Reads the master secret. For a stage, requests it from Secrets Manager, because only Lambda functions can use the
 * secrets extension. For the local environment, requests it from the stand-in for this extension.
 */
async function readMasterSecret({ stage }: Environment): Promise<string> {
  const id = requireSetting('webhookSecretId');
  if (stage === undefined) return createExtensionSecretStore().read(id);
  // Imported only here, because the module loads the CDK's list of regions, which takes longer than most commands.
  const { sendSigned } = await import('../../common/signed-request.ts');
  const { region, credentials } = dynamoDocumentClient().config;
  const request = {
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'secretsmanager.GetSecretValue' },
    body: JSON.stringify({ SecretId: id }),
  };
  const response = await sendSigned('secretsmanager', request, await region(), await credentials());
  return SecretValue.parse(JSON.parse(response)).SecretString;
}

/** @throws UserError with the reason why messages are not sent to the URL */
export function requireUrl(url: string, environment: Environment): void {
  const parsed = parseEndpointUrl(url, endpointUrlOptions(environment));
  if ('problem' in parsed) throw new UserError(parsed.problem);
}

/** @throws UserError if the organization or the endpoint does not exist */
export async function requireEndpoint(ids: WebhookEndpointIds): Promise<WebhookEndpoint> {
  await requireOrganization(ids.orgId);
  const endpoint = await createDynamoEndpointReader().find(ids);
  if (endpoint === undefined) {
    throw new UserError(`The organization has no webhook endpoint ${ids.endpointId}: see "webhooks list".`);
  }
  return endpoint;
}
