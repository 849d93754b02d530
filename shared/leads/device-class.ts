import type { DeviceType } from '../analytics/events/dimensions.ts';

/**
 * The class of device that a lead was left from. Coarse on purpose: it stands beside a person's data, and browser and
 * system are analytics' matter, which counts sessions and knows no names.
 */
export function deviceClass(userAgent: string): DeviceType {
  if (/iPad|Tablet|Android(?!.*Mobile)/i.test(userAgent)) return 'tablet';
  return /Mobi|iPhone|iPod/i.test(userAgent) ? 'mobile' : 'desktop';
}
