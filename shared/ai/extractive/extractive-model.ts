import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModel, ModelRequest } from '../language-model.ts';
import { type Language, languageOf, relevantTexts } from './relevant-texts.ts';

const TEXTS_MAX = 3;
/** Delay between two words. 2 000 words per minute are fast, but visitors still see that the text is streamed. */
const WORD_MS = 30;
const BYTES_PER_TOKEN = 4;

const SENTENCES: Record<Language, { label: string; nothingFits: string; noTexts: string }> = {
  de: {
    label: '[Vom eingebauten Schreiber aus den Texten dieser Seite zusammengestellt, ohne Sprachmodell.]',
    nothingFits: 'Genau dazu sagt diese Seite nichts. Worum es hier geht:',
    noTexts: 'Diese Seite hat noch keine Texte für eine Antwort.',
  },
  en: {
    label: '[Put together by the built-in writer from the texts of this page, without a language model.]',
    nothingFits: 'This page says nothing on exactly that. What it is about:',
    noTexts: 'This page has no texts yet for a response.',
  },
};

/**
 * Creates the built-in writer, which responds without a language model. A label at the start of the response says so.
 * Then, the response quotes the source texts that are most relevant to the question, or the first text if none is
 * relevant. The writer prefers texts in the language of the question. The response is deterministic. The writer reports
 * token usage, so that token budgets can be tried without a language model.
 *
 * @param wordMs delay between two words
 */
export function createExtractiveModel(wordMs: number = WORD_MS): LanguageModel {
  return {
    kind: 'builtin',
    async *stream(request) {
      const words = compose(request).match(/\S+\s*/g) ?? [];
      let begun = false;
      for (const word of words.slice(0, request.outputTokensMax)) {
        if (begun) await sleep(wordMs, undefined, { signal: request.signal });
        begun = true;
        yield { text: word };
      }
      const inputTokens = Math.ceil(Buffer.byteLength(request.system + request.prompt) / BYTES_PER_TOKEN);
      yield { finish: words.length > request.outputTokensMax ? 'length' : 'stop' };
      yield { usage: { inputTokens, outputTokens: Math.min(words.length, request.outputTokensMax) } };
    },
  };
}

function compose({ prompt, sourceTexts: texts }: ModelRequest): string {
  const language = languageOf(prompt) ?? languageOf(texts[0] ?? '') ?? 'en';
  const inLanguage = texts.filter((text) => (languageOf(text) ?? language) === language);
  const usable = inLanguage.length > 0 ? inLanguage : texts;
  const { label, nothingFits, noTexts } = SENTENCES[language];
  const relevant = relevantTexts(prompt, usable, TEXTS_MAX);
  if (relevant.length > 0) return [label, ...relevant].join('\n\n');
  return usable[0] === undefined ? `${label}\n\n${noTexts}` : [label, nothingFits, usable[0]].join('\n\n');
}
