import { normalizeText } from '../../platform/normalize-text.ts';

export const DEVICE_TYPES = ['mobile', 'tablet', 'desktop'] as const;
export const BROWSERS = ['chrome', 'firefox', 'safari', 'edge', 'opera', 'samsung', 'other'] as const;
export const OPERATING_SYSTEMS = ['ios', 'android', 'macos', 'windows', 'linux', 'other'] as const;

export type DeviceType = (typeof DEVICE_TYPES)[number];
export type Browser = (typeof BROWSERS)[number];
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number];

/**
 * A free text that sessions are counted by, as it is stored and as filters are compared: NFC and trimmed, so that one
 * campaign has one spelling, and well-formed, since half a surrogate pair has no UTF-8.
 */
export const normalizeDimension = (text: string): string => normalizeText(text.toWellFormed());
