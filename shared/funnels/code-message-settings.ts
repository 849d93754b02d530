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
  // If the funnel does not list allowed origins, the origin is not used: a stranger could send a request with any
  // origin, and the message would contain the hostname of this origin.
  boundOrigin: allowedOrigins.length === 0 ? undefined : origin,
});
