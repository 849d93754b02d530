import * as z from 'zod/mini';
import { EVIDENCE_MAX } from './coverage.ts';
import type { LlmVerdict } from './llm-verdict.ts';

const Sentences = z.pipe(
  z.catch(z.array(z.unknown()), []),
  z.transform((given) =>
    given.filter((number): number is number => Number.isSafeInteger(number)).slice(0, EVIDENCE_MAX),
  ),
);
const Do = z.object({ id: z.string(), covered: z.boolean(), sentences: Sentences });
const Verdict = z.object({
  summary: z.catch(z.optional(z.string()), undefined),
  dos: z.array(z.unknown()),
  successCriteria: z.object({ met: z.boolean(), sentences: Sentences }),
});
const Confirmation = z.object({ shown: z.boolean() });

/**
 * Parses a verdict on the dos and the success criteria of a case. Drops unknown and repeated dos. Keeps only the first
 * `EVIDENCE_MAX` citations of each claim.
 *
 * @returns undefined when the response cannot be read
 */
export function parseVerdict(response: string, ids: readonly string[]): LlmVerdict | undefined {
  const verdict = firstMatch(response, Verdict);
  if (verdict === undefined) return undefined;
  const dos = new Map<string, LlmVerdict['dos'][number]>();
  for (const entry of verdict.dos) {
    const { data } = Do.safeParse(entry);
    if (data !== undefined && ids.includes(data.id) && !dos.has(data.id)) dos.set(data.id, data);
  }
  return { summary: oneParagraph(verdict.summary), dos: [...dos.values()], successCriteria: verdict.successCriteria };
}

/** Returns false when the response cannot be read. */
export const parseConfirmation = (response: string): boolean => firstMatch(response, Confirmation)?.shown ?? false;

/** Extracts the JSON object from a response that may also contain `<think>` text, a code fence and explanations. */
function firstMatch<T>(response: string, schema: z.ZodMiniType<T>): T | undefined {
  const withoutReasoning = response.split('</think>').at(-1) ?? '';
  const fenced = withoutReasoning.split('```').filter((_, index) => index % 2 === 1);
  for (const text of [withoutReasoning, ...fenced.slice(-1)]) {
    const parsed = schema.safeParse(parseJson(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)));
    if (parsed.success) return parsed.data;
  }
  return undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const oneParagraph = (summary = ''): string | undefined =>
  summary
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, '')
    .trim() || undefined;
