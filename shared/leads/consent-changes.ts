import type { FunnelVersion } from '../funnels/funnel.ts';
import type { DataChanges } from './validate-data.ts';

/** What a submit says about one consent field, and which text the visitor had before them. */
export type ConsentChange = {
  field: string;
  /** False: refused, taken back or cleared. */
  given: boolean;
  /** The field's text version; undefined: the text is the funnel version's. */
  text: string | undefined;
  versionId: string;
};

/** The consents among the changes. When a consent was given can only be proven by what is kept as it is given. */
export function extractConsentChanges(
  changes: DataChanges,
  version: Pick<FunnelVersion, 'id' | 'fields'>,
): ConsentChange[] {
  const consents: ConsentChange[] = [];
  for (const { id, type, textVersion } of version.fields) {
    const json = type === 'consent' ? changes.get(id) : undefined;
    if (json !== undefined)
      consents.push({ field: id, given: json === 'true', text: textVersion, versionId: version.id });
  }
  return consents;
}
