import type { DeviceType } from '../analytics/ingest/dimensions.ts';

/**
 * The class of device that a lead was left from. Coarse on purpose: it stands beside a person's data, and browser and
 * system are analytics' matter, which counts sessions and knows no names.
 */
export function classifyDevice(userAgent: string): DeviceType {
  const agent = userAgent.toLowerCase();
  // On Android, `Mobile` behind the system's name makes it a phone.
  const isLargeAndroid = agent.lastIndexOf('android') > agent.lastIndexOf('mobile');
  if (isLargeAndroid || /ipad|tablet/.test(agent)) return 'tablet';
  return /mobi|iphone|ipod/.test(agent) ? 'mobile' : 'desktop';
}
