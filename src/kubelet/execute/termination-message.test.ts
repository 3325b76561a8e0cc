import { describe, expect, it } from 'vitest';
import { logTail } from './termination-message.ts';

const line = (text: string, tag = 'F') => `2026-01-01T00:00:00.000000000Z stderr ${tag} ${text}`;

describe('logTail', () => {
  it('joins partial lines and drops the heads', () => {
    expect(logTail(`${line('one ', 'P')}\n${line('two')}\n${line('three')}\n`)).toBe('one two\nthree\n');
  });
  it('keeps the last 80 lines', () => {
    const text = Array.from({ length: 200 }, (_, i) => line(`${i}`)).join('\n');
    expect(logTail(`${text}\n`).split('\n')[0]).toBe('120');
  });
  it('keeps the last 2048 bytes', () => {
    const tail = logTail(`${line('x'.repeat(5000))}\n`);
    expect(tail.length).toBe(2048);
    expect(tail.endsWith('x\n')).toBe(true);
  });
  it('keeps a line that a progress bar has written over', () => {
    expect(logTail(`${line('10%\r20%\r')}\n`)).toBe('10%\r20%\r\n');
  });

  it.each(['', 'garbage\n', '\n\n'])('has nothing to say of %j', (text) => expect(logTail(text)).toBe(''));
});
