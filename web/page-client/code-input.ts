export const CODE_DIGITS = 6;

/** Returns the digits of a text, for example of a code with spaces. Converts full-width digits, as the service does. */
export const digitsOf = (text: string): string => text.normalize('NFKC').replace(/\D/g, '');

/** See `verification.d.mts`. */
export function bindCodeInput(input: HTMLInputElement, onComplete: (code: string) => void): () => void {
  let last = input.value;
  input.autocomplete = 'one-time-code';
  input.inputMode = 'numeric';
  // With `maxlength`, the browser would cut off the end of a pasted code with spaces.
  input.removeAttribute('maxlength');
  const clean = () => {
    const digits = digitsOf(input.value).slice(0, CODE_DIGITS);
    if (digits !== input.value) input.value = digits;
    if (digits.length === CODE_DIGITS && digits !== last) onComplete(digits);
    last = digits;
  };
  input.addEventListener('input', clean);
  return () => input.removeEventListener('input', clean);
}
