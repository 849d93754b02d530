import type { KnownLanguage } from './language.ts';

/**
 * Hesitations (“uh” and “um”: Clark and Fox Tree, Using uh and um in spontaneous speaking, Cognition 84, 2002) and empty
 * phrases of our own choice. A word that is often content («also», “like”) counts only where it can be nothing else.
 */
const FILLERS: Record<KnownLanguage, readonly RegExp[]> = {
  de: [
    /(?<![\p{L}\p{N}])(?:ä{1,9}h{1,9}m{0,9}|ö{1,9}h{1,9}m{0,9}|ähm|hm{1,9}|naja|na ja|tja|quasi|sozusagen|irgendwie|sag ich mal|ich sag mal|sagen wir mal)(?![\p{L}\p{N}])/giu,
    // «Halt!», «Halt machen» and a sentence's first word are content.
    /(?<=[\p{L},] )halt(?! (?:mach|gemacht|find|gefunden|geb|gegeben|bieten))(?![\p{L}\p{N}])/gu,
    /(?<=^|[.!?…] )also, /giu,
  ],
  en: [
    /(?<![\p{L}\p{N}])(?:u{1,9}h{1,9}m{0,9}|u{1,9}m{1,9}|erm{0,9}|hm{2,9}|kinda|sorta|basically)(?![\p{L}\p{N}])/gu,
    /(?<=^|[.!?…] )(?:Uh|Um|Erm|Hmm|Basically)(?![\p{L}\p{N}])/gu,
    /(?<!\b(?:do|does|did|if|as|let|would|don't|what|how|should|will|might|may|than) )\byou know\b(?! (?:what|that|how|why|who|where|if|the|about|this|each|him|her|them|it|when|which|our|your|any|anyone|a)\b)/gi,
    /(?<!\bwhat )\bI mean\b(?! (?:it|business|that|by)\b)/gi,
    /, like,/gi,
    /(?<!\b(?:what|which|this|that|the|a|an|any|some|every|all|one|same|other|certain|new|different|right|best|first|many|our|your|their|these|those|no) )\b(?:kind|sort) of\b/gi,
  ],
};

/** Counts filler words; 0 in languages other than German and English. */
export function countFillers(text: string, language: string): number {
  if (language !== 'de' && language !== 'en') return 0;
  return FILLERS[language].reduce((sum, filler) => sum + (text.match(filler)?.length ?? 0), 0);
}
