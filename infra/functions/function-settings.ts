import type { Grant } from '../../functions/grants.ts';
import { environmentVariableName, type SettingName } from '../../shared/platform/settings.ts';
import type { Stage } from '../settings/stages.ts';

export const toEnvironment = (settings: Partial<Record<SettingName, string>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [environmentVariableName(name as SettingName), value]),
  );

const SENDS_MAIL: ReadonlySet<Grant> = new Set(['messages:send', 'mail:send']);

/**
 * Returns the settings that a function with these grants needs, as environment variables. The names of granted
 * resources are not included.
 */
export function functionSettings(grants: readonly Grant[], stage: Stage): Record<string, string> {
  const { leadTokenDays, ai, messages, voice, edge, domain, webDomain } = stage;
  const ownHostnames = [domain, webDomain].flatMap((own) => own?.name ?? []).join(',');
  return toEnvironment({
    ...(grants.includes('leads:write') && leadTokenDays && { leadTokenDays: String(leadTokenDays) }),
    ...(grants.some((grant) => SENDS_MAIL.has(grant)) && messages.mailReplyTo && { mailReplyTo: messages.mailReplyTo }),
    ...(grants.includes('model:stream') && { aiProvider: ai.provider, ...(ai.baseUrl && { aiBaseUrl: ai.baseUrl }) }),
    ...(grants.includes('voice-secret:read') && voice.baseUrl && { voiceBaseUrl: voice.baseUrl }),
    // For operations, the stack `api` replaces this value and adds the hostname of API Gateway. Background functions
    // keep this value, because their stack does not know that hostname.
    ...(grants.includes('webhook-secret:read') && ownHostnames && { webhookOwnHostnames: ownHostnames }),
    ...(grants.some((grant) => grant.startsWith('edge:')) &&
      edge.connectionGroupId && { edgeConnectionGroupId: edge.connectionGroupId }),
  });
}
