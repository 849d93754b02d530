import { normalizeText } from '../../platform/normalize-text.ts';

/**
 * Normalizes a dimension, for storing and for comparing filters: NFC and trimmed, so that one campaign has one
 * spelling, and well-formed, because a lone surrogate has no UTF-8.
 */
export const normalizeDimension = (text: string): string => normalizeText(text.toWellFormed());
