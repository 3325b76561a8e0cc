/** Tests that a message of several lines is told whole, whatever writes it, and that none of its lines is taken for another. */
import { describe, expect, it } from 'vitest';
import { readLog } from './read-log.ts';

const said = (lines: readonly string[]): string | undefined => readLog(lines).decisive?.line;

/** Ways to write a message over several lines; `more` is what only the lines below the first say. */
const FORMS: readonly (readonly [form: string, write: (first: string, more: string) => readonly string[]])[] = [
  ['indented below an error', (first, more) => [`Error: ${first}`, `       ${more}`, '', '       Ask for a way out.']],
  ['without a time below one that has one', (first, more) => [`2026-01-31 12:00:00 ERROR ${first}`, more]],
  ['in a box', (first, more) => ['╷', `│ Error: ${first}`, '│ ', `│   ${more}`, '╵']],
  ['between a class and its frames', (first, more) => [`a.b.PlanException: ${first}`, more, '\tat a.b.C.d(C.java:1)']],
  [
    'below a cause',
    (first, more) => [
      'x.AError: away',
      '\tat x.A.b(A.java:1)',
      `Caused by: y.BError: ${first}`,
      more,
      '\tat y.B.c(B.java:2)',
    ],
  ],
  ['below the place of an error', (_, more) => ['Execution error (PlanError) at a/b (main.clj:2).', more]],
];
const MORE: readonly string[] = [
  'You must specify LEDGER_DSN as an environment variable',
  'the plan "basic" has no price for version 2',
  'on main.tf line 3, in block "ledger"',
  '-> Applied to database : 123',
];

describe('a message of several lines', () => {
  it.each(FORMS.flatMap(([form, write]) => MORE.map((more) => ({ form, more, lines: write('No plan', more) }))))(
    '$form: $more',
    ({ more, lines }) => {
      expect(said(lines)).toContain(more);
      // Ordinary lines before it change nothing.
      expect(said(['starting', 'reading settings', ...lines])).toContain(more);
    },
  );

  it('is no sign of work', () => {
    const lines = [
      'a.b.PlanException: Validate failed',
      'version 2 was applied',
      'now available',
      '\tat a.b.C.d(C.java:1)',
    ];
    expect(said(lines)).toContain('PlanException');
  });

  it.each([
    ['the code below a compiler error', ['a.c:3:5: error: no price', '    int p;'], 'a.c:3:5: error: no price'],
    ['the next logged line', ['12:00:00 ERROR No plan', '12:00:00 INFO bye "a"'], 'No plan'],
    ['a closing line', ['12:00:00 ERROR No plan', 'Shutting down'], 'No plan'],
  ])('has nothing of %s', (_, lines, expected) => {
    expect(said(lines)).toBe(expected);
  });
});

describe('what stands before a message', () => {
  it.each([
    ['✗ cannot read plan "a"', 'cannot read plan "a"'],
    ['❌ cannot read plan "a"', 'cannot read plan "a"'],
    ['2026-01-31T12:00:00Z E! cannot read plan "a"', 'cannot read plan "a"'],
    ['[2026-01-31T12:00:00,000][ERROR][o.e.b.Shop       ] [shop-0] cannot read plan "a"', 'cannot read plan "a"'],
    [' 0(41) ERROR: plan "a": permission denied', 'ERROR: plan "a": permission denied'],
    ['║ ERROR cannot read plan "a" ║', 'cannot read plan "a"'],
  ])('%s', (line, expected) => {
    expect(said(['starting', line])).toBe(expected);
  });
});

it.each([
  [
    'the line above a usage',
    ['Config is empty.', 'usage: shop [-h]', 'options:', '  -h, --help  help'],
    'Config is empty.',
  ],
  [
    'no option of a usage',
    ['cannot read plan "a"', '  -t, --timeout NUM    when it failed', '  --retry N   after errors'],
    'cannot read plan "a"',
  ],
  [
    'the words of the system above an error with more names',
    ['12:00:00 ERROR bind to port 81: Address already in use', '12:00:00 ERROR /etc/a.conf[2]: cannot bind "a"'],
    'bind to port 81: Address already in use',
  ],
])('decides: %s', (_, lines, expected) => {
  expect(said(lines)?.replace(/\.$/, '')).toBe(expected.replace(/\.$/, ''));
});
