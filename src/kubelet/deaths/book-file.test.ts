import { describe, expect, it } from 'vitest';
import { formatBook, parseBook, parseHead } from './book-file.ts';
import { emptyBook, withDeath, withGoneAt } from './death-book.ts';
import { NAMES, testDeath } from './deaths.fixtures.ts';

const book = withGoneAt(
  withDeath(withDeath(emptyBook(NAMES), 'main', testDeath(1)), 'side', testDeath(2)),
  '2026-01-01T00:00:00Z',
);
const text = formatBook(book);

describe('a book on disk', () => {
  it('is read as it was written', () => {
    expect(parseBook(text, 'u1')).toEqual({ ok: true, value: book });
    expect(parseHead(text, 'u1')).toEqual({ ok: true, value: { ...NAMES, goneAt: '2026-01-01T00:00:00Z', total: 2 } });
  });

  it('has the controller of its pod, if it had one', () => {
    const owner = { kind: 'ReplicaSet', name: 'web-1', uid: 'r1' };
    const owned = formatBook(withDeath(emptyBook({ ...NAMES, owner }), 'main', testDeath(1)));
    expect(parseBook(owned, 'u1')).toMatchObject({ ok: true, value: { owner } });
    const odd = owned.replace('"r1"', '7');
    expect(parseHead(odd, 'u1')).toEqual({ ok: true, value: { ...NAMES, total: 1 } });
  });

  it.each([
    ['nothing', '', 'its first line is not an object'],
    ['no JSON', 'x\n', 'its first line is not an object'],
    ['a newer one', text.replace('"format":1', '"format":2'), 'its format is 2'],
    ['of another pod', text.replace('"u1"', '"u2"'), 'it is of another pod'],
    ['torn in a line', text.slice(0, -20), 'its end is missing'],
    ['torn between lines', text.slice(0, text.indexOf('\n', text.indexOf('\n') + 1) + 1), 'containers are missing'],
    ['edited', text.replace('"exitCode":1', '"exitCode":"1"'), 'a line is no history of a container'],
  ])('%s is not believed', (_name, broken, problem) => {
    expect(parseBook(broken, 'u1')).toEqual({ ok: false, problem });
  });
});
