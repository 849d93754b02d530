/**
 * The filters of sessions. `filter` is the name in the query; `title` and `one` are labels. The acquisition response
 * contains the values of a filter in the array `list`. Each entry has its value in the property `member`. The response
 * has no array of device types.
 */
export const DIMENSIONS = [
  { filter: 'referrer', title: 'Referrers', one: 'Referrer', list: 'referrers', member: 'referrer' },
  { filter: 'utmCampaign', title: 'Campaigns', one: 'Campaign', list: 'utmCampaigns', member: 'value' },
  { filter: 'utmSource', title: 'Sources', one: 'Source', list: 'utmSources', member: 'value' },
  { filter: 'utmMedium', title: 'Media', one: 'Medium', list: 'utmMediums', member: 'value' },
  { filter: 'utmTerm', title: 'Terms', one: 'Term', list: 'utmTerms', member: 'value' },
  { filter: 'utmContent', title: 'Contents', one: 'Content', list: 'utmContents', member: 'value' },
  { filter: 'browser', title: 'Browsers', one: 'Browser', list: 'browsers', member: 'browser' },
  { filter: 'os', title: 'Systems', one: 'System', list: 'oses', member: 'os' },
  { filter: 'deviceType', title: 'Devices', one: 'Device' },
];

/** Labels for known values. Other values are shown unchanged. */
const NAMES = {
  referrer: { direct: 'No referrer' },
  browser: {
    chrome: 'Chrome',
    firefox: 'Firefox',
    safari: 'Safari',
    edge: 'Edge',
    opera: 'Opera',
    samsung: 'Samsung Internet',
    other: 'Other',
  },
  os: { ios: 'iOS', android: 'Android', macos: 'macOS', windows: 'Windows', linux: 'Linux', other: 'Other' },
  deviceType: { mobile: 'Phone', tablet: 'Tablet', desktop: 'Computer' },
};

export const nameOf = (filter, value) => (Object.hasOwn(NAMES[filter] ?? {}, value) ? NAMES[filter][value] : value);
