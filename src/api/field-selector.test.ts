import { describe, expect, it } from 'vitest';
import { checkFieldSelector, matchesFields, parseFieldSelector, requiredFieldValue } from './field-selector.ts';
import { CERTIFICATE_SIGNING_REQUESTS, EVENTS, NODES, PODS, REPLICA_SETS } from './resources.ts';

const pod = {
  metadata: { name: 'a,b', namespace: 'n' },
  spec: { nodeName: 'x' },
  status: { podIPs: [{ ip: '10.0.0.1' }] },
};

describe('field selectors', () => {
  it.each([
    ['', true],
    ['spec.nodeName=x', true],
    ['spec.nodeName==x,status.phase=', true],
    ['status.phase!=Running', true],
    ['spec.nodeName!=x', false],
    ['metadata.name=a\\,b', true],
    ['status.podIPs=10.0.0.1', true],
    ['spec.hostNetwork=false', true],
  ])('%j', (text, matches) => {
    const selector = parseFieldSelector(text);
    checkFieldSelector(selector, PODS);
    expect(matchesFields(selector, PODS, pod)).toBe(matches);
  });

  it('reads where upstream reads', () => {
    expect(matchesFields(parseFieldSelector('source=kubelet'), EVENTS, { source: { component: 'kubelet' } })).toBe(
      true,
    );
    expect(matchesFields(parseFieldSelector('spec.unschedulable=false'), NODES, {})).toBe(true);
    expect(matchesFields(parseFieldSelector('involvedObject.name=p'), EVENTS, { involvedObject: { name: 'p' } })).toBe(
      true,
    );
  });

  it.each([
    ['spec.signerName=example.com/a', CERTIFICATE_SIGNING_REQUESTS, { spec: { signerName: 'example.com/a' } }],
    ['status.replicas=2', REPLICA_SETS, { status: { replicas: 2 } }],
    ['status.replicas=0', REPLICA_SETS, { status: {} }],
  ])('%s is a field of its own kind', (text, row, object) => {
    const selector = parseFieldSelector(text);
    checkFieldSelector(selector, row);
    expect(matchesFields(selector, row, object)).toBe(true);
  });

  it('says which value it demands', () => {
    expect(requiredFieldValue(parseFieldSelector('spec.nodeName=x,status.phase!=y'), 'spec.nodeName')).toBe('x');
    expect(requiredFieldValue(parseFieldSelector('spec.nodeName!=x'), 'spec.nodeName')).toBeUndefined();
  });

  it.each([
    ['nonsense', "invalid selector: 'nonsense'; can't understand 'nonsense'"],
    ['a=b\\c', 'invalid field selector: invalid escape sequence: \\c'],
    ['a=b=c', 'invalid field selector: unescaped character in value: 61'],
  ])('refuses %j', (text, message) => {
    expect(() => parseFieldSelector(text)).toThrow(message);
  });

  it('refuses a field that the kind does not offer', () => {
    expect(() => checkFieldSelector(parseFieldSelector('spec.foo=1'), PODS)).toThrow(
      'field label not supported: spec.foo',
    );
  });
});
