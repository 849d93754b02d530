import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { bindCodeInput, digitsOf } from '../../../web/page-client/code-input.ts';

/** A stand-in for an input element. `enter` sets its text and dispatches `input`. */
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

test('bindCodeInput sets the attributes for one-time codes and digits, and removes maxlength', () => {
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

test('calls back once for each completed code, even after several events with the same digits', () => {
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

test('after unbinding, the input keeps its text and does not call back', () => {
  const { input, enter, element } = createInput();
  const onComplete = vi.fn();
  bindCodeInput(element, onComplete)();
  enter('12 34 56');
  expect(input.value).toBe('12 34 56');
  expect(onComplete).not.toHaveBeenCalled();
});

test('spaces, dashes and other characters are removed from a code, wherever they are', () => {
  const digit = fc.integer({ min: 0, max: 9 });
  const noise = fc.constantFrom('', ' ', '-', '\u00a0', 'a', '.');
  const texts = fc.array(fc.tuple(digit, noise), { maxLength: 9 });
  fc.assert(
    fc.property(texts, (parts) => {
      expect(digitsOf(parts.flat().join(''))).toBe(parts.map(([one]) => one).join(''));
    }),
  );
});
