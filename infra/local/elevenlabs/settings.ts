import { randomBytes } from 'node:crypto';

export type RehearsalSettings = {
  /** URL to which the webhooks about conversations are sent. */
  webhookUrl: string;
  webhookSecret: string;
  /** Clients must send this key in the header `xi-api-key`. */
  apiKey: string;
};

/** Creates the settings of one run, with a random API key. @param apiOrigin origin of the gateway */
export const createRehearsalSettings = (apiOrigin: string, webhookSecret: string): RehearsalSettings => ({
  webhookUrl: `${apiOrigin}/api/v2/webhooks/voice`,
  webhookSecret,
  apiKey: `rehearsal_${randomBytes(24).toString('base64url')}`,
});
