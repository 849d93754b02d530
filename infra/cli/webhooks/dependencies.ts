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

export function endpointPorts(environment: Environment) {
  const urlOptions = () => endpointUrlOptions(environment);
  return {
    endpoints: { ...createDynamoEndpointReader(), ...createDynamoEndpointRepository() },
    readSecret: async () => masterSecret(environment),
    urlOptions,
    send: createMessageSender(urlOptions()),
    clock,
  };
}

/** The local environment sets `webhookAllowedOrigins`. For a deployment, the setting is ignored. */
const endpointUrlOptions = ({ stage }: Environment): EndpointUrlOptions => ({
  ownHostnames: readSetting('webhookOwnHostnames')?.split(',') ?? [],
  allowedOrigins: stage === undefined ? (readSetting('webhookAllowedOrigins')?.split(',') ?? []) : [],
});

/**
 * Checks that the master secret can be read, so that no command changes an endpoint and then fails. Only functions can
 * read the secret of a deployment, so operators must give the secret of a stage in `WEBHOOK_SECRET`.
 *
 * @throws UserError if `stage` is given and `WEBHOOK_SECRET` is not set
 */
export function requireMasterSecret({ stage }: Environment): void {
  if (stage === undefined || process.env.WEBHOOK_SECRET) return;
  const id = requireSetting('webhookSecretId');
  throw new UserError(
    'WEBHOOK_SECRET is not set: set it to the value from which signing secrets derive, with ' +
      `"export WEBHOOK_SECRET=$(aws secretsmanager get-secret-value --secret-id ${id} --query SecretString --output text)".`,
  );
}

const masterSecret = ({ stage }: Environment): string | Promise<string> =>
  stage === undefined
    ? createExtensionSecretStore().read(requireSetting('webhookSecretId'))
    : (process.env.WEBHOOK_SECRET ?? '');

/** @throws UserError with the reason why messages are not sent to the URL */
export function requireUrl(url: string, environment: Environment): void {
  const parsed = parseEndpointUrl(url, endpointUrlOptions(environment));
  if ('problem' in parsed) throw new UserError(parsed.problem);
}

/** @throws Error with a message if the organization or the endpoint does not exist */
export async function requireEndpoint(ids: WebhookEndpointIds): Promise<WebhookEndpoint> {
  await requireOrganization(ids.orgId);
  const endpoint = await createDynamoEndpointReader().find(ids);
  if (endpoint === undefined) {
    throw new UserError(`The organization has no webhook endpoint ${ids.endpointId}: see "webhooks list".`);
  }
  return endpoint;
}
