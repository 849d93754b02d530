import { expect, test } from 'vitest';
import { isPreviewName, stageKind, stageNameIssue } from '../../../infra/settings/stage-name.ts';

test.each([
  ['dev', 'dev'],
  ['prod', 'prod'],
  ['pr', 'preview'],
  ['pr-123', 'preview'],
  ['dev-2', 'preview'],
  ['a23456789-123456', 'preview'],
])('%s is the name of a stage of kind %s', (name, kind) => {
  expect(stageNameIssue(name)).toBeUndefined();
  expect(stageKind(name)).toBe(kind);
  expect(isPreviewName(name)).toBe(kind === 'preview');
});

test.each([
  ...['', 'p', 'P1', 'pR-1', '1pr', '-pr', 'pr_1', 'pr.1', 'pr/1', '../pr', 'pr 1', 'pr-1\n', 'pü-1'],
  ...['a23456789-1234567', undefined, null, 1, ['pr-1']],
])('%j is rejected with a message that contains the rule', (name) => {
  expect(stageNameIssue(name)).toMatch(/is not a stage name\. A stage name has 2 to 16 characters: lowercase letters/);
  if (typeof name === 'string') expect(isPreviewName(name)).toBe(false);
});

test.each([
  ['production', 'prod'],
  ['development', 'dev'],
])('%s is rejected with the suggestion %s', (name, meant) => {
  expect(stageNameIssue(name)).toBe(`The stage "${name}" does not exist. Did you mean ${meant}?`);
  expect(isPreviewName(name)).toBe(false);
});
