import { randomBytes } from 'node:crypto';

/** What the rehearsal agent is told at its start. */
export type RehearsalSettings = {
  /** Where it tells of conversations that are over. */
  webhookUrl: string;
  webhookSecret: string;
  /** What whoever asks it sends as `xi-api-key`. */
  apiKey: string;
};

/** The settings of one run: the key is of chance, and nobody needs to know it. @param apiOrigin of the gateway */
export const rehearsalSettings = (apiOrigin: string, webhookSecret: string): RehearsalSettings => ({
  webhookUrl: `${apiOrigin}/api/v2/webhooks/voice`,
  webhookSecret,
  apiKey: `rehearsal_${randomBytes(24).toString('base64url')}`,
});
