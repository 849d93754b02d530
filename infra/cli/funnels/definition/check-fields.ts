import { CONSENT_FIELDS_MAX, FIELD_TYPES, type Field } from '../../../../shared/funnels/funnel.ts';
import { normalizeText } from '../../../../shared/platform/normalize-text.ts';
import { type Path, quoteShortened, type ValidationIssue } from '../../json-document/issues.ts';
import { listAt, memberAt, numberAt, stringAt, stringsAt } from '../../json-document/untyped-access.ts';
import { findDuplicates } from './duplicates.ts';
import type { FieldDefinition } from './funnel-definition.ts';

type Type = Field['type'];

const MEASURED: readonly Type[] = ['text', 'long_text', 'number', 'integer', 'rating', 'choices'];

/** The field types that each rule applies to. A rule has no effect on fields of other types. */
const MEANT_FOR: { [Rule in keyof FieldDefinition]?: readonly Type[] } = {
  min: MEASURED,
  max: MEASURED,
  choices: ['choice', 'choices'],
  country: ['phone'],
  verifiable: ['email', 'phone'],
  blockId: ['file'],
  uploadBlock: ['file'],
  textVersion: ['consent'],
};

/** Reports the issues of the fields, except the issues that the schema finds. */
export function checkFields(file: unknown): ValidationIssue[] {
  const fields = listAt(file, 'fields');
  const names = {
    steps: new Set(listAt(file, 'steps').flatMap((step) => stringAt(step, 'id') ?? [])),
    blocks: new Set(listAt(file, 'uploadBlocks').flatMap((block) => stringAt(block, 'name') ?? [])),
    blockIds: new Set(listAt(file, 'uploadBlocks').flatMap((block) => stringAt(block, 'id') ?? [])),
  };
  return [
    ...findDuplicates(file, 'fields', 'id'),
    ...tooManyConsents(fields),
    ...fields.flatMap((field, index) => {
      const at = ['fields', index];
      return [...ruleFindings(field, at), ...nameFindings(field, at, names), ...choiceFindings(field, at)];
    }),
  ];
}

function tooManyConsents(fields: readonly unknown[]): ValidationIssue[] {
  const consents = fields.flatMap((field, index) => (stringAt(field, 'type') === 'consent' ? [index] : []));
  const [first] = consents.slice(CONSENT_FIELDS_MAX);
  if (first === undefined) return [];
  const position = `number ${CONSENT_FIELDS_MAX + 1} of ${consents.length}`;
  const message = `A funnel can have at most ${CONSENT_FIELDS_MAX} consents: this consent is ${position}`;
  return [{ at: ['fields', first], message }];
}

function ruleFindings(field: unknown, at: Path): ValidationIssue[] {
  const type = FIELD_TYPES.find((known) => known === stringAt(field, 'type'));
  if (type === undefined) return [];
  const misplaced = Object.entries(MEANT_FOR).flatMap(([rule, types]): ValidationIssue[] => {
    const given = memberAt(field, rule);
    if (given === undefined || given === false || types.includes(type)) return [];
    return [{ at: [...at, rule], message: `Has no effect for the type ${type}: use it only for ${inWords(types)}` }];
  });
  const isNeverChecked = memberAt(field, 'required') === true && memberAt(field, 'step') === undefined;
  if (isNeverChecked) {
    const message = 'Has no effect without a step: a required field is checked when its step is submitted';
    misplaced.push({ at: [...at, 'required'], message });
  }
  return MEASURED.includes(type) ? [...misplaced, ...boundFindings(field, at, type)] : misplaced;
}

const inWords = (types: readonly Type[]): string => new Intl.ListFormat('en').format(types);

/** The bounds that `shared/leads/validate-data.ts` applies to fields without `min` or `max`. */
const BOUNDS: { [Measured in Type]?: readonly [least: number, most: number] } = {
  text: [0, 2_000],
  long_text: [0, 20_000],
  rating: [1, 5],
  choices: [0, 200],
};

function boundFindings(field: unknown, at: Path, type: Type): ValidationIssue[] {
  const [min, max] = [numberAt(field, 'min'), numberAt(field, 'max')];
  const [least, most] = BOUNDS[type] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const uneven = Object.entries({ min, max }).flatMap(([name, bound]): ValidationIssue[] => {
    if (type === 'number' || bound === undefined) return [];
    if (!Number.isInteger(bound))
      return [{ at: [...at, name], message: `Must be a whole number for the type ${type}` }];
    const isCount = type !== 'integer' && type !== 'rating';
    return isCount && bound < 0 ? [{ at: [...at, name], message: 'Must be at least 0' }] : [];
  });
  const offered = type === 'choices' ? listAt(field, 'choices').length : 0;
  const [from, to] = [min ?? least, max ?? (offered > 0 ? Math.min(most, offered) : most)];
  if (from > to) {
    const [name, other] =
      min === undefined ? ['max', `less than the minimum of ${from}`] : ['min', `more than the maximum of ${to}`];
    uneven.push({ at: [...at, name], message: `Is ${other}: no value would be valid` });
  } else if (offered > 0 && from > offered) {
    uneven.push({ at: [...at, 'min'], message: `Is more than the number of choices, ${offered}` });
  }
  return uneven;
}

type Names = { steps: ReadonlySet<string>; blocks: ReadonlySet<string>; blockIds: ReadonlySet<string> };

function nameFindings(field: unknown, at: Path, { steps, blocks, blockIds }: Names): ValidationIssue[] {
  const wrong = (rule: string, known: ReadonlySet<string>, messagePrefix: string): ValidationIssue[] => {
    const word = stringAt(field, rule);
    if (word === undefined || known.has(word)) return [];
    return [{ at: [...at, rule], message: `${messagePrefix} ${quoteShortened(word)}`, unknown: { word, known } }];
  };
  const findings = [
    ...wrong('step', steps, 'No step has the id'),
    ...wrong('uploadBlock', blocks, 'No upload block has the name'),
    ...wrong('blockId', blockIds, 'No upload block has the id'),
  ];
  if (stringAt(field, 'blockId') !== undefined && stringAt(field, 'uploadBlock') !== undefined) {
    findings.push({ at: [...at, 'blockId'], message: 'Give blockId or uploadBlock, not both' });
  }
  return findings;
}

function choiceFindings(field: unknown, at: Path): ValidationIssue[] {
  const type = stringAt(field, 'type');
  if ((type === 'choice' || type === 'choices') && memberAt(field, 'choices') === undefined) {
    return [{ at: [...at, 'choices'], message: 'This property is required: a choice field needs choices' }];
  }
  const seen = new Map<string, number>();
  return stringsAt(field, 'choices').flatMap(([index, text]): ValidationIssue[] => {
    const first = seen.get(normalizeText(text));
    if (first !== undefined)
      return [{ at: [...at, 'choices', index], message: `Must be unique: choices[${first}] is the same` }];
    seen.set(normalizeText(text), index);
    return [];
  });
}
