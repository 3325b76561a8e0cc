import { describe, expect, it } from 'vitest';
import { CidrPool } from './cidr-pool.ts';
import { checkNodeIpam } from './node-ipam-settings.ts';

describe('settings', () => {
  it.each<[string, number, string | undefined]>([
    ['10.244.0.0/16', 24, undefined],
    ['10.244.0.0/16', 16, undefined],
    ['10.244.0.0/16', 15, 'must be between 16'],
    ['10.244.0.0/16', 31, 'and 30'],
    ['10.244.0.0/16', 24.5, 'must be between'],
    ['10.0.0.0/8', 25, 'by more than 16'],
    ['10.0.0.1/8', 24, 'is no IPv4 network'],
    ['fd00::/48', 64, 'is no IPv4 network'],
  ])('%s by %d: %s', (clusterCidr, nodeMaskSize, expected) => {
    const wrong = checkNodeIpam({ clusterCidr, nodeMaskSize });
    if (expected === undefined) expect(wrong).toBeUndefined();
    else expect(wrong).toContain(expected);
  });
});

describe('the pool', () => {
  it('gives each once, and a part that came back last', () => {
    const pool = new CidrPool({ clusterCidr: '10.0.0.0/22', nodeMaskSize: 24 });
    expect(pool.take('a')).toBe('10.0.0.0/24');
    expect(pool.take('a')).toBe('10.0.0.0/24');
    expect(pool.take('b')).toBe('10.0.1.0/24');
    expect([pool.giveBack('a'), pool.giveBack('a')]).toEqual([true, false]);
    expect([pool.take('c'), pool.take('d'), pool.take('e'), pool.take('f')]).toEqual([
      '10.0.2.0/24',
      '10.0.3.0/24',
      '10.0.0.0/24',
      undefined,
    ]);
    expect([pool.used, pool.size]).toEqual([4, 4]);
  });
  it('leaves out what nodes have, also a part of it or more', () => {
    const pool = new CidrPool({ clusterCidr: '10.0.0.0/22', nodeMaskSize: 24 });
    expect(pool.occupy('small', '10.0.0.128/25')).toBeUndefined();
    expect(pool.occupy('large', '10.0.2.0/23')).toBeUndefined();
    expect(pool.occupy('elsewhere', '192.168.0.0/24')).toBeUndefined();
    expect(pool.occupy('thief', '10.0.2.0/24')).toBe('large');
    expect([pool.take('a'), pool.take('b')]).toEqual(['10.0.1.0/24', undefined]);
    pool.giveBack('large');
    expect(pool.take('b')).toBe('10.0.2.0/24');
  });
});
