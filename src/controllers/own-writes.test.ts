import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS } from '../api/index.ts';
import { ObjectCache } from '../client/index.ts';
import { OwnWrites } from './own-writes.ts';

function start() {
  const lister = new ObjectCache();
  lister.init();
  lister.initDone('10');
  const woken: string[] = [];
  return { lister, woken, writes: new OwnWrites((key) => woken.push(key)) };
}

describe('OwnWrites', () => {
  it('parks a key until the lister shows what it wrote', () => {
    const { lister, woken, writes } = start();
    writes.record('a', lister, '12');
    expect(writes.seen('a')).toBe(false);
    expect(writes.seen('b')).toBe(true);
    lister.progress('11');
    expect(woken).toEqual([]);
    lister.progress('12');
    expect(woken).toEqual(['a']);
    expect(writes.seen('a')).toBe(true);
  });

  it('keeps a doubt until the server said how far it is, and then waits for that', () => {
    const { lister, woken, writes } = start();
    writes.doubt('a', { lister, resource: CONFIG_MAPS, namespace: 'n' });
    writes.doubt('a', { lister, resource: CONFIG_MAPS, namespace: 'n' });
    expect(writes.doubtsOf('a')).toHaveLength(1);
    for (const doubt of writes.doubtsOf('a')) writes.resolve('a', doubt, '15');
    expect(writes.doubtsOf('a')).toEqual([]);
    expect(writes.seen('a')).toBe(false);
    lister.progress('15');
    expect(woken).toEqual(['a']);
  });
});
