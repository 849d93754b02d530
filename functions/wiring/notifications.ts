import { createExtensionSecretStore } from '../../shared/platform/aws/extension-secret-store.ts';
import { readSetting, requireSetting } from '../../shared/platform/settings.ts';

const secrets = createExtensionSecretStore();

/** Reads the secret with which the links in notification mails are signed. */
export const readNotificationSecret = (): Promise<string> => secrets.read(requireSetting('notificationSecretId'));

/** Returns the delay of mails about leads; undefined for the default delay. Only `npm start` sets a (short) delay. */
export function leadMailDelaySeconds(): number | undefined {
  const seconds = readSetting('leadMailDelaySeconds');
  return seconds === undefined ? undefined : Number(seconds);
}
