import { expect, it } from 'vitest';
import { withoutRepeat } from './repeats.ts';

it.each([
  [
    'what a client of gRPC says twice, with the peer that only the second has',
    'Error: store: database space exceeded (retrying of unary invoker failed: rpc error: code = ResourceExhausted desc = store: database space exceeded, target=endpoint://client-1/store-0:2379)',
    'Error: store: database space exceeded (store-0:2379)',
  ],
  [
    'what is said twice, without a peer',
    'cannot open the ledger of tenant a (caused by: cannot open the ledger of tenant a)',
    'cannot open the ledger of tenant a',
  ],
  ['what only adds to it', 'cannot open the ledger of tenant a (no such tenant)', undefined],
  ['short words', 'no space (no space left)', undefined],
  ['no brackets', 'cannot open the ledger of tenant a', undefined],
])('%s', (_, line, cut) => {
  expect(withoutRepeat(line)).toBe(cut ?? line);
});
