import { createExtensionSecretStore } from '../../shared/platform/aws/extension-secret-store.ts';
import { readSetting, requireSetting, type SettingName } from '../../shared/platform/settings.ts';
import type { EndpointUrlOptions } from '../../shared/webhooks/endpoint-url.ts';

const secrets = createExtensionSecretStore();

/** Reads the master secret, from which the signing secrets of webhook endpoints derive. */
export const readMasterSecret = (): Promise<string> => secrets.read(requireSetting('webhookSecretId'));

/** Returns the settings that restrict the URLs of webhook endpoints. Only `npm start` sets `webhookAllowedOrigins`. */
export const endpointUrlOptions = (): EndpointUrlOptions => ({
  ownHostnames: readList('webhookOwnHostnames'),
  allowedOrigins: readList('webhookAllowedOrigins'),
});

const readList = (name: SettingName): string[] => readSetting(name)?.split(',') ?? [];
