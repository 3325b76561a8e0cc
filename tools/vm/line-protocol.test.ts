import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAnswer, runLine, splitLines } from './line-protocol.ts';

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

describe('parseAnswer', () => {
  it.each([
    ['hello 1-2', { kind: 'hello', bootId: '1-2' }],
    ['ended 7 0  ', { kind: 'ended', id: 7, code: 0, stdout: '', stderr: '' }],
    [
      `ended 8 137 ${base64('out\nüx')} ${base64('err')}`,
      { kind: 'ended', id: 8, code: 137, stdout: 'out\nüx', stderr: 'err' },
    ],
  ])('%s', (line, answer) => expect(parseAnswer(line)).toEqual(answer));

  it.each([
    '',
    'hello',
    'hello ',
    'hello a b',
    'ended',
    'ended 1 0 ',
    'ended x 0  ',
    'ended 1 -1  ',
    `ended 1 0 ${base64('torn').slice(0, -1)} `,
    'ended 1 0 ***= ',
    `ended 1 0 ${base64('a')} ${base64('b')} c`,
    '[  OK  ] Started',
  ])('"%s" is no answer', (line) => expect(parseAnswer(line)).toBeUndefined());
});

describe('runLine', () => {
  it('is one line, whatever the script', () =>
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), (script, id) => {
        const [verb, number, text = '', ...more] = runLine(id, script).slice(0, -1).split(' ');
        expect([verb, number, more]).toEqual(['run', String(id), []]);
        expect(Buffer.from(text, 'base64').toString('utf8')).toBe(Buffer.from(script, 'utf8').toString('utf8'));
        expect(runLine(id, script).indexOf('\n')).toBe(runLine(id, script).length - 1);
      }),
    ));

  it.skipIf(!existsSync('/bin/bash'))('is read by bash as the agent reads it', () => {
    const script = 'echo "a  b" \\n $((1+1))\necho \'c\'\n';
    const reader = 'read -r verb id script; printf "%s,%s," "$verb" "$id"; base64 -d <<<"$script"';
    const { stdout } = spawnSync('/bin/bash', ['-c', reader], { input: runLine(3, script), encoding: 'utf8' });
    expect(stdout).toBe(`run,3,${script}`);
  });
});

describe('splitLines', () => {
  it('gives the same lines however the bytes come', () =>
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'bc', '\n', '\n\n', ' ')), fc.array(fc.nat(5)), (words, sizes) => {
        const text = words.join('');
        const lines: string[] = [];
        let rest = '';
        let at = 0;
        for (const size of [...sizes, text.length]) {
          const split = splitLines(rest + text.slice(at, at + size));
          lines.push(...split.lines);
          rest = split.rest;
          at = Math.min(text.length, at + size);
        }
        expect([...lines, rest].join('\n')).toBe(text);
        expect(rest).not.toContain('\n');
      }),
    ));
});
