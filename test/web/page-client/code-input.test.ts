import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { bindCodeInput, digitsOf } from '../../../web/page-client/code-input.ts';

/** An input that takes text as a browser does, without the events of a real one. */
function createInput(value = '') {
  const attributes = new Set(['maxlength']);
  const input = Object.assign(new EventTarget(), {
    value,
    autocomplete: '',
    inputMode: '',
    removeAttribute: (name: string) => attributes.delete(name),
  });
  const enter = (text: string) => {
    input.value = text;
    input.dispatchEvent(new Event('input'));
  };
  return { input, attributes, enter, element: input as unknown as HTMLInputElement };
}

test('browsers offer the code of a message, show digits, and do not cut a pasted code', () => {
  const { input, attributes, element } = createInput();
  bindCodeInput(element, vi.fn());
  expect([input.autocomplete, input.inputMode, [...attributes]]).toEqual(['one-time-code', 'numeric', []]);
});

test.each([
  ['Your code: 123 456.', '123456'],
  ['123-456', '123456'],
  ['１２３４５６', '123456'],
  ['123456 is valid for 10 minutes', '123456'],
])('"%s" becomes %s', (text, code) => {
  const { input, enter, element } = createInput();
  const onComplete = vi.fn();
  bindCodeInput(element, onComplete);
  enter(text);
  expect(input.value).toBe(code);
  expect(onComplete.mock.calls).toEqual([[code]]);
});

test('calls back once for a code, however often the input reports it, and again for another code', () => {
  const { enter, element } = createInput();
  const onComplete = vi.fn();
  bindCodeInput(element, onComplete);
  for (const text of ['12345', '123456', '1234567', '123 456', '12345', '123456', '654321']) enter(text);
  expect(onComplete.mock.calls).toEqual([['123456'], ['123456'], ['654321']]);
});

test('does not call back for a code that was in the input before binding', () => {
  const { enter, element } = createInput('123456');
  const onComplete = vi.fn();
  bindCodeInput(element, onComplete);
  enter('123456');
  expect(onComplete).not.toHaveBeenCalled();
});

test('after unbinding, the input is an ordinary one', () => {
  const { input, enter, element } = createInput();
  const onComplete = vi.fn();
  bindCodeInput(element, onComplete)();
  enter('12 34 56');
  expect(input.value).toBe('12 34 56');
  expect(onComplete).not.toHaveBeenCalled();
});

test('only the digits of a code are kept, wherever spaces, dashes and other characters are', () => {
  const digit = fc.integer({ min: 0, max: 9 });
  const noise = fc.constantFrom('', ' ', '-', '\u00a0', 'a', '.');
  const texts = fc.array(fc.tuple(digit, noise), { maxLength: 9 });
  fc.assert(
    fc.property(texts, (parts) => {
      expect(digitsOf(parts.flat().join(''))).toBe(parts.map(([one]) => one).join(''));
    }),
  );
});
