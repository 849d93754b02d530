import { normalizeText } from '../../platform/normalize-text.ts';

/**
 * Normalizes a value of a dimension before it is stored or used as a filter. The value becomes NFC and is trimmed, so
 * that one campaign has one spelling. It becomes well-formed, because UTF-8 cannot encode a lone surrogate.
 */
export const normalizeDimension = (text: string): string => normalizeText(text.toWellFormed());
