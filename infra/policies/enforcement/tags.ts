/** What CloudFront's ListTagsForResource answers. */
export function tagsIn(xml: string): Record<string, string> {
  const tags = [...xml.matchAll(/<Tag>\s*<Key>([^<]*)<\/Key>\s*<Value>([^<]*)<\/Value>\s*<\/Tag>/g)];
  return Object.fromEntries(tags.map(([, key = '', value = '']) => [key, value]));
}
