const DIGITS = 6;

/** Returns the digits of a text. Converts full-width digits, as the service does. */
const digitsOf = (text: string): string => text.normalize('NFKC').replace(/\D/g, '');

/** Returns the six digits of a code that was typed with spaces or dashes, or undefined. */
export function normalizeCode(text: string): string | undefined {
  const digits = digitsOf(text);
  return digits.length === DIGITS ? digits : undefined;
}

/** See `verification.d.mts`. */
export function bindCodeInput(input: HTMLInputElement, onComplete: (code: string) => void): () => void {
  let last = input.value;
  input.autocomplete = 'one-time-code';
  input.inputMode = 'numeric';
  // The browser would cut a pasted code with spaces.
  input.removeAttribute('maxlength');
  const clean = () => {
    const digits = digitsOf(input.value).slice(0, DIGITS);
    // Setting an unchanged value would move the cursor.
    if (digits !== input.value) input.value = digits;
    if (digits.length === DIGITS && digits !== last) onComplete(digits);
    last = digits;
  };
  input.addEventListener('input', clean);
  return () => input.removeEventListener('input', clean);
}
