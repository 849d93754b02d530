import { Webhook } from 'standardwebhooks';

export type SigningSecret = {
  /** Identifies the secret without revealing it. */
  label: string;
  webhook: Webhook;
};

/** The result of verifying a request with one secret. */
export type Verification = { secret: string; isValid: true } | { secret: string; isValid: false; reason: string };

/** `not-verified`: no secret is set. */
export type SignatureState = 'valid' | 'invalid' | 'not-verified';

/** Parses a signing secret, `whsec_` and Base64. Returns undefined for other texts. */
export function parseSigningSecret(text: string): SigningSecret | undefined {
  if (!text.startsWith('whsec_')) return undefined;
  try {
    return { label: `whsec_…${text.replace(/=+$/, '').slice(-4)}`, webhook: new Webhook(text) };
  } catch {
    return undefined;
  }
}

/**
 * Verifies a request with each secret. Call this function when the request arrives, because a signature is valid for
 * five minutes.
 */
export const verifySignature = (
  secrets: readonly SigningSecret[],
  headers: Record<string, string>,
  body: string,
): Verification[] =>
  secrets.map(({ label, webhook }) => {
    try {
      webhook.verify(body, headers, { jsonParse: false });
      return { secret: label, isValid: true };
    } catch (error) {
      return { secret: label, isValid: false, reason: error instanceof Error ? error.message : String(error) };
    }
  });

export function toSignatureState(verifications: readonly Verification[]): SignatureState {
  if (verifications.length === 0) return 'not-verified';
  return verifications.some(({ isValid }) => isValid) ? 'valid' : 'invalid';
}
