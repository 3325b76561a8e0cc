import { describe, expect, it } from 'vitest';
import { claimValue, configValue, pressureValue } from './values.ts';

const cm = (data: Record<string, string>, uid = 'u', labels = {}) => ({ metadata: { name: 'c', uid, labels }, data });

describe('circumstances as values', () => {
  it('of a ConfigMap: its content and whether it is another, not its labels', () => {
    expect(configValue(undefined)).toBe('absent');
    expect(configValue(cm({ a: '1', b: '2' }))).toBe(configValue(cm({ b: '2', a: '1' }, 'u', { x: 'y' })));
    expect(configValue(cm({ a: '1' }))).not.toBe(configValue(cm({ a: '2' })));
    expect(configValue(cm({ a: '1' }))).not.toBe(configValue(cm({ a: '1' }, 'v')));
    expect(configValue({ ...cm({}), binaryData: { a: 'eA==' } })).not.toBe(configValue(cm({})));
    expect(configValue(cm({ a: 'secret' }))).not.toContain('secret');
  });

  it('of a claim: its phase first', () => {
    expect(claimValue(undefined)).toBe('absent');
    expect(claimValue({ metadata: { uid: 'u' } })).toBe('Pending u  ');
    const bound = { metadata: { uid: 'u' }, spec: { volumeName: 'pv' }, status: { phase: 'Bound' } };
    expect(claimValue({ ...bound, status: { phase: 'Bound', capacity: { storage: '2Gi' } } })).toBe('Bound u pv 2Gi');
  });

  it.each([
    [{ memory: false, disk: false, pid: false }, 'none'],
    [{ memory: true, disk: false, pid: true }, 'memory,pid'],
  ])('of the node: %j', (verdict, value) => expect(pressureValue(verdict)).toBe(value));
});
