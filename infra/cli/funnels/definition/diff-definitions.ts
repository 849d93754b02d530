import { isDeepStrictEqual } from 'node:util';
import type { Field } from '../../../../shared/funnels/funnel.ts';
import { toSettings } from './convert.ts';
import type { FunnelDefinition } from './funnel-definition.ts';

type Kind = Pick<Field, 'id' | 'type'> & { required: boolean };

/** The changes of a publication, compared with the published version. */
export type DefinitionDiff = {
  added: Kind[];
  removed: Kind[];
  changed: {
    id: string;
    type?: [before: Field['type'], after: Field['type']];
    required?: [before: boolean, after: boolean];
    /** Names of the changed rules of the field, except `type` and `required`. */
    others: string[];
  }[];
  /** Names of the changed parts of the file, except `fields`. Empty for the first publication. */
  parts: string[];
  /** Names of the funnel's own limits that the new file does not set. After the publication, the defaults apply. */
  removedLimits: string[];
};

const PARTS = ['country', 'steps', 'uploadBlocks', 'ai'] as const;
const SETTINGS = ['name', 'allowedOrigins', 'leadRetentionDays', 'verification', 'limits'] as const;

/** @param before undefined if nothing was published */
export function diffDefinitions(before: FunnelDefinition | undefined, after: FunnelDefinition): DefinitionDiff {
  const [earlier, later] = [before?.fields ?? [], after.fields];
  const inEarlier = new Map(earlier.map((field) => [field.id, field]));
  const inLater = new Set(later.map(({ id }) => id));
  return {
    added: later.filter(({ id }) => !inEarlier.has(id)).map(kindOf),
    removed: earlier.filter(({ id }) => !inLater.has(id)).map(kindOf),
    changed: later.flatMap((field) => changeOf(inEarlier.get(field.id), field)),
    parts: before === undefined ? [] : partsChanged(before, after),
    removedLimits: Object.keys(before?.limits ?? {}).filter((name) => !(name in (after.limits ?? {}))),
  };
}

const kindOf = ({ id, type, required = false }: FunnelDefinition['fields'][number]): Kind => ({ id, type, required });

function changeOf(before: FunnelDefinition['fields'][number] | undefined, after: FunnelDefinition['fields'][number]) {
  if (before === undefined) return [];
  const [{ id, type: earlierType, required: wasRequired = false, ...earlier }, { type, required = false, ...later }] = [
    before,
    after,
  ];
  const rules = [...new Set([...Object.keys(earlier), ...Object.keys(later)])] as (keyof typeof later)[];
  const others = rules.filter(
    (rule) => rule !== 'id' && !isDeepStrictEqual(earlier[rule as keyof typeof earlier], later[rule]),
  );
  const change: DefinitionDiff['changed'][number] = { id, others };
  if (earlierType !== type) change.type = [earlierType, type];
  if (wasRequired !== required) change.required = [wasRequired, required];
  return others.length > 0 || change.type || change.required ? [change] : [];
}

function partsChanged(before: FunnelDefinition, after: FunnelDefinition): string[] {
  const [earlier, later] = [toSettings(before), toSettings(after)];
  return [
    ...SETTINGS.filter((part) => !isDeepStrictEqual(earlier[part], later[part])),
    ...PARTS.filter((part) => !isDeepStrictEqual(before[part], after[part])),
  ];
}
