import { describe, expect, it } from 'vitest';
import { isTrouble, newsOf } from './circumstances.ts';

describe('what is news', () => {
  it.each<[string, string, string, string | undefined]>([
    ['configmap/app', 'a', 'b', 'configmap/app changed'],
    ['configmap/app', 'absent', 'b', 'configmap/app was created'],
    ['configmap/app', 'a', 'absent', undefined],
    ['configmap/app', 'a', 'a', undefined],
    ['secret/app', 'absent', 'b', 'secret/app was created'],
    ['secret/app', 'a', 'b', 'secret/app changed'],
    ['persistentvolumeclaim/data', 'Pending', 'Bound pv-1', 'persistentvolumeclaim/data became Bound'],
    ['persistentvolumeclaim/data', 'Bound pv-1 1Gi', 'Bound pv-1 2Gi', 'persistentvolumeclaim/data changed'],
    ['persistentvolumeclaim/data', 'absent', 'Pending', 'persistentvolumeclaim/data changed'],
    ['image/r.io/a/b:1', 'absent', 'sha256:1', 'image r.io/a/b:1 became available'],
    ['image/r.io/a/b:1', 'sha256:1', 'sha256:2', 'image r.io/a/b:1 changed'],
    ['image/r.io/a/b:1', 'sha256:1', 'absent', undefined],
    ['address/10.0.0.7:80', 'unreachable', 'reachable', '10.0.0.7:80 accepts connections'],
    ['address/10.0.0.7:80', 'reachable', 'unreachable', undefined],
    ['pressure/node', 'memory,disk', 'disk', "the node's pressure ended (memory)"],
    ['pressure/node', 'memory', 'none', "the node's pressure ended (memory)"],
    ['pressure/node', 'none', 'memory', undefined],
    ['pressure/node', 'memory', 'disk,memory', undefined],
    ['weather/here', 'rain', 'sun', undefined],
  ])('%s: %s → %s', (name, before, after, cause) => expect(newsOf(name, before, after)?.cause).toBe(cause));

  it('lasts where containers are made from it', () => {
    expect(newsOf('configmap/app', 'a', 'b')?.lasting).toBe(true);
    expect(newsOf('address/a:1', 'unreachable', 'reachable')?.lasting).toBe(false);
    expect(newsOf('pressure/node', 'memory', 'none')?.lasting).toBe(false);
  });

  it('knows trouble', () => {
    expect(isTrouble('address/a:1', 'unreachable')).toBe(true);
    expect(isTrouble('address/a:1', 'reachable')).toBe(false);
    expect(isTrouble('pressure/node', 'disk')).toBe(true);
    expect(isTrouble('pressure/node', 'none')).toBe(false);
    expect(isTrouble('configmap/app', 'absent')).toBe(false);
  });
});
