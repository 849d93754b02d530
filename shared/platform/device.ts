export const DEVICE_TYPES = ['mobile', 'tablet', 'desktop'] as const;
export const BROWSERS = ['chrome', 'firefox', 'safari', 'edge', 'opera', 'samsung', 'other'] as const;
export const OPERATING_SYSTEMS = ['ios', 'android', 'macos', 'windows', 'linux', 'other'] as const;

export type DeviceType = (typeof DEVICE_TYPES)[number];
export type Browser = (typeof BROWSERS)[number];
export type OperatingSystem = (typeof OPERATING_SYSTEMS)[number];
export type Device = { deviceType: DeviceType; browser: Browser; os: OperatingSystem };
