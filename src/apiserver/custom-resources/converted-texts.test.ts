import { expect, it } from 'vitest';
import { MAX_REMEMBERED_CHARACTERS, MAX_REMEMBERED_CONVERSIONS } from '../limits.ts';
import { ConvertedTexts } from './converted-texts.ts';

const object = (name: string) => ({ apiVersion: 'a/v1', kind: 'A', metadata: { name } });

it('the oldest of many go', () => {
  const texts = new ConvertedTexts();
  for (let n = 0; n <= MAX_REMEMBERED_CONVERSIONS; n++) texts.set(`t${n}`, object(`${n}`));
  expect(texts.get('t0')).toBe(undefined);
  expect(texts.get('t1')).toEqual(object('1'));
  expect(texts.get(`t${MAX_REMEMBERED_CONVERSIONS}`)).toEqual(object(`${MAX_REMEMBERED_CONVERSIONS}`));
});

it('the oldest of large ones go, and the newest stays, however large it is', () => {
  const texts = new ConvertedTexts();
  const large = (letter: string, share: number): string => letter.repeat((MAX_REMEMBERED_CHARACTERS / 2) * share);
  texts.set('small', object('small'));
  texts.set(large('a', 0.6), object('a'));
  expect(texts.get('small')).toEqual(object('small'));
  texts.set(large('b', 0.6), object('b'));
  expect([texts.get('small'), texts.get(large('a', 0.6))]).toEqual([undefined, undefined]);
  texts.set(large('c', 2), object('c'));
  expect(texts.get(large('b', 0.6))).toBe(undefined);
  expect(texts.get(large('c', 2))).toEqual(object('c'));
  texts.set('last', object('last'));
  expect([texts.get(large('c', 2)), texts.get('last')]).toEqual([undefined, object('last')]);
});

it('the same text again counts once', () => {
  const texts = new ConvertedTexts();
  texts.set('other', object('other'));
  for (let n = 0; n < 10; n++) texts.set('x'.repeat(MAX_REMEMBERED_CHARACTERS / 4), object(`${n}`));
  expect(texts.get('other')).toEqual(object('other'));
});
