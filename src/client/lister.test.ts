import { describe, expect, it } from 'vitest';
import type { Pod } from '../api/index.ts';
import { type Change, ObjectCache, compareResourceVersions, splitKey } from './lister.ts';

function pod(name: string, resourceVersion: number, nodeName = 'n1', uid = name): Pod {
  const metadata = { namespace: 'default', name, uid, resourceVersion: String(resourceVersion) };
  return { metadata, spec: { containers: [], nodeName } };
}

function setUp() {
  const cache = new ObjectCache<Pod>({ node: (each) => [each.spec?.nodeName ?? ''] });
  const changes: string[] = [];
  cache.onChange((change: Change<Pod>) => {
    const before = change.type === 'apply' ? `${change.previous?.metadata?.resourceVersion ?? 'new'}>` : '';
    changes.push(`${change.type} ${change.key} ${before}${change.object.metadata?.resourceVersion}`);
  });
  const fill = (resourceVersion: string, ...pods: readonly Pod[]): void => {
    cache.init();
    for (const each of pods) cache.initApply(each);
    cache.initDone(resourceVersion);
  };
  return { cache, changes, fill };
}

const names = (pods: readonly Pod[]): (string | undefined)[] => pods.map((each) => each.metadata?.name);

describe('ObjectCache', () => {
  it('knows nothing until the first list is whole', async () => {
    const { cache, fill } = setUp();
    let synced = false;
    void cache.waitForSync().then(() => (synced = true));
    cache.init();
    cache.initApply(pod('a', 1));
    await Promise.resolve();
    expect([cache.synced, synced, cache.list().length]).toEqual([false, false, 0]);
    fill('9', pod('a', 1));
    await Promise.resolve();
    expect([cache.synced, synced, cache.list().length]).toEqual([true, true, 1]);
  });

  it('keeps indexes through every change', () => {
    const { cache, fill } = setUp();
    fill('3', pod('a', 1, 'n1'), pod('b', 2, 'n2'));
    expect(names(cache.byIndex('node', 'n1'))).toEqual(['a']);
    cache.apply(pod('a', 4, 'n2'));
    expect(names(cache.byIndex('node', 'n1'))).toEqual([]);
    expect(names(cache.byIndex('node', 'n2'))).toEqual(['b', 'a']);
    cache.delete(pod('b', 5, 'n2'));
    expect(names(cache.byIndex('node', 'n2'))).toEqual(['a']);
    expect(names(cache.list('default'))).toEqual(['a']);
    expect(cache.list('other')).toEqual([]);
    expect(names(cache.byIndex('unknown', 'n2'))).toEqual([]);
  });

  it('tells changes alone after a relist: gone, new, changed, not the same', () => {
    const { changes, fill } = setUp();
    fill('3', pod('a', 1), pod('b', 2), pod('c', 3));
    changes.length = 0;
    fill('9', pod('b', 2), pod('c', 8), pod('d', 9));
    expect(changes).toEqual(['delete default/a 1', 'apply default/c 3>8', 'apply default/d new>9']);
  });

  it('tells of the end of an object that was replaced unseen by another of its name', () => {
    const { changes, fill } = setUp();
    fill('3', pod('a', 1, 'n1', 'first'));
    fill('9', pod('a', 8, 'n1', 'second'));
    expect(changes).toEqual(['apply default/a new>1', 'delete default/a 1', 'apply default/a new>8']);
  });

  it('says which resource versions it has seen, bookmarks included', () => {
    const { cache, fill } = setUp();
    expect(cache.reached('1')).toBe(false);
    fill('9', pod('a', 1));
    expect([cache.reached('9'), cache.reached('10')]).toEqual([true, false]);
    cache.progress('12');
    expect(cache.reached('12')).toBe(true);
    cache.apply(pod('a', 100));
    expect(cache.reached('99')).toBe(true);
  });

  it('gives up waiting when told to', async () => {
    const { cache } = setUp();
    const controller = new AbortController();
    const waiting = cache.waitForSync(controller.signal);
    controller.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });
});

describe('keys and versions', () => {
  it('splits keys', () => {
    expect(splitKey('ns/name')).toEqual({ namespace: 'ns', name: 'name' });
    expect(splitKey('node1')).toEqual({ name: 'node1' });
  });

  it('orders resource versions as numbers of any length', () => {
    const sorted = ['9', '10', '', '100000000000000000000', '99'].toSorted(compareResourceVersions);
    expect(sorted).toEqual(['', '9', '10', '99', '100000000000000000000']);
  });
});
