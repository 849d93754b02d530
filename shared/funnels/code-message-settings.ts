import type { Funnel } from './funnel.ts';

/**
 * Returns the settings of a funnel for a message with a verification code.
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
  // The origin is used only if the funnel lists allowed origins. Otherwise a stranger could send a request with any
  // origin, and its hostname would be in the message.
  boundOrigin: allowedOrigins.length === 0 ? undefined : origin,
});
