import { expect, test } from 'vitest';
import { languageOf, languageOfCall } from '../../../../shared/training/analysis/language.ts';
import type { TranscriptTurn } from '../../../../shared/training/call.ts';

const turn = (role: TranscriptTurn['role'], message: string): TranscriptTurn => ({ role, timeInCallSecs: 0, message });

test.each([
  ['de', 'Guten Tag, ich rufe wegen Ihrer Anfrage an.'],
  ['de', 'Ja, danke.'],
  ['de', 'Der Sales Manager hat das Meeting leider gecancelt.'],
  ['en', 'What does it cost?'],
  ['en', 'Yes, please.'],
  ['fr', 'Bonjour, je voudrais vous présenter notre offre.'],
  ['es', 'Buenos días, quiero hablar con usted de su oficina.'],
  ['it', 'Buongiorno, vorrei parlare con lei del nostro prodotto.'],
  ['nl', 'Goedemiddag, ik bel u over onze software voor het kantoor.'],
  ['pl', 'Dzień dobry, czy ma pan teraz czas?'],
  ['tr', 'Merhaba, bu ürün için çok teşekkür ederim.'],
  ['ja', 'こんにちは、元気ですか'],
  ['zh', '您好，请问您需要什么？'],
  ['ru', 'Добрый день, как ваши дела?'],
  ['uk', 'Добрий день, як ваші справи?'],
  ['ar', 'مرحبا كيف حالك'],
  [undefined, 'Ok.'],
  [undefined, 'asdf qwer zxcv'],
  [undefined, '😀 123'],
  [undefined, ''],
])('languageOf returns %s for «%s»', (language, text) => expect(languageOf(text)).toBe(language));

test('the language of a call is the language of the trainee, or else of both speakers, or else `und`', () => {
  const customer = turn('agent', 'Guten Tag, was kann ich für Sie tun?');
  expect(languageOfCall([customer, turn('user', 'Good morning, how are you today?')])).toBe('en');
  expect(languageOfCall([customer, turn('user', 'Ok.')])).toBe('de');
  expect(languageOfCall([turn('user', 'Ok.')])).toBe('und');
});
