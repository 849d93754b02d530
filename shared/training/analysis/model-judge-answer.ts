import * as z from 'zod/mini';
import type { OutputSchema } from '../../ai/language-model.ts';
import type { Judgement } from './judgement.ts';

export const QUOTES_MAX = 3;
export const QUOTE_CHARACTERS_MAX = 300;
const SUMMARY_CHARACTERS_MAX = 1_000;

const strictObject = (properties: OutputSchema['schema']['properties']): OutputSchema['schema'] => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const quotes = { type: 'array', items: { type: 'string' } };

/** The form of a judge's answer; the evidence stands before what it is for, so that a model looks for it first. */
export const ANSWER_SCHEMA: OutputSchema = {
  name: 'judgement',
  schema: strictObject({
    summary: { type: 'string' },
    dos: { type: 'array', items: strictObject({ id: { type: 'string' }, quotes, covered: { type: 'boolean' } }) },
    successCriteria: strictObject({ quotes, met: { type: 'boolean' } }),
  }),
};

const Quotes = z.pipe(
  z.catch(z.array(z.unknown()), []),
  z.transform((given) =>
    given
      .filter((quote) => typeof quote === 'string')
      .map((quote) => quote.trim())
      .filter((quote) => quote !== '' && quote.length <= QUOTE_CHARACTERS_MAX)
      .slice(0, QUOTES_MAX),
  ),
);
const Do = z.object({ id: z.string(), covered: z.boolean(), quotes: Quotes });
const Answer = z.object({
  summary: z.catch(z.optional(z.string()), undefined),
  dos: z.array(z.unknown()),
  successCriteria: z.object({ met: z.boolean(), quotes: Quotes }),
});

/**
 * What a judge's answer says of the points of a case, and of nothing else: unknown points, second answers to the same
 * one, and quotes that are too many or too long are left out.
 *
 * @returns undefined when it can't be read
 */
export function judgementIn(answer: string, ids: readonly string[]): Judgement | undefined {
  for (const text of candidates(answer)) {
    const said = Answer.safeParse(parsed(text));
    if (!said.success) continue;
    const { summary, dos, successCriteria } = said.data;
    return { summary: summaryOf(summary), dos: dosOf(dos, ids), successCriteria };
  }
  return undefined;
}

/** Where the object can be: models think aloud, put fences around it, and explain what they have done. */
function candidates(answer: string): string[] {
  const said = answer.slice(answer.lastIndexOf('</think>') + 1);
  const fenced = said.split('```').filter((_, index) => index % 2 === 1);
  return [said, ...fenced.slice(-1)].flatMap((text) => {
    const [begin, end] = [text.indexOf('{'), text.lastIndexOf('}')];
    return begin >= 0 && end > begin ? [text.slice(begin, end + 1)] : [];
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function dosOf(given: readonly unknown[], ids: readonly string[]): Judgement['dos'] {
  const said = new Map<string, z.infer<typeof Do>>();
  for (const entry of given) {
    const { data } = Do.safeParse(entry);
    if (data !== undefined && ids.includes(data.id) && !said.has(data.id)) said.set(data.id, data);
  }
  return [...said.values()];
}

/** For people to read: one paragraph of bounded length. */
function summaryOf(said: string | undefined): string | undefined {
  const text = (said ?? '')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '')
    .trim();
  const characters = Array.from(text).slice(0, SUMMARY_CHARACTERS_MAX).join('');
  return characters === '' ? undefined : characters;
}
