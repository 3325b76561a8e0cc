import { describe, expect, it } from 'vitest';
import { encodeText } from '../../lib/index.ts';
import { MAX_TERMINAL_SIZE_BYTES } from './limits.ts';
import { TerminalSizeReader } from './terminal-size.ts';

describe('TerminalSizeReader', () => {
  it.each([
    ['one', ['{"Width":77,"Height":33}\n'], [{ columns: 77, rows: 33 }]],
    ['in pieces', ['{"Wid', 'th":77,"Height":3', '3}'], [undefined, undefined, { columns: 77, rows: 33 }]],
    ['two at once', ['{"Width":1,"Height":2}{"Width":3,"Height":4}'], [{ columns: 3, rows: 4 }]],
    [
      'none of a size',
      ['{"Width":0,"Height":2}', '{}', 'x}', '{"Width":70000,"Height":2}'],
      [undefined, undefined, undefined, undefined],
    ],
    [
      'after a lot of nothing',
      ['x'.repeat(2 * MAX_TERMINAL_SIZE_BYTES), '}{"width":5,"height":6}'],
      [undefined, { columns: 5, rows: 6 }],
    ],
  ])('%s', (_, pieces, expected) => {
    const reader = new TerminalSizeReader();
    expect(pieces.map((piece) => reader.push(encodeText(piece)))).toEqual(expected);
  });
});
