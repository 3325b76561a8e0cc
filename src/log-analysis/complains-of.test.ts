import { describe, expect, it } from 'vitest';
import { complainsOf } from './complains-of.ts';

const times = (count: number, ...lines: readonly string[]): readonly string[] =>
  Array.from({ length: count }, (_, at) => lines.map((line) => line.replaceAll('#', String(at + 11)))).flat();

describe('what a server complains of that names its user', () => {
  it.each<[what: string, lines: readonly string[], names: readonly string[], says: RegExp]>([
    [
      'two clients with one name',
      times(
        4,
        '2026-03-03T10:20:#: New connection from 10.4.0.5:466# on port 1883.',
        '2026-03-03T10:20:#: Client line-bridge already connected, closing old connection.',
      ),
      ['line-bridge'],
      /already connected/,
    ],
    [
      'a subject that somebody may not publish',
      times(
        4,
        '[1] 2026/03/03 10:20:#.9 [ERR] 10.4.0.6:343# - cid:5 - Publish Violation - User "shop", Subject "orders.created"',
      ),
      ['web-1', 'orders.created'],
      /Publish Violation/,
    ],
  ])('%s', (_what, lines, names, says) => {
    const found = complainsOf(lines, names);
    expect(found?.line).toMatch(says);
    expect(found).toMatchObject({ times: 4, name: names.at(-1) });
  });

  it.each<[what: string, lines: readonly string[], names: readonly string[]]>([
    ['nothing', [], ['orders.created']],
    ['others', times(5, 'ERROR publish to orders.created.dead refused'), ['orders.created']],
    ['it, twice', times(2, 'ERROR publish to orders.created refused'), ['orders.created']],
    [
      'it, long ago',
      [...times(5, 'ERROR publish to orders.created refused'), ...times(9, 'INFO took a message')],
      ['orders.created'],
    ],
    ['it, who comes and goes', times(5, '2026-03-03T10:20:#: Client line-bridge disconnected.'), ['line-bridge']],
    ['it without a fault', times(5, 'INFO web-1 subscribed to orders.created'), ['web-1', 'orders.created']],
  ])('is not %s', (_what, lines, names) => {
    expect(complainsOf(lines, names)).toBeUndefined();
  });
});
