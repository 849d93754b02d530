import type { Funnel } from './funnel.ts';

/**
 * The funnel's part of a message with a verification code.
 *
 * @param origin of the page that requested the code
 */
export const codeMessageSettings = (
  { verification, allowedOrigins }: Funnel,
  organizationName: string,
  origin: string | undefined,
) => ({
  sender: verification.sender ?? organizationName,
  templates: verification.messages,
  preferredLanguage: verification.language,
  // Only an origin that the funnel lists: otherwise a stranger could put a hostname into the message.
  boundOrigin: allowedOrigins.length === 0 ? undefined : origin,
});
